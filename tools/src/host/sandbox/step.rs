//! The step, and the first process in its namespaces.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use folkmoot_core::port::{Network, Sandbox};
use rustix::process::{Pid, WaitOptions, WaitStatus};
#[cfg(target_os = "linux")]
use rustix::process::{Signal, getpid, kill_process};

use super::super::image::{self, Program, StartFault};
use super::super::wire::{Variables, number_of};
use super::{AppliedSandbox, PROBE, StepOrder, Told, limits};

const HOME: &str = "HOME";
const TMPDIR: &str = "TMPDIR";
/// The folder for passing files that programs take where the variable is not set.
pub(super) const USUAL_TMPDIR: &str = "/tmp";
/// The home of a program that may open nothing of its user's. Many take a folder that is not there for one without settings, and one that they
/// cannot open for an error.
const NO_HOME: &str = "/nonexistent";
/// The folder in which a process finds its open files.
pub(super) const OPEN_FILES: &str = if cfg!(target_os = "linux") {
    "/proc/self/fd"
} else {
    "/dev/fd"
};
/// What a process ends with, beside the number of the signal that has ended its program.
const SIGNALLED: i32 = 128;

/// The namespaces of the present process.
#[derive(Debug)]
pub(super) enum Spaces {
    /// The program has those of the runtime, for this reason.
    Shared(String),
    /// The program has its own.
    Own,
}

/// The numbers of the two pipes of a step.
struct Pipes {
    order: OsString,
    lines: OsString,
}

impl Pipes {
    fn of(mut words: impl Iterator<Item = OsString>) -> Self {
        Self {
            order: words.next().unwrap_or_default(),
            lines: words.next().unwrap_or_default(),
        }
    }

    fn open(&self, word: &OsStr, options: &OpenOptions) -> io::Result<File> {
        options.open(Path::new(OPEN_FILES).join(word))
    }
}

/// Enters namespaces and starts the first process in them; without any, becomes the program.
pub(in crate::host) fn step_main(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let network = match words.next() {
        Some(word) if word == super::word_of(Network::Any) => Network::Any,
        Some(_) | None => Network::None,
    };
    let pipes = Pipes::of(words);
    #[cfg(target_os = "linux")]
    let done = match super::linux::enter_namespaces(network) {
        Ok(Ok(())) => start_first(&pipes),
        Ok(Err(why)) => begin(&pipes, &Spaces::Shared(why.to_string())),
        Err(error) => Err(error),
    };
    #[cfg(not(target_os = "linux"))]
    let done = {
        let _ = network;
        begin(&pipes, &Spaces::Shared("there are none".to_owned()))
    };
    said(done)
}

/// Applies the sandbox, runs the program, and ends with it.
pub(in crate::host) fn first_main(words: impl Iterator<Item = OsString>) -> ExitCode {
    said(begin(&Pipes::of(words), &Spaces::Own))
}

