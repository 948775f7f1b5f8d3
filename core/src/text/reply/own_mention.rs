//! Cutting an agent's own mention out of the runs of mentions at the starts of lines.

use super::piece::Piece;
use crate::ids::AgentName;
use crate::ids::letters::{is_blank, is_break, is_comma, is_unwrap};
use crate::text::mentions::lines::{Fences, Lead};
use crate::text::mentions::roster::is_apostrophe;
use crate::text::mentions::run::{Gap, Link, link};
use crate::text::mentions::{Addressee, Heard, Roster};

/// Takes a reply piece by piece and lets through all but the agent's own mentions.
#[derive(Debug)]
pub(super) struct Own {
    agent: AgentName,
    roster: Roster,
    fences: Fences,
    phase: LinePhase,
    /// The pieces between the last mention that stays and the one that is read.
    gap: Vec<Piece>,
    /// Emphasis and brackets that begin with the mention that is read, or with the one that may
    /// come.
    wraps: Vec<Piece>,
    /// The state of the line before these.
    unwrapped: Lead,
    /// The mention that is read, and what came behind it.
    held: Vec<Piece>,
    /// The same as text.
    text: String,
}

/// The progress in a line.
#[derive(Debug, Clone, Copy)]
enum LinePhase {
    /// Before its mentions.
    Before(Lead),
    /// In its mentions, which began behind `lead`.
    Mentions { lead: Lead, has_kept: bool },
    /// Behind an own mention that stood alone: what separates it from the rest goes with it.
    Separator { lead: Lead, may_be_colon: bool },
    /// Behind its mentions.
    Behind,
}

impl Own {
    pub(super) fn new(agent: AgentName, roster: Roster) -> Self {
        let phase = LinePhase::Before(Lead::START);
        Self {
            agent,
            roster,
            fences: Fences::default(),
            phase,
            gap: Vec::new(),
            wraps: Vec::new(),
            unwrapped: Lead::START,
            held: Vec::new(),
            text: String::new(),
        }
    }

    pub(super) fn feed(&mut self, piece: Piece, out: &mut Vec<Piece>) {
        let Some(c) = piece.char() else {
            if self.is_reading() {
                self.held.push(piece)
            } else if self.wraps.is_empty() {
                out.push(piece)
            } else {
                self.wraps.push(piece)
            }
            return;
        };
        if is_break(c) {
            self.read(true, out);
            self.keep_wraps(out);
            self.keep(piece, out);
            self.phase = if self.fences.is_open() {
                LinePhase::Behind
            } else {
                LinePhase::Before(Lead::START)
            };
            return;
        }
        match self.phase {
            LinePhase::Before(lead) => self.go_on(lead, piece, c, out),
            LinePhase::Mentions { .. } => {
                self.hold(piece, c);
                self.read(false, out);
            }
            LinePhase::Separator { lead, may_be_colon }
                if is_blank(c) || is_comma(c) || (may_be_colon && c == ':') =>
            {
                self.phase = LinePhase::Separator {
                    lead,
                    may_be_colon: may_be_colon && c != ':',
                };
            }
            LinePhase::Separator { lead, .. } => self.go_on(lead, piece, c, out),
            LinePhase::Behind => self.keep(piece, out),
        }
    }

    pub(super) fn finish(&mut self, out: &mut Vec<Piece>) {
        self.read(true, out);
        self.keep_wraps(out);
    }

    const fn is_reading(&self) -> bool {
        matches!(self.phase, LinePhase::Mentions { .. })
    }

    fn go_on(&mut self, lead: Lead, piece: Piece, c: char, out: &mut Vec<Piece>) {
        let next = lead.then(c);
        if let Lead::Mentions = next {
            self.phase = LinePhase::Mentions {
                lead,
                has_kept: false,
            };
            self.hold(piece, c);
        } else if next.is_wrap() {
            if self.wraps.is_empty() {
                self.unwrapped = lead;
            }
            self.phase = LinePhase::Before(next);
            self.wraps.push(piece);
        } else {
            self.phase = if let Lead::Prose = next {
                LinePhase::Behind
            } else {
                LinePhase::Before(next)
            };
            self.keep_wraps(out);
            self.keep(piece, out);
        }
    }

    fn hold(&mut self, piece: Piece, c: char) {
        self.held.push(piece);
        self.text.push(c);
    }

    fn keep(&mut self, piece: Piece, out: &mut Vec<Piece>) {
        if let Some(c) = piece.char() {
            self.fences.feed(c);
        }
        out.push(piece);
    }

    fn keep_all(&mut self, pieces: Vec<Piece>, out: &mut Vec<Piece>) {
        pieces.into_iter().for_each(|piece| self.keep(piece, out));
    }

