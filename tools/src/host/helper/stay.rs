//! Programs that stay: the helper passes on what goes to them and comes from them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use super::capture::Captured;
use super::program::{Program, ProgramEnd};
use super::{Answer, DRAIN_MAX, HelperEvent, TOO_LARGE, not_started, send};
use crate::host::wire::{RunOrder, RunReport};

/// Waits until the runtime holds the other side of standard input no more, also while nobody reads what it has sent.
pub(super) fn watch(events: &Sender<HelperEvent>) {
    let stdin = io::stdin();
    loop {
        // No event is asked for: the end of the pipe is told in any case.
        match poll(&mut [PollFd::new(&stdin, PollFlags::empty())], None) {
            Ok(_) => return drop(events.send(HelperEvent::Closed)),
            Err(rustix::io::Errno::INTR) => {}
            // Whoever reads the pipe comes to its end too.
            Err(_) => return,
        }
    }
}

/// Runs the program until it ends or nobody wants it. The answer is there only if it did not begin.
pub(super) fn run(
    order: &RunOrder,
    to_program: &Sender<ChildStdin>,
    events: &Sender<HelperEvent>,
    inbox: &Receiver<HelperEvent>,
) -> Option<Answer> {
    let (mut running, pipes) = match Program::start(order, events, inbox) {
        Ok(started) => started,
        Err(fault) => return Some((not_started(fault), Captured::default())),
    };
    let gaps = match running.begin(Duration::from_millis(order.timeout_ms)) {
        Ok(gaps) => gaps,
        Err(end) => {
            running.kill_all();
            return never(end).map(|report| (report, Captured::default()));
        }
    };
    // Nobody is there to hear it, if this fails: then the pipe is closed as well.
    send(&RunReport::Started { gaps }, &Captured::default()).ok();
    let (to_done, done) = channel();
    pass_on(pipes.stdout, &io::stdout(), to_done.clone());
    pass_on(pipes.stderr, &io::stderr(), to_done);
    if let Some(stdin) = pipes.stdin {
        to_program.send(stdin).ok();
    }
    let end = running.end(Duration::MAX);
    running.kill_all();
    wait_for_rest(&done);
    if matches!(end, ProgramEnd::TooLarge) {
        writeln!(io::stderr(), "{TOO_LARGE}").ok();
    }
    if let ProgramEnd::Ended(status) = end {
        let how = match (running.signal(), status.exit_status()) {
            (None, Some(code)) => format!("with exit code {code}"),
            (Some(signal), _) => format!("by signal {signal}"),
            (None, None) => "by a signal".to_owned(),
        };
        writeln!(io::stderr(), "the program ended {how}").ok();
    }
    None
}

/// The report on a program that did not begin; `None`: nobody wants to know.
fn never(end: ProgramEnd) -> Option<RunReport> {
    match end {
        ProgramEnd::Never(fault) => Some(not_started(fault)),
        ProgramEnd::TimedOut => Some(RunReport::TimedOut),
        ProgramEnd::Unwanted | ProgramEnd::TooLarge | ProgramEnd::Ended(_) => None,
    }
}

/// Passes an output on as it comes, on a thread of its own.
fn pass_on(mut output: impl Read + Send + 'static, to: &impl AsFd, done: Sender<()>) {
    // Not the standard library's own handle: that keeps the beginning of a line back.
    let to = to.as_fd().try_clone_to_owned().map(File::from);
    thread::spawn(move || {
        if let Ok(mut to) = to {
            io::copy(&mut output, &mut to).ok();
        }
        // A program that writes into a full pipe would stand still.
        io::copy(&mut output, &mut io::sink()).ok();
        done.send(()).ok();
    });
}

/// Waits for the rest of both outputs. A runtime that does not read does not hold up the end.
fn wait_for_rest(done: &Receiver<()>) {
    let started = Instant::now();
    for _ in 0..2 {
        let left = DRAIN_MAX.saturating_sub(started.elapsed());
        if done.recv_timeout(left).is_err() {
            return;
        }
    }
}
