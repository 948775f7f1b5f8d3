use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec,
};
use rustix::fs::fstat;

use super::open::{OpenFor, OpenedPath, folder};
use super::turn::turn_at;
use super::{
    Root, WriteArguments, WriteSettings, blocking, check_size, failed, io_failure, write_schema,
};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

/// How often a file is opened anew that is replaced before anything is added to it.
const OPENED_MAX: usize = 100;

pub(crate) const APPEND: Kind = Kind {
    name: "fs.append",
    summary: "Adds to the end of files beneath `root`",
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
        description: "Adds text to the end of a file, and makes the file if it is not there."
            .into(),
        effect: EffectClass::Write,
        // A second run would add the text a second time, and nothing in the file says whose it is.
        repeat: Repeat::Never,
        schema: write_schema(),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    Ok(Built::new(FsAppend {
        spec,
        root,
        max_bytes,
    })
    .within(vec![path]))
}

#[derive(Debug)]
struct FsAppend {
    spec: ToolSpec,
    root: Arc<Root>,
    max_bytes: u64,
}

#[async_trait]
impl Tool for FsAppend {
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
        blocking(move |stop| {
            // Before the first byte only: half of a text in the file would be worse than all of it.
            stop.check()?;
            append(&root, &arguments)
        })
        .await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

fn append(root: &Root, arguments: &WriteArguments) -> Result<String, ToolFailure> {
    let WriteArguments { path, content } = arguments;
    let failure = |error: io::Error| io_failure(path, &error);
    // The file may be new: its name has to last as well.
    let names = root.spot(path)?.to_sync()?;
    let file = add(root, arguments)?;
    file.sync_all().map_err(failure)?;
    names.sync_all().map_err(failure)?;
    Ok(format!("{} bytes are added to {path}", content.len()))
}

/// Opens the file and writes behind its end.
fn add(root: &Root, arguments: &WriteArguments) -> Result<File, ToolFailure> {
    let WriteArguments { path, content } = arguments;
    let failure = |error: io::Error| io_failure(path, &error);
    let mut replaced = None;
    for _ in 0..OPENED_MAX {
        let OpenedPath::File(mut file) = root.open(path, OpenFor::Append)? else {
            return Err(folder(path));
        };
        let opened = fstat(&file).map_err(|error| failure(error.into()))?;
        let _turn = turn_at(&opened);
        let place = Some((opened.st_dev, opened.st_ino));
        match file.metadata().map_err(failure)?.nlink() {
            // Another took its place before its turn: what is added to this one would be lost. If it is opened again, its file
            // system counts no names.
            0 if replaced != place => replaced = place,
            0 | 1 => {
                write_or_undo(&mut file, content.as_bytes()).map_err(failure)?;
                return Ok(file);
            }
            _ => {
                return Err(failed(
                    ToolErrorCode::NotAllowed,
                    format!(
                        "{path} has another name (a hard link), which may stand outside: write it anew with `fs.write`"
                    ),
                ));
            }
        }
    }
    Err(failure(io::Error::other("it is replaced again and again")))
}

/// Writes all of it. On a full disk what was written goes again: the call says that it failed, and half of a text in the file
/// would be there twice after the next one.
fn write_or_undo(file: &mut File, content: &[u8]) -> io::Result<()> {
    let before = file.metadata()?.len();
    let mut rest = content;
    while !rest.is_empty() {
        let error = match file.write(rest) {
            Ok(0) => io::ErrorKind::WriteZero.into(),
            Ok(written) => {
                rest = rest.get(written..).unwrap_or_default();
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => error,
        };
        let written = content.len().saturating_sub(rest.len()) as u64;
        // Unless another program has added something since.
        if file.metadata()?.len() == before.saturating_add(written) {
            file.set_len(before)?;
        }
        return Err(error);
    }
    Ok(())
}
