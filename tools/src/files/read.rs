use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use cap_std::fs::Dir;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec,
};
use serde::Deserialize;
use serde_json::json;

use super::entries::shown;
use super::open::{OpenFor, OpenedPath};
use super::{Links, Root, StopSign, blocking, failed, io_failure, text_max};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};
use crate::output::cut;

mod by_line;

use by_line::Range;

pub(crate) const READ: Kind = Kind {
    name: "fs.read",
    summary: "Reads text files and lists folders beneath `root`",
    keys: &["root", "links"],
    is_local: true,
    build,
};

/// Room for the line that says where a cut file goes on.
const NOTE_MAX: u64 = 64;
/// The most entries of a folder that are looked at.
const ENTRIES_MAX: usize = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadSettings {
    root: PathBuf,
    #[serde(default)]
    links: Links,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let ReadSettings { root, links } = draft.settings()?;
    let declared = Declared {
        description:
            "Reads a text file, or lists a folder. A long file is cut; the last line then says where to go on.".into(),
        effect: EffectClass::Read,
        repeat: Repeat::Always,
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "minLength": 1, "description": "relative to the tool's folder; `.` is it" },
                "offset": { "type": "integer", "minimum": 0, "description": "the first byte to read; 0 if left out" },
                "limit": { "type": "integer", "minimum": 1, "description": "the most bytes to read" },
                "line": { "type": "integer", "minimum": 1, "description": "instead: the number of the first line to read" },
                "lines": { "type": "integer", "minimum": 1, "description": "the most lines to read" },
            },
            "required": ["path"],
            "additionalProperties": false,
        }),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    Ok(Built::new(FsRead { spec, root }).within(vec![path]))
}

#[derive(Debug)]
struct FsRead {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    path: String,
    offset: Option<u64>,
    limit: Option<u64>,
    line: Option<u64>,
    lines: Option<u64>,
}

/// The part of a file that is asked for.
enum Part {
    Bytes { offset: u64, limit: u64 },
    Lines(Range),
}

impl ReadArguments {
    /// The part, of which at most `max` bytes are read.
    fn part(&self, max: u64) -> Result<Part, ToolFailure> {
        let is_by_line = self.line.is_some() || self.lines.is_some();
        match (self.offset.is_some() || self.limit.is_some(), is_by_line) {
            (true, true) => Err(failed(
                ToolErrorCode::BadArguments,
                "give `offset` and `limit`, or `line` and `lines`",
            )),
            (false, true) => Ok(Part::Lines(Range {
                first: self.line.unwrap_or(1),
                max: self.lines.unwrap_or(u64::MAX),
                bytes_max: max,
            })),
            (_, false) => Ok(Part::Bytes {
                offset: self.offset.unwrap_or_default(),
                limit: self.limit.unwrap_or(max).min(max),
            }),
        }
    }
}

#[async_trait]
impl Tool for FsRead {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let arguments = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        let root = Arc::clone(&self.root);
        let max = text_max(&self.spec);
        blocking(move |stop| read(&root, &arguments, max, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

fn read(
    root: &Root,
    arguments: &ReadArguments,
    max: u64,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let path = &arguments.path;
    let part = arguments.part(max.saturating_sub(NOTE_MAX))?;
    match (root.open(path, OpenFor::Read)?, part) {
        (OpenedPath::Folder(folder), _) => list(&folder, path).map(|names| cut(names, max)),
        (OpenedPath::File(file), Part::Lines(range)) => by_line::text(path, file, range, stop),
        (OpenedPath::File(file), Part::Bytes { offset, limit }) => text(path, file, offset, limit),
    }
}

/// The text from the offset on, with a last line that says so if the file goes on.
fn text(path: &str, mut file: File, offset: u64, limit: u64) -> Result<String, ToolFailure> {
    let failure = |error| io_failure(path, &error);
    file.seek(SeekFrom::Start(offset)).map_err(failure)?;
    let mut bytes = Vec::new();
    // What counts is what is read, not what the file's size was a moment ago.
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(failure)?;
    let goes_on = bytes.len() as u64 > limit;
    if goes_on {
        bytes.pop();
    }
    let text = whole_characters(&bytes, offset > 0, goes_on)
        .filter(|text| !text.contains('\0'))
        .ok_or_else(|| not_text(path))?;
    if !goes_on {
        return Ok(text.to_owned());
    }
    if text.is_empty() {
        return Err(failed(
            ToolErrorCode::BadArguments,
            "the limit is smaller than the next character",
        ));
    }
    // The text is a part of the bytes; what was skipped in front of it belongs to the part before.
    let skipped = bytes
        .iter()
        .take_while(|byte| is_continuation(**byte))
        .count();
    let next = offset
        .saturating_add(skipped as u64)
        .saturating_add(text.len() as u64);
    Ok(format!("{text}\n[cut: the file goes on at offset {next}]"))
}

fn not_text(path: &str) -> ToolFailure {
    failed(
        ToolErrorCode::BadArguments,
        format!("{path} is not a text (UTF-8)"),
    )
}

/// `bytes` without the parts of characters that were cut at its edges.
fn whole_characters(bytes: &[u8], is_cut_before: bool, is_cut_behind: bool) -> Option<&str> {
    let skipped = if is_cut_before {
        bytes
            .iter()
            .take_while(|byte| is_continuation(**byte))
            .count()
            .min(3)
    } else {
        0
    };
    let bytes = bytes.get(skipped..)?;
    match str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if is_cut_behind && error.error_len().is_none() => bytes
            .get(..error.valid_up_to())
            .and_then(|bytes| str::from_utf8(bytes).ok()),
        Err(_) => None,
    }
}

const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// The names in a folder, sorted; folders with a slash behind.
fn list(folder: &Dir, path: &str) -> Result<String, ToolFailure> {
    let failure = |error| io_failure(path, &error);
    let mut names = Vec::new();
    for entry in folder.entries().map_err(failure)?.take(ENTRIES_MAX + 1) {
        let entry = entry.map_err(failure)?;
        let slash = if entry.file_type().map_err(failure)?.is_dir() {
            "/"
        } else {
            ""
        };
        names.push(format!("{}{slash}", shown(&entry.file_name())));
    }
    if names.len() > ENTRIES_MAX {
        return Err(failed(
            ToolErrorCode::TooLarge,
            format!("{path} has more than {ENTRIES_MAX} entries"),
        ));
    }
    names.sort_unstable();
    Ok(names.join("\n"))
}
