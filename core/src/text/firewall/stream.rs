//! The scanner: from the deltas of a text to what of it stays.

use std::collections::VecDeque;

use super::before::{self, BEFORE_MAX};
use super::calls::Call;
use super::candidate::FoundArtifact;
use super::comments::Comments;
use super::cursor::{Cursor, Stop};
use super::find::first_of;
use super::json::Reads;
use super::sample::Sample;
use super::skim::{SKIM_MAX, broken_end};
use super::tried::Tried;
use super::unclosed::Unclosed;
use super::value::{Value, level};
use super::vocabulary::Known;
use super::wrap::{Wrap, Wrapped};
use super::{SpokenSpan, line, list, markup, spoken, work};
use crate::text::firewall::Withheld;

/// The number of bytes that are looked at before what was decided is let go.
const CHUNK: usize = 64 * 1024;

/// From this length on, what is held is not looked at again for every byte that comes.
const RETRY_MIN: usize = 512;

/// Takes what an agent speaks as it comes, and gives what people may read of it.
///
/// It holds back only what may still become an artifact, to its end. However the text is split into
/// deltas, the spans are the same apart from where those that pass are split.
#[derive(Debug)]
pub struct Firewall {
    known: Known,
    /// The text that is not decided yet, and a little more on either side.
    held: String,
    /// The place in the text where that begins.
    base: usize,
    /// Up to where in it was given.
    given: usize,
    /// Up to where in it was decided.
    at: usize,
    is_line_start: bool,
    /// Up to which place in the text a JSON value was judged.
    judged: usize,
    /// The calls in it that come next, with places of the text.
    planned: VecDeque<FoundArtifact>,
    /// The JSON value at `at`, as far as it was read.
    value: Option<Value>,
    comments: Comments,
    tried: Tried,
    unclosed: Unclosed,
    /// What is held is looked at again when it has this many bytes.
    retry_at: usize,
    sample: Sample,
    wrap: Wrap,
}

