//! Reading one JSON value as it comes, byte by byte and once, as loosely as models write: with any
//! quotes or none, comments, trailing commas, marks of block quotes and raw line breaks in texts.

use std::collections::VecDeque;

use super::call::{Begins, Cut, Frame};
use super::calls::{Call, FoundCalls};
use super::comments::Comment;
use super::vocabulary::{Known, ToolId};
use super::wide::{self, Wide};
use super::word::canonical;

/// The most values that may stand in one another. Of those further outside no more is known than
/// that they are there.
pub(super) const DEPTH_MAX: usize = 64;

/// The longest key or text that is looked at, in bytes as they are written. Names of tools are far
/// shorter.
const WORD_MAX: usize = 512;

/// Room for the keys and texts of most values, in bytes.
const TEXT_ROOM: usize = 64;

/// A text with more blanks is prose.
const PROSE_BLANKS: usize = 2;

/// A JSON value that is read.
#[derive(Debug)]
pub(super) struct Json {
    known: Known,
    /// The tool that is named before it.
    tool: Option<ToolId>,
    open: VecDeque<Frame>,
    /// Of those around them, which are objects.
    around: Vec<bool>,
    lex: Lex,
    expects: Expects,
    /// The text or word that is read, its beginning.
    text: Vec<u8>,
    /// The last bytes of what ends with a character of more than one.
    tail: u32,
    /// The number of bytes that were read.
    read: usize,
    /// The number of bytes more that they are as they are written.
    skew: usize,
    /// The end of the last token.
    good: usize,
    /// True if a token ended with the last bytes.
    is_token: bool,
    /// True if nothing but marks of a quote stood in the line.
    is_lead: bool,
    /// True if a key has no quotes.
    is_bare: bool,
    calls: FoundCalls,
    /// The places of the open brackets.
    brackets: Vec<usize>,
}

/// The progress of reading a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// The value goes on.
    Further,
    /// The value ended with the last byte that was read.
    Whole,
    /// The byte behind those that were read cannot stand there.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lex {
    Between,
    /// A character of which so many bytes are to come.
    Wide {
        left: u8,
    },
    Text {
        quote: u8,
        is_key: bool,
        is_escaped: bool,
    },
    Word,
    /// A key without quotes.
    Bare,
    Slash,
    Comment(Comment),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

impl Json {
    /// A value, behind the name of `tool` if there is one.
    pub(super) fn new(known: Known, tool: Option<ToolId>) -> Self {
        Self {
            known,
            tool,
            open: VecDeque::new(),
            around: Vec::new(),
            lex: Lex::Between,
            expects: Expects::Value,
            text: Vec::with_capacity(TEXT_ROOM),
            tail: 0,
            read: 0,
            skew: 0,
            good: 0,
            is_token: false,
            is_lead: false,
            is_bare: false,
            calls: FoundCalls::default(),
            brackets: Vec::new(),
        }
    }

    /// Returns how many bytes were read.
    pub(super) const fn len(&self) -> usize {
        self.read
    }

    /// Returns how many bytes there were up to the end of the last token.
    pub(super) const fn good(&self) -> usize {
        self.good
    }

