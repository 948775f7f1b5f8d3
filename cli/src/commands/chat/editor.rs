//! The line that is being typed: editing it, finding earlier ones, completing names and commands.

use std::collections::VecDeque;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use rustyline::completion::longest_common_prefix;
use rustyline::line_buffer::{ChangeListener, DeleteListener, Direction, LineBuffer};
use rustyline::{At, Word};

use crate::show::foot::TypedText;

#[cfg(test)]
mod tests;

/// The longest text that is typed, in bytes. A room refuses shorter ones than that.
const TEXT_MAX: usize = 1024 * 1024;
/// The most texts that are kept to be typed again.
const HISTORY_MAX: usize = 200;
/// The longest text that is kept to be typed again, in bytes.
const HISTORY_TEXT_MAX: usize = 64 * 1024;
/// The most completions that are offered at a time.
const OFFERS_MAX: usize = 50;

/// The line that is being typed, and those before it.
#[derive(Debug)]
pub(super) struct LineEditor {
    line: LineBuffer,
    /// The text that was cut last; empty if none was.
    cut: CutText,
    /// The texts that were typed, oldest first.
    history: VecDeque<String>,
    /// The place in the history that is shown; its length for the new line.
    place: usize,
    /// The new line, while an older one is shown.
    new: String,
    /// The completions that are offered; empty if none are.
    offers: Vec<String>,
}

/// The outcome of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pressed {
    /// The line changed, or nothing did.
    Edited,
    /// The line is finished.
    Finished(String),
    /// A completion is wanted.
    Complete,
    /// The keys of a request are left alone.
    Left,
    /// The screen is to be written anew.
    Clear,
    /// What goes on is to stop.
    Interrupt,
    /// There is no more input.
    NoMore,
}

impl LineEditor {
    pub(super) fn new() -> Self {
        Self {
            line: LineBuffer::with_capacity(TEXT_MAX),
            cut: CutText::default(),
            history: VecDeque::new(),
            place: 0,
            new: String::new(),
            offers: Vec::new(),
        }
    }

    /// True if nothing is typed.
    pub(super) fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// Returns what is to be seen of it.
    pub(super) fn seen(&self) -> TypedText {
        TypedText {
            text: self.line.as_str().to_owned(),
            cursor: self.line.pos(),
            offers: self.offers.clone(),
        }
    }

    /// Drops what is typed.
    pub(super) fn clear(&mut self) {
        self.set("");
        self.place = self.history.len();
        self.offers.clear();
    }

    /// Takes a pasted text. It finishes no line, however many it has.
    pub(super) fn paste(&mut self, text: &str) {
        self.offers.clear();
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let room = TEXT_MAX.saturating_sub(self.line.len());
        let end = text.floor_char_boundary(room.min(text.len()));
        if let Some(text) = text.get(..end) {
            let _is_at_end = self.line.yank(text, 1, &mut Unheard);
        }
    }

