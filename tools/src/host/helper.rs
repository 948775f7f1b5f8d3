//! The helper's side: one process that runs one program and takes all of it along when it goes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, WaitStatus};

use super::image::{StartFault, command, go_to};
use super::lock::Lock;
use super::sandbox::{STEP_ARGUMENT, SandboxStep, step_main};
use super::sweep::kill_descendants;
use super::wire::{ORDER_MAX, RunOrder, RunReport};

mod capture;
mod stay;

use capture::{Capture, Captured};

/// The argument that turns a program which calls [`helper_main`] for it into a helper.
pub const HELPER_ARGUMENT: &str = "__tool";
/// The environment variable, with the value `1`, by which a program can tell that a tool runs it.
pub const TOOL_VARIABLE: &str = "FOLKMOOT_TOOL";

/// The wait for the news that a program has left nothing behind.
const ALONE_MAX: Duration = Duration::from_millis(1);
/// The wait between two sweeps over the processes that are left of a program.
const SWEEP_PAUSE: Duration = Duration::from_millis(5);
/// The wait for the rest of the outputs when nothing lives that could write to them.
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// Runs the program that the order on standard input names, and reports on standard output.
///
/// Standard input must stay open as long as the program may run: when it closes, everything is killed.
#[must_use]
pub fn helper_main() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    if words.next().is_some_and(|word| word == STEP_ARGUMENT) {
        return step_main(words);
    }
    match isolate()
        .map_err(HelperError::Isolate)
        .and_then(|()| serve())
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // Nobody is left to tell if this fails too.
            writeln!(io::stderr(), "{why}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Leaves the runtime's session and terminal, adopts whatever the program abandons, and gives up the way to rights with
/// which a program could escape being killed.
fn isolate() -> io::Result<()> {
    // ADR 0008: a session of its own keeps the terminal's signals, as of Ctrl-C, from the program.
    match rustix::process::setsid() {
        // It leads a group already: started by a shell, it is out of the runtime's group as well.
        Ok(_) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    #[cfg(target_os = "linux")]
    {
        // Any id but none turns it on.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        // A program with more rights than the helper could not be killed by it.
        rustix::thread::set_no_new_privs(true)?;
    }
    Ok(())
}

/// An event in the life of a helper.
enum HelperEvent {
    /// The order, and where the program's input goes if it stays.
    Ordered(serde_json::Result<Box<RunOrder>>, Sender<ChildStdin>),
    /// The runtime wants the program no more.
    Closed,
    Locked(io::Result<Lock>),
    /// The program itself ended.
    Ended(WaitStatus),
    /// No child is left, and so no descendant.
    Alone,
}

/// A reason why a helper ends without a report.
#[derive(Debug, thiserror::Error)]
enum HelperError {
    /// The system refused one of the steps of [`isolate`].
    #[error("the helper cannot isolate itself: {0}")]
    Isolate(#[source] io::Error),
    /// The runtime sent something else than an order.
    #[error("the helper cannot read its order: {0}")]
    Order(#[source] serde_json::Error),
    /// The runtime's pipe takes no report.
    #[error("the helper cannot report: {0}")]
    Report(#[source] io::Error),
}

fn serve() -> Result<(), HelperError> {
    let (events, inbox) = channel();
    let to_serve = events.clone();
    thread::spawn(move || listen(&to_serve));
    let (order, to_program) = match inbox.recv() {
        Ok(HelperEvent::Ordered(order, to_program)) => {
            (order.map_err(HelperError::Order)?, to_program)
        }
        Ok(
            HelperEvent::Closed
            | HelperEvent::Locked(_)
            | HelperEvent::Ended(_)
            | HelperEvent::Alone,
        )
        | Err(_) => {
            return Ok(());
        }
    };
    // Dropped, it says that nothing of what follows is for the program.
    let to_program = order.stays.then_some(to_program);
    if order.stays {
        let to_serve = events.clone();
        thread::spawn(move || stay::watch(&to_serve));
    }
    match lock_and_run(&order, to_program, &events, &inbox) {
        Some((report, outputs)) => send(&report, &outputs).map_err(HelperError::Report),
        None => Ok(()),
    }
}

/// Takes the order, then waits for the end of standard input.
fn listen(events: &Sender<HelperEvent>) {
    let mut input = BufReader::new(io::stdin());
    let mut line = String::new();
    let read = input.by_ref().take(ORDER_MAX).read_line(&mut line);
    // An order without its line end was cut by a runtime that died: nobody wants the program.
    if matches!(read, Ok(0)) || !line.ends_with('\n') {
        events.send(HelperEvent::Closed).ok();
        return;
    }
    let (to_program, program) = channel();
    events
        .send(HelperEvent::Ordered(
            serde_json::from_str(&line),
            to_program,
        ))
        .ok();
    if let Ok(mut pipe) = program.recv() {
        // A program that closes its input hears no more of it.
        io::copy(&mut input, &mut pipe).ok();
    }
    // Its end or its failure: either way nobody holds the other side.
    io::copy(&mut input, &mut io::sink()).ok();
    events.send(HelperEvent::Closed).ok();
}

type Answer = (RunReport, Captured);

/// `None`: nobody wants to know.
fn lock_and_run(
    order: &RunOrder,
    to_program: Option<Sender<ChildStdin>>,
    events: &Sender<HelperEvent>,
    inbox: &Receiver<HelperEvent>,
) -> Option<Answer> {
    let path = order.lock.clone();
    let to_serve = events.clone();
    // On a thread: taking the lock cannot be given up, and the runtime may close its pipe
    // meanwhile.
    thread::spawn(move || to_serve.send(HelperEvent::Locked(Lock::wait(path))));
    let lock = match inbox.recv_timeout(Duration::from_millis(order.timeout_ms)) {
        Ok(HelperEvent::Locked(Ok(lock))) => lock,
        Ok(HelperEvent::Locked(Err(error))) => {
            return unusable(format!("cannot lock {}: {error}", order.lock.display()));
        }
        Err(RecvTimeoutError::Timeout) => {
            let lock = order.lock.display();
            return unusable(format!(
                "an earlier run still has the lock {lock}; nothing was started"
            ));
        }
        Ok(
            HelperEvent::Closed
            | HelperEvent::Ordered(..)
            | HelperEvent::Ended(_)
            | HelperEvent::Alone,
        )
        | Err(RecvTimeoutError::Disconnected) => return None,
    };
    // Under the lock: a rerun after a crash waits until nothing of the lost run lives (ADR 0008).
    let answer = match to_program {
        Some(to_program) => stay::run(order, &to_program, events, inbox),
        None => run(order, events, inbox),
    };
    match lock.release() {
        Ok(()) => answer,
        Err(error) => unusable(format!(
            "the program ran, but {} cannot be removed: {error}",
            order.lock.display()
        )),
    }
}

fn unusable(why: String) -> Option<Answer> {
    Some((RunReport::Unusable { why }, Captured::default()))
}

fn run(
    order: &RunOrder,
    events: &Sender<HelperEvent>,
    inbox: &Receiver<HelperEvent>,
) -> Option<Answer> {
    let Started {
        program,
        stdout,
        stderr,
        gaps,
        ..
    } = match start(order) {
        Ok(started) => started,
        Err(fault) => return Some((not_started(fault), Captured::default())),
    };
    let capture = Capture::start(stdout, stderr, order.output_max);
    let to_serve = events.clone();
    thread::spawn(move || reap(program, &to_serve));
    let end = wait_for_end(inbox, Duration::from_millis(order.timeout_ms));
    // Before the report, also where the program ended well: nothing of it may outlive the call.
    kill_all(program, inbox);
    match end {
        ProgramEnd::Ended(status) => Some(ended(status, gaps, capture.finish(DRAIN_MAX))),
        ProgramEnd::TimedOut => Some((RunReport::TimedOut, Captured::default())),
        ProgramEnd::Unwanted => None,
    }
}

fn not_started(fault: StartFault) -> RunReport {
    match fault {
        StartFault::Changed(why) => RunReport::Changed { why },
        StartFault::Unconfined(why) => RunReport::Unconfined { why },
        StartFault::Failed(error) => RunReport::NotStarted {
            os_error: error.raw_os_error(),
            why: error.to_string(),
        },
    }
}

/// A program that runs.
struct Started {
    program: Pid,
    /// Its standard input, if it stays.
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: ChildStderr,
    /// The parts of its sandbox that were not applied.
    gaps: Vec<String>,
}

fn start(order: &RunOrder) -> Result<Started, StartFault> {
    let (program, arguments) = order
        .argv
        .split_first()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program is named"))?;
    // The helper runs this one program: where it is, the program begins.
    go_to(&order.cwd, order.folder)?;
    let (mut child, gaps) = match &order.sandbox {
        None => {
            let (mut command, file) = command(program, &order.pins)?;
            let child = spawn(command.args(arguments), order);
            // Open until the program has started: it is run by the number of this handle.
            drop(file);
            (child?, Vec::new())
        }
        Some(sandbox) => {
            let mut step = SandboxStep::new(order, sandbox)?;
            let mut child = spawn(&mut step.command, order)?;
            match step.begun() {
                Ok(gaps) => (child, gaps),
                Err(fault) => {
                    // It has said that it ends.
                    child.wait()?;
                    return Err(fault);
                }
            }
        }
    };
    if let Some(input) = order.input.clone()
        && let Some(pipe) = child.stdin.take()
    {
        thread::spawn(move || feed(pipe, &input));
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    match (pid, child.stdout.take(), child.stderr.take()) {
        // From here on `reap` is the only one who waits: `child` would not see its own end.
        (Some(program), Some(stdout), Some(stderr)) => Ok(Started {
            program,
            stdin: child.stdin.take(),
            stdout,
            stderr,
            gaps,
        }),
        _ => Err(io::Error::other("the program has no id or no outputs").into()),
    }
}

fn spawn(command: &mut Command, order: &RunOrder) -> io::Result<Child> {
    command
        .stdin(if order.input.is_some() || order.stays {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own, so that one signal reaches it all where there is no subreaper.
        .process_group(0)
        .spawn()
}

/// Gives the program its input, and then the end of it.
fn feed(mut pipe: ChildStdin, input: &str) {
    // It may end, or close its input, without reading: what that means is its own affair.
    pipe.write_all(input.as_bytes()).ok();
}

/// Reaps every child, born or adopted, until none is left.
fn reap(program: Pid, events: &Sender<HelperEvent>) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => {
                drop(events.send(HelperEvent::Ended(status)))
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return drop(events.send(HelperEvent::Alone)),
        }
    }
}

enum ProgramEnd {
    Ended(WaitStatus),
    TimedOut,
    Unwanted,
}

fn wait_for_end(inbox: &Receiver<HelperEvent>, timeout: Duration) -> ProgramEnd {
    let started = Instant::now();
    loop {
        match inbox.recv_timeout(timeout.saturating_sub(started.elapsed())) {
            Ok(HelperEvent::Ended(status)) => return ProgramEnd::Ended(status),
            Err(RecvTimeoutError::Timeout) => return ProgramEnd::TimedOut,
            Ok(HelperEvent::Closed | HelperEvent::Alone) | Err(RecvTimeoutError::Disconnected) => {
                return ProgramEnd::Unwanted;
            }
            Ok(HelperEvent::Ordered(..) | HelperEvent::Locked(_)) => {}
        }
    }
}

/// Kills until no descendant is left.
fn kill_all(program: Pid, inbox: &Receiver<HelperEvent>) {
    // Most programs leave nothing behind, and looking through all processes takes longer than hearing of that.
    let mut pause = ALONE_MAX;
    loop {
        match inbox.recv_timeout(pause) {
            Ok(HelperEvent::Alone) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(
                HelperEvent::Closed
                | HelperEvent::Ended(_)
                | HelperEvent::Ordered(..)
                | HelperEvent::Locked(_),
            )
            | Err(RecvTimeoutError::Timeout) => {}
        }
        kill_descendants(program);
        pause = SWEEP_PAUSE;
    }
}

fn ended(status: WaitStatus, gaps: Vec<String>, outputs: Captured) -> Answer {
    let report = RunReport::Ended {
        code: status.exit_status(),
        stdout: outputs.stdout.len(),
        stderr: outputs.stderr.len(),
        is_cut: outputs.is_cut,
        gaps,
    };
    (report, outputs)
}

fn send(report: &RunReport, outputs: &Captured) -> io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.write_all(&outputs.stdout)?;
    out.write_all(&outputs.stderr)?;
    out.flush()
}