    /// Returns how many brackets are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len() + self.around.len()
    }

    /// Returns where brackets were opened.
    pub(super) fn brackets(&self) -> &[usize] {
        &self.brackets
    }

    /// Tells whether a key has no quotes.
    pub(super) const fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// Takes note of how many bytes more were written than read.
    pub(super) const fn set_skew(&mut self, skew: usize) {
        self.skew = skew;
    }

    /// The place of the next byte as it is written.
    const fn place(&self) -> usize {
        self.read + self.skew
    }

    /// The calls in it, in order. If it is not whole, those that are open go on to its end, and
    /// `depth` of the last says how many brackets it has open; where the text ends, what has begun
    /// counts.
    pub(super) fn calls(&mut self, is_cut: bool) -> Vec<Call> {
        let end = self.place();
        let cut = match (self.lex, self.expects) {
            _ if !is_cut => Cut::Between,
            (Lex::Text { is_key: true, .. } | Lex::Bare, _) => Cut::Key(&self.text),
            (Lex::Text { is_key: false, .. }, _) => Cut::Text(&self.text),
            (_, Expects::Colon | Expects::Value) => Cut::BeforeValue,
            (_, Expects::ValueOrEnd | Expects::KeyOrEnd | Expects::CommaOrEnd) => Cut::Between,
        };
        if let Some(last) = self.open.back_mut() {
            *last = last.cut(cut);
        }
        let mut depth = 0_usize;
        while let Some(frame) = self.open.pop_back() {
            depth += 1;
            self.calls.close(&frame, end, depth);
            if let Some(outer) = self.open.back_mut() {
                outer.take(&frame);
            }
        }
        self.calls.take()
    }

    /// The comment that is read.
    pub(super) const fn comment(&self) -> Option<Comment> {
        match self.lex {
            Lex::Comment(comment) => Some(comment),
            Lex::Between
            | Lex::Wide { .. }
            | Lex::Text { .. }
            | Lex::Word
            | Lex::Bare
            | Lex::Slash => None,
        }
    }

    /// Skips so many bytes of the comment that is read, and goes on as it stands behind them.
    pub(super) const fn skip_comment(&mut self, count: usize, behind: Comment) {
        self.read += count;
        self.lex = Lex::Comment(behind);
    }

    /// Reads on, no further than to where a comment begins or ends.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Reads {
        let mut rest = bytes;
        while let Some(&b) = rest.first() {
            let was_comment = self.comment().is_some();
            let taken = match self.lex {
                Lex::Text {
                    quote,
                    is_key,
                    is_escaped,
                } => self.in_text(rest, quote, is_key, is_escaped),
                Lex::Between => self.between(b),
                Lex::Wide { left } => self.in_wide(b, left),
                Lex::Word => self.in_word(b),
                Lex::Bare => Some(self.in_bare(b)),
                Lex::Slash => self.begin_comment(b),
                Lex::Comment(comment) => Some(self.in_comment(rest, comment)),
            };
            let Some(taken) = taken else {
                return Reads::Broken;
            };
            self.read += taken;
            rest = rest.get(taken..).unwrap_or_default();
            if std::mem::take(&mut self.is_token) {
                self.good = self.read;
                if self.open.is_empty() {
                    return Reads::Whole;
                }
            }
            if was_comment || self.comment().is_some() {
                return Reads::Further;
            }
        }
        Reads::Further
    }

    /// Reads what may follow a token. Returns how many bytes were taken; `None` if the first cannot
    /// stand here.
    fn between(&mut self, b: u8) -> Option<usize> {
        if b.is_ascii_whitespace() || b == b'>' && self.is_lead {
            self.is_lead |= b == b'\n';
            return Some(1);
        }
        self.is_lead = false;
        if let Some(left) = wide::follow(b) {
            (self.tail, self.lex) = (u32::from(b), Lex::Wide { left });
            return Some(1);
        }
        self.token(b).map(|()| 1)
    }

    /// Takes a character of ASCII, or one that stands for it.
    fn token(&mut self, b: u8) -> Option<()> {
        self.is_token = b != b'/';
        match (b, self.expects) {
            (b'/', _) => self.lex = Lex::Slash,
            (b'{' | b'[', Expects::Value | Expects::ValueOrEnd) => self.open(b == b'{'),
            (b'"' | b'\'' | wide::DOUBLE | wide::SINGLE, Expects::Value | Expects::ValueOrEnd) => {
                self.begin_text(b, false);
            }
            (b'"' | b'\'' | wide::DOUBLE | wide::SINGLE, Expects::KeyOrEnd) => {
                self.begin_text(b, true)
            }
            (b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z', Expects::KeyOrEnd) => {
                self.begin_word(b, Lex::Bare)
            }
            (
                b'0'..=b'9' | b'-' | b'+' | b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z',
                Expects::Value | Expects::ValueOrEnd,
            ) if !self.open.is_empty() => {
                self.begin_word(b, Lex::Word);
            }
            (b':', Expects::Colon) => self.expects = Expects::Value,
            (b',', Expects::CommaOrEnd) => {
                let is_object = self.open.back()?.is_object;
                self.expects = if is_object {
                    Expects::KeyOrEnd
                } else {
                    Expects::ValueOrEnd
                };
            }
            (b'}' | b']', Expects::CommaOrEnd | Expects::KeyOrEnd | Expects::ValueOrEnd) => {
                self.close(b == b'}')?
            }
            _ => return None,
        }
        Some(())
    }

    fn in_wide(&mut self, b: u8, left: u8) -> Option<usize> {
        self.tail = (self.tail << 8) | u32::from(b);
        self.lex = if left > 1 {
            Lex::Wide {
                left: left.saturating_sub(1),
            }
        } else {
            Lex::Between
        };
        match (left, wide::of(self.tail)) {
            (1, Wide::Blank) | (2.., _) => Some(1),
            (_, Wide::Ascii(b)) => self.token(b).map(|()| 1),
            (_, Wide::Blank | Wide::Other) => None,
        }
    }

    fn open(&mut self, is_object: bool) {
        self.begin_value(if is_object {
            Begins::Object
        } else {
            Begins::Array
        });
        let at = self.place();
        let mut frame = Frame::new(is_object, at, self.open.back());
        if let Some(tool) = self.tool.take() {
            frame = frame.given_to(tool);
        }
        frame.calls_before = self.calls.count();
        if self.open.len() >= DEPTH_MAX
            && let Some(outermost) = self.open.pop_front()
        {
            self.around.push(outermost.is_object);
        }
        self.brackets.push(at);
        self.open.push_back(frame);
        self.expects = if is_object {
            Expects::KeyOrEnd
        } else {
            Expects::ValueOrEnd
        };
    }

    fn close(&mut self, is_object: bool) -> Option<()> {
        if self.open.back()?.is_object != is_object {
            return None;
        }
        let frame = self.open.pop_back()?;
        self.calls.close(&frame, self.place() + 1, 0);
        match (self.open.back_mut(), self.around.pop()) {
            (Some(outer), kind) => {
                outer.take(&frame);
                self.around.extend(kind);
            }
            (None, Some(is_object)) => {
                let mut outer = Frame::new(is_object, 0, None);
                (outer.content, outer.calls_before) = (usize::MAX, self.calls.count());
                self.open.push_back(outer);
            }
            (None, None) => {}
        }
        self.expects = Expects::CommaOrEnd;
        Some(())
    }

    fn begin_text(&mut self, quote: u8, is_key: bool) {
        self.is_token = false;
        if !is_key {
            self.begin_value(Begins::Text);
        }
        self.text.clear();
        self.tail = 0;
        self.lex = Lex::Text {
            quote,
            is_key,
            is_escaped: false,
        };
    }

    fn begin_word(&mut self, b: u8, lex: Lex) {
        self.is_token = false;
        self.text.clear();
        self.text.push(b);
        self.lex = lex;
    }

    fn begin_value(&mut self, begins: Begins) {
        if let Some(frame) = self.open.back_mut() {
            frame.begin_value(begins);
        }
    }

    fn in_text(&mut self, rest: &[u8], quote: u8, is_key: bool, is_escaped: bool) -> Option<usize> {
        if is_escaped {
            self.note(rest.get(..1).unwrap_or_default());
            self.lex = Lex::Text {
                quote,
                is_key,
                is_escaped: false,
            };
            return Some(1);
        }
        if matches!(quote, wide::DOUBLE | wide::SINGLE) {
            return Some(self.in_wide_text(
                rest.first().copied().unwrap_or_default(),
                quote,
                is_key,
            ));
        }
        let ends = |b: &u8| *b == quote || *b == b'\\' || (*b == b'\n' && quote == b'\'');
        let plain = rest.iter().position(ends).unwrap_or(rest.len());
        self.note(rest.get(..plain).unwrap_or_default());
        match rest.get(plain) {
            None => return Some(plain),
            Some(b'\\') => {
                self.note(b"\\");
                self.lex = Lex::Text {
                    quote,
                    is_key,
                    is_escaped: true,
                };
            }
            Some(b) if *b == quote => self.end_text(is_key),
            Some(_) => {
                // Where a value broke must not depend on how much of its text came at once.
                self.read += plain;
                return None;
            }
        }
        Some(plain + 1)
    }

    /// A text that ends with a mark of more than one byte.
    fn in_wide_text(&mut self, b: u8, quote: u8, is_key: bool) -> usize {
        self.tail = (self.tail << 8) | u32::from(b);
        self.note(&[b]);
        if let Some(len) = wide::closing(self.tail, quote) {
            if self.text.len() < WORD_MAX {
                self.text.truncate(self.text.len().saturating_sub(len));
            }
            self.end_text(is_key);
        } else if b == b'\\' {
            self.lex = Lex::Text {
                quote,
                is_key,
                is_escaped: true,
            };
        }
        1
    }

    fn note(&mut self, bytes: &[u8]) {
        let room = WORD_MAX.saturating_sub(self.text.len());
        self.text
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn end_text(&mut self, is_key: bool) {
        if let Some(frame) = self.open.back_mut() {
            let is_read = is_key || frame.reads_text();
            let word = if is_read && self.text.len() < WORD_MAX {
                canonical(&self.text)
            } else {
                String::new()
            };
            if is_key {
                frame.read_key(&self.text, &word, &self.known);
            } else {
                frame.read_text(&self.text, &word, &self.known);
                if self.text.iter().filter(|b| **b == b' ').count() > PROSE_BLANKS {
                    frame.note_prose();
                }
            }
        }
        self.is_token = true;
        self.lex = Lex::Between;
        self.expects = if is_key {
            Expects::Colon
        } else {
            Expects::CommaOrEnd
        };
    }

    fn in_word(&mut self, b: u8) -> Option<usize> {
        if is_word(b) || b == b'+' {
            self.note(&[b]);
            return Some(1);
        }
        let is_number = self
            .text
            .first()
            .is_some_and(|b| b.is_ascii_digit() || *b == b'-');
        let is_literal = is_number
            || matches!(
                self.text.as_slice(),
                b"true" | b"false" | b"null" | b"True" | b"False" | b"None" | b"NaN"
            );
        let is_object = self.open.back().is_some_and(|frame| frame.is_object);
        if !is_literal && !is_object {
            return None;
        }
        self.begin_value(if is_literal {
            Begins::Word
        } else {
            Begins::Text
        });
        if !is_literal {
            self.end_text(false);
            self.is_token = false;
        }
        self.good = self.read;
        self.lex = Lex::Between;
        self.expects = Expects::CommaOrEnd;
        Some(0)
    }

    fn in_bare(&mut self, b: u8) -> usize {
        if is_word(b) {
            self.note(&[b]);
            return 1;
        }
        self.is_bare = true;
        self.end_text(true);
        self.is_token = false;
        self.good = self.read;
        0
    }

    fn begin_comment(&mut self, b: u8) -> Option<usize> {
        self.lex = match b {
            b'/' => Lex::Comment(Comment::Line),
            b'*' => Lex::Comment(Comment::Block { is_star: false }),
            _ => return None,
        };
        Some(1)
    }

    /// Gives how many bytes were taken: those before the end of the comment, or the one that ends
    /// it.
    fn in_comment(&mut self, rest: &[u8], comment: Comment) -> usize {
        let end = match comment {
            Comment::Line => rest.iter().position(|b| *b == b'\n'),
            Comment::Block { is_star: true } if rest.first() == Some(&b'/') => Some(0),
            Comment::Block { .. } => rest
                .windows(2)
                .position(|pair| pair == b"*/")
                .map(|star| star + 1),
        };
        if end == Some(0) {
            self.lex = Lex::Between;
            self.is_lead = comment == Comment::Line;
            return 1;
        }
        let inside = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
        if comment != Comment::Line {
            self.lex = Lex::Comment(Comment::Block {
                is_star: inside.last() == Some(&b'*'),
            });
        }
        inside.len()
    }
}

const fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'$')
}
