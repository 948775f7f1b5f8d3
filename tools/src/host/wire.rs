//! The words between the runtime and the helper: one line each way, and the outputs behind the
//! report.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::{FolderId, Sandbox};
use folkmoot_core::spec::limits::CALL_BYTES_MAX;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// The most bytes of an order's line. A call that is the input of a program stands in it as a string of JSON, which has
/// at most twice its bytes; the rest is for the command.
pub(super) const ORDER_MAX: u64 = 2 * CALL_BYTES_MAX as u64 + (1 << 20);
/// The most bytes of a report's line.
pub(super) const REPORT_MAX: u64 = 64 * 1024;

/// The program that the helper is to run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunOrder {
    /// The program and its arguments, at least one word.
    pub(super) argv: Vec<String>,
    /// The folder in which the program runs.
    pub(super) cwd: PathBuf,
    /// The variables of the program. The helper itself has none of them: a loader obeys some before anything else runs.
    pub(super) variables: Variables,
    /// The identity that the folder must have; `None` takes whatever is at the path.
    pub(super) folder: Option<FolderId>,
    /// The digests that the program's file may have; empty takes any file.
    pub(super) pins: Vec<Digest>,
    /// The time for the lock, and then as much for the program, in milliseconds.
    pub(super) timeout_ms: u64,
    /// True if the program stays: what follows the order is its input, and what follows the report its
    /// output.
    pub(super) stays: bool,
    /// The text for the program's standard input; `None` gives it none.
    pub(super) input: Option<String>,
    /// The most bytes that are kept of each output.
    pub(super) output_max: usize,
    /// The limits of the program's reach; `None`: the rights of the user.
    pub(super) sandbox: Option<Sandbox>,
    /// The path of the file that is locked while the program runs.
    pub(super) lock: PathBuf,
}

/// The variables of a program, with their values.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Variables(pub(super) Vec<(OsString, OsString)>);

impl Variables {
    /// Returns the value of the variable `name`.
    pub(super) fn get(&self, name: &str) -> Option<&OsString> {
        let is_it = |(own, _): &&(OsString, OsString)| own == name;
        self.0.iter().find(is_it).map(|(_, value)| value)
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A value may be a key.
        f.debug_list()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

/// The number by which the other side knows the kind of `error`.
pub(super) fn number_of(error: &io::Error) -> Option<i32> {
    let kinds = [Errno::NOENT, Errno::ACCESS];
    let same = |number: &Errno| io::Error::from(*number).kind() == error.kind();
    let of_kind = || kinds.into_iter().find(same).map(Errno::raw_os_error);
    error.raw_os_error().or_else(of_kind)
}

/// The error of such a number, with its words.
pub(super) fn error_of(number: Option<i32>, why: String) -> io::Error {
    let kind = number.map(|number| io::Error::from_raw_os_error(number).kind());
    io::Error::new(kind.unwrap_or(io::ErrorKind::Other), why)
}

/// The end of the run, as the helper tells it. Sent when nothing of the program lives any more, or when one that stays has begun.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RunReport {
    /// The program ended. So many bytes of its outputs follow, standard output first.
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
        stdout: usize,
        stderr: usize,
        is_cut: bool,
        /// The parts of the sandbox that were not applied.
        gaps: Vec<String>,
    },
    /// The program has begun, and stays. Its output follows until the helper ends.
    Started {
        /// The parts of the sandbox that were not applied.
        gaps: Vec<String>,
    },
    /// The program ran too long.
    TimedOut,
    /// The program could not be started.
    NotStarted { os_error: Option<i32>, why: String },
    /// The folder or the program is not the one that is meant; nothing was started.
    Changed { why: String },
    /// The sandbox is required and cannot be applied; nothing was started.
    Unconfined { why: String },
    /// No program was started.
    Unusable { why: String },
}
