//! The step between the helper and a program: a process of its own that limits itself, and then becomes the program.
//!
//! ```text
//! helper ──starts itself again──▶ step ──limits, sandbox, exec──▶ program
//!        ◀── a line, then its end ─┘
//! ```
//!
//! The step has one thread and no memory of the runtime. All that it applies holds for the program and for whatever that
//! starts, and can be taken back by neither.

use std::convert::Infallible;
use std::env;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use folkmoot_core::ids::Digest;
use folkmoot_core::port::{Network, Sandbox};
use rustix::io::FdFlags;
use serde::{Deserialize, Serialize};

use super::HELPER_ARGUMENT;
use super::image::{StartFault, command, find};
use super::wire::{REPORT_MAX, RunOrder};

mod limits;
#[cfg(target_os = "linux")]
mod linux;

/// The second argument of a helper that is the step.
pub(super) const STEP_ARGUMENT: &str = "sandbox";
const HOME: &str = "HOME";
/// The home of a program that may open nothing of its user's. Many take a folder that is not there for one without settings, and one that they
/// cannot open for an error.
const NO_HOME: &str = "/nonexistent";
/// The word in place of an order, for a step that only tells what it could apply.
const PROBE: &str = "probe";
/// The folder in which a process finds its open files.
const OPEN_FILES: &str = if cfg!(target_os = "linux") {
    "/proc/self/fd"
} else {
    "/dev/fd"
};

/// The parts of a sandbox that the system applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedSandbox {
    /// True if the program has a user, a network and System V objects of its own.
    pub has_namespaces: bool,
    /// The version of landlock, which guards files and other processes; 0: there is none.
    pub landlock: u32,
    /// True if the kernel refuses dangerous calls.
    pub filters_calls: bool,
    /// True if the number of processes is limited. Root has no such limit.
    pub counts_processes: bool,
    /// What could not be applied, and why.
    pub gaps: Vec<String>,
}

/// The work of a step.
#[derive(Debug, Serialize, Deserialize)]
struct StepOrder {
    /// The limits.
    sandbox: Sandbox,
    /// The digests that the program's file may have; empty takes any file.
    pins: Vec<Digest>,
}

/// A line of a step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    /// The program is about to begin. Nothing follows, unless it cannot.
    Applied(AppliedSandbox),
    /// The program cannot be started.
    NotStarted { os_error: Option<i32>, why: String },
    /// The program is not the one that is meant.
    Changed { why: String },
    /// The sandbox is required and cannot be applied.
    Unconfined { why: String },
}

/// A step that is about to be started.
#[derive(Debug)]
pub(super) struct SandboxStep {
    /// Starts the step.
    pub(super) command: Command,
    /// The end at which its lines arrive.
    lines: PipeReader,
    /// The end that it writes to, open until it has started.
    theirs: PipeWriter,
}

impl SandboxStep {
    /// The step that ends as the program of `order`.
    pub(super) fn new(order: &RunOrder, sandbox: &Sandbox) -> io::Result<Self> {
        let (lines, theirs) = io::pipe()?;
        // Nothing but the step is started from here on, and it closes this before the program begins.
        rustix::io::fcntl_setfd(&theirs, FdFlags::empty())?;
        let work = serde_json::to_string(&StepOrder {
            sandbox: sandbox.clone(),
            pins: order.pins.clone(),
        })?;
        let mut command = Command::new(own_program()?);
        command
            .args([HELPER_ARGUMENT, STEP_ARGUMENT])
            .arg(theirs.as_raw_fd().to_string())
            .arg(work)
            .args(&order.argv);
        Ok(Self {
            command,
            lines,
            theirs,
        })
    }

    /// Waits until the program has begun, and tells what was not applied.
    pub(super) fn begun(self) -> Result<Vec<String>, StartFault> {
        // Open here, it would never come to its end.
        drop(self.theirs);
        let mut text = String::new();
        self.lines.take(REPORT_MAX).read_to_string(&mut text)?;
        // Of two lines the last one counts: a program that did not begin in its sandbox.
        let last = text
            .lines()
            .last()
            .ok_or_else(|| io::Error::other("the step into the sandbox ended without a word"))?;
        match serde_json::from_str(last).map_err(io::Error::from)? {
            Told::Applied(applied) => Ok(applied.gaps),
            Told::Changed { why } => Err(StartFault::Changed(why)),
            Told::Unconfined { why } => Err(StartFault::Unconfined(why)),
            Told::NotStarted { os_error, why } => Err(StartFault::Failed(
                os_error.map_or_else(|| io::Error::other(why), io::Error::from_raw_os_error),
            )),
        }
    }
}

fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        // This very file, also if another one has taken its place meanwhile.
        Ok(PathBuf::from("/proc/self/exe"))
    } else {
        env::current_exe()
    }
}

/// Tells what of a sandbox `program`, which is a helper, can apply here, by trying.
///
/// # Errors
/// When `program` cannot be started, or is no helper.
pub fn try_sandbox(program: &Path) -> io::Result<AppliedSandbox> {
    let output = Command::new(program)
        .args([HELPER_ARGUMENT, STEP_ARGUMENT, PROBE])
        .output()?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("{error}; {}: {complaint}", output.status))
    })
}

/// Applies the sandbox that the arguments name to this process, and becomes the program.
pub(super) fn step_main(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let channel = words.next().unwrap_or_default();
    let done = if channel == PROBE {
        probe()
    } else {
        begin(&channel, words)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // Nobody is left to tell if this fails too.
            writeln!(io::stderr(), "the step into the sandbox failed: {why}").ok();
            ExitCode::FAILURE
        }
    }
}

fn probe() -> io::Result<()> {
    let nothing = Sandbox {
        network: Network::None,
        read: Vec::new(),
        write: Vec::new(),
        memory_bytes: 1 << 30,
        cpu_s: 30,
        processes: 64,
        file_bytes: 1 << 20,
        is_required: None,
    };
    let applied = apply(&nothing, None)?;
    serde_json::to_writer(io::stdout(), &applied).map_err(io::Error::from)
}

/// Returns only if the program did not begin.
fn begin(channel: &OsString, words: impl Iterator<Item = OsString>) -> io::Result<()> {
    let mut lines = OpenOptions::new()
        .write(true)
        .open(Path::new(OPEN_FILES).join(channel))?;
    #[cfg(target_os = "linux")]
    linux::close_strangers(&lines)?;
    let fault = match become_program(&mut lines, words) {
        Ok(never) => match never {},
        Err(fault) => fault,
    };
    tell(
        &mut lines,
        &match fault {
            StartFault::Changed(why) => Told::Changed { why },
            StartFault::Unconfined(why) => Told::Unconfined { why },
            StartFault::Failed(error) => Told::NotStarted {
                os_error: error.raw_os_error(),
                why: error.to_string(),
            },
        },
    )
}

fn become_program(
    lines: &mut File,
    mut words: impl Iterator<Item = OsString>,
) -> Result<Infallible, StartFault> {
    let mut text = || {
        let word = words.next().and_then(|word| word.into_string().ok());
        word.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "a word of the step is missing")
        })
    };
    let StepOrder { sandbox, pins } = serde_json::from_str(&text()?).map_err(io::Error::from)?;
    let name = text()?;
    // Before the sandbox, which may hide it. `_file` is open until the program has begun.
    let (mut program, _file) = command(&name, &pins)?;
    let path = find(&name).ok();
    let applied = apply(&sandbox, path.as_deref())?;
    if sandbox.is_required == Some(true) && !applied.gaps.is_empty() {
        return Err(StartFault::Unconfined(applied.gaps.join("; ")));
    }
    if env::var_os(HOME).is_some_and(|home| !is_open(&sandbox, Path::new(&home))) {
        program.env(HOME, NO_HOME);
    }
    tell(lines, &Told::Applied(applied))?;
    Err(program.args(words).exec().into())
}

/// Tells whether something of the user's folder `home` is open to the program.
fn is_open(sandbox: &Sandbox, home: &Path) -> bool {
    let mut named = sandbox.read.iter().chain(&sandbox.write);
    named.any(|path| path.starts_with(home) || home.starts_with(path))
}

fn tell(lines: &mut File, told: &Told) -> io::Result<()> {
    let mut line = serde_json::to_vec(told)?;
    line.push(b'\n');
    lines.write_all(&line)
}

/// Applies as much of `sandbox` as the system can. `program` is a file that may be run in any case.
fn apply(sandbox: &Sandbox, program: Option<&Path>) -> io::Result<AppliedSandbox> {
    #[cfg(target_os = "linux")]
    let mut applied = linux::apply(sandbox, program)?;
    #[cfg(not(target_os = "linux"))]
    let mut applied = {
        let _ = program;
        AppliedSandbox {
            gaps: vec!["files, network, processes: there is a sandbox on Linux only".to_owned()],
            ..AppliedSandbox::default()
        }
    };
    if let Err(error) = limits::set(sandbox, applied.counts_processes) {
        applied.gaps.push(format!("limits: {error}"));
    }
    Ok(applied)
}
