//! The screen that a page is written on: lines that stay, and below them the foot, if somebody types
//! there. Without a foot, the line that tells what goes on stands there now and then.

use super::foot::{Foot, TypedText};
use super::progress::ProgressLine;
use crate::exit::CliError;
use crate::terminal::{Terminal, TerminalSize};

/// Orders that let a terminal show what comes between them at once.
const AT_ONCE: [&str; 2] = ["\u{1b}[?2026h", "\u{1b}[?2026l"];

/// The screen.
#[derive(Debug)]
pub(crate) struct Screen {
    terminal: Terminal,
    /// The line that shows that something goes on.
    pub(crate) progress: ProgressLine,
    /// The foot; `None` if nobody types.
    foot: Option<Foot>,
}

impl Screen {
    pub(crate) fn new(progress: ProgressLine) -> Self {
        Self {
            terminal: Terminal::new(),
            progress,
            foot: None,
        }
    }

    /// True if somebody types at its foot.
    pub(crate) const fn has_foot(&self) -> bool {
        self.foot.is_some()
    }

    /// Writes a line, or several. Those that are too long for the terminal are broken.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), CliError> {
        self.whole(&Terminal::folded(text))
    }

    /// Writes a line as it is, however long.
    pub(crate) fn whole(&mut self, text: &str) -> Result<(), CliError> {
        if self.foot.is_some() {
            return self.above(&format!("{text}\n"));
        }
        self.progress.hide();
        self.terminal.whole(text)
    }

    /// Writes `text` without ending the line.
    pub(crate) fn piece(&mut self, text: &str) -> Result<(), CliError> {
        if self.foot.is_some() {
            return self.above(text);
        }
        self.progress.hide();
        self.terminal.piece(text)
    }

    /// Writes a value as JSON in one line.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> Result<(), CliError> {
        self.terminal.json(value)
    }

    /// Writes JSON that stands in one line.
    pub(crate) fn json_text(&mut self, text: &str) -> Result<(), CliError> {
        self.terminal.json_text(text)
    }

    /// Writes above the foot; a line that is not finished stands in it.
    fn above(&mut self, text: &str) -> Result<(), CliError> {
        let Some(foot) = &mut self.foot else {
            return Ok(());
        };
        foot.unfinished.push_str(text);
        let Some(end) = foot.unfinished.rfind('\n') else {
            return Ok(());
        };
        let rest = foot.unfinished.split_off(end + 1);
        let lines = std::mem::replace(&mut foot.unfinished, rest);
        let erase = foot.erase(TerminalSize::now());
        let [begin, end] = AT_ONCE;
        self.terminal.order(begin)?;
        self.terminal.order(&erase)?;
        self.terminal.piece(&lines)?;
        self.terminal.order(end)
    }

    /// Shows what is being typed.
    pub(crate) fn typed(&mut self, typed: TypedText) {
        self.progress.hide();
        self.foot.get_or_insert_default().typed = typed;
    }

    /// Writes the foot anew: the terminal has another size, or was somebody else's.
    pub(crate) fn moved(&mut self) {
        if let Some(foot) = &mut self.foot {
            foot.moved();
        }
    }

    /// Empties the screen. The lines stay where the terminal keeps them.
    pub(crate) fn clear(&mut self) -> Result<(), CliError> {
        if let Some(foot) = &mut self.foot {
            foot.forget();
            self.terminal.order("\u{1b}[H\u{1b}[2J")?;
        }
        Ok(())
    }

    /// Shows the foot as it is now. `request` is the request that its keys decide. Without a foot,
    /// shows what goes on, unless something is being written.
    pub(crate) fn refresh(
        &mut self,
        request: Option<&str>,
        is_writing: bool,
    ) -> Result<(), CliError> {
        let Some(foot) = &mut self.foot else {
            if !is_writing {
                self.progress.show();
            }
            return Ok(());
        };
        let progress = self.progress.message();
        let Some(orders) = foot.draw(TerminalSize::now(), request, progress.as_deref()) else {
            return Ok(());
        };
        let [begin, end] = AT_ONCE;
        self.terminal.order(&format!("{begin}{}", orders.erase))?;
        self.terminal.piece(&orders.text)?;
        self.terminal.order(&format!("{}{end}", orders.place))
    }

    /// Takes the foot and the progress away.
    pub(crate) fn finish(&mut self) -> Result<(), CliError> {
        self.progress.hide();
        if let Some(mut foot) = self.foot.take() {
            self.terminal.order(&foot.erase(TerminalSize::now()))?;
        }
        Ok(())
    }
}
