//! Cutting routing tags out of a reply, and reading them.

use std::collections::VecDeque;

use super::bracket::{Bracket, BracketState};
use super::piece::{Piece, text_of};
use super::word::Word;
use super::{RoutingTag, UNKNOWN_ROUTING_TAG};
use crate::ids::letters::{is_break, is_white};

/// The most bytes from the beginning of a tag to its end. What is longer is no tag, and is not
/// waited for.
pub(super) const TAG_MAX: u32 = 4 * 1024;

/// Takes a reply character by character and lets through what is no tag. What one tag's removal
/// brings together can be a tag as well.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// The pieces that may still belong to a tag.
    held: VecDeque<Piece>,
    /// The number of pieces that were let through before it.
    released: usize,
    /// The tags that have begun in it, the outermost first.
    begun: VecDeque<MaybeTag>,
    /// A tag ended with its line: only blanks were let through since, and its closing bracket may
    /// still come.
    awaits_closing: bool,
    pub(super) found: TagWords,
}

/// The words of the tags.
#[derive(Debug, Default)]
pub(super) struct TagWords {
    tag: Option<RoutingTag>,
    to: Vec<String>,
    has_unknown: bool,
}

/// Something that may be a tag. Places count all pieces, also those that were let through.
#[derive(Debug, Clone, Copy)]
enum MaybeTag {
    /// A part of a bracket.
    Part { from: usize, bracket: Bracket },
    /// An opening bracket, with what it holds.
    Open {
        from: usize,
        body: usize,
        line: LineEnd,
    },
}

/// The rule by which the end of the line ends an open tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    /// No: nothing but blanks came yet.
    Blank,
    /// The end of the line ends it if these are known words.
    Words,
    /// No: the line of its words is over.
    Over,
}

impl MaybeTag {
    const fn from(&self) -> usize {
        match self {
            Self::Part { from, .. } | Self::Open { from, .. } => *from,
        }
    }
}

impl Tags {
    pub(super) fn feed(&mut self, at: u32, c: char, out: &mut Vec<Piece>) {
        self.held.push_back(Piece::Char { at, c });
        self.step(c);
        self.limit(at, out);
        if self.begun.is_empty() {
            self.release(self.held.len(), out);
        }
    }

    /// Something was cut before.
    pub(super) fn cut_here(&mut self, out: &mut Vec<Piece>) {
        self.held.push_back(Piece::Cut);
        if self.begun.is_empty() {
            self.release(self.held.len(), out);
        }
    }

    pub(super) fn finish(&mut self, out: &mut Vec<Piece>) {
        while let Some(begun) = self.begun.pop_back() {
            if let MaybeTag::Open {
                from,
                body,
                line: LineEnd::Blank | LineEnd::Words,
            } = begun
            {
                self.cut_unclosed(from, body);
            }
        }
        self.release(self.held.len(), out);
    }

    fn step(&mut self, c: char) {
        let here = self.here();
        match self.begun.back_mut() {
            Some(MaybeTag::Part { from, bracket }) => {
                let from = *from;
                match bracket.then(c) {
                    BracketState::Further(next) => *bracket = next,
                    BracketState::Opening => {
                        self.begun.pop_back();
                        self.begun.push_back(MaybeTag::Open {
                            from,
                            body: here,
                            line: LineEnd::Blank,
                        });
                    }
                    BracketState::Closing => self.close(from),
                    BracketState::Neither if c == '<' => self.begin(),
                    BracketState::Neither => {
                        self.drop_parts();
                        self.say(c);
                    }
                }
            }
            Some(MaybeTag::Open { .. }) | None if c == '<' => self.begin(),
            Some(MaybeTag::Open { .. }) | None => self.say(c),
        }
    }

    /// Behind the last piece.
    fn here(&self) -> usize {
        self.released + self.held.len()
    }

    /// The place in what is held.
    const fn held_at(&self, place: usize) -> usize {
        place.saturating_sub(self.released)
    }

    /// A bracket may begin with the last character.
    fn begin(&mut self) {
        self.begun.push_back(MaybeTag::Part {
            from: self.here().saturating_sub(1),
            bracket: Bracket::START,
        });
    }

