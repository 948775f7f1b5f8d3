//! The control socket: how a second terminal reads and decides while a process holds the store.
//!
//! One line of JSON asks, lines of JSON answer, and a last one says how it ended.

use std::path::{Path, PathBuf};

use folkmoot::core::spec::limits::ARGUMENTS_BYTES_MAX;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) mod client;
pub(crate) mod server;
#[cfg(test)]
mod tests;

/// The socket's name in the store's directory.
const SOCKET: &str = "control.sock";
/// The longest request, in bytes: arguments that a person edits stand in it as a string of JSON,
/// which has at most twice their bytes.
const REQUEST_MAX: u64 = 2 * ARGUMENTS_BYTES_MAX as u64 + 256 * 1024;
/// The longest path of a socket, in bytes.
const PATH_MAX: usize = 100;

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Response {
    /// A part of it.
    Value(Value),
    /// The answer is complete.
    Done,
    /// The request failed.
    Error {
        /// The exit code.
        code: u8,
        /// The fault, and what to do about it.
        message: String,
    },
}

/// A way to the socket of `store` that is short enough for the system. Kept open, the folder stays
/// reachable.
#[derive(Debug)]
struct Way {
    /// The path.
    path: PathBuf,
    /// The folder, if the path leads over its descriptor.
    _folder: Option<std::fs::File>,
}

impl Way {
    fn to(store: &Path, name: &str) -> std::io::Result<Self> {
        let path = store.join(name);
        if path.as_os_str().len() <= PATH_MAX {
            return Ok(Self {
                path,
                _folder: None,
            });
        }
        let folder = std::fs::File::open(store)?;
        let number = std::os::fd::AsRawFd::as_raw_fd(&folder);
        Ok(Self {
            path: PathBuf::from(format!("/proc/self/fd/{number}/{name}")),
            _folder: Some(folder),
        })
    }
}
