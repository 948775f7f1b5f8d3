use std::io::{self, Write};
use std::sync::Arc;

use async_trait::async_trait;
use cap_std::fs::{Dir, OpenOptions};
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec};

use super::open::{Opened, open};
use super::{Root, WriteArguments, WriteSettings, blocking, failed, io_failure, write_schema};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Draft, Kind};

pub(crate) const APPEND: Kind =
    Kind { name: "fs.append", summary: "Adds to the end of files beneath `root`", keys: &["root", "max_bytes"], build };

fn build(draft: &Draft<'_>) -> Result<Built, BuildError> {
    let WriteSettings { root, max_bytes } = draft.settings()?;
    let root = Root::open(draft, &root)?;
    let spec = draft.spec(Declared {
        description: "Adds text to the end of a file, and makes the file if it is not there.".into(),
        effect: EffectClass::Write,
        // A second run would add the text a second time, and nothing in the file says whose it is.
        repeat: Repeat::Never,
        schema: write_schema(),
    })?;
    Ok(Built::new(FsAppend { spec, dir: root.dir, max_bytes }).within(vec![root.path]))
}

#[derive(Debug)]
struct FsAppend {
    spec: ToolSpec,
    dir: Arc<Dir>,
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
        if arguments.content.len() as u64 > self.max_bytes {
            return ToolOutcome::failed(ToolErrorCode::TooLarge, format!("more than {} bytes", self.max_bytes));
        }
        let dir = Arc::clone(&self.dir);
        blocking(move |stop| {
            stop.check()?;
            append(&dir, &arguments)
        })
        .await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

fn append(dir: &Dir, arguments: &WriteArguments) -> Result<String, ToolFailure> {
    let WriteArguments { path, content } = arguments;
    let failure = |error: io::Error| io_failure(path, &error);
    let mut file = match open(dir, path, OpenOptions::new().append(true).create(true))? {
        Opened::File(file) => file,
        Opened::Folder(_) => return Err(failed(ToolErrorCode::BadArguments, format!("{path} is a folder"))),
    };
    file.write_all(content.as_bytes()).map_err(failure)?;
    file.sync_all().map_err(failure)?;
    // The file may be new: its name has to last as well.
    let parent = std::path::Path::new(path).parent().filter(|parent| !parent.as_os_str().is_empty());
    dir.open(parent.unwrap_or(std::path::Path::new("."))).and_then(|parent| parent.sync_all()).map_err(failure)?;
    Ok(format!("{} bytes are added to {path}", content.len()))
}
