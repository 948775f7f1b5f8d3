//! The helper's side: one process that runs one program and takes all of it along when it goes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ExitCode};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::process::WaitStatus;

use super::image::StartFault;
use super::lock::Lock;
use super::sandbox::{FIRST_ARGUMENT, STEP_ARGUMENT, first_main, step_main};
use super::wire::{ORDER_MAX, RunOrder, RunReport, number_of};

mod capture;
mod memory;
mod program;
mod stay;

use capture::{Capture, Captured};
use program::{Program, ProgramEnd};

/// The argument that turns a program which calls [`helper_main`] for it into a helper.
pub const HELPER_ARGUMENT: &str = "__tool";
/// The environment variable, with the value `1`, by which a program can tell that a tool runs it.
pub const TOOL_VARIABLE: &str = "FOLKMOOT_TOOL";

/// The words of the helper behind those of a program that passed its limit of memory.
const TOO_LARGE: &str = "\n[killed: it used more than the `memory` of its sandbox]";
/// The wait for the rest of the outputs when nothing lives that could write to them.
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// Runs the program that the order on standard input names, and reports on standard output.
///
/// Standard input must stay open as long as the program may run: when it closes, everything is killed.
#[must_use]
pub fn helper_main() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    match words.next() {
        Some(word) if word == STEP_ARGUMENT => return step_main(words),
        Some(word) if word == FIRST_ARGUMENT => return first_main(words),
        Some(_) | None => {}
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
    /// The program has begun in its sandbox, of which these parts were not applied, or did not begin.
    Begun(Result<Vec<String>, StartFault>),
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
            | HelperEvent::Begun(_)
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
            | HelperEvent::Begun(_)
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
    let (mut program, pipes) = match Program::start(order, events, inbox) {
        Ok(started) => started,
        Err(fault) => return Some((not_started(fault), Captured::default())),
    };
    let capture = Capture::start(pipes.stdout, pipes.stderr, order.output_max);
    let timeout = Duration::from_millis(order.timeout_ms);
    let (gaps, end) = match program.begin(timeout) {
        Ok(gaps) => (gaps, program.end(timeout)),
        Err(end) => (Vec::new(), end),
    };
    // Before the report, also where the program ended well: nothing of it may outlive the call.
    program.kill_all();
    match end {
        ProgramEnd::Ended(status) => {
            let outputs = capture.finish(DRAIN_MAX);
            Some(ended(status.exit_status(), program.signal(), gaps, outputs))
        }
        ProgramEnd::TooLarge => {
            let mut outputs = capture.finish(DRAIN_MAX);
            outputs.stderr.extend_from_slice(TOO_LARGE.as_bytes());
            let signal = Some(rustix::process::Signal::KILL.as_raw());
            Some(ended(None, signal, gaps, outputs))
        }
        ProgramEnd::Never(fault) => Some((not_started(fault), Captured::default())),
        ProgramEnd::TimedOut => Some((RunReport::TimedOut, Captured::default())),
        ProgramEnd::Unwanted => None,
    }
}

fn not_started(fault: StartFault) -> RunReport {
    match fault {
        StartFault::Changed(why) => RunReport::Changed { why },
        StartFault::Unconfined(why) => RunReport::Unconfined { why },
        StartFault::Failed(error) => RunReport::NotStarted {
            os_error: number_of(&error),
            why: error.to_string(),
        },
    }
}

fn ended(code: Option<i32>, signal: Option<i32>, gaps: Vec<String>, outputs: Captured) -> Answer {
    let report = RunReport::Ended {
        code: code.filter(|_| signal.is_none()),
        signal,
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
