use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec,
};
use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::json;

use super::open::EntryKind;
use super::relocate::NamingSettings;
use super::{Root, StopSign, blocking, failed};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const DELETE: Kind = Kind {
    name: "fs.delete",
    summary: "Deletes files and empty folders beneath `root`",
    keys: &["root", "links"],
    is_local: true,
    build,
};

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let NamingSettings { root, links } = draft.settings()?;
    let declared = Declared {
        description: "Deletes a file, or a folder with nothing in it.".into(),
        effect: EffectClass::Destructive,
        // Another file may have got the name since.
        repeat: Repeat::Never,
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "minLength": 1, "description": "relative to the tool's folder, e.g. notes/a.md" },
            },
            "required": ["path"],
            "additionalProperties": false,
        }),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    Ok(Built::new(FsDelete { spec, root }).within(vec![path]))
}

#[derive(Debug)]
struct FsDelete {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteArguments {
    path: String,
}

#[async_trait]
impl Tool for FsDelete {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let DeleteArguments { path } = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        let root = Arc::clone(&self.root);
        blocking(move |stop| delete(&root, &path, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

fn delete(root: &Root, path: &str, stop: &StopSign) -> Result<String, ToolFailure> {
    let spot = root.spot(path)?;
    let flags = match spot.plain_kind()? {
        EntryKind::Folder => AtFlags::REMOVEDIR,
        EntryKind::File | EntryKind::Link | EntryKind::Special => AtFlags::empty(),
    };
    let names = spot.to_sync()?;
    stop.check()?;
    unlinkat(&spot.folder, spot.name, flags).map_err(|error| match error {
        Errno::NOTEMPTY | Errno::EXIST => failed(
            ToolErrorCode::NotAllowed,
            format!("{path} is a folder with something in it"),
        ),
        error => spot.failure(&error.into()),
    })?;
    names.sync_all().map_err(|error| spot.failure(&error))?;
    Ok(format!("{path} is deleted"))
}
