//! Reading one JSON value as it comes, byte by byte and once, as loosely as models write: with either quotes, comments,
//! trailing commas and raw line breaks in texts.

use super::call::{Begins, Cut, Frame};
use super::comments::Comment;
use super::known::Known;
use super::word::canonical;
use crate::event::ArtifactFamily;

/// How deep values may stand in one another. Deeper ones are read as if they began further inside.
pub(super) const DEPTH_MAX: usize = 64;

/// The longest key or text that is looked at, in bytes as they are written. Names of tools are far shorter.
const WORD_MAX: usize = 512;

/// Room for the keys and texts of most values, in bytes.
const TEXT_ROOM: usize = 64;

/// One JSON value.
#[derive(Debug)]
pub(super) struct Json {
    known: Known,
    open: Vec<Frame>,
    lex: Lex,
    expects: Expects,
    /// The text or word that is read, its beginning.
    text: Vec<u8>,
    /// How many bytes were read.
    read: usize,
    /// Where the last token ended.
    good: usize,
    /// Whether a token ended with the last bytes.
    is_token: bool,
    found: Option<ArtifactFamily>,
}

/// How far a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// It goes on.
    Further,
    /// It ended with the last byte that was read.
    Whole,
    /// The byte behind those that were read cannot stand there.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lex {
    Between,
    Text { quote: u8, is_key: bool, is_escaped: bool },
    Word,
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
    pub(super) fn new(known: Known) -> Self {
        let (open, text) = (Vec::new(), Vec::with_capacity(TEXT_ROOM));
        Self {
            known,
            open,
            lex: Lex::Between,
            expects: Expects::Value,
            text,
            read: 0,
            good: 0,
            is_token: false,
            found: None,
        }
    }

    /// The call form that was found in it.
    pub(super) const fn found(&self) -> Option<ArtifactFamily> {
        self.found
    }

    /// How many bytes were read.
    pub(super) const fn len(&self) -> usize {
        self.read
    }

    /// How many bytes there were up to the end of the last token.
    pub(super) const fn good(&self) -> usize {
        self.good
    }

    /// How many brackets are open.
    pub(super) const fn depth(&self) -> usize {
        self.open.len()
    }

    /// The call form that was found if the text ends here: what has begun counts.
    pub(super) fn found_cut(&self) -> Option<ArtifactFamily> {
        let (last, outer) = self.open.split_last()?;
        let cut = match (self.lex, self.expects) {
            (Lex::Text { is_key: true, .. }, _) => Cut::Key(&self.text),
            (Lex::Text { is_key: false, .. }, _) => Cut::Text(&self.text),
            (_, Expects::Colon | Expects::Value) => Cut::BeforeValue,
            (_, Expects::ValueOrEnd | Expects::KeyOrEnd | Expects::CommaOrEnd) => Cut::Between,
        };
        let arguments =
            || outer.last().filter(|_| last.is_empty_arguments()).and_then(|frame| frame.family_cut(Cut::BeforeValue));
        self.found.or_else(|| last.family_cut(cut)).or_else(arguments)
    }

    /// The comment that is read.
    pub(super) const fn comment(&self) -> Option<Comment> {
        match self.lex {
            Lex::Comment(comment) => Some(comment),
            Lex::Between | Lex::Text { .. } | Lex::Word | Lex::Slash => None,
        }
    }

    /// Skips so many bytes of the comment that is read, and goes on as it stands behind them.
    pub(super) const fn skip_comment(&mut self, count: usize, behind: Comment) {
        self.read = self.read.saturating_add(count);
        self.lex = Lex::Comment(behind);
    }

    /// Reads on, no further than to where a comment begins or ends.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Reads {
        let mut rest = bytes;
        while let Some(&b) = rest.first() {
            let was_comment = self.comment().is_some();
            let taken = match self.lex {
                Lex::Text { quote, is_key, is_escaped } => self.in_text(rest, quote, is_key, is_escaped),
                Lex::Between => self.between(b),
                Lex::Word => self.in_word(b),
                Lex::Slash => self.begin_comment(b),
                Lex::Comment(comment) => Some(self.in_comment(rest, comment)),
            };
            let Some(taken) = taken else { return Reads::Broken };
            self.read = self.read.saturating_add(taken);
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

    /// What may follow a token. Gives how many bytes were taken; `None` if the first cannot stand here.
    fn between(&mut self, b: u8) -> Option<usize> {
        if is_white(b) {
            return Some(1);
        }
        self.is_token = b != b'/';
        match (b, self.expects) {
            (b'/', _) => self.lex = Lex::Slash,
            (b'{' | b'[', Expects::Value | Expects::ValueOrEnd) => self.open(b == b'{')?,
            (b'"' | b'\'', Expects::Value | Expects::ValueOrEnd) => self.begin_text(b, false),
            (b'"' | b'\'', Expects::KeyOrEnd) => self.begin_text(b, true),
            (b'0'..=b'9' | b'-' | b't' | b'f' | b'n' | b'T' | b'F' | b'N', Expects::Value | Expects::ValueOrEnd)
                if !self.open.is_empty() =>
            {
                self.is_token = false;
                self.begin_value(Begins::Word);
                self.text.clear();
                self.text.push(b);
                self.lex = Lex::Word;
            }
            (b':', Expects::Colon) => self.expects = Expects::Value,
            (b',', Expects::CommaOrEnd) => {
                let is_object = self.open.last()?.is_object;
                self.expects = if is_object { Expects::KeyOrEnd } else { Expects::ValueOrEnd };
            }
            (b'}' | b']', Expects::CommaOrEnd | Expects::KeyOrEnd | Expects::ValueOrEnd) => self.close(b == b'}')?,
            _ => return None,
        }
        Some(1)
    }

    fn open(&mut self, is_object: bool) -> Option<()> {
        if self.open.len() >= DEPTH_MAX {
            return None;
        }
        self.begin_value(if is_object { Begins::Object } else { Begins::Array });
        let frame = Frame::new(is_object, self.open.last());
        self.open.push(frame);
        self.expects = if is_object { Expects::KeyOrEnd } else { Expects::ValueOrEnd };
        Some(())
    }

    fn close(&mut self, is_object: bool) -> Option<()> {
        let frame = self.open.pop_if(|frame| frame.is_object == is_object)?;
        if frame.is_empty_arguments() {
            self.fit();
        }
        self.judge();
        self.expects = Expects::CommaOrEnd;
        Some(())
    }

    fn begin_text(&mut self, quote: u8, is_key: bool) {
        self.is_token = false;
        if !is_key {
            self.begin_value(Begins::Text);
        }
        self.text.clear();
        self.lex = Lex::Text { quote, is_key, is_escaped: false };
    }

    fn begin_value(&mut self, begins: Begins) {
        if let Some(frame) = self.open.last_mut() {
            frame.begin_value(begins);
        }
        self.judge();
    }

    fn in_text(&mut self, rest: &[u8], quote: u8, is_key: bool, is_escaped: bool) -> Option<usize> {
        if is_escaped {
            self.note(rest.get(..1).unwrap_or_default());
            self.lex = Lex::Text { quote, is_key, is_escaped: false };
            return Some(1);
        }
        let ends = |b: &u8| *b == quote || *b == b'\\' || (*b == b'\n' && quote == b'\'');
        let plain = rest.iter().position(ends).unwrap_or(rest.len());
        self.note(rest.get(..plain).unwrap_or_default());
        match rest.get(plain) {
            None => return Some(plain),
            Some(b'\\') => {
                self.note(b"\\");
                self.lex = Lex::Text { quote, is_key, is_escaped: true };
            }
            Some(b) if *b == quote => self.end_text(is_key),
            Some(_) => {
                // Where a value broke must not depend on how much of its text came at once.
                self.read = self.read.saturating_add(plain);
                return None;
            }
        }
        Some(plain.saturating_add(1))
    }

    fn note(&mut self, bytes: &[u8]) {
        let room = WORD_MAX.saturating_sub(self.text.len());
        self.text.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn end_text(&mut self, is_key: bool) {
        let is_read = is_key || self.open.last().is_some_and(Frame::reads_text);
        let word = if is_read && self.text.len() < WORD_MAX { canonical(&self.text) } else { String::new() };
        let is_fit = self.open.last_mut().is_some_and(|frame| {
            if is_key {
                frame.read_key(&self.text, &word, &self.known)
            } else {
                frame.read_text(&self.text, &word, &self.known)
            }
        });
        self.judge();
        if is_fit && let Some(last) = self.open.pop() {
            self.fit();
            self.judge();
            self.open.push(last);
        }
        self.is_token = true;
        self.lex = Lex::Between;
        self.expects = if is_key { Expects::Colon } else { Expects::CommaOrEnd };
    }

    /// The innermost object holds arguments under its last key.
    fn fit(&mut self) {
        if let Some(frame) = self.open.last_mut() {
            frame.fit();
        }
    }

    /// Looks at the innermost object again.
    fn judge(&mut self) {
        if self.found.is_none() {
            self.found = self.open.last().filter(|frame| frame.reads_text()).and_then(Frame::family);
        }
    }

    fn in_word(&mut self, b: u8) -> Option<usize> {
        if b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_') {
            self.note(&[b]);
            return Some(1);
        }
        let is_number = self.text.first().is_some_and(|b| b.is_ascii_digit() || *b == b'-');
        if !is_number
            && !matches!(self.text.as_slice(), b"true" | b"false" | b"null" | b"True" | b"False" | b"None" | b"NaN")
        {
            return None;
        }
        self.good = self.read;
        self.lex = Lex::Between;
        self.expects = Expects::CommaOrEnd;
        Some(0)
    }

    fn begin_comment(&mut self, b: u8) -> Option<usize> {
        self.lex = match b {
            b'/' => Lex::Comment(Comment::Line),
            b'*' => Lex::Comment(Comment::Block { is_star: false }),
            _ => return None,
        };
        Some(1)
    }

    /// Gives how many bytes were taken: those before the end of the comment, or the one that ends it.
    fn in_comment(&mut self, rest: &[u8], comment: Comment) -> usize {
        let end = match comment {
            Comment::Line => rest.iter().position(|b| *b == b'\n'),
            Comment::Block { is_star: true } if rest.first() == Some(&b'/') => Some(0),
            Comment::Block { .. } => rest.windows(2).position(|pair| pair == b"*/").map(|star| star.saturating_add(1)),
        };
        if end == Some(0) {
            self.lex = Lex::Between;
            return 1;
        }
        let inside = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
        if comment != Comment::Line {
            self.lex = Lex::Comment(Comment::Block { is_star: inside.last() == Some(&b'*') });
        }
        inside.len()
    }
}

/// White space, and the bytes of characters without a shape: marks of the byte order, joiners, hard spaces.
const fn is_white(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0xef | 0xbb | 0xbf | 0xe2 | 0x80 | 0x8b..=0x8d | 0xc2 | 0xa0)
}
