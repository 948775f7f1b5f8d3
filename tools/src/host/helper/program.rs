//! A program under its helper: how it starts, begins, ends, and takes all of it along.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, WaitStatus};

use super::HelperEvent;
use super::memory::is_beyond;
use crate::host::image::{StartFault, go_to, open};
use crate::host::sandbox::SandboxStep;
use crate::host::sweep::{kill_descendants, kill_group};
use crate::host::wire::RunOrder;

/// The wait for the news that a program has left nothing behind.
const ALONE_MAX: Duration = Duration::from_millis(1);
/// The wait between two sweeps over the processes that are left of a program.
const SWEEP_PAUSE: Duration = Duration::from_millis(5);

/// The signals to a sandbox before its processes are looked for.
const ROUNDS_BEFORE_SWEEP: u32 = 20;
/// The time between two looks at the memory of a program.
const LOOK_PAUSE: Duration = Duration::from_millis(200);

/// A program that was started, until nothing of it lives.
pub(super) struct Program<'a> {
    /// The program, or the step in front of it.
    process: Pid,
    /// Hears the step; `None`: there is no sandbox.
    step: Option<JoinHandle<Option<i32>>>,
    /// The most bytes of memory of each of its processes; `None`: there is no sandbox.
    memory_bytes: Option<u64>,
    inbox: &'a Receiver<HelperEvent>,
    started: Instant,
    /// How its process ended.
    status: Option<WaitStatus>,
    /// True if nothing of it lives.
    is_gone: bool,
}

/// The helper's ends of a program's pipes.
pub(super) struct Pipes {
    /// Its standard input, if it stays.
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// The end of a program.
pub(super) enum ProgramEnd {
    Ended(WaitStatus),
    /// It did not begin.
    Never(StartFault),
    TimedOut,
    /// It has more memory than its sandbox allows.
    TooLarge,
    Unwanted,
}

impl<'a> Program<'a> {
    /// Starts the program of `order`, or its step.
    pub(super) fn start(
        order: &RunOrder,
        events: &Sender<HelperEvent>,
        inbox: &'a Receiver<HelperEvent>,
    ) -> Result<(Self, Pipes), StartFault> {
        let (name, arguments) = order
            .argv
            .split_first()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program is named"))?;
        // The helper runs this one program: where it is, the program begins.
        go_to(&order.cwd, order.folder)?;
        let (mut child, step) = match &order.sandbox {
            None => {
                let file = open(name, &order.pins, &order.variables)?;
                let mut command = file.command(&order.variables, false)?;
                (spawn(command.args(arguments), order)?, None)
            }
            Some(sandbox) => {
                let mut step = SandboxStep::new(order, sandbox)?;
                let child = spawn(&mut step.command, order)?;
                let to_serve = events.clone();
                let begun = move |begun| drop(to_serve.send(HelperEvent::Begun(begun)));
                (child, Some(step.talk(begun)))
            }
        };
        if let Some(input) = order.input.clone()
            && let Some(pipe) = child.stdin.take()
        {
            thread::spawn(move || feed(pipe, &input));
        }
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (Some(process), Some(stdout), Some(stderr)) =
            (pid, child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("the program has no id or no outputs").into());
        };
        let to_serve = events.clone();
        // From here on `reap` is the only one who waits: `child` would not see its own end.
        thread::spawn(move || reap(process, &to_serve));
        let program = Self {
            process,
            step,
            memory_bytes: order.sandbox.as_ref().map(|sandbox| sandbox.memory_bytes),
            inbox,
            started: Instant::now(),
            status: None,
            is_gone: false,
        };
        let stdin = child.stdin.take();
        Ok((
            program,
            Pipes {
                stdin,
                stdout,
                stderr,
            },
        ))
    }

    /// Waits until the program has begun, and returns what was not applied of its sandbox.
    pub(super) fn begin(&mut self, timeout: Duration) -> Result<Vec<String>, ProgramEnd> {
        if self.step.is_none() {
            return Ok(Vec::new());
        }
        loop {
            match self.hear(timeout)? {
                Some(Ok(gaps)) => return Ok(gaps),
                Some(Err(fault)) => return Err(ProgramEnd::Never(fault)),
                None => {}
            }
        }
    }

    /// Waits until the program has ended, or has to end. It has begun.
    pub(super) fn end(&mut self, timeout: Duration) -> ProgramEnd {
        loop {
            if let Some(status) = self.status {
                return ProgramEnd::Ended(status);
            }
            if self.is_gone {
                return ProgramEnd::Unwanted;
            }
            if let Err(end) = self.hear(timeout) {
                return end;
            }
        }
    }

    /// Waits for one event and keeps it in mind. `timeout` is that of the whole run.
    fn hear(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<Result<Vec<String>, StartFault>>, ProgramEnd> {
        let left = timeout.saturating_sub(self.started.elapsed());
        let pause = match self.memory_bytes {
            Some(_) => left.min(LOOK_PAUSE),
            None => left,
        };
        match self.inbox.recv_timeout(pause) {
            Ok(HelperEvent::Begun(begun)) => return Ok(Some(begun)),
            Ok(HelperEvent::Ended(status)) => self.status = Some(status),
            Ok(HelperEvent::Alone) => self.is_gone = true,
            Ok(HelperEvent::Ordered(..) | HelperEvent::Locked(_)) => {}
            Ok(HelperEvent::Closed) | Err(RecvTimeoutError::Disconnected) => {
                return Err(ProgramEnd::Unwanted);
            }
            Err(RecvTimeoutError::Timeout) if pause == left => return Err(ProgramEnd::TimedOut),
            Err(RecvTimeoutError::Timeout) => {
                if self.memory_bytes.is_some_and(is_beyond) {
                    return Err(ProgramEnd::TooLarge);
                }
            }
        }
        Ok(None)
    }

    /// Kills until nothing of it is left.
    pub(super) fn kill_all(&mut self) {
        // Most programs leave nothing behind, and looking through all processes takes longer than hearing of that.
        let mut pause = ALONE_MAX;
        let mut rounds = 0_u32;
        while !self.is_gone {
            match self.inbox.recv_timeout(pause) {
                Ok(HelperEvent::Alone) | Err(RecvTimeoutError::Disconnected) => {
                    self.is_gone = true;
                    return;
                }
                Ok(
                    HelperEvent::Closed
                    | HelperEvent::Begun(_)
                    | HelperEvent::Ended(_)
                    | HelperEvent::Ordered(..)
                    | HelperEvent::Locked(_),
                )
                | Err(RecvTimeoutError::Timeout) => {}
            }
            // A sandbox ends with one signal. To look through a flood that is dying would only take longer.
            if self.step.is_some() && rounds < ROUNDS_BEFORE_SWEEP {
                kill_group(self.process);
            } else {
                kill_descendants(self.process);
            }
            rounds = rounds.saturating_add(1);
            pause = SWEEP_PAUSE;
        }
    }

    /// The signal that has ended the program, if it was one. Nothing of it lives any more.
    pub(super) fn signal(self) -> Option<i32> {
        let told = self.step.and_then(|step| step.join().ok().flatten());
        told.or_else(|| self.status.and_then(WaitStatus::terminating_signal))
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
        // A group of its own, so that one signal reaches it all.
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