    /// Takes a key.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a keyboard has many keys, and the others do nothing here"
    )]
    pub(super) fn press(&mut self, key: KeyEvent) -> Pressed {
        if key.kind == KeyEventKind::Release {
            return Pressed::Edited;
        }
        self.offers.clear();
        let modifiers = key.modifiers.difference(KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Enter if key.modifiers.is_empty() => return self.finish(),
            KeyCode::Enter => self.insert('\n'),
            KeyCode::Tab => return Pressed::Complete,
            KeyCode::Esc => return Pressed::Left,
            KeyCode::Char(c) if modifiers == KeyModifiers::CONTROL => return self.control(c),
            KeyCode::Char(c) if modifiers == KeyModifiers::ALT => self.alternative(c),
            KeyCode::Char(c) => self.insert(c),
            code => self.movement(code, !modifiers.is_empty()),
        }
        Pressed::Edited
    }

    fn insert(&mut self, c: char) {
        // A line that is full takes no more.
        let _is_at_end = self.line.insert(c, 1, &mut Unheard);
    }

    fn control(&mut self, c: char) -> Pressed {
        match c {
            'c' => return Pressed::Interrupt,
            'd' if self.is_empty() => return Pressed::NoMore,
            'd' => self.movement(KeyCode::Delete, false),
            'l' => return Pressed::Clear,
            'h' => self.movement(KeyCode::Backspace, false),
            'a' => self.movement(KeyCode::Home, false),
            'e' => self.movement(KeyCode::End, false),
            'b' => self.movement(KeyCode::Left, false),
            'f' => self.movement(KeyCode::Right, false),
            'p' => self.movement(KeyCode::Up, false),
            'n' => self.movement(KeyCode::Down, false),
            'k' => {
                self.line.kill_line(&mut self.cut);
            }
            'u' => {
                self.line.discard_line(&mut self.cut);
            }
            'w' => {
                self.line.delete_prev_word(Word::Big, 1, &mut self.cut);
            }
            't' => {
                self.line.transpose_chars(&mut Unheard);
            }
            'y' => {
                let _is_at_end = self.line.yank(&self.cut.text, 1, &mut Unheard);
            }
            _ => {}
        }
        Pressed::Edited
    }

    fn alternative(&mut self, c: char) {
        match c {
            'b' => self.movement(KeyCode::Left, true),
            'f' => self.movement(KeyCode::Right, true),
            'd' => {
                self.line
                    .delete_word(At::AfterEnd, Word::Emacs, 1, &mut self.cut);
            }
            _ => {}
        }
    }

    /// Moves, deletes, or goes through the history; by words if `by_word`.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a keyboard has many keys, and the others do nothing here"
    )]
    fn movement(&mut self, code: KeyCode, by_word: bool) {
        match code {
            KeyCode::Left if by_word => {
                self.line.move_to_prev_word(Word::Emacs, 1);
            }
            KeyCode::Right if by_word => {
                self.line.move_to_next_word(At::AfterEnd, Word::Emacs, 1);
            }
            KeyCode::Left => {
                self.line.move_backward(1);
            }
            KeyCode::Right => {
                self.line.move_forward(1);
            }
            KeyCode::Home => {
                self.line.move_home();
            }
            KeyCode::End => {
                self.line.move_end();
            }
            KeyCode::Backspace if by_word => {
                self.line.delete_prev_word(Word::Emacs, 1, &mut self.cut);
            }
            KeyCode::Backspace => {
                self.line.backspace(1, &mut Unheard);
            }
            KeyCode::Delete => {
                self.line.delete(1, &mut Unheard);
            }
            KeyCode::Up => self.recall(self.place.checked_sub(1)),
            KeyCode::Down => self.recall(self.place.checked_add(1)),
            _ => {}
        }
    }

    /// Shows the text at a place of the history, if there is one.
    fn recall(&mut self, place: Option<usize>) {
        let Some(place) = place.filter(|place| *place <= self.history.len()) else {
            return;
        };
        if self.place == self.history.len() {
            self.new = self.line.as_str().to_owned();
        }
        let text = self.history.get(place).unwrap_or(&self.new).clone();
        self.place = place;
        self.set(&text);
    }

    fn set(&mut self, text: &str) {
        self.line.update(text, text.len(), &mut Unheard);
    }

    fn finish(&mut self) -> Pressed {
        let text = self.line.as_str().to_owned();
        let is_kept = !text.trim().is_empty() && text.len() <= HISTORY_TEXT_MAX;
        if is_kept && self.history.back() != Some(&text) {
            self.history.push_back(text.clone());
            if self.history.len() > HISTORY_MAX {
                self.history.pop_front();
            }
        }
        self.clear();
        Pressed::Finished(text)
    }

    /// Completes the word before the cursor as one of `words`: as far as they agree, and then
    /// offers them.
    pub(super) fn complete(&mut self, words: &[String]) {
        let text = self.line.as_str();
        let typed = text.get(..self.line.pos()).unwrap_or_default();
        let start = typed
            .rfind(char::is_whitespace)
            .map_or(0, |at| typed.ceil_char_boundary(at + 1));
        let begun = typed.get(start..).unwrap_or_default();
        let is_command = start == 0 && begun.starts_with('/');
        if !is_command && !begun.starts_with('@') {
            return;
        }
        let folded = begun.to_lowercase();
        let found: Vec<String> = words
            .iter()
            .filter(|word| word.to_lowercase().starts_with(&folded))
            .take(OFFERS_MAX)
            .cloned()
            .collect();
        let (range, common) = (start..self.line.pos(), longest_common_prefix(&found));
        let completed = match (found.as_slice(), common) {
            ([one], _) => format!("{one} "),
            (_, Some(common)) if common.len() > begun.len() => common.to_owned(),
            (_, Some(_) | None) => begun.to_owned(),
        };
        self.line.replace(range, &completed, &mut Unheard);
        self.line.set_pos(start + completed.len());
        self.offers = if found.len() > 1 { found } else { Vec::new() };
    }
}

/// Whoever wants to hear nothing of what changes.
#[derive(Debug)]
struct Unheard;

impl DeleteListener for Unheard {
    fn delete(&mut self, _at: usize, _text: &str, _direction: Direction) {}
}

impl ChangeListener for Unheard {
    fn insert_char(&mut self, _at: usize, _c: char) {}
    fn insert_str(&mut self, _at: usize, _text: &str) {}
    fn replace(&mut self, _at: usize, _old: &str, _new: &str) {}
}

/// The text that was cut last.
#[derive(Debug, Default)]
struct CutText {
    text: String,
}

impl DeleteListener for CutText {
    fn delete(&mut self, _at: usize, text: &str, _direction: Direction) {
        text.clone_into(&mut self.text);
    }
}
