use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec,
};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::json;

use super::open::Spot;
use super::{Links, Root, StopSign, blocking, failed, reaching_beneath};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const MOVE: Kind = Kind {
    name: "fs.move",
    summary: "Moves files and folders beneath `root`",
    keys: &["root", "links"],
    is_local: true,
    build,
};

/// The settings of the tools that only name what is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamingSettings {
    pub(super) root: PathBuf,
    #[serde(default)]
    pub(super) links: Links,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let NamingSettings { root, links } = draft.settings()?;
    let declared = Declared {
        description: "Moves or renames a file or a folder. Nothing may stand at the new place, whose folder must be there."
            .into(),
        effect: EffectClass::Write,
        // Something else may have come to the old place since.
        repeat: Repeat::Never,
        schema: json!({
            "type": "object",
            "properties": {
                "from": { "type": "string", "minLength": 1, "description": "relative to the tool's folder, e.g. notes/a.md" },
                "to": { "type": "string", "minLength": 1, "description": "likewise, with the new name" },
            },
            "required": ["from", "to"],
            "additionalProperties": false,
        }),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    // A folder is moved with all that is in it.
    let spec = reaching_beneath(spec, ["/from", "/to"]);
    Ok(Built::new(FsMove { spec, root }).within(vec![path]))
}

#[derive(Debug)]
struct FsMove {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveArguments {
    from: String,
    to: String,
}

#[async_trait]
impl Tool for FsMove {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let arguments: MoveArguments = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        let root = Arc::clone(&self.root);
        blocking(move |stop| relocate(&root, &arguments, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

fn relocate(
    root: &Root,
    arguments: &MoveArguments,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let MoveArguments { from, to } = arguments;
    let old = root.spot(from)?;
    let new = root.spot(to)?;
    old.plain_kind()?;
    let taken = || {
        failed(
            ToolErrorCode::NotAllowed,
            format!("something stands at {to} already"),
        )
    };
    if new.kind()?.is_some() {
        return Err(taken());
    }
    let new_names = new.to_sync()?;
    let old_names = old.to_sync()?;
    stop.check()?;
    rename(&old, &new).map_err(|error| match error {
        Errno::EXIST => taken(),
        error => new.failure(&io::Error::from(error)),
    })?;
    for names in [new_names, old_names] {
        names.sync_all().map_err(|error| new.failure(&error))?;
    }
    Ok(format!("{from} is now {to}"))
}

/// Renames, and replaces nothing, not even what came there since it was looked.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename(old: &Spot<'_>, new: &Spot<'_>) -> Result<(), Errno> {
    use rustix::fs::{RenameFlags, renameat_with};

    let flags = RenameFlags::NOREPLACE;
    renameat_with(&old.folder, old.name, &new.folder, new.name, flags)
}

/// Renames. The system cannot be told to replace nothing: what came there since it was looked is lost.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename(old: &Spot<'_>, new: &Spot<'_>) -> Result<(), Errno> {
    rustix::fs::renameat(&old.folder, old.name, &new.folder, new.name)
}
