//! What goes with an artifact because it held nothing else: the lines of a fence, the marks of a
//! span of code, the quotes around a value that was written as a text.

use super::SpokenSpan;
use super::find::first_of;
use crate::text::firewall::{ArtifactFamily, Withheld};

/// The most bytes that are held around artifacts: a fence with what it says of its language, and
/// white space.
const HELD_MAX: usize = 256;

/// The fewest marks of a fence.
const FENCE_MIN: usize = 3;

/// An artifact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapped {
    pub(super) withheld: Withheld,
    /// True if it was written as a text, so that quotes around it go with it.
    pub(super) is_encoded: bool,
}

/// Takes spans in order, and lets them through.
#[derive(Debug)]
pub(super) struct Wrap {
    /// The fence that is open in what people read: its mark, and how many of them.
    fence: Option<(u8, usize)>,
    /// True if the line holds only what may stand before a fence.
    is_lead: bool,
    state: WrapState,
    held: Vec<Held>,
    /// The bytes of text that are held.
    len: usize,
    has_artifact: bool,
}

#[derive(Debug)]
enum Held {
    Text { from: u32, text: String },
    Artifact(Withheld),
}

/// The state by what was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WrapState {
    /// The state with nothing held.
    Idle,
    /// The same behind the marks of a fence that closes if the line holds nothing else.
    ClosingLine,
    /// A run of marks.
    Marks { mark: u8, count: usize },
    /// A fence, and what it says of its language.
    Language,
    /// A fence with white space and artifacts.
    Body,
    /// The marks that may close the fence.
    Closing { count: usize },
    /// The fence, closed if the line holds nothing else.
    Closed,
    /// The marks of a span of code, and its artifacts.
    Span { mark: u8, count: usize },
    /// The marks that may close the span.
    SpanEnd { mark: u8, count: usize, seen: usize },
    /// A quote, and its artifact.
    Quote,
}

/// The fate of what is held.
enum Next {
    /// The character is held as well.
    Hold(WrapState),
    /// It completes what is withheld.
    Take,
    /// It passes; nothing is held.
    Give,
    /// What is held passes.
    LetGo,
    /// A run of marks is over.
    EndMarks { mark: u8, count: usize },
    /// What is held passes, and no fence is open.
    NoFence,
    /// The fence is closed.
    Close,
    /// What is held is withheld.
    WithholdAll,
}

impl Default for Wrap {
    fn default() -> Self {
        Self {
            fence: None,
            is_lead: true,
            state: WrapState::Idle,
            held: Vec::new(),
            len: 0,
            has_artifact: false,
        }
    }
}

