//! What is typed: lines, and Ctrl-C.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::exit::{CliError, FAILED};

/// The longest line, in bytes.
const LINE_MAX: u64 = 1024 * 1024;

/// What is typed.
#[derive(Debug)]
pub(super) enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// Nothing more will be.
    NoMore,
}

/// Standard input, read on a thread of its own: a read of it cannot be called off.
#[derive(Debug)]
pub(super) struct Input {
    lines: mpsc::Receiver<String>,
    interrupts: Signal,
    is_terminal: bool,
}

impl Input {
    pub(super) fn begin() -> Result<Self, CliError> {
        let interrupts = signal(SignalKind::interrupt());
        let interrupts =
            interrupts.map_err(|error| CliError::other(FAILED, format!("cannot catch Ctrl-C: {error}")))?;
        let (sender, lines) = mpsc::channel(1);
        std::thread::spawn(move || read(&sender));
        Ok(Self { lines, interrupts, is_terminal: io::stdin().is_terminal() })
    }

    /// Whether a person types.
    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// What is typed next.
    pub(super) async fn next(&mut self) -> Typed {
        tokio::select! {
            biased;
            Some(()) = self.interrupts.recv() => Typed::Interrupt,
            line = self.lines.recv() => line.map_or(Typed::NoMore, Typed::Line),
        }
    }

    /// Waits for Ctrl-C alone.
    pub(super) async fn interrupted(&mut self) {
        if self.interrupts.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

fn read(lines: &mpsc::Sender<String>) {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match (&mut input).take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
                if lines.blocking_send(line).is_err() {
                    return;
                }
            }
        }
    }
}
