//! Input from a terminal that gives each key as it is pressed.

use std::io;

use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, EventStream, KeyCode, KeyEvent,
    KeyModifiers,
};
use crossterm::execute;
use futures::StreamExt as _;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{CliError, FAILED};

/// Something that a terminal tells.
#[derive(Debug)]
pub(super) enum TerminalNews {
    /// A key is pressed.
    Key(KeyEvent),
    /// A text is pasted.
    Paste(String),
    /// The terminal has another size, or was somebody else's meanwhile.
    Moved,
    /// Ctrl-C.
    Interrupt,
    /// The process is told to end.
    Terminated,
    /// The terminal is gone.
    NoMore,
}

/// A terminal whose keys are read one by one, for as long as this is kept.
#[derive(Debug)]
pub(super) struct TerminalInput {
    mode: KeyMode,
    events: EventStream,
    interrupts: Signal,
    ends: Signal,
    returns: Signal,
}

impl TerminalInput {
    pub(super) fn begin() -> Result<Self, CliError> {
        let failed = |error: io::Error| {
            CliError::other(FAILED, format!("cannot read the terminal: {error}"))
        };
        Ok(Self {
            interrupts: signal(SignalKind::interrupt()).map_err(failed)?,
            ends: signal(SignalKind::terminate()).map_err(failed)?,
            returns: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))
                .map_err(failed)?,
            mode: KeyMode::begin().map_err(failed)?,
            events: EventStream::new(),
        })
    }

    /// Waits for the next news.
    pub(super) async fn next(&mut self) -> TerminalNews {
        loop {
            tokio::select! {
                biased;
                Some(()) = self.interrupts.recv() => return TerminalNews::Interrupt,
                Some(()) = self.ends.recv() => return TerminalNews::Terminated,
                Some(()) = self.returns.recv() => {
                    self.mode.take_again();
                    return TerminalNews::Moved;
                }
                event = self.events.next() => match event {
                    Some(Ok(Event::Key(key))) => return TerminalNews::Key(key),
                    Some(Ok(Event::Paste(text))) => return TerminalNews::Paste(text),
                    Some(Ok(Event::Resize(..))) => return TerminalNews::Moved,
                    Some(Ok(Event::FocusGained | Event::FocusLost | Event::Mouse(_))) => {}
                    Some(Err(_)) | None => return TerminalNews::NoMore,
                },
            }
        }
    }

    /// Waits for Ctrl-C alone.
    pub(super) async fn interrupted(&mut self) {
        loop {
            match self.next().await {
                TerminalNews::Interrupt | TerminalNews::Terminated => return,
                TerminalNews::Key(key)
                    if key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL =>
                {
                    return;
                }
                TerminalNews::Key(_) | TerminalNews::Paste(_) | TerminalNews::Moved => {}
                TerminalNews::NoMore => std::future::pending().await,
            }
        }
    }
}

/// The mode in which a terminal gives each key at once and shows none itself. It has its old mode
/// again when this is dropped. Ctrl-C and Ctrl-Z stay signals, and lines end as they do.
#[derive(Debug)]
struct KeyMode {
    old: Termios,
}

impl KeyMode {
    fn begin() -> io::Result<Self> {
        let old = tcgetattr(io::stdin())?;
        let mode = Self { old };
        mode.take()?;
        Ok(mode)
    }

    fn take(&self) -> io::Result<()> {
        let mut keys = self.old.clone();
        keys.local_modes.remove(
            LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHONL | LocalModes::IEXTEN,
        );
        keys.input_modes
            .remove(InputModes::ICRNL | InputModes::INLCR | InputModes::IGNCR | InputModes::IXON);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Now, &keys)?;
        execute!(io::stdout(), EnableBracketedPaste)
    }

    /// Takes it again, when somebody else had the terminal.
    fn take_again(&self) {
        if let Err(error) = self.take() {
            tracing::debug!(%error, "the terminal keeps its mode");
        }
    }
}

impl Drop for KeyMode {
    fn drop(&mut self) {
        let pasted = execute!(io::stdout(), DisableBracketedPaste);
        let set = tcsetattr(io::stdin(), OptionalActions::Now, &self.old);
        if let Err(error) = pasted.and(set.map_err(io::Error::from)) {
            tracing::debug!(%error, "the terminal keeps its mode");
        }
    }
}
