//! Code that is shown to people: fences and spans of code behind words that explain them.
//!
//! A routing tag and an agent's own mention are cut from a reply later on. They explain nothing:
//! code that only they stand before is all that people would read.

use crate::text::reply::bracket::{Bracket, BracketState};

/// The fewest marks of a fence.
const FENCE_MIN: usize = 3;

/// The most words of a mention. Whose mention it is, and so how many words its name has, is not
/// known here.
const MENTION_WORDS: usize = 3;

/// The state of the text that people read.
#[derive(Debug)]
pub(super) struct Sample {
    /// The fence that is open: its mark, and how many of them.
    fence: Option<(u8, usize)>,
    /// The marks of the span that is open.
    span: usize,
    /// The marks that were read last.
    mark: u8,
    marks: usize,
    /// True if nothing but what can stand before a fence was read of the line.
    is_lead: bool,
    /// The bracket of a routing tag that may be read.
    bracket: Option<Bracket>,
    /// The number of routing tags that are open, one in the other.
    tags: usize,
    /// True if a word is read.
    is_word: bool,
    /// The number of the next words in the line that may belong to its mentions.
    mentioned: usize,
    is_explained: bool,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            fence: None,
            span: 0,
            mark: 0,
            marks: 0,
            is_lead: true,
            bracket: None,
            tags: 0,
            is_word: false,
            mentioned: 0,
            is_explained: false,
        }
    }
}

impl Sample {
    pub(super) fn read(&mut self, text: &str) {
        text.chars().for_each(|c| self.next(c));
    }

    /// Tells whether an artifact that stands here is shown to explain something.
    pub(super) fn is_here(&mut self) -> bool {
        self.end_marks();
        self.is_explained && (self.fence.is_some() || self.span > 0)
    }

    fn next(&mut self, c: char) {
        if self.is_in_tag(c) {
            return;
        }
        let b = u8::try_from(c).unwrap_or(u8::MAX);
        if matches!(b, b'`' | b'~') && (self.marks == 0 || b == self.mark) {
            (self.mark, self.marks) = (b, self.marks.saturating_add(1));
            return;
        }
        self.end_marks();
        if !self.is_explained {
            self.explain(c);
        }
        match b {
            b'\n' => {
                // A span does not go on behind an empty line.
                self.span = if self.is_lead { 0 } else { self.span };
                self.is_lead = true;
            }
            b' ' | b'\t' | b'\r' | b'>' | b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9' => {}
            _ => self.is_lead = false,
        }
    }

    /// Tells whether the next character belongs to a routing tag, or may.
    fn is_in_tag(&mut self, c: char) -> bool {
        let read = self.bracket.take().map(|bracket| bracket.then(c));
        if read == Some(BracketState::Neither) && self.tags == 0 {
            // It was text.
            self.end_marks();
            self.is_lead = false;
        }
        match read {
            Some(BracketState::Further(next)) => self.bracket = Some(next),
            Some(BracketState::Opening) => self.tags = self.tags.saturating_add(1),
            Some(BracketState::Closing) => self.tags = self.tags.saturating_sub(1),
            Some(BracketState::Neither) | None if c == '<' => self.bracket = Some(Bracket::START),
            Some(BracketState::Neither) | None => return self.tags > 0,
        }
        true
    }

    /// Takes the next character of words, if it is one.
    fn explain(&mut self, c: char) {
        match c {
            '@' | '＠' => {
                (self.is_word, self.mentioned) =
                    (false, self.mentioned.saturating_add(MENTION_WORDS))
            }
            '\n' => (self.is_word, self.mentioned) = (false, 0),
            c if c.is_whitespace() => self.is_word = false,
            c if !self.is_word && (c.is_ascii_alphabetic() || !c.is_ascii()) => {
                self.is_word = true;
                self.is_explained = self.mentioned == 0 && self.fence.is_none() && self.span == 0;
                self.mentioned = self.mentioned.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn end_marks(&mut self) {
        let marks = std::mem::take(&mut self.marks);
        let is_fence = self.is_lead && marks >= FENCE_MIN;
        match self.fence {
            _ if marks == 0 => return,
            Some((mark, least)) if is_fence && mark == self.mark && marks >= least => {
                self.fence = None
            }
            None if is_fence => self.fence = Some((self.mark, marks)),
            None if self.mark == b'`' && self.span == 0 => self.span = marks,
            None if self.mark == b'`' && self.span == marks => self.span = 0,
            Some(_) | None => {}
        }
        self.is_lead = false;
    }
}
