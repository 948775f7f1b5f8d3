//! The steps between the helper and a program.
//!
//! ```text
//! helper ──starts itself again──▶ step ──own namespaces──▶ first process ──sandbox, limits──▶ program
//!        ──order───────────────────────────────────────────▶
//!        ◀──lines────────────────────────────────────────────
//! ```
//!
//! The step enters namespaces, and starts the first process in them. With that one all that is in them ends. It has no
//! memory of the runtime; all that it applies holds for the program and for whatever that starts, and can be taken back by
//! neither. Where the kernel has no namespaces for it, the step itself becomes the program.

use std::env;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, JoinHandle};

use folkmoot_core::ids::Digest;
use folkmoot_core::port::{Network, Sandbox};
use rustix::io::FdFlags;
use serde::{Deserialize, Serialize};

use super::image::StartFault;
use super::wire::{REPORT_MAX, RunOrder, Variables, error_of};
use super::{HELPER_ARGUMENT, TOOL_VARIABLE};

mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod step;

pub(super) use step::{first_main, step_main};

/// The second argument of a helper that is the step.
pub(super) const STEP_ARGUMENT: &str = "sandbox";
/// The second argument of a helper that is the first process in its namespaces.
pub(super) const FIRST_ARGUMENT: &str = "first";
/// The word in place of pipes, for a step that only tells what it could apply.
const PROBE: &str = "probe";

/// The parts of a sandbox that the system applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedSandbox {
    /// True if the program has users, processes, mounts, a network and System V objects of its own.
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

/// The work of a step. It comes through a pipe: others can read the arguments of a process.
#[derive(Debug, Serialize, Deserialize)]
struct StepOrder {
    /// The program and its arguments.
    argv: Vec<String>,
    /// The program's variables; the step has none of them.
    variables: Variables,
    /// The limits.
    sandbox: Sandbox,
    /// The digests that the program's file may have; empty takes any file.
    pins: Vec<Digest>,
}

/// A line of a step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    /// The program is about to begin. Nothing follows where the step becomes it, unless it cannot.
    Applied(AppliedSandbox),
    /// The program has begun.
    Began,
    /// A signal has ended the program.
    Signalled(i32),
    /// The program cannot be started.
    NotStarted { os_error: Option<i32>, why: String },
    /// The program or a place is not the one that is meant.
    Changed { why: String },
    /// The sandbox is required and cannot be applied.
    Unconfined { why: String },
}

/// A step that is about to be started.
#[derive(Debug)]
pub(super) struct SandboxStep {
    /// Starts the step.
    pub(super) command: Command,
    /// The words of its order.
    work: Vec<u8>,
    /// The end at which its order begins.
    order: PipeWriter,
    /// The end at which its lines arrive.
    lines: PipeReader,
    /// The ends that it uses, open until it has started.
    theirs: (PipeReader, PipeWriter),
}

impl SandboxStep {
    /// The step to the program of `order`.
    pub(super) fn new(order: &RunOrder, sandbox: &Sandbox) -> io::Result<Self> {
        let (lines, tells) = io::pipe()?;
        let (hears, to_step) = io::pipe()?;
        // Nothing but the step is started from here on, and it closes both before the program begins.
        rustix::io::fcntl_setfd(&tells, FdFlags::empty())?;
        rustix::io::fcntl_setfd(&hears, FdFlags::empty())?;
        let work = serde_json::to_vec(&StepOrder {
            argv: order.argv.clone(),
            variables: order.variables.clone(),
            sandbox: sandbox.clone(),
            pins: order.pins.clone(),
        })?;
        let mut command = itself(STEP_ARGUMENT)?;
        command
            .arg(word_of(sandbox.network))
            .arg(hears.as_raw_fd().to_string())
            .arg(tells.as_raw_fd().to_string());
        Ok(Self {
            command,
            work,
            order: to_step,
            lines,
            theirs: (hears, tells),
        })
    }

    /// Gives the step that has started its order, and hears its lines, on a thread: it may stand still. `begun` learns what was
    /// not applied once the program has begun. The thread ends with all that the step has started, and returns the signal
    /// that has ended the program.
    pub(super) fn talk(
        self,
        begun: impl FnOnce(Result<Vec<String>, StartFault>) + Send + 'static,
    ) -> JoinHandle<Option<i32>> {
        // Open here, the lines would never come to their end.
        drop(self.theirs);
        let (mut order, work, lines) = (self.order, self.work, self.lines);
        thread::spawn(move || {
            // A step that has ended says why, or nothing.
            order.write_all(&work).ok();
            drop(order);
            let mut lines = Lines(BufReader::new(lines));
            begun(lines.begun());
            match lines.next() {
                Some(Ok(Told::Signalled(signal))) => Some(signal),
                Some(_) | None => None,
            }
        })
    }
}

/// The lines of a step.
struct Lines(BufReader<PipeReader>);

impl Lines {
    /// Waits until the program has begun, and returns what was not applied.
    fn begun(&mut self) -> Result<Vec<String>, StartFault> {
        let mut gaps = None;
        for told in self.by_ref() {
            match told? {
                Told::Applied(applied) => gaps = Some(applied.gaps),
                Told::Began | Told::Signalled(_) => break,
                Told::Changed { why } => return Err(StartFault::Changed(why)),
                Told::Unconfined { why } => return Err(StartFault::Unconfined(why)),
                Told::NotStarted { os_error, why } => {
                    return Err(StartFault::Failed(error_of(os_error, why)));
                }
            }
        }
        Ok(gaps.ok_or_else(|| io::Error::other("the step into the sandbox ended without a word"))?)
    }
}

impl Iterator for Lines {
    type Item = io::Result<Told>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        match (&mut self.0).take(REPORT_MAX).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_slice(&line).map_err(io::Error::from)),
            Err(error) => Some(Err(error)),
        }
    }
}

fn word_of(network: Network) -> &'static str {
    match network {
        Network::None => "none",
        Network::Any => "any",
    }
}

/// This program, as the helper with the second argument `part`, without a variable.
fn itself(part: &str) -> io::Result<Command> {
    let mut command = Command::new(own_program()?);
    command
        .env_clear()
        .env(TOOL_VARIABLE, "1")
        .args([HELPER_ARGUMENT, part]);
    Ok(command)
}

/// The program of the process that starts it as the helper: this very file, also if another one has taken its place
/// meanwhile.
///
/// # Errors
/// When the system cannot tell it.
pub fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
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
        .env_clear()
        .env(TOOL_VARIABLE, "1")
        .args([HELPER_ARGUMENT, STEP_ARGUMENT])
        .args([word_of(Network::None), PROBE, PROBE])
        .output()?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("{error}; {}: {complaint}", output.status))
    })
}
