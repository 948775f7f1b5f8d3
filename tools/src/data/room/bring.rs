//! `data.import`: brings a file of a folder in as a data set.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::ids::Hasher;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{CallFiles, Tool, ToolCall};
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;
use folkmoot_core::tool::{
    BlobRef, EffectClass, FileChange, FilePart, NamedFile, Repeat, ToolErrorCode, ToolFailure,
    ToolOutcome, ToolOutput, ToolSpec,
};
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;

use super::derive::blocking;
use super::named::{ENDINGS, media_type_of};
use super::tool::files_of;
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};
use crate::files::{FileRoot, Links};

pub(crate) const IMPORT: Kind = Kind {
    name: "data.import",
    summary: "Brings a file beneath `root` in as a data set",
    keys: &["root", "links", "max_bytes"],
    is_local: true,
    build,
};

/// The most bytes of a file, unless the settings say less.
const BYTES_MAX: u64 = u32::MAX as u64;

/// The time limit of a run, unless the settings say otherwise: a large file is copied.
const TIMEOUT_MS: u64 = 120_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportSettings {
    root: PathBuf,
    #[serde(default)]
    links: Links,
    #[serde(default = "bytes_max")]
    max_bytes: u64,
}

const fn bytes_max() -> u64 {
    BYTES_MAX
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportArguments {
    path: String,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let ImportSettings {
        root,
        links,
        max_bytes,
    } = draft.settings()?;
    let declared = Declared {
        description: "Brings a file of the tool's folder in as a data set of the people who ask."
            .to_owned(),
        effect: EffectClass::Write,
        // The same bytes are kept once, and its recorded result alone brings them in.
        repeat: Repeat::Always,
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "minLength": 1, "description": "relative to the tool's folder, e.g. orders.csv" },
            },
            "required": ["path"],
            "additionalProperties": false,
        }),
    };
    let (root, spec, path) = FileRoot::prepare(draft, &root, links, declared, |spec| ToolSpec {
        timeout_ms: TIMEOUT_MS,
        reads_files: true,
        ..spec
    })?;
    let bytes_max = max_bytes.min(BYTES_MAX);
    let built = Built::new(Import {
        spec,
        root,
        bytes_max,
    });
    // It writes into the store alone, and only reads its folder.
    Ok(Built {
        writes: false,
        ..built.within(vec![path])
    })
}

#[derive(Debug)]
struct Import {
    spec: ToolSpec,
    root: FileRoot,
    bytes_max: u64,
}

#[async_trait]
impl Tool for Import {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        match self.bring(call).await {
            Ok(output) => ToolOutcome::Done(output),
            Err(failure) => ToolOutcome::Failed(failure),
        }
    }
}

impl Import {
    async fn bring(&self, call: &ToolCall) -> Result<ToolOutput, ToolFailure> {
        let ImportArguments { path } = arguments::read(call)?;
        let media_type = media_type_of(&path).ok_or_else(|| {
            let endings: Vec<&str> = ENDINGS.iter().map(|(ending, _)| *ending).collect();
            let why = format!(
                "{path} is no file with rows by its name: it ends with none of {}",
                endings.join(", ")
            );
            ToolFailure::new(ToolErrorCode::BadArguments, why)
        })?;
        let files = files_of(call)?;
        let (root, bytes_max, runtime) = (self.root.clone(), self.bytes_max, Handle::current());
        blocking(move || {
            let file = root.open_to_read(&path)?;
            let keep = Keep {
                files,
                runtime,
                bytes_max,
            };
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            let named = keep.all(&path, file, name, media_type)?;
            let text = format!(
                "{:?} is a data set now: {} bytes.",
                named.name, named.file.bytes
            );
            Ok(ToolOutput {
                files: vec![FileChange::Added(named)],
                ..ToolOutput::text(text)
            })
        })
        .await
    }
}

/// Keeps a file in blobs, one at a time.
struct Keep {
    files: Arc<dyn CallFiles>,
    runtime: Handle,
    bytes_max: u64,
}

impl Keep {
    fn all(
        &self,
        path: &str,
        mut file: File,
        name: String,
        media_type: &str,
    ) -> Result<NamedFile, ToolFailure> {
        let failed =
            |why: String| ToolFailure::new(ToolErrorCode::Failed, format!("{path}: {why}"));
        let mut whole = Hasher::default();
        let mut parts = Vec::new();
        let mut bytes: u64 = 0;
        loop {
            let mut part = Vec::new();
            let next = file.by_ref().take(BLOB_BYTES_MAX as u64);
            let count = { next }.read_to_end(&mut part);
            let count = count.map_err(|error| failed(error.to_string()))?;
            // An empty file is one blob, too.
            if count == 0 && !parts.is_empty() {
                break;
            }
            bytes = bytes.saturating_add(count as u64);
            if bytes > self.bytes_max {
                let why = format!("{path} has more than {} bytes", self.bytes_max);
                return Err(ToolFailure::new(ToolErrorCode::TooLarge, why));
            }
            whole.push(&part);
            let kept = self.runtime.block_on(self.files.keep(part));
            parts.push(FilePart {
                blob: kept.map_err(|error| failed(with_causes(&error)))?,
                bytes: count as u64,
            });
            if count < BLOB_BYTES_MAX {
                break;
            }
        }
        if parts.len() == 1 {
            parts.clear();
        }
        let file = BlobRef {
            blob: whole.finish(),
            bytes,
            media_type: media_type.to_owned(),
        };
        Ok(NamedFile { name, file, parts })
    }
}