/// What stands at a place.
enum Here {
    /// A JSON value whose calls are planned.
    Judged,
    Artifact(FoundArtifact),
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
            judged: 0,
            planned: VecDeque::new(),
            value: None,
            comments: Comments::default(),
            tried: Tried::default(),
            unclosed: Unclosed::default(),
            retry_at: 0,
            sample: Sample::default(),
            wrap: Wrap::default(),
        }
    }

    /// Takes more of the text, and gives the spans that are decided, in order.
    pub fn push(&mut self, delta: &str, out: &mut impl FnMut(SpokenSpan<'_>)) {
        let mut rest = delta;
        while !rest.is_empty() {
            let (chunk, more) = rest.split_at(rest.floor_char_boundary(CHUNK));
            rest = more;
            self.held.push_str(chunk);
            self.run(false, out);
        }
    }

    /// Gives what is left: the text is whole, and nothing is pushed behind it.
    pub fn finish(&mut self, out: &mut impl FnMut(SpokenSpan<'_>)) {
        self.run(true, out);
        self.wrap.finish(out);
    }

    fn run(&mut self, is_whole: bool, out: &mut impl FnMut(SpokenSpan<'_>)) {
        if is_whole || self.held.len() >= self.retry_at {
            self.retry_at = 0;
            while self.step(is_whole, out) {}
        }
        self.give(self.at, out);
        // What was given is still looked back at.
        let gone = self
            .held
            .floor_char_boundary(self.given.saturating_sub(BEFORE_MAX));
        if gone >= BEFORE_MAX {
            self.held.drain(..gone);
            self.base += gone;
            self.at = self.at.saturating_sub(gone);
            self.given = self.given.saturating_sub(gone);
            self.retry_at = self.retry_at.saturating_sub(gone);
        }
    }

    /// Decides about the next place. Gives whether there is another one to decide about.
    fn step(&mut self, is_whole: bool, out: &mut impl FnMut(SpokenSpan<'_>)) -> bool {
        if self.value.is_none() && !self.is_line_start && !self.skip_prose(is_whole) {
            return false;
        }
        match self.look(is_whole) {
            Err(Stop::More) => return self.wait(),
            Err(Stop::No) => self.pass(),
            Ok(Here::Judged)
                if self
                    .planned
                    .front()
                    .is_some_and(|next| next.from == self.place()) => {}
            Ok(Here::Judged) => self.pass(),
            Ok(Here::Artifact(found)) => self.withhold(found, out),
        }
        self.at < self.held.len()
    }

    /// The place in the text that is decided about.
    const fn place(&self) -> usize {
        self.base + self.at
    }

    /// Returns what is held from the place on that is decided about.
    fn rest(&self) -> &[u8] {
        self.held.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Returns what stands before that, as far as it is looked at.
    fn before(&self) -> &[u8] {
        let text = self.held.as_bytes().get(..self.at).unwrap_or_default();
        text.get(text.len().saturating_sub(BEFORE_MAX)..)
            .unwrap_or_default()
    }

    /// Goes to the next place where an artifact can begin. Gives whether there is one.
    fn skip_prose(&mut self, is_whole: bool) -> bool {
        let bytes = self.held.as_bytes();
        let planned = self
            .planned
            .front()
            .map_or(usize::MAX, |next| next.from.saturating_sub(self.base));
        let mut from = self.at;
        loop {
            work::note(1);
            let next = first_of(
                bytes.get(from..).unwrap_or_default(),
                [b'{', b'[', b'<', b'\n', b'(', b'='],
            );
            let next = next.map_or(usize::MAX, |next| from + next);
            if planned <= next && planned < bytes.len() {
                self.at = planned.max(self.at);
                return true;
            }
            let Some(b) = bytes.get(next) else { break };
            let said = spoken::begins(bytes, self.at, next, is_whole, &self.known);
            match (said, b) {
                (Some(at), _) => self.at = at,
                (None, b'(' | b'=') => {
                    from = next + 1;
                    continue;
                }
                (None, _) => self.at = next,
            }
            return true;
        }
        work::note(bytes.len().saturating_sub(from));
        self.at = if is_whole {
            bytes.len()
        } else {
            spoken::held_from(bytes, self.at, &self.known)
        };
        false
    }

    /// Nothing begins here: goes behind it.
    fn pass(&mut self) {
        if std::mem::take(&mut self.is_line_start) {
            return;
        }
        self.is_line_start = self.rest().first() == Some(&b'\n');
        self.at = (self.at + 1).min(self.held.len());
        self.at = self.held.ceil_char_boundary(self.at);
    }

    /// More of the text decides.
    fn wait(&mut self) -> bool {
        let len = self.held.len();
        let is_read_again = self.value.as_ref().is_none_or(Value::is_broken);
        if is_read_again && len.saturating_sub(self.at) >= RETRY_MIN {
            // Reading again at every delta would cost the square of the text (decision 0025).
            self.retry_at = len + len.saturating_sub(self.at) / 8;
        }
        false
    }

    /// Returns what stands here.
    fn look(&mut self, is_whole: bool) -> Result<Here, Stop> {
        if let Some(found) = self.planned_here() {
            return Ok(Here::Artifact(found));
        }
        let cursor = Cursor {
            bytes: self.rest(),
            at: 0,
            is_whole,
        };
        if self.is_line_start {
            return line::find(cursor, self.before(), &self.known).map(Here::Artifact);
        }
        let first = cursor.bytes.first().copied();
        match first {
            Some(b'<' | b'[') if self.value.is_none() => {
                let place = self.place();
                let bytes = self.held.as_bytes().get(self.at..).unwrap_or_default();
                let cursor = Cursor {
                    bytes,
                    at: 0,
                    is_whole,
                };
                match markup::find(cursor, place, &self.known, &mut self.unclosed) {
                    Err(Stop::No) if first == Some(b'[') => {}
                    other => return other.map(Here::Artifact),
                }
                match list::find(cursor, &self.known) {
                    Err(Stop::No) => self.look_at_value(is_whole),
                    other => other.map(Here::Artifact),
                }
            }
            Some(b'{' | b'[') => self.look_at_value(is_whole),
            Some(b'\n') | None => Err(Stop::No),
            Some(_) => spoken::find(cursor, self.before(), &self.known).map(Here::Artifact),
        }
    }

    /// The call that was found to begin here.
    fn planned_here(&mut self) -> Option<FoundArtifact> {
        let place = self.place();
        while self.planned.front().is_some_and(|next| next.to <= place) {
            self.planned.pop_front();
        }
        let next = self.planned.pop_front_if(|next| next.from <= place)?;
        Some(FoundArtifact {
            from: 0,
            to: next.to.saturating_sub(place),
            ..next
        })
    }

    fn look_at_value(&mut self, is_whole: bool) -> Result<Here, Stop> {
        let mut value = match self.value.take() {
            Some(value) => value,
            None => self.begin_value(is_whole)?,
        };
        let place = self.place();
        let limit = self.tried.limit(usize::MAX);
        let from = value.len();
        let rest = self.held.as_bytes().get(self.at..).unwrap_or_default();
        let bound = rest.get(..limit).unwrap_or(rest);
        let reads = value.feed(
            bound.get(from..).unwrap_or_default(),
            place + from,
            &mut self.comments,
        );
        let is_bound = rest.len() >= limit;
        if reads == Reads::Further && !is_whole && !is_bound {
            self.value = Some(value);
            return Err(Stop::More);
        }
        let calls = value.calls(reads == Reads::Further && !is_bound).to_vec();
        // Keys without quotes behind `=`, `(` or `return` are code, and call nothing
        // (decision 0025).
        let is_code = value.is_bare() && before::is_code(self.before());
        if calls.is_empty() || is_code {
            if reads == Reads::Whole {
                self.judged = self.judged.max(place + value.len());
            } else {
                self.tried.note(value.level(), place, &value);
            }
            return Err(Stop::No);
        }
        let end = match calls.last() {
            Some(last) if last.depth > 0 && reads == Reads::Broken => {
                let max = self.tried.limit(SKIM_MAX);
                match broken_end(self.rest(), &value, last.depth, max, is_whole) {
                    Ok(end) => {
                        self.tried.note_skimmed(place + value.len(), max);
                        end
                    }
                    Err(stop) => {
                        self.value = Some(value);
                        return Err(stop);
                    }
                }
            }
            Some(_) | None => value.len(),
        };
        self.plan(&calls, end, &value);
        Ok(Here::Judged)
    }

    /// Takes the calls of a value that begins here and ends at `end`.
    fn plan(&mut self, calls: &[Call], end: usize, value: &Value) {
        let place = self.place();
        let is_inside = place < self.judged;
        self.judged = self.judged.max(place + end);
        let planned = calls.iter().map(|call| {
            let to = if call.depth > 0 { end } else { call.to };
            let is_alone = call.from == 0 && to >= value.len();
            FoundArtifact {
                from: (place + call.from),
                to: (place + to),
                family: call.family,
                is_encoded: value.is_encoded() && is_alone && !is_inside,
                is_own: call.is_own,
            }
        });
        let next = std::mem::take(&mut self.planned);
        self.planned.extend(planned);
        self.planned.extend(next);
    }

    /// The value that may begin here.
    fn begin_value(&self, is_whole: bool) -> Result<Value, Stop> {
        let rest = self.rest();
        can_be_value(rest, is_whole)?;
        let level = level(rest, is_whole)
            .ok_or(Stop::More)?
            .map_err(|()| Stop::No)?;
        let place = self.place();
        if level == 0 && place < self.judged || self.tried.has(level, place) {
            return Err(Stop::No);
        }
        let tool = before::tool(self.before(), &self.known).filter(|_| level == 0);
        Ok(Value::new(self.known.clone(), level, tool))
    }

    /// Gives what passes up to `to`.
    fn give(&mut self, to: usize, out: &mut impl FnMut(SpokenSpan<'_>)) {
        if let Some(text) = self
            .held
            .get(self.given..to)
            .filter(|text| !text.is_empty())
        {
            self.sample.read(text);
            self.wrap.pass(place(self.base + self.given), text, out);
            self.given = to;
        }
    }

    fn withhold(&mut self, found: FoundArtifact, out: &mut impl FnMut(SpokenSpan<'_>)) {
        self.give(self.at + found.from, out);
        let from = self.place() + found.from;
        self.at = self.held.ceil_char_boundary(self.at + found.to);
        if !found.is_own && self.sample.is_here() {
            self.judged = self.judged.max(self.place());
            return;
        }
        let withheld = Withheld {
            from: place(from),
            to: place(self.place()),
            family: found.family,
        };
        self.given = self.at;
        self.wrap.withhold(
            Wrapped {
                withheld,
                is_encoded: found.is_encoded,
            },
            out,
        );
        // What stands behind may begin the line that people read.
        self.is_line_start = true;
    }
}

/// Rejects at once the brackets that begin no JSON value that could hold an object.
fn can_be_value(bytes: &[u8], is_whole: bool) -> Result<(), Stop> {
    let mut cursor = Cursor {
        bytes,
        at: 0,
        is_whole,
    };
    let is_array = cursor.eat(b'[')?;
    cursor.skip(usize::from(!is_array));
    cursor.skip_white()?;
    match cursor.peek()? {
        Some(b'"' | b'\'' | b'\\' | b'/' | b'>' | 0xc2..=0xf4) => Ok(()),
        Some(b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z') if !is_array => Ok(()),
        Some(b'{' | b'[' | b'0'..=b'9' | b'-' | b't' | b'f' | b'n' | b'T' | b'F' | b'N')
            if is_array =>
        {
            Ok(())
        }
        Some(_) | None => Err(Stop::No),
    }
}

/// A place in a spoken text. None is longer than 4 GiB.
pub(super) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
