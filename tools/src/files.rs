//! The file tools, `fs.*`: files beneath one folder.
//!
//! The folder is a capability: it is opened once, and every path is resolved beneath that handle by the system, one name
//! after another. A path has one spelling, and leads along no symbolic link, however quickly one is swapped in: what a rule or
//! a person read of it is where it leads. With `links: follow` links are followed that stay in the folder.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::fs::Dir;
use folkmoot_core::spec::limits::OUTPUT_TEXT_BYTES_MAX;
use folkmoot_core::tool::{PathArguments, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec};
use rustix::io::Errno;
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::build::{BuildError, Declared, ToolDraft};

mod append;
mod delete;
mod edit;
mod entries;
mod lines;
mod list;
mod open;
mod read;
mod relocate;
mod replace;
mod search;
mod turn;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use append::APPEND;
pub(crate) use delete::DELETE;
pub(crate) use edit::EDIT;
pub(crate) use list::LIST;
pub(crate) use read::READ;
pub(crate) use relocate::MOVE;
pub(crate) use search::SEARCH;
pub(crate) use write::WRITE;

/// The folder of a tool.
#[derive(Debug)]
struct Root {
    /// The folder, open since the tool was made.
    dir: Dir,
    /// The treatment of symbolic links below it.
    links: Links,
}

/// The treatment of symbolic links in the folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Links {
    /// A path that leads along one is refused.
    #[default]
    Refuse,
    /// Links are followed, as far as they stay in the folder.
    Follow,
}

impl Root {
    /// Opens the folder, and says in `declared` where it is and which argument is a path in it.
    fn prepare(
        draft: &ToolDraft<'_>,
        root: &std::path::Path,
        links: Links,
        declared: Declared,
        change: impl FnOnce(ToolSpec) -> ToolSpec,
    ) -> Result<(Arc<Self>, ToolSpec, std::path::PathBuf), BuildError> {
        let folder = draft.folder("root", root)?;
        let paths = PathArguments {
            follows_links: links == Links::Follow,
            ..PathArguments::at(["/path"])
        };
        let spec = ToolSpec {
            paths,
            folder: Some(folder.place),
            ..draft.spec_from(declared, change)?
        };
        Ok((
            Arc::new(Self {
                dir: Dir::from_std_file(folder.handle),
                links,
            }),
            spec,
            folder.path,
        ))
    }
}

/// The folder of a tool of another kind that reads files.
#[cfg(feature = "data")]
#[derive(Debug, Clone)]
pub(crate) struct FileRoot(Arc<Root>);

#[cfg(feature = "data")]
impl FileRoot {
    /// Opens the folder, and says in the spec where it is; gives its path as well.
    pub(crate) fn prepare(
        draft: &ToolDraft<'_>,
        root: &std::path::Path,
        links: Links,
        declared: Declared,
        change: impl FnOnce(ToolSpec) -> ToolSpec,
    ) -> Result<(Self, ToolSpec, std::path::PathBuf), BuildError> {
        let (root, spec, path) = Root::prepare(draft, root, links, declared, change)?;
        Ok((Self(root), spec, path))
    }

    /// Opens the file that `path` names. It blocks.
    pub(crate) fn open_to_read(&self, path: &str) -> Result<std::fs::File, ToolFailure> {
        match self.0.open(path, open::OpenFor::Read)? {
            open::OpenedPath::File(file) => Ok(file),
            open::OpenedPath::Folder(_) => Err(failed(
                ToolErrorCode::BadArguments,
                format!("{path} is a folder"),
            )),
        }
    }
}

/// The tool, whose calls reach all that lies beneath the paths at `places`.
fn reaching_beneath<const N: usize>(spec: ToolSpec, places: [&str; N]) -> ToolSpec {
    let paths = PathArguments {
        follows_links: spec.paths.follows_links,
        ..PathArguments::trees(places)
    };
    ToolSpec { paths, ..spec }
}

/// The most bytes of a text that a model reads to its end: its last line says where to go on.
fn text_max(spec: &ToolSpec) -> u64 {
    spec.model_bytes_max
        .min(spec.output_bytes_max)
        .min(OUTPUT_TEXT_BYTES_MAX)
}

/// The settings of the tools that write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteSettings {
    root: std::path::PathBuf,
    #[serde(default)]
    links: Links,
    #[serde(default = "bytes_max")]
    max_bytes: u64,
}

/// The most bytes that one call writes, unless the settings say otherwise.
const fn bytes_max() -> u64 {
    1024 * 1024
}

/// Fails if a text is longer than `max` bytes.
fn check_size(bytes: usize, max: u64) -> Result<(), ToolFailure> {
    if bytes as u64 > max {
        let why = format!("more than {max} bytes");
        return Err(failed(ToolErrorCode::TooLarge, why));
    }
    Ok(())
}

/// The arguments of the tools that write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteArguments {
    path: String,
    content: String,
}

fn write_schema() -> serde_json::Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "minLength": 1, "description": "relative to the tool's folder, e.g. notes/a.md" },
            "content": { "type": "string" },
        },
        "required": ["path", "content"],
        "additionalProperties": false,
    })
}

/// Tells work on another thread that nobody waits for it any more.
#[derive(Debug, Clone, Default)]
struct StopSign(Arc<AtomicBool>);

impl StopSign {
    fn check(&self) -> Result<(), ToolFailure> {
        if self.0.load(Ordering::Acquire) {
            Err(failed(ToolErrorCode::TimedOut, "it was stopped"))
        } else {
            Ok(())
        }
    }
}

struct StopOnDrop(StopSign);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Release);
    }
}

/// The most threads that wait for disks. A disk that never answers keeps them for ever, and others need some as well.
const THREADS_MAX: usize = 64;

static THREADS: Semaphore = Semaphore::const_new(THREADS_MAX);

/// Does `work` where it may block. Dropping the future stops it at its next [`StopSign::check`]: what is bounded in bytes and
/// waits for no one but the disk needs no more.
async fn blocking(
    work: impl FnOnce(&StopSign) -> Result<String, ToolFailure> + Send + 'static,
) -> ToolOutcome {
    let stop = StopSign::default();
    let guard = StopOnDrop(stop.clone());
    let thread = THREADS.acquire().await.ok();
    let done = tokio::task::spawn_blocking(move || {
        // Until the work ends, which may be long after somebody waited for it.
        let _thread = thread;
        work(&stop)
    })
    .await;
    drop(guard);
    match done {
        Ok(Ok(text)) => ToolOutcome::text(text),
        Ok(Err(failure)) => ToolOutcome::Failed(failure),
        Err(error) => ToolOutcome::failed(ToolErrorCode::Failed, error.to_string()),
    }
}

fn failed(code: ToolErrorCode, detail: impl Into<String>) -> ToolFailure {
    ToolFailure::new(code, detail)
}

/// Turns an error of the file system, which happened with `path`, into a failure that a model can
/// use.
fn io_failure(path: &str, error: &io::Error) -> ToolFailure {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the standard library's enum may grow"
    )]
    let code = match error.kind() {
        io::ErrorKind::NotFound => ToolErrorCode::NotFound,
        // A path that leads out of the folder is one of these.
        io::ErrorKind::PermissionDenied => ToolErrorCode::NotAllowed,
        io::ErrorKind::NotADirectory
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::InvalidFilename
        | io::ErrorKind::InvalidInput => ToolErrorCode::BadArguments,
        // Its kind in the standard library is not stable yet: links that lead to one another.
        _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            ToolErrorCode::BadArguments
        }
        _ => ToolErrorCode::Failed,
    };
    failed(code, format!("{path}: {error}"))
}
