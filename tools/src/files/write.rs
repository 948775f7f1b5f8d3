use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolFailure, ToolOutcome, ToolSpec,
};

use super::open::{EntryKind, folder, special};
use super::replace::{part_name, replace};
use super::{Root, StopSign, WriteArguments, WriteSettings, blocking, check_size, write_schema};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const WRITE: Kind = Kind {
    name: "fs.write",
    summary: "Writes whole files beneath `root`",
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
        description:
            "Writes a whole text file; one that is there is replaced. Its folder must be there."
                .into(),
        effect: EffectClass::Write,
        // The whole content is in the call: written a second time, the file is as if the lost run had been late.
        repeat: Repeat::Always,
        schema: write_schema(),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    Ok(Built::new(FsWrite {
        spec,
        root,
        max_bytes,
    })
    .within(vec![path]))
}

#[derive(Debug)]
struct FsWrite {
    spec: ToolSpec,
    root: Arc<Root>,
    max_bytes: u64,
}

#[async_trait]
impl Tool for FsWrite {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let arguments: WriteArguments = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        if let Err(failure) = check_size(arguments.content.len(), self.max_bytes) {
            return ToolOutcome::Failed(failure);
        }
        let root = Arc::clone(&self.root);
        let part = part_name(call);
        blocking(move |stop| write(&root, &arguments, &part, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

/// A symlink is replaced like a file; what it names stays.
pub(super) fn write(
    root: &Root,
    arguments: &WriteArguments,
    part: &str,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let WriteArguments { path, content } = arguments;
    let spot = root.spot(path)?;
    match spot.kind()? {
        Some(EntryKind::Folder) => return Err(folder(path)),
        Some(EntryKind::Special) => return Err(special(path)),
        Some(EntryKind::File | EntryKind::Link) | None => {}
    }
    replace(&spot, content.as_bytes(), part, || stop.check())?;
    Ok(format!("{path} is written, {} bytes", content.len()))
}
