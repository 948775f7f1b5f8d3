//! Input from the keyboard: lines, and Ctrl-C.

use std::io::{self, BufRead, IsTerminal as _, Read as _};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::exit::{CliError, FAILED};

/// The longest line, in bytes.
const LINE_MAX: u64 = 1024 * 1024;

/// Input of a person.
#[derive(Debug)]
pub(super) enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// The input has ended.
    NoMore,
}

/// Standard input, read on a thread of its own: a read of it cannot be called off.
#[derive(Debug)]
pub(super) struct TypedInput {
    lines: mpsc::Receiver<String>,
    interrupts: Signal,
    is_terminal: bool,
}

impl TypedInput {
    pub(super) fn begin() -> Result<Self, CliError> {
        let interrupts = signal(SignalKind::interrupt());
        let interrupts = interrupts
            .map_err(|error| CliError::other(FAILED, format!("cannot catch Ctrl-C: {error}")))?;
        let (sender, lines) = mpsc::channel(1);
        std::thread::spawn(move || read(&sender));
        Ok(Self {
            lines,
            interrupts,
            is_terminal: io::stdin().is_terminal(),
        })
    }

    /// True if a person types, and no pipe.
    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Waits for the next input.
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
    while let Ok(Some(line)) = read_line(&mut input) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

/// The next line; `None` at the end. Of one that is too long the rest is passed over: it is no
/// other message, and the room refuses the beginning for its length.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(Some(
        String::from_utf8_lossy(&line)
            .trim_end_matches(['\n', '\r'])
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_of_a_line_that_is_too_long_is_no_other_line() {
        let long = "a".repeat(usize::try_from(LINE_MAX).unwrap() + 1);
        let mut input = io::Cursor::new(format!("{long}\nand this\r\nend"));
        let mut next = || read_line(&mut input).unwrap();
        assert_eq!(next().map(|line| line.len()), Some(long.len() - 1));
        assert_eq!(next().as_deref(), Some("and this"));
        assert_eq!(next().as_deref(), Some("end"));
        assert_eq!(next(), None);
    }
}