fn said(done: io::Result<u8>) -> ExitCode {
    match done {
        Ok(code) => ExitCode::from(code),
        Err(why) => {
            // Nobody is left to tell if this fails too.
            writeln!(io::stderr(), "the step into the sandbox failed: {why}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Starts the first process, and ends as that one does.
#[cfg(target_os = "linux")]
fn start_first(pipes: &Pipes) -> io::Result<u8> {
    super::linux::die_with_parent()?;
    super::linux::lend_mounting()?;
    // Before there is a folder of processes in which this one is not.
    let strangers = super::linux::strangers(&[])?;
    let mut first = super::itself(super::FIRST_ARGUMENT)?
        .args([&pipes.order, &pipes.lines])
        .spawn()?;
    super::linux::close_all(strangers);
    if pipes.lines != PROBE {
        close_standard()?;
    }
    let status = first.wait()?;
    if status.signal().is_some() {
        // So that the helper does not take it for an exit of the program.
        kill_process(getpid(), Signal::KILL)?;
    }
    Ok(status
        .code()
        .and_then(|code| code.try_into().ok())
        .unwrap_or(1))
}

/// Closes the program's pipes in a process that only waits for it: whoever is at their other ends waits for their end.
#[cfg(target_os = "linux")]
fn close_standard() -> io::Result<()> {
    let nothing = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok(rustix::stdio::dup2_stderr(&nothing)?)
}

fn begin(pipes: &Pipes, spaces: &Spaces) -> io::Result<u8> {
    #[cfg(target_os = "linux")]
    if matches!(spaces, Spaces::Own) {
        super::linux::die_with_parent()?;
        super::linux::hide()?;
    }
    if pipes.lines == PROBE {
        return probe(spaces);
    }
    let mut order = pipes.open(&pipes.order, OpenOptions::new().read(true))?;
    let mut lines = pipes.open(&pipes.lines, OpenOptions::new().write(true))?;
    #[cfg(target_os = "linux")]
    super::linux::close_all(super::linux::strangers(&[&order, &lines])?);
    let fault = match run(&mut order, &mut lines, spaces) {
        Ok(code) => return Ok(code),
        Err(fault) => fault,
    };
    let told = match fault {
        StartFault::Changed(why) => Told::Changed { why },
        StartFault::Unconfined(why) => Told::Unconfined { why },
        StartFault::Failed(error) => Told::NotStarted {
            os_error: number_of(&error),
            why: error.to_string(),
        },
    };
    tell(&mut lines, &told)?;
    Ok(1)
}

fn probe(spaces: &Spaces) -> io::Result<u8> {
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
    let order = StepOrder {
        argv: Vec::new(),
        variables: Variables::default(),
        sandbox: nothing,
        pins: Vec::new(),
    };
    let prepared = apply(&order, spaces, None).map_err(|fault| match fault {
        StartFault::Changed(why) | StartFault::Unconfined(why) => io::Error::other(why),
        StartFault::Failed(error) => error,
    })?;
    serde_json::to_writer(io::stdout(), &prepared.applied)?;
    Ok(0)
}

/// Runs the program of the order. The code is the one to end with.
fn run(order: &mut File, lines: &mut File, spaces: &Spaces) -> Result<u8, StartFault> {
    let mut text = Vec::new();
    order.read_to_end(&mut text)?;
    let order: StepOrder = serde_json::from_slice(&text).map_err(io::Error::from)?;
    let (name, arguments) = order
        .argv
        .split_first()
        .ok_or_else(|| io::Error::other("no program is named"))?;
    // Before the sandbox, which may hide it.
    let program = image::open(name, &order.pins, &order.variables)?;
    let prepared = apply(&order, spaces, Some(&program))?;
    let applied = prepared.applied;
    if order.sandbox.is_required == Some(true) && !applied.gaps.is_empty() {
        return Err(StartFault::Unconfined(applied.gaps.join("; ")));
    }
    let mut command = program.command(&order.variables, prepared.is_exact)?;
    command.args(arguments);
    if order
        .variables
        .get(HOME)
        .is_some_and(|home| !is_open(&order.sandbox, Path::new(home)))
    {
        command.env(HOME, NO_HOME);
    }
    let is_told =
        |scratch: &&str| *scratch != USUAL_TMPDIR || order.variables.get(TMPDIR).is_some();
    if let Some(scratch) = prepared.scratch.filter(is_told) {
        command.env(TMPDIR, scratch);
    }
    tell(lines, &Told::Applied(applied))?;
    match spaces {
        Spaces::Shared(_) => Err(command.exec().into()),
        Spaces::Own => Ok(follow(command, program, lines)?),
    }
}

/// Runs the program to its end, and reaps what it leaves behind meanwhile.
fn follow(mut command: Command, program: Program, lines: &mut File) -> Result<u8, io::Error> {
    // Out of this process's group: a program may kill its own.
    // With a group of its own (that it has anyway) it is started by `fork`. The other way takes memory, and this process may
    // have more than the limits of the program already.
    let group = rustix::process::getegid().as_raw();
    let child = command.process_group(0).gid(group).spawn()?;
    drop(program);
    tell(lines, &Told::Began)?;
    #[cfg(target_os = "linux")]
    close_standard()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if Some(ended) == pid => return end(status, lines),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn end(status: WaitStatus, lines: &mut File) -> io::Result<u8> {
    let code = match status.terminating_signal() {
        Some(signal) => {
            tell(lines, &Told::Signalled(signal))?;
            SIGNALLED.saturating_add(signal)
        }
        None => status.exit_status().unwrap_or(1),
    };
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Tells whether something of the user's folder `home` is open to the program.
fn is_open(sandbox: &Sandbox, home: &Path) -> bool {
    let mut named = sandbox.read.iter().chain(&sandbox.write);
    named.any(|place| place.path.starts_with(home) || home.starts_with(&place.path))
}

fn tell(lines: &mut File, told: &Told) -> io::Result<()> {
    let mut line = serde_json::to_vec(told)?;
    line.push(b'\n');
    lines.write_all(&line)
}

/// A process that is ready for its program.
pub(super) struct Prepared {
    /// The parts of the sandbox that the system applied.
    pub(super) applied: AppliedSandbox,
    /// True if the program has to be run from its handle: another file of its name is none that is listed.
    pub(super) is_exact: bool,
    /// The folder for the program's passing files, if it has one to itself.
    pub(super) scratch: Option<&'static str>,
}

/// Applies as much of the sandbox of `order` as the system can. The file of `program` may be run in any case.
fn apply(
    order: &StepOrder,
    spaces: &Spaces,
    program: Option<&Program>,
) -> Result<Prepared, StartFault> {
    #[cfg(target_os = "linux")]
    let mut prepared = super::linux::apply(order, spaces, program)?;
    #[cfg(not(target_os = "linux"))]
    let mut prepared = {
        let _ = (spaces, program);
        Prepared {
            applied: AppliedSandbox {
                gaps: vec![
                    "files, network, processes: there is a sandbox on Linux only".to_owned(),
                ],
                ..AppliedSandbox::default()
            },
            is_exact: false,
            scratch: None,
        }
    };
    let applied = &mut prepared.applied;
    applied
        .gaps
        .extend(limits::set(&order.sandbox, applied.counts_processes));
    Ok(prepared)
}