impl Wrap {
    /// Takes text that passes.
    pub(super) fn pass(&mut self, from: u32, text: &str, out: &mut impl FnMut(SpokenSpan<'_>)) {
        let mut from = from;
        let mut rest = text;
        while !rest.is_empty() {
            let len = match self.state {
                WrapState::Idle => self.idle(from, rest, out),
                WrapState::ClosingLine
                | WrapState::Marks { .. }
                | WrapState::Language
                | WrapState::Body
                | WrapState::Closing { .. }
                | WrapState::Closed
                | WrapState::Span { .. }
                | WrapState::SpanEnd { .. }
                | WrapState::Quote => self.step(from, rest, out),
            };
            from = from.saturating_add(super::stream::place(len));
            rest = rest.get(len..).unwrap_or_default();
        }
    }

    /// Takes an artifact.
    pub(super) fn withhold(&mut self, artifact: Wrapped, out: &mut impl FnMut(SpokenSpan<'_>)) {
        if let WrapState::Marks { mark, count } = self.state {
            self.end_marks(mark, count, out);
        }
        match self.state {
            WrapState::Language | WrapState::Body => self.state = WrapState::Body,
            WrapState::Quote if artifact.is_encoded && !self.has_artifact => {}
            WrapState::Span { .. } => {}
            WrapState::SpanEnd { count, seen, .. } if count == seen => self.withhold_all(out),
            WrapState::Idle | WrapState::ClosingLine => {}
            WrapState::Marks { .. }
            | WrapState::Closing { .. }
            | WrapState::Closed
            | WrapState::SpanEnd { .. }
            | WrapState::Quote => {
                self.let_go(out);
            }
        }
        if matches!(self.state, WrapState::Idle | WrapState::ClosingLine) {
            out(SpokenSpan::Withheld(artifact.withheld));
        } else {
            self.held.push(Held::Artifact(artifact.withheld));
            self.has_artifact = true;
        }
    }

    pub(super) fn finish(&mut self, out: &mut impl FnMut(SpokenSpan<'_>)) {
        match self.state {
            WrapState::Closed => self.close(out),
            WrapState::Closing { count } if self.fence.is_some_and(|(_, least)| count >= least) => {
                self.close(out)
            }
            WrapState::SpanEnd { count, seen, .. } if count == seen => self.withhold_all(out),
            WrapState::Body | WrapState::Closing { .. } if self.has_artifact => {
                // The fence was cut by the end of the text.
                let last = self
                    .held
                    .iter()
                    .rposition(|held| matches!(held, Held::Artifact(_)));
                let behind = self
                    .held
                    .split_off(last.map_or(0, |last| last.saturating_add(1)));
                self.withhold_all(out);
                self.held = behind;
                self.let_go(out);
            }
            WrapState::Idle
            | WrapState::ClosingLine
            | WrapState::Marks { .. }
            | WrapState::Language
            | WrapState::Body
            | WrapState::Closing { .. }
            | WrapState::Span { .. }
            | WrapState::SpanEnd { .. }
            | WrapState::Quote => self.let_go(out),
        }
    }

    /// Lets text through up to the next mark, and takes that one. Gives how many bytes it took.
    fn idle(&mut self, from: u32, text: &str, out: &mut impl FnMut(SpokenSpan<'_>)) -> usize {
        let at = first_of(text.as_bytes(), [b'`', b'~']);
        let plain = at.unwrap_or_else(|| text.strip_suffix('"').map_or(text.len(), str::len));
        let (before, behind) = text.split_at(plain);
        self.give(from, before, out);
        let Some(mark) = behind.bytes().next() else {
            return plain;
        };
        self.hold(
            from.saturating_add(super::stream::place(plain)),
            behind.get(..1).unwrap_or_default(),
        );
        self.state = if mark == b'"' {
            WrapState::Quote
        } else {
            WrapState::Marks { mark, count: 1 }
        };
        plain.saturating_add(1)
    }

    /// Takes the next character while something is held. Gives how many bytes it took: none if it
    /// has to be looked at again.
    fn step(&mut self, from: u32, text: &str, out: &mut impl FnMut(SpokenSpan<'_>)) -> usize {
        let Some(c) = text.chars().next() else {
            return 0;
        };
        let taken = text.get(..c.len_utf8()).unwrap_or_default();
        match self.next(u8::try_from(c).unwrap_or(u8::MAX)) {
            Next::Hold(state) if self.len < HELD_MAX => {
                self.state = state;
                self.hold(from, taken);
                return taken.len();
            }
            Next::Take => {
                self.hold(from, taken);
                self.withhold_all(out);
                return taken.len();
            }
            Next::Give => {
                self.give(from, taken, out);
                return taken.len();
            }
            Next::Hold(_) | Next::LetGo => self.let_go(out),
            Next::EndMarks { mark, count } => self.end_marks(mark, count, out),
            Next::NoFence => {
                self.fence = None;
                self.let_go(out);
            }
            Next::Close => self.close(out),
            Next::WithholdAll => self.withhold_all(out),
        }
        0
    }

    /// Returns what becomes of what is held with `b` behind it.
    fn next(&self, b: u8) -> Next {
        let is_blank = matches!(b, b' ' | b'\t' | b'\r');
        let (fence_mark, least) = self.fence.unwrap_or_default();
        match self.state {
            WrapState::Marks { mark, count } if b == mark => Next::Hold(WrapState::Marks {
                mark,
                count: count.saturating_add(1),
            }),
            WrapState::Marks { mark, count } => Next::EndMarks { mark, count },
            WrapState::Language if b == b'\n' => Next::Hold(WrapState::Body),
            WrapState::Language if b == b'`' => Next::NoFence,
            WrapState::Language => Next::Hold(WrapState::Language),
            WrapState::Body if is_blank || matches!(b, b'\n' | b'>') => Next::Hold(WrapState::Body),
            WrapState::Body if b == fence_mark => Next::Hold(WrapState::Closing { count: 1 }),
            WrapState::Closing { count } if b == fence_mark => Next::Hold(WrapState::Closing {
                count: count.saturating_add(1),
            }),
            WrapState::Closing { count } if count >= least && is_blank => {
                Next::Hold(WrapState::Closed)
            }
            WrapState::Closed if is_blank => Next::Hold(WrapState::Closed),
            WrapState::Closing { count } if count >= least && b == b'\n' => Next::Close,
            WrapState::Closed if b == b'\n' => Next::Close,
            WrapState::Span { mark, count } if b == mark && self.has_artifact => {
                Next::Hold(WrapState::SpanEnd {
                    mark,
                    count,
                    seen: 1,
                })
            }
            WrapState::Span { mark, count } if is_blank => {
                Next::Hold(WrapState::Span { mark, count })
            }
            WrapState::SpanEnd { mark, count, seen } if b == mark => {
                Next::Hold(WrapState::SpanEnd {
                    mark,
                    count,
                    seen: seen.saturating_add(1),
                })
            }
            WrapState::SpanEnd { count, seen, .. } if seen == count => Next::WithholdAll,
            WrapState::Quote if b == b'"' && self.has_artifact => Next::Take,
            WrapState::ClosingLine if is_blank => Next::Give,
            WrapState::ClosingLine if b == b'\n' => Next::NoFence,
            WrapState::Idle
            | WrapState::ClosingLine
            | WrapState::Body
            | WrapState::Closing { .. }
            | WrapState::Closed
            | WrapState::Span { .. }
            | WrapState::SpanEnd { .. }
            | WrapState::Quote => Next::LetGo,
        }
    }

    /// A run of marks is over.
    fn end_marks(&mut self, mark: u8, count: usize, out: &mut impl FnMut(SpokenSpan<'_>)) {
        let is_fence = self.is_lead && count >= FENCE_MIN;
        match self.fence {
            None if is_fence => {
                self.fence = Some((mark, count));
                self.state = WrapState::Language;
            }
            None if mark == b'`' => self.state = WrapState::Span { mark, count },
            Some((open, least)) if is_fence && open == mark && count >= least => {
                self.let_go(out);
                self.state = WrapState::ClosingLine;
            }
            None | Some(_) => self.let_go(out),
        }
    }

    /// The fence is closed: it goes if it held artifacts alone.
    fn close(&mut self, out: &mut impl FnMut(SpokenSpan<'_>)) {
        self.fence = None;
        if self.has_artifact {
            self.withhold_all(out)
        } else {
            self.let_go(out)
        }
    }

    fn hold(&mut self, from: u32, text: &str) {
        self.len += text.len();
        match self.held.last_mut() {
            Some(Held::Text { text: held, .. }) => held.push_str(text),
            Some(Held::Artifact(_)) | None => self.held.push(Held::Text {
                from,
                text: text.to_owned(),
            }),
        }
    }

    /// Lets what is held through as it is.
    fn let_go(&mut self, out: &mut impl FnMut(SpokenSpan<'_>)) {
        let mut held = std::mem::take(&mut self.held);
        for held in held.drain(..) {
            match held {
                Held::Text { from, text } => self.give(from, &text, out),
                Held::Artifact(withheld) => out(SpokenSpan::Withheld(withheld)),
            }
        }
        // Its room is used again.
        self.held = held;
        self.rest();
    }

    /// Withholds all that is held, as one, but for the blanks at its end.
    fn withhold_all(&mut self, out: &mut impl FnMut(SpokenSpan<'_>)) {
        let blanks = self.held.last_mut().and_then(Held::split_blanks);
        let family = self.held.iter().find_map(Held::family);
        let first = self.held.first().map(Held::span);
        let last = self.held.last().map(Held::span);
        if let (Some((from, _)), Some((_, to)), Some(family)) = (first, last, family) {
            out(SpokenSpan::Withheld(Withheld { from, to, family }));
        }
        self.held = blanks.into_iter().collect();
        self.let_go(out);
    }

    fn rest(&mut self) {
        (self.state, self.len, self.has_artifact) = (WrapState::Idle, 0, false);
    }

    fn give(&mut self, from: u32, text: &str, out: &mut impl FnMut(SpokenSpan<'_>)) {
        let line = text.rsplit('\n').next().unwrap_or_default();
        let has_break = line.len() < text.len();
        let is_lead = |b: u8| {
            matches!(b, b' ' | b'\t' | b'>' | b'-' | b'*' | b'+' | b'.' | b')')
                || b.is_ascii_digit()
        };
        self.is_lead = (has_break || self.is_lead) && line.bytes().all(is_lead);
        if !text.is_empty() {
            out(SpokenSpan::Pass { from, text });
        }
    }
}

impl Held {
    fn family(&self) -> Option<ArtifactFamily> {
        match self {
            Self::Artifact(withheld) => Some(withheld.family),
            Self::Text { .. } => None,
        }
    }

    /// The blanks at its end, if it is text. They are taken from it.
    fn split_blanks(&mut self) -> Option<Self> {
        let Self::Text { from, text } = self else {
            return None;
        };
        let len = text.trim_ascii_end().len();
        let from = from.saturating_add(super::stream::place(len));
        Some(Self::Text {
            from,
            text: text.split_off(len),
        })
    }

    fn span(&self) -> (u32, u32) {
        match self {
            Self::Text { from, text } => {
                (*from, from.saturating_add(super::stream::place(text.len())))
            }
            Self::Artifact(withheld) => (withheld.from, withheld.to),
        }
    }
}