    /// Lets brackets pass that turned out to be text.
    fn drop_parts(&mut self) {
        while self
            .begun
            .pop_back_if(|begun| matches!(begun, MaybeTag::Part { .. }))
            .is_some()
        {}
        if let Some(MaybeTag::Open {
            line: line @ LineEnd::Blank,
            ..
        }) = self.begun.back_mut()
        {
            *line = LineEnd::Words;
        }
    }

    /// The last character is inside an open tag, or text.
    fn say(&mut self, c: char) {
        let Some(MaybeTag::Open { from, body, line }) = self.begun.back_mut() else {
            return;
        };
        match line {
            LineEnd::Words if is_break(c) => {
                *line = LineEnd::Over;
                let from = *from;
                let body = *body;
                self.end_line(from, body, c);
            }
            LineEnd::Blank if !is_white(c) => *line = LineEnd::Words,
            LineEnd::Blank | LineEnd::Words | LineEnd::Over => {}
        }
    }

    fn end_line(&mut self, from: usize, body: usize, c: char) {
        let Some(end) = self.held.pop_back() else {
            return;
        };
        let was_cut = self.cut_unclosed(from, body);
        self.held.push_back(end);
        if was_cut {
            self.begun.pop_back();
            self.awaits_closing = true;
            self.step(c);
        }
    }

    /// Cuts the open tag at `from` if known words stand in it.
    fn cut_unclosed(&mut self, from: usize, body: usize) -> bool {
        let word = Word::read_unclosed(&text_of(self.held.iter().skip(self.held_at(body))));
        let is_known = word.is_some();
        if let Some(word) = word {
            self.found.note(word);
            self.cut(from);
        }
        is_known
    }

    /// A closing bracket, from `end` on: it closes the innermost open tag.
    fn close(&mut self, end: usize) {
        while self
            .begun
            .pop_back_if(|begun| matches!(begun, MaybeTag::Part { .. }))
            .is_some()
        {}
        match self.begun.pop_back() {
            Some(MaybeTag::Open { from, body, .. }) => {
                let body = self.held_at(body);
                let end = self.held_at(end);
                let content = self.held.iter().take(end).skip(body);
                self.found.note(Word::read(&text_of(content)));
                self.cut(from);
            }
            Some(MaybeTag::Part { .. }) | None if self.awaits_closing => {
                self.awaits_closing = false;
                self.cut(end);
            }
            Some(MaybeTag::Part { .. }) | None => {}
        }
    }

    fn cut(&mut self, from: usize) {
        self.held.truncate(self.held_at(from));
        self.held.push_back(Piece::Cut);
    }

    /// Gives up tags that are too long.
    fn limit(&mut self, at: u32, out: &mut Vec<Piece>) {
        while let Some(first) = self.begun.front().map(MaybeTag::from) {
            let is_long = match self.held.get(self.held_at(first)) {
                Some(Piece::Char { at: from, .. }) => at.saturating_sub(*from) >= TAG_MAX,
                Some(Piece::Cut) | None => true,
            };
            if !is_long {
                return;
            }
            self.begun.pop_front();
            let next = self.begun.front().map_or(self.here(), MaybeTag::from);
            self.release(self.held_at(next), out);
        }
    }

    /// Lets the first `count` pieces through.
    fn release(&mut self, count: usize, out: &mut Vec<Piece>) {
        let is_text = |piece: &Piece| piece.char().is_some_and(|c| !is_white(c));
        self.awaits_closing &= !self.held.iter().take(count).any(is_text);
        let count = count.min(self.held.len());
        self.released += count;
        out.extend(self.held.drain(..count));
    }
}

impl TagWords {
    fn note(&mut self, word: Word) {
        match word {
            Word::Plain(tag) => self.tag = self.tag.max(Some(tag)),
            Word::To(names) => {
                self.tag = self.tag.max(Some(RoutingTag::To));
                self.to.extend(names);
            }
            Word::Unknown => self.has_unknown = true,
        }
    }

    /// The strongest tag, the names if that is `TO`, and the warnings.
    pub(super) fn verdict(self) -> (Option<RoutingTag>, Vec<String>, Vec<&'static str>) {
        let to = if self.tag == Some(RoutingTag::To) {
            self.to
        } else {
            Vec::new()
        };
        (
            self.tag,
            to,
            self.has_unknown
                .then_some(UNKNOWN_ROUTING_TAG)
                .into_iter()
                .collect(),
        )
    }
}
