use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec,
};
use serde::Deserialize;
use serde_json::json;

use super::entries::{Entry, entries, shown};
use super::lines::Lines;
use super::open::{EntryKind, OpenFor, OpenedPath};
use super::{Links, Root, StopSign, blocking, failed, text_max};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const LIST: Kind = Kind {
    name: "fs.list",
    summary: "Lists folders beneath `root`, with kinds and sizes",
    keys: &["root", "links", "max_entries"],
    is_local: true,
    build,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListSettings {
    root: PathBuf,
    #[serde(default)]
    links: Links,
    #[serde(default = "entries_max")]
    max_entries: usize,
}

/// The most entries that one call lists, unless the settings say otherwise.
const fn entries_max() -> usize {
    1000
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let ListSettings {
        root,
        links,
        max_entries,
    } = draft.settings()?;
    let declared = Declared {
        description: "Lists a folder in the order of names: folders with a slash behind, files with their size. \
                      If entries are left off, the last line says so."
            .into(),
        effect: EffectClass::Read,
        repeat: Repeat::Always,
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "minLength": 1, "description": "relative to the tool's folder; `.` is it" },
                "after": { "type": "string", "description": "only names behind this one" },
            },
            "required": ["path"],
            "additionalProperties": false,
        }),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    Ok(Built::new(FsList {
        spec,
        root,
        max_entries,
    })
    .within(vec![path]))
}

#[derive(Debug)]
struct FsList {
    spec: ToolSpec,
    root: Arc<Root>,
    max_entries: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    path: String,
    after: Option<String>,
}

#[async_trait]
impl Tool for FsList {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let arguments: ListArguments = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        let root = Arc::clone(&self.root);
        let max_entries = self.max_entries;
        let lines = Lines::new(text_max(&self.spec));
        blocking(move |stop| list(&root, &arguments, max_entries, lines, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

fn list(
    root: &Root,
    arguments: &ListArguments,
    max: usize,
    mut lines: Lines,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let path = &arguments.path;
    let OpenedPath::Folder(folder) = root.open(path, OpenFor::Read)? else {
        return Err(failed(
            ToolErrorCode::BadArguments,
            format!("{path} is a file, not a folder"),
        ));
    };
    let entries = entries(&folder, path, arguments.after.as_deref(), max, stop)?;
    let listed = entries
        .first
        .iter()
        .take_while(|entry| lines.push(&line(entry)))
        .count();
    let left_off = entries.first.len() - listed + entries.left_off;
    if left_off == 0 {
        return Ok(lines.end());
    }
    Ok(lines.end_with(&format!(
        "[cut: {left_off} more; go on with `after` and the last name]"
    )))
}

fn line(entry: &Entry) -> String {
    let name = shown(&entry.name);
    match entry.kind {
        EntryKind::Folder => format!("{name}/"),
        EntryKind::File => format!("{name} ({} bytes)", entry.bytes),
        EntryKind::Link => format!("{name} (symbolic link)"),
        EntryKind::Special => format!("{name} (device, pipe or socket)"),
    }
}
