use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec,
};
use serde::Deserialize;
use serde_json::json;

use super::open::{OpenFor, OpenedPath, Spot, folder};
use super::replace::{part_name, replace};
use super::{Root, StopSign, WriteSettings, blocking, check_size, failed};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const EDIT: Kind = Kind {
    name: "fs.edit",
    summary: "Replaces an exact text in files beneath `root`",
    keys: &["root", "links", "max_bytes"],
    is_local: true,
    build,
};

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let WriteSettings {
        root,
        links,
        max_bytes,
    } = draft.settings()?;
    let declared = Declared {
        description: "Replaces an exact text in a file. Fails with `not_found` if the old text is not in the file, and with \
                      `bad_arguments` if it stands there more or less often than `count` says."
            .into(),
        effect: EffectClass::Write,
        // The new text may hold the old one: a second run would replace it once more.
        repeat: Repeat::Never,
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "minLength": 1, "description": "relative to the tool's folder, e.g. notes/a.md" },
                "old": { "type": "string", "minLength": 1, "description": "the text as it stands in the file, with enough around it to stand there once" },
                "new": { "type": "string" },
                "count": { "type": "integer", "minimum": 1, "description": "how often the old text stands in the file; 1 if left out" },
            },
            "required": ["path", "old", "new"],
            "additionalProperties": false,
        }),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    Ok(Built::new(FsEdit {
        spec,
        root,
        max_bytes,
    })
    .within(vec![path]))
}

#[derive(Debug)]
struct FsEdit {
    spec: ToolSpec,
    root: Arc<Root>,
    max_bytes: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    path: String,
    old: String,
    new: String,
    #[serde(default = "once")]
    count: usize,
}

const fn once() -> usize {
    1
}

#[async_trait]
impl Tool for FsEdit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let arguments: EditArguments = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        let root = Arc::clone(&self.root);
        let max_bytes = self.max_bytes;
        let part = part_name(call);
        blocking(move |stop| edit(&root, &arguments, max_bytes, &part, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

fn edit(
    root: &Root,
    arguments: &EditArguments,
    max: u64,
    part: &str,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let path = &arguments.path;
    let spot = root.spot(path)?;
    let OpenedPath::File(file) = spot.open(OpenFor::Read)? else {
        return Err(folder(path));
    };
    let version = Version::of(&file).map_err(|error| spot.failure(&error))?;
    let text = text(&spot, file, max)?;
    let replaced = replaced(&text, arguments, max)?;
    replace(&spot, replaced.as_bytes(), part, || {
        stop.check()?;
        version.check(&spot)
    })?;
    Ok(format!(
        "{path} is edited, {} bytes became {}",
        text.len(),
        replaced.len()
    ))
}

/// The whole text of a file.
fn text(spot: &Spot<'_>, file: File, max: u64) -> Result<String, ToolFailure> {
    let mut bytes = Vec::new();
    let read = file.take(max.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| spot.failure(&error))?;
    check_size(bytes.len(), max)?;
    let text = String::from_utf8(bytes).ok();
    text.filter(|text| !text.contains('\0')).ok_or_else(|| {
        let invalid = io::Error::new(io::ErrorKind::InvalidInput, "it is not a text (UTF-8)");
        spot.failure(&invalid)
    })
}

/// The text with the new one in place of each old one, at most `max` bytes.
fn replaced(text: &str, arguments: &EditArguments, max: u64) -> Result<String, ToolFailure> {
    let EditArguments {
        path,
        old,
        new,
        count,
    } = arguments;
    let refused = |why: &str| {
        Err(failed(
            ToolErrorCode::BadArguments,
            format!("{path}: the old text {why}"),
        ))
    };
    let Some(step) = old.chars().next().map(char::len_utf8) else {
        return refused("is empty");
    };
    let mut found = 0;
    let mut at = 0;
    let mut end = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(old.as_str())) {
        if found > 0 && at + next < end {
            return refused(
                "stands there in two places that overlap: give more of the text around it",
            );
        }
        found += 1;
        end = at + next + old.len();
        at += next + step;
    }
    if found == 0 {
        return Err(failed(
            ToolErrorCode::NotFound,
            format!("{path}: the old text does not stand there"),
        ));
    }
    if found != *count {
        return refused(&format!(
            "has other places than {count}, namely {found}: give more of the text around it, or `count: {found}`"
        ));
    }
    // Before it is made: a long text in a million places is more than any memory holds.
    let kept = text.len().saturating_sub(found.saturating_mul(old.len()));
    check_size(kept.saturating_add(found.saturating_mul(new.len())), max)?;
    Ok(text.replace(old, new))
}

/// A file as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version {
    inode: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

impl Version {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            inode: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Fails if another version stands there now: the edit would take back what came in between.
    pub(super) fn check(&self, spot: &Spot<'_>) -> Result<(), ToolFailure> {
        let OpenedPath::File(file) = spot.open(OpenFor::Read)? else {
            return Err(changed(spot));
        };
        match Self::of(&file) {
            Ok(now) if now == *self => Ok(()),
            Ok(_) => Err(changed(spot)),
            Err(error) => Err(spot.failure(&error)),
        }
    }
}

fn changed(spot: &Spot<'_>) -> ToolFailure {
    spot.failure(&io::Error::other("it was changed meanwhile: read it again"))
}
