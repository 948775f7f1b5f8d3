//! Standard output, as the user wants it.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};

use crate::arguments::{Colors, CommonArgs};
use crate::exit::{CliError, USAGE};
use crate::text::clean_json;
use crate::text::gutter::folded;

/// Standard output, with colours where they are wanted.
#[derive(Debug)]
pub(crate) struct Terminal {
    out: AutoStream<io::Stdout>,
}

/// Decides about colours, once and for both outputs.
pub(crate) fn choose_colors(colors: Colors) {
    match colors {
        Colors::Auto => ColorChoice::Auto,
        Colors::Always => ColorChoice::AlwaysAnsi,
        Colors::Never => ColorChoice::Never,
    }
    .write_global();
}

/// True if standard error is a terminal that shows progress.
pub(crate) fn shows_progress(common: &CommonArgs) -> bool {
    !common.quiet && !common.json && io::stderr().is_terminal()
}

/// True if somebody can type at the foot of what is shown.
pub(crate) fn can_be_typed_on() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

/// True if what goes to standard error has colours.
pub(crate) fn errors_have_colors() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Returns the width of standard output in columns; `None` if it is no terminal, or does not say.
pub(crate) fn width() -> Option<u16> {
    let out = io::stdout();
    let size = out
        .is_terminal()
        .then(|| rustix::termios::tcgetwinsize(&out).ok())
        .flatten();
    size.map(|size| size.ws_col).filter(|columns| *columns > 0)
}

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl TerminalSize {
    /// Returns the size of standard output; the usual one if it does not say.
    pub(crate) fn now() -> Self {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
        size.map_or(
            Self {
                columns: 80,
                rows: 24,
            },
            |size| Self {
                columns: usize::from(size.ws_col),
                rows: usize::from(size.ws_row),
            },
        )
    }
}

/// Puts a question to whoever sits at the terminal, and returns the line that they type, without
/// the blanks around it.
pub(crate) fn ask(question: &str) -> Result<String, CliError> {
    let failed = |error: io::Error| CliError::other(USAGE, format!("no answer: {error}"));
    let mut errors = anstream::stderr();
    write!(errors, "{question} ")
        .and_then(|()| errors.flush())
        .map_err(failed)?;
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(failed)?;
    Ok(line.trim().to_owned())
}

impl Terminal {
    pub(crate) fn new() -> Self {
        Self {
            out: anstream::stdout(),
        }
    }

    /// Prints a line, or several. Those that are too long for the terminal are broken, and go on
    /// behind the gutter.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), CliError> {
        self.whole(&Self::folded(text))
    }

    /// Returns a line, or several, in which those that are too long for the terminal are broken.
    pub(crate) fn folded(text: &str) -> String {
        match width() {
            Some(width) => folded(text, usize::from(width)),
            None => text.to_owned(),
        }
    }

    /// Gives the terminal an order at once, whether it shows colours or not.
    pub(crate) fn order(&mut self, order: &str) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        out.write_all(order.as_bytes())
            .and_then(|()| out.flush())
            .map_err(CliError::output)
    }

    /// Prints a line as it is, however long: a command to type, or what breaks its lines itself.
    pub(crate) fn whole(&mut self, text: &str) -> Result<(), CliError> {
        writeln!(self.out, "{text}").map_err(CliError::output)
    }

    /// Prints `text` at once, without ending the line.
    pub(crate) fn piece(&mut self, text: &str) -> Result<(), CliError> {
        write!(self.out, "{text}")
            .and_then(|()| self.out.flush())
            .map_err(CliError::output)
    }

    /// Prints a value as JSON in one line.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> Result<(), CliError> {
        self.json_text(&serde_json::to_string(value).map_err(CliError::json)?)
    }

    /// Prints JSON that stands in one line.
    pub(crate) fn json_text(&mut self, text: &str) -> Result<(), CliError> {
        self.whole(&clean_json(text))
    }

    /// Prints a value as a JSON document.
    pub(crate) fn document(&mut self, value: &impl serde::Serialize) -> Result<(), CliError> {
        self.whole(&clean_json(
            &serde_json::to_string_pretty(value).map_err(CliError::json)?,
        ))
    }
}
