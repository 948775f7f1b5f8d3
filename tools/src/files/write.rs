use std::io::{self, Write};
use std::sync::Arc;

use async_trait::async_trait;
use cap_std::fs::{Dir, OpenOptions};
use folkmoot_core::ids::Digest;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec,
};

use super::{
    Root, StopSign, WriteArguments, WriteSettings, blocking, failed, io_failure, write_schema,
};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const WRITE: Kind = Kind {
    name: "fs.write",
    summary: "Writes whole files beneath `root`",
    keys: &["root", "links", "max_bytes"],
    build,
};

/// Files are written in pieces of this many bytes; between them a dropped run stops.
const PIECE: usize = 64 * 1024;

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
    let (root, spec, path) = Root::prepare(draft, &root, links, declared)?;
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
        if arguments.content.len() as u64 > self.max_bytes {
            return ToolOutcome::failed(
                ToolErrorCode::TooLarge,
                format!("more than {} bytes", self.max_bytes),
            );
        }
        let root = Arc::clone(&self.root);
        // Named after the call: another call cannot take the file away, and the next attempt finds
        // it.
        let part = format!(
            ".{}.part",
            Digest::of(&[call.idempotency_key.as_bytes()]).short()
        );
        blocking(move |stop| write(&root, &arguments, &part, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

/// Writes beside the file and renames: a reader, or whoever looks after a crash, finds the old file or the new one. A
/// symlink is replaced like a file; what it names stays.
pub(super) fn write(
    root: &Root,
    arguments: &WriteArguments,
    part: &str,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let WriteArguments { path, content } = arguments;
    let failure = |error: io::Error| io_failure(path, &error);
    let (folder, name) = root.parent(path)?;
    let permissions = match folder.symlink_metadata(name) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(failed(
                ToolErrorCode::BadArguments,
                format!("{path} is a folder"),
            ));
        }
        Ok(metadata) if metadata.is_file() => Some(metadata.permissions()),
        Ok(_) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failure(error)),
    };
    let written = fill(&folder, part, content.as_bytes(), stop).and_then(|file| {
        permissions
            .map_or(Ok(()), |permissions| file.set_permissions(permissions))
            .map_err(failure)?;
        // Before the rename, or a power cut could leave the new name with an empty file.
        file.sync_all().map_err(failure)?;
        stop.check()?;
        folder.rename(part, &folder, name).map_err(failure)
    });
    if let Err(error) = written {
        // What cannot be removed is overwritten by the next attempt; the first failure is the one to tell.
        folder.remove_file(part).ok();
        return Err(error);
    }
    sync(&folder).map_err(failure)?;
    Ok(format!("{path} is written, {} bytes", content.len()))
}

/// A new file `part` that holds `content`. What an earlier attempt left under that name goes.
fn fill(
    folder: &Dir,
    part: &str,
    content: &[u8],
    stop: &StopSign,
) -> Result<cap_std::fs::File, ToolFailure> {
    let failure = |error: io::Error| io_failure(part, &error);
    match folder.remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failure(error)),
        Ok(()) | Err(_) => {}
    }
    let mut file = folder
        // A new file, since a link of that name would lead the content elsewhere.
        .open_with(part, OpenOptions::new().write(true).create_new(true))
        .map_err(failure)?;
    // In pieces: work on a thread cannot be stopped but where it asks.
    for piece in content.chunks(PIECE) {
        stop.check()?;
        file.write_all(piece).map_err(failure)?;
    }
    Ok(file)
}

/// Makes a rename in `folder` survive power loss.
fn sync(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.sync_all()
}
