//! A JSON value in a text, plain or as it stands inside a text of another one: `{\"name\": …}`.

use super::calls::Call;
use super::comments::{Comment, Comments};
use super::json::{Json, Reads};
use super::vocabulary::{Known, ToolId};
use super::work;

/// The most times that a value may be written into a text and be known again.
pub(super) const LEVELS_MAX: usize = 2;

/// The most bytes that are looked at to tell how often a value was written into a text.
const PROBE_MAX: usize = 64;

/// A JSON value as it is read.
#[derive(Debug)]
pub(super) struct Value {
    json: Json,
    /// A flag for each time that it was written into a text: true if a backslash was read.
    escapes: Vec<bool>,
    /// The state of a comment, and its place, before a character of which only the beginning was
    /// read.
    begun: Option<(Comment, usize)>,
    read: usize,
    good: usize,
    /// The bytes that were looked at: those of comments that were known are not.
    work: usize,
    is_broken: bool,
    /// The calls in it, once somebody asked for them.
    calls: Option<Vec<Call>>,
}

impl Value {
    /// A value that was written into texts `level` times, behind the name of `tool` if there is
    /// one.
    pub(super) fn new(known: Known, level: usize, tool: Option<ToolId>) -> Self {
        let json = Json::new(known, tool);
        let escapes = vec![false; level];
        Self {
            json,
            escapes,
            begun: None,
            read: 0,
            good: 0,
            work: 0,
            is_broken: false,
            calls: None,
        }
    }

    /// The calls in it, of which no more is read: see [`Json::calls`].
    pub(super) fn calls(&mut self, is_cut: bool) -> &[Call] {
        self.calls.get_or_insert_with(|| self.json.calls(is_cut))
    }

    /// Returns where brackets were opened.
    pub(super) fn brackets(&self) -> &[usize] {
        self.json.brackets()
    }

    /// Tells whether a key has no quotes.
    pub(super) const fn is_bare(&self) -> bool {
        self.json.is_bare()
    }

    /// Returns how many bytes were looked at.
    pub(super) const fn work(&self) -> usize {
        self.work
    }

    /// Returns how many bytes were read.
    pub(super) const fn len(&self) -> usize {
        self.read
    }

    /// Returns how many bytes there were up to the end of the last token.
    pub(super) const fn good(&self) -> usize {
        self.good
    }

    /// Tells whether a byte was read that cannot stand where it does.
    pub(super) const fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Returns how many times it was written into a text.
    pub(super) const fn level(&self) -> usize {
        self.escapes.len()
    }

    /// Returns how many brackets are open.
    pub(super) fn depth(&self) -> usize {
        self.json.depth()
    }

    pub(super) const fn is_encoded(&self) -> bool {
        !self.escapes.is_empty()
    }

    /// Reads on: `bytes` stand at `place` in the text whose `comments` those are. What is broken
    /// stays so.
    pub(super) fn feed(&mut self, bytes: &[u8], place: usize, comments: &mut Comments) -> Reads {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_broken {
            let before = self.read;
            let place = (place + bytes.len()).saturating_sub(rest.len());
            let reads = self.feed_some(rest, place, comments);
            self.is_broken = reads == Reads::Broken;
            if reads != Reads::Further {
                return reads;
            }
            rest = rest
                .get(self.read.saturating_sub(before)..)
                .unwrap_or_default();
        }
        if self.is_broken {
            Reads::Broken
        } else {
            Reads::Further
        }
    }

    /// Reads some of `bytes`, and of comments what is not known.
    fn feed_some(&mut self, bytes: &[u8], place: usize, comments: &mut Comments) -> Reads {
        let before = self.read;
        let level = self.escapes.len();
        let comment = self.comment();
        let known = comment.and_then(|comment| comments.skip(comment, level, place, bytes.len()));
        if let Some((count, behind)) = known {
            self.json.skip_comment(count, behind);
            self.read += count;
            return Reads::Further;
        }
        let begun = self
            .begun
            .take()
            .or(comment.map(|comment| (comment, place)));
        let reads = if self.is_encoded() {
            self.feed_encoded(bytes)
        } else {
            self.feed_plain(bytes)
        };
        let taken = self.read.saturating_sub(before);
        self.work += taken;
        work::note(taken + 1);
        let end = place + taken;
        match (begun, self.comment()) {
            (Some((comment, from)), Some(behind)) if reads == Reads::Further => {
                comments.note(comment, behind, level, from, end.saturating_sub(from));
            }
            (Some(_), None) if self.json.comment().is_some() => self.begun = begun,
            (Some(_) | None, _) => {}
        }
        reads
    }

    /// The comment that is read, between two of its characters.
    fn comment(&self) -> Option<Comment> {
        self.json
            .comment()
            .filter(|_| !self.escapes.contains(&true))
    }

    fn feed_plain(&mut self, bytes: &[u8]) -> Reads {
        let reads = self.json.feed(bytes);
        (self.read, self.good) = (self.json.len(), self.json.good());
        reads
    }

    /// Reads on to the end of the next character as it was before it was written into a text.
    fn feed_encoded(&mut self, bytes: &[u8]) -> Reads {
        for b in bytes {
            let Ok(decoded) = self.decode(*b) else {
                return Reads::Broken;
            };
            self.json
                .set_skew(self.read.saturating_sub(self.json.len()));
            let before = self.json.good();
            let reads = decoded.map_or(Reads::Further, |b| self.json.feed(&[b]));
            if reads == Reads::Broken {
                return reads;
            }
            self.read += 1;
            if self.json.good() != before {
                self.good = self.read;
            }
            if reads == Reads::Whole || decoded.is_some() {
                return reads;
            }
        }
        Reads::Further
    }

    /// The byte that `b` completes, if it does; an error where the text around the value ends.
    fn decode(&mut self, b: u8) -> Result<Option<u8>, ()> {
        let mut b = b;
        for is_escaped in &mut self.escapes {
            b = match (std::mem::take(is_escaped), b) {
                (false, b'\\') => {
                    *is_escaped = true;
                    return Ok(None);
                }
                (false, b'"') => return Err(()),
                (true, b'n' | b'r' | b't') => b' ',
                (true, b'u') => return Err(()),
                (_, b) => b,
            };
        }
        Ok(Some(b))
    }
}

/// Returns how many times the value that `bytes` begin with was written into a text, if it can be a
/// value. `None` asks for more.
pub(super) fn level(bytes: &[u8], is_whole: bool) -> Option<Result<usize, ()>> {
    let bytes = bytes.get(..PROBE_MAX).unwrap_or(bytes);
    let is_whole = is_whole || bytes.len() == PROBE_MAX;
    let Some(at) = bytes
        .iter()
        .position(|b| !matches!(b, b'{' | b'[' | b' ' | b'\t' | b'\n' | b'\r'))
    else {
        return is_whole.then_some(Ok(0));
    };
    let rest = bytes.get(at..).unwrap_or_default();
    let slashes = rest.iter().take_while(|b| **b == b'\\').count();
    let Some(behind) = rest.get(slashes) else {
        return is_whole.then_some(Err(()));
    };
    let level = match (slashes, behind) {
        (0, _) => Ok(0),
        (1, b'"' | b'n' | b'r' | b't') => Ok(1),
        (2, b'n' | b'r' | b't') | (3, b'"') => Ok(LEVELS_MAX),
        _ => Err(()),
    };
    Some(level)
}
