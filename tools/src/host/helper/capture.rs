//! Reading a program's outputs up to a limit, and throwing the rest away.

use std::io::{self, Read};
use std::process::{ChildStderr, ChildStdout};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The first bytes of both outputs.
#[derive(Debug, Default)]
pub(super) struct Captured {
    /// The kept bytes of standard output.
    pub(super) stdout: Vec<u8>,
    /// The kept bytes of standard error.
    pub(super) stderr: Vec<u8>,
    /// True if more was written than is kept, or an output did not come to its end.
    pub(super) is_cut: bool,
}

#[derive(Debug, Default)]
struct CapturedBytes {
    /// The bytes that are kept, up to the limit of the order.
    bytes: Vec<u8>,
    /// True if more came, or the output could not be read to its end.
    is_cut: bool,
}

/// Two outputs being read.
pub(super) struct Capture {
    /// The bytes of standard output so far.
    stdout: Arc<Mutex<CapturedBytes>>,
    /// The bytes of standard error so far.
    stderr: Arc<Mutex<CapturedBytes>>,
    /// A message for each output that came to its end.
    done: Receiver<()>,
}

impl Capture {
    pub(super) fn start(stdout: ChildStdout, stderr: ChildStderr, max: usize) -> Self {
        let (to_done, done) = channel();
        Self {
            stdout: read(stdout, max, to_done.clone()),
            stderr: read(stderr, max, to_done),
            done,
        }
    }

    /// Waits until both outputs are at their end. If that takes longer than `wait`, because a stranger was given one of
    /// them, what was read so far counts as cut.
    pub(super) fn finish(self, wait: Duration) -> Captured {
        let started = Instant::now();
        let left = || wait.saturating_sub(started.elapsed());
        let is_whole = (0..2).all(|_| self.done.recv_timeout(left()).is_ok());
        let stdout = take(&self.stdout);
        let stderr = take(&self.stderr);
        Captured {
            is_cut: stdout.is_cut || stderr.is_cut || !is_whole,
            stdout: stdout.bytes,
            stderr: stderr.bytes,
        }
    }
}

fn take(kept: &Mutex<CapturedBytes>) -> CapturedBytes {
    std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner))
}

fn read(
    mut output: impl Read + Send + 'static,
    max: usize,
    done: Sender<()>,
) -> Arc<Mutex<CapturedBytes>> {
    let kept = Arc::new(Mutex::new(CapturedBytes::default()));
    let to_keep = Arc::clone(&kept);
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        loop {
            match output.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => keep(&to_keep, buffer.get(..count).unwrap_or_default(), max),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    to_keep
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .is_cut = true;
                    break;
                }
            }
        }
        done.send(()).ok();
    });
    kept
}

fn keep(kept: &Mutex<CapturedBytes>, bytes: &[u8], max: usize) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    // Read on beyond the limit: a program that writes into a full pipe would stand still.
    let room = max.saturating_sub(kept.bytes.len()).min(bytes.len());
    kept.bytes.extend(bytes.iter().take(room));
    kept.is_cut |= room < bytes.len();
}
