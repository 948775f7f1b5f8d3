//! The scanner: from the deltas of a text to what of it stays.

use super::comments::Comments;
use super::cursor::{Cursor, Stop, floor};
use super::find::first_of;
use super::found::Found;
use super::json::Reads;
use super::known::Known;
use super::skim::broken_end;
use super::tag::{Shape, Tag};
use super::unclosed::Unclosed;
use super::value::{Value, level};
use super::wrap::{Wrap, Wrapped};
use super::{Span, line, markup};
use crate::event::Withheld;

/// The most bytes of a JSON value that is held until it is decided.
///
/// One that is longer passes if nothing in its first bytes is a call: what it holds is still looked at, piece by piece.
/// If something is, it is withheld to its end however long that takes.
pub const JSON_MAX: usize = 64 * 1024;

/// How many bytes are looked at before what was decided is let go.
const CHUNK: usize = 64 * 1024;

/// From this length on, what is held is not looked at again for every byte that comes.
const RETRY_MIN: usize = 512;

/// Takes what an agent speaks as it comes, and gives what people may read of it.
///
/// It holds back only what may still become an artifact. However the text is split into deltas, the spans are the same
/// apart from where those that pass are split.
#[derive(Debug)]
pub struct Firewall {
    known: Known,
    /// What is not decided yet, and a little more.
    held: String,
    /// The place in the text where that begins.
    base: usize,
    /// Up to where in it was given.
    given: usize,
    /// Up to where in it was decided.
    at: usize,
    is_line_start: bool,
    /// Up to which place in the text a JSON value was found to be no call.
    clean: usize,
    /// The JSON value at `at`, as far as it was read.
    value: Option<Value>,
    comments: Comments,
    unclosed: Unclosed,
    /// What is held is looked at again when it has this many bytes.
    retry_at: usize,
    swallows: Option<Swallows>,
    wrap: Wrap,
}

/// An artifact that is too long to be held.
#[derive(Debug)]
struct Swallows {
    withheld: Withheld,
    until: Until,
}

#[derive(Debug)]
enum Until {
    /// The end of the value.
    Value(Value),
    /// A closing tag, or the end of the text if there is none.
    Tags(&'static [&'static str]),
}

/// What stands at a place.
enum Here {
    Prose,
    /// A JSON value of this length without a call.
    Clean(usize),
    Artifact(Found),
    /// An artifact of which only the beginning is held.
    Long(Found, Until),
}

impl Firewall {
    /// Before the first word.
    #[must_use]
    pub fn new(known: Known) -> Self {
        Self {
            known,
            held: String::new(),
            base: 0,
            given: 0,
            at: 0,
            is_line_start: true,
            clean: 0,
            value: None,
            comments: Comments::default(),
            unclosed: Unclosed::default(),
            retry_at: 0,
            swallows: None,
            wrap: Wrap::default(),
        }
    }

