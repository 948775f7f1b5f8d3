//! Every event as a line of JSON. The form is described in `docs/export.md`.

use folkmoot_core::command::commit::CommitHeader;
use folkmoot_core::event::{EventKind, EventRecord, StoredContent};
use folkmoot_core::ids::{Digest, Position, WorldName};
use folkmoot_core::port::StoredCommit;
use serde::Serialize;
use serde_json::{Value, json};

use super::ExportError;

/// The version of the form.
const VERSION: u32 = 1;

/// Writes lines.
#[derive(Debug)]
pub(super) struct Lines {
    name: WorldName,
    head: Position,
}

/// What the first line of a commit holds beside its event.
#[derive(Serialize)]
struct CommitPart<'a> {
    events: usize,
    link: Digest,
    #[serde(flatten)]
    header: &'a CommitHeader,
}

impl Lines {
    pub(super) const fn new(name: WorldName, head: Position) -> Self {
        Self { name, head }
    }

    /// The first line: what this is.
    pub(super) fn begin(&self) -> String {
        let Self { name, head } = self;
        format!(
            "{}\n",
            json!({ "folkmoot_export": VERSION, "world": name, "head": head })
        )
    }

    /// A line for each event of a commit.
    pub(super) fn take(&self, stored: &StoredCommit) -> Result<String, ExportError> {
        let mut lines = String::new();
        for text in event_lines(stored)? {
            lines.push_str(&text);
            lines.push('\n');
        }
        Ok(lines)
    }
}

/// The events of a commit, each as a JSON object in one line.
pub(crate) fn event_lines(stored: &StoredCommit) -> Result<Vec<String>, ExportError> {
    let commit = &stored.commit;
    let mut lines = Vec::new();
    for (at, event) in commit.numbered() {
        let record = event
            .to_record()
            .map_err(|source| ExportError::Event { at, source })?;
        let failed = |source| ExportError::Commit { at, source };
        let of_commit = (at == commit.header.first).then_some(CommitPart {
            events: commit.events.len(),
            link: stored.link,
            header: &commit.header,
        });
        let kind = event.kind();
        let text = line(at, kind, &commit.header, &record, of_commit.as_ref());
        lines.push(text.map_err(failed)?);
    }
    Ok(lines)
}

/// The parts of an event are JSON already, and stand in the line as they are.
fn line(
    at: Position,
    kind: EventKind,
    header: &CommitHeader,
    record: &EventRecord,
    of_commit: Option<&CommitPart<'_>>,
) -> Result<String, serde_json::Error> {
    let head = json!({
        "position": at,
        "time": header.stamp.time,
        "kind": kind.name(),
        "version": record.version,
        "principal": header.principal,
        "command": header.command,
    });
    let content = match &record.content {
        StoredContent::None => None,
        StoredContent::Present(bytes) => {
            Some(("content", String::from_utf8_lossy(bytes).into_owned()))
        }
        StoredContent::Erased { by: Some(by) } => Some(("erased", json!({ "by": by }).to_string())),
        StoredContent::Erased { by: None } => Some(("lost", true.to_string())),
    };
    let facts = Some(("facts", String::from_utf8_lossy(&record.facts).into_owned()));
    let commit = of_commit
        .map(serde_json::to_string)
        .transpose()?
        .map(|commit| ("commit", commit));
    let mut line = Value::to_string(&head);
    line.truncate(line.len().saturating_sub(1));
    for (key, value) in [facts, content, commit].into_iter().flatten() {
        line.push_str(&format!(",\"{key}\":{value}"));
    }
    line.push('}');
    Ok(line)
}
