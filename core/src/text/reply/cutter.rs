//! Finalising a reply while it is spoken.

use super::FinalReply;
use super::blanks::Blanks;
use super::own_mention::Own;
use super::piece::Piece;
use super::tags::Tags;
use crate::ids::AgentName;
use crate::text::UserText;
use crate::text::firewall::{Firewall, Known, SpokenSpan, Withheld};
use crate::text::mentions::Roster;

/// Finalises a reply that comes in pieces. It holds back only what may still be cut, at most some
/// kilobytes, and a JSON value or a call to its end.
///
/// Whatever the pieces are, all that it gives, one after the other, is the text that
/// [`whole`](Self::whole) gives for all of them at once.
#[derive(Debug)]
pub struct ReplyCutter {
    /// The bytes that were spoken.
    spoken: u32,
    /// The byte ranges that were kept.
    kept: Vec<(u32, u32)>,
    firewall: Firewall,
    /// The artifacts that were found.
    withheld: Vec<Withheld>,
    tags: Tags,
    own: Own,
    blanks: Blanks,
}

impl ReplyCutter {
    /// A cutter before the first word of `agent`, who speaks among those of `roster` in a room with
    /// the tools of `known`.
    #[must_use]
    pub fn new(agent: AgentName, roster: Roster, known: Known) -> Self {
        let firewall = Firewall::new(known);
        let tags = Tags::default();
        let own = Own::new(agent, roster);
        let blanks = Blanks::default();
        Self {
            spoken: 0,
            kept: Vec::new(),
            firewall,
            withheld: Vec::new(),
            tags,
            own,
            blanks,
        }
    }

    /// Takes more of the reply, and gives what of it will stay for certain.
    pub fn push(&mut self, delta: &str) -> UserText {
        let mut untagged = Vec::new();
        let Self {
            firewall,
            tags,
            withheld,
            ..
        } = self;
        firewall.push(delta, &mut |span| sift(span, tags, withheld, &mut untagged));
        self.spoken = self
            .spoken
            .saturating_add(u32::try_from(delta.len()).unwrap_or(u32::MAX));
        self.pass(untagged, false)
    }

    /// Finalises a reply of which nothing was pushed yet.
    #[must_use]
    pub fn whole(mut self, spoken: &str) -> FinalReply {
        let text = self.push(spoken);
        self.end(text)
    }

    /// Gives what is left: the reply is whole.
    #[must_use]
    pub fn finish(self) -> UserText {
        self.end(UserText::default()).text
    }

    /// The whole reply, of which `text` was given already.
    fn end(mut self, mut text: UserText) -> FinalReply {
        let mut untagged = Vec::new();
        let Self {
            firewall,
            tags,
            withheld,
            ..
        } = &mut self;
        firewall.finish(&mut |span| sift(span, tags, withheld, &mut untagged));
        self.tags.finish(&mut untagged);
        text.push(&self.pass(untagged, true));
        let (tag, to, warnings) = self.tags.found.verdict();
        FinalReply {
            text,
            cut: between(&self.kept, self.spoken),
            withheld: self.withheld,
            tag,
            to,
            warnings,
        }
    }

    /// Takes pieces without tags through the other stages.
    fn pass(&mut self, untagged: Vec<Piece>, is_end: bool) -> UserText {
        let mut addressed = Vec::new();
        let mut whole = Vec::new();
        untagged
            .into_iter()
            .for_each(|piece| self.own.feed(piece, &mut addressed));
        if is_end {
            self.own.finish(&mut addressed);
        }
        addressed
            .into_iter()
            .for_each(|piece| self.blanks.feed(piece, &mut whole));
        if is_end {
            self.blanks.finish(&mut whole);
        }
        UserText::new(
            whole
                .into_iter()
                .filter_map(|piece| self.note(piece))
                .collect(),
        )
    }

    fn note(&mut self, piece: Piece) -> Option<char> {
        let Piece::Char { at, c } = piece else {
            return None;
        };
        let end = at.saturating_add(len(c));
        match self.kept.last_mut() {
            Some((_, last)) if *last == at => *last = end,
            Some(_) | None => self.kept.push((at, end)),
        }
        Some(c)
    }
}

/// Takes what the firewall gives to the tags.
fn sift(span: SpokenSpan<'_>, tags: &mut Tags, withheld: &mut Vec<Withheld>, out: &mut Vec<Piece>) {
    match span {
        SpokenSpan::Pass { from, text } => {
            let mut at = from;
            for c in text.chars() {
                tags.feed(at, c, out);
                at = at.saturating_add(len(c));
            }
        }
        SpokenSpan::Withheld(artifact) => {
            withheld.push(artifact);
            tags.cut_here(out);
        }
    }
}

fn len(c: char) -> u32 {
    u32::try_from(c.len_utf8()).unwrap_or(u32::MAX)
}

/// The ranges of `0..end` that are between those of `kept`.
fn between(kept: &[(u32, u32)], end: u32) -> Vec<(u32, u32)> {
    let starts = std::iter::once(0).chain(kept.iter().map(|(_, end)| *end));
    let ends = kept
        .iter()
        .map(|(start, _)| *start)
        .chain(std::iter::once(end));
    starts
        .zip(ends)
        .filter(|(start, end)| start < end)
        .collect()
}