    /// Takes more of the text, and gives the spans that are decided, in order.
    pub fn push(&mut self, delta: &str, out: &mut impl FnMut(Span<'_>)) {
        let mut rest = delta;
        while !rest.is_empty() {
            let (chunk, more) = rest.split_at(rest.floor_char_boundary(CHUNK));
            rest = more;
            self.held.push_str(chunk);
            self.run(false, out);
        }
    }

    /// Gives what is left: the text is whole, and nothing is pushed behind it.
    pub fn finish(&mut self, out: &mut impl FnMut(Span<'_>)) {
        self.run(true, out);
        if let Some(Swallows { mut withheld, .. }) = self.swallows.take() {
            withheld.to = place(self.base);
            self.wrap.withhold(Wrapped { withheld, is_encoded: false }, out);
        }
        self.wrap.finish(out);
    }

    fn run(&mut self, is_whole: bool, out: &mut impl FnMut(Span<'_>)) {
        let is_due = is_whole || self.held.len() >= self.retry_at;
        while self.swallow(is_whole, out) && is_due {
            self.retry_at = 0;
            while self.step(is_whole, out) {}
            if self.swallows.is_none() {
                break;
            }
        }
        self.give(self.at, out);
        self.held.drain(..self.given);
        self.base = self.base.saturating_add(self.given);
        (self.at, self.given) = (self.at.saturating_sub(self.given), 0);
    }

    /// Decides about the next place. Gives whether there is another one to decide about.
    fn step(&mut self, is_whole: bool, out: &mut impl FnMut(Span<'_>)) -> bool {
        if self.value.is_none() && !self.is_line_start {
            self.skip_prose();
        }
        let here = match self.look(is_whole) {
            Ok(here) => here,
            Err(Stop::No) => Here::Prose,
            Err(Stop::More) => return self.wait(),
        };
        match here {
            Here::Prose => self.pass(),
            Here::Clean(len) => {
                self.clean = self.clean.max(self.base.saturating_add(self.at).saturating_add(len));
                self.pass();
            }
            Here::Artifact(found) => {
                self.withhold(found, out);
                self.at = self.held.ceil_char_boundary(self.at.saturating_add(found.to));
                self.given = self.at;
            }
            Here::Long(found, until) => {
                self.give(self.at.saturating_add(found.from), out);
                self.swallows = Some(Swallows { withheld: self.withheld(found), until });
                self.at = self.at.saturating_add(found.to);
                self.given = self.at;
                return false;
            }
        }
        self.at < self.held.len()
    }

    /// Goes to the next place where an artifact can begin.
    fn skip_prose(&mut self) {
        let rest = self.held.as_bytes().get(self.at..).unwrap_or_default();
        let next = first_of(rest, [b'{', b'[', b'<', b'\n']);
        self.at = self.at.saturating_add(next.unwrap_or(rest.len()));
    }

    /// Nothing begins here: goes behind it.
    fn pass(&mut self) {
        if std::mem::take(&mut self.is_line_start) {
            return;
        }
        self.is_line_start = self.held.as_bytes().get(self.at) == Some(&b'\n');
        self.at = self.at.saturating_add(1).min(self.held.len());
    }

    /// More of the text decides.
    fn wait(&mut self) -> bool {
        let len = self.held.len();
        if self.value.is_none() && len.saturating_sub(self.at) >= RETRY_MIN {
            self.retry_at = len.saturating_add(len.saturating_sub(self.at) / 8);
        }
        false
    }

    /// What stands here.
    fn look(&mut self, is_whole: bool) -> Result<Here, Stop> {
        let rest = self.held.as_bytes().get(self.at..).unwrap_or_default();
        let of = |max, found: Found| {
            let is_long = found.to >= floor(rest, max) && is_longer(rest, max, is_whole);
            if is_long { Here::Long(found, Until::Tags(found.closes)) } else { Here::Artifact(found) }
        };
        if self.is_line_start {
            let cursor = Cursor::new(rest, line::BLOCK_MAX, is_whole);
            return line::find(cursor, &self.known).map(|found| of(line::BLOCK_MAX, found));
        }
        let mut markup = || {
            let place = self.base.saturating_add(self.at);
            markup::find(Cursor::new(rest, markup::MARKUP_MAX, is_whole), place, &self.known, &mut self.unclosed)
        };
        match rest.first() {
            Some(b'<') => markup().map(|found| of(markup::MARKUP_MAX, found)),
            Some(b'[') if self.value.is_none() => match markup() {
                Err(Stop::No) => self.look_at_value(is_whole),
                other => other.map(|found| of(markup::MARKUP_MAX, found)),
            },
            Some(b'{' | b'[') => self.look_at_value(is_whole),
            Some(_) | None => Err(Stop::No),
        }
    }

    fn look_at_value(&mut self, is_whole: bool) -> Result<Here, Stop> {
        let rest = self.held.as_bytes().get(self.at..).unwrap_or_default();
        let mut value = match self.value.take() {
            Some(value) => value,
            None => {
                can_be_value(rest, is_whole)?;
                let level = level(rest, is_whole).ok_or(Stop::More)?.map_err(|()| Stop::No)?;
                if level == 0 && self.base.saturating_add(self.at) < self.clean {
                    return Err(Stop::No);
                }
                Value::new(self.known.clone(), level)
            }
        };
        let from = value.len();
        let bound = rest.get(..floor(rest, JSON_MAX)).unwrap_or(rest);
        let place = self.base.saturating_add(self.at).saturating_add(from);
        let reads = value.feed(bound.get(from..).unwrap_or_default(), place, &mut self.comments);
        let is_bound = is_whole || rest.len() >= JSON_MAX;
        let found = if reads == Reads::Further && is_bound { value.found_cut() } else { value.found() };
        let artifact = |to, family| Found { from: 0, to, family, closes: &[], is_encoded: value.is_encoded() };
        match (reads, found) {
            (Reads::Whole, None) => Ok(Here::Clean(value.len())),
            (Reads::Broken, None) => Err(Stop::No),
            (Reads::Whole, Some(family)) => Ok(Here::Artifact(artifact(value.len(), family))),
            (Reads::Broken, Some(family)) => match broken_end(rest, &value, is_whole) {
                Ok(end) => Ok(Here::Artifact(artifact(end, family))),
                Err(stop) => {
                    self.value = Some(value);
                    Err(stop)
                }
            },
            (Reads::Further, _) if !is_bound => {
                self.value = Some(value);
                Err(Stop::More)
            }
            (Reads::Further, None) => Err(Stop::No),
            (Reads::Further, Some(family)) if !is_longer(rest, JSON_MAX, is_whole) => {
                Ok(Here::Artifact(artifact(value.len(), family)))
            }
            (Reads::Further, Some(family)) => Ok(Here::Long(artifact(value.len(), family), Until::Value(value))),
        }
    }

    /// Goes on with an artifact that is too long to be held. Gives whether there is none, or it has ended.
    fn swallow(&mut self, is_whole: bool, out: &mut impl FnMut(Span<'_>)) -> bool {
        let Some(mut swallows) = self.swallows.take() else { return true };
        let rest = self.held.as_bytes().get(self.at..).unwrap_or_default();
        let end = match &mut swallows.until {
            Until::Value(value) => {
                let before = value.len();
                let reads = value.feed(rest, self.base.saturating_add(self.at), &mut self.comments);
                let taken = value.len().saturating_sub(before);
                if reads == Reads::Further { Err(taken) } else { Ok(taken) }
            }
            Until::Tags(closes) => closing(rest, closes, is_whole),
        };
        let (Ok(taken) | Err(taken)) = end;
        self.at = self.held.floor_char_boundary(self.at.saturating_add(taken));
        self.given = self.at;
        swallows.withheld.to = place(self.base.saturating_add(self.at));
        let has_ended = end.is_ok();
        if has_ended {
            self.wrap.withhold(Wrapped { withheld: swallows.withheld, is_encoded: false }, out);
        } else {
            self.swallows = Some(swallows);
        }
        has_ended
    }

    /// Gives what passes up to `to`.
    fn give(&mut self, to: usize, out: &mut impl FnMut(Span<'_>)) {
        if let Some(text) = self.held.get(self.given..to).filter(|text| !text.is_empty()) {
            self.wrap.pass(place(self.base.saturating_add(self.given)), text, out);
            self.given = to;
        }
    }

    fn withhold(&mut self, found: Found, out: &mut impl FnMut(Span<'_>)) {
        self.give(self.at.saturating_add(found.from), out);
        let withheld = self.withheld(found);
        let is_clean = self.base.saturating_add(self.at) < self.clean;
        self.wrap.withhold(Wrapped { withheld, is_encoded: found.is_encoded && !is_clean }, out);
        // What stands behind may begin the line that people read.
        self.is_line_start = true;
    }

    fn withheld(&self, found: Found) -> Withheld {
        let here = self.base.saturating_add(self.at);
        let to = self.base.saturating_add(self.held.ceil_char_boundary(self.at.saturating_add(found.to)));
        Withheld { from: place(here.saturating_add(found.from)), to: place(to), family: found.family }
    }
}

/// Rejects at once the brackets that begin no JSON value that could hold an object.
fn can_be_value(bytes: &[u8], is_whole: bool) -> Result<(), Stop> {
    let mut cursor = Cursor::new(bytes, JSON_MAX, is_whole);
    let is_array = cursor.eat(b'[')?;
    cursor.skip(usize::from(!is_array));
    cursor.skip_white()?;
    match cursor.peek()? {
        Some(b'"' | b'\'' | b'\\' | b'/' | 0xe2 | 0xef | 0xc2) => Ok(()),
        Some(b'{' | b'[' | b'0'..=b'9' | b'-' | b't' | b'f' | b'n' | b'T' | b'F' | b'N') if is_array => Ok(()),
        Some(_) | None => Err(Stop::No),
    }
}

/// Behind the closing tag in `bytes`, or how many of them cannot be the beginning of one.
fn closing(bytes: &[u8], closes: &[&str], is_whole: bool) -> Result<usize, usize> {
    let mut cursor = Cursor { bytes, at: 0, is_whole };
    while let Some(at) = cursor.rest().iter().position(|b| *b == b'<') {
        cursor.skip(at);
        let mut ahead = cursor;
        match Tag::read(&mut ahead, |name| closes.contains(&name)) {
            Ok(tag) if tag.shape != Shape::Opening => return Ok(ahead.at),
            Err(Stop::More) => return Err(cursor.at),
            Ok(_) | Err(Stop::No) => cursor.skip(1),
        }
    }
    Err(bytes.len())
}

/// Whether the text goes on behind the `max` bytes that are looked at.
const fn is_longer(bytes: &[u8], max: usize, is_whole: bool) -> bool {
    bytes.len() > max || bytes.len() == max && !is_whole
}

/// A place in a spoken text. None is longer than 4 GiB.
pub(super) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
