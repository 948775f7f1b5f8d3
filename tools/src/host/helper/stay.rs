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
use super::{
    Answer, DRAIN_MAX, HelperEvent, ProgramEnd, Started, kill_all, not_started, reap, send, start,
    wait_for_end,
};
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
    let started = match start(order) {
        Ok(started) => started,
        Err(fault) => return Some((not_started(fault), Captured::default())),
    };
    let Started {
        program,
        stdin,
        stdout,
        stderr,
        gaps,
    } = started;
    let to_serve = events.clone();
    thread::spawn(move || reap(program, &to_serve));
    // Nobody is there to hear it, if this fails: then the pipe is closed as well.
    send(&RunReport::Started { gaps }, &Captured::default()).ok();
    let (to_done, done) = channel();
    pass_on(stdout, &io::stdout(), to_done.clone());
    pass_on(stderr, &io::stderr(), to_done);
    if let Some(stdin) = stdin {
        to_program.send(stdin).ok();
    }
    let end = wait_for_end(inbox, Duration::MAX);
    kill_all(program, inbox);
    wait_for_rest(&done);
    if let ProgramEnd::Ended(status) = end {
        let how = match status.exit_status() {
            Some(code) => format!("with exit code {code}"),
            None => "by a signal".to_owned(),
        };
        writeln!(io::stderr(), "the program ended {how}").ok();
    }
    None
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