    /// Reads as many mentions as can be told, all of them if the line is over.
    fn read(&mut self, is_whole: bool, out: &mut Vec<Piece>) {
        while let LinePhase::Mentions { lead, has_kept } = self.phase {
            let Ok(Link { who, len, gap }) = link(
                Heard {
                    text: &self.text,
                    is_whole,
                },
                &self.roster,
            ) else {
                return;
            };
            let is_own = matches!(&who, Addressee::Agent(agent) if *agent == self.agent);
            let mention = self.take(len);
            match (is_own, gap) {
                (false, Some(gap)) => {
                    self.keep_gap(out);
                    self.keep_all(mention, out);
                    let closing = self.take(gap.closing);
                    self.keep_all(closing, out);
                    self.gap = self.take(gap.between);
                    self.wraps = self.take(gap.opening);
                    self.phase = LinePhase::Mentions {
                        lead,
                        has_kept: true,
                    };
                }
                (true, Some(gap)) => self.cut(gap, lead, has_kept),
                (false, None) => {
                    self.keep_gap(out);
                    self.keep_all(mention, out);
                    self.leave(LinePhase::Behind, out);
                }
                (true, None) => self.cut_last(mention, lead, has_kept, out),
            }
        }
    }

    /// Cuts an own mention with what separates it from the next one: what ends with it is no text
    /// by itself, even if nothing began with it.
    fn cut(&mut self, gap: Gap, lead: Lead, has_kept: bool) {
        let is_wrapped = !self.wraps.is_empty();
        let lead = self.unwrap(gap.closing, lead);
        let closing = if is_wrapped { 0 } else { gap.closing };
        drop(self.take(closing + gap.between));
        self.gap.push(Piece::Cut);
        let opening = self.take(gap.opening);
        if self.wraps.is_empty() {
            self.unwrapped = lead;
        }
        self.wraps.extend(opening);
        self.phase = LinePhase::Mentions { lead, has_kept };
    }

    /// Takes off the emphasis and the brackets around an own mention: those before it only if some
    /// end with it. Gives how far the line is read then.
    fn unwrap(&mut self, closing: usize, lead: Lead) -> Lead {
        if closing == 0 || self.wraps.is_empty() {
            return lead;
        }
        drop(self.take(closing));
        self.wraps.clear();
        self.unwrapped
    }

    /// Cuts an own mention that ends its run: with what separates it from the others; or, alone,
    /// with what separates it from the rest of the line. Of `@bob's` only the `@` goes.
    fn cut_last(&mut self, mention: Vec<Piece>, lead: Lead, has_kept: bool, out: &mut Vec<Piece>) {
        let is_possessive = self.text.starts_with(is_apostrophe)
            && self
                .text
                .chars()
                .nth(1)
                .is_some_and(|c| matches!(c, 's' | 'S'));
        if is_possessive {
            self.keep_gap(out);
            out.push(Piece::Cut);
            self.keep_all(mention.into_iter().skip(1).collect(), out);
            self.leave(LinePhase::Behind, out);
            return;
        }
        let closing = self.text.find(|c| !is_unwrap(c)).unwrap_or(self.text.len());
        let lead = self.unwrap(closing, lead);
        self.gap.clear();
        self.keep_wraps(out);
        out.push(Piece::Cut);
        let behind = LinePhase::Separator {
            lead,
            may_be_colon: true,
        };
        self.leave(if has_kept { LinePhase::Behind } else { behind }, out);
    }

    /// Ends the run. What is held behind it is read in the new phase.
    fn leave(&mut self, phase: LinePhase, out: &mut Vec<Piece>) {
        self.phase = phase;
        self.text.clear();
        for piece in std::mem::take(&mut self.held) {
            self.feed(piece, out);
        }
    }

    fn keep_gap(&mut self, out: &mut Vec<Piece>) {
        let gap = std::mem::take(&mut self.gap);
        self.keep_all(gap, out);
        self.keep_wraps(out);
    }

    fn keep_wraps(&mut self, out: &mut Vec<Piece>) {
        let wraps = std::mem::take(&mut self.wraps);
        self.keep_all(wraps, out);
    }

    /// Takes the first `len` bytes of what is held.
    fn take(&mut self, len: usize) -> Vec<Piece> {
        let mut bytes = 0_usize;
        let mut count = 0_usize;
        for piece in &self.held {
            if bytes >= len {
                break;
            }
            bytes += piece.char().map_or(0, char::len_utf8);
            count += 1;
        }
        self.text.drain(..bytes.min(self.text.len()));
        self.held.drain(..count).collect()
    }
}
