//! The white space around what was cut: no second blank, and no empty line, stays behind.

use std::collections::VecDeque;

use super::piece::Piece;
use crate::ids::letters::is_white;

/// The most white space that is held back, in characters.
const BLANKS_MAX: usize = 1024;

/// Takes a reply piece by piece and lets its characters through.
#[derive(Debug, Default)]
pub(super) struct Blanks {
    /// The white space since the last other character, before anything was cut.
    before: VecDeque<Piece>,
    /// The white space behind what was cut.
    behind: VecDeque<Piece>,
    is_cut: bool,
    /// True if anything was let through.
    has_begun: bool,
}

impl Blanks {
    pub(super) fn feed(&mut self, piece: Piece, out: &mut Vec<Piece>) {
        match piece.char() {
            None => {
                self.join();
                self.is_cut = true;
            }
            Some(c) if is_white(c) => {
                let side = if self.is_cut {
                    &mut self.behind
                } else {
                    &mut self.before
                };
                side.push_back(piece);
                self.limit(out);
            }
            Some(_) => {
                self.join();
                out.extend(self.before.drain(..));
                out.push(piece);
                self.has_begun = true;
            }
        }
    }

    pub(super) fn finish(&mut self, out: &mut Vec<Piece>) {
        if self.has_begun && !self.is_cut {
            out.extend(self.before.drain(..));
        }
    }

    /// Makes one of what stands before and behind a cut.
    fn join(&mut self) {
        if !std::mem::take(&mut self.is_cut) {
            return;
        }
        let mut behind = std::mem::take(&mut self.behind);
        let before = breaks(&self.before);
        let more = breaks(&behind);
        if !self.has_begun {
            // The text begins with what is left of the line.
            behind.drain(..last_line(&behind));
            self.before = if more > 0 { behind } else { VecDeque::new() };
        } else if before > 0 && more > 0 && before >= more {
            // It had lines of its own.
            self.before.truncate(last_line(&self.before));
            self.before.extend(behind.drain(last_line(&behind)..));
        } else if before < more || self.before.is_empty() {
            self.before = behind;
        }
    }

    /// Lets go of white space that is too long to be held.
    fn limit(&mut self, out: &mut Vec<Piece>) {
        if (self.before.len() + self.behind.len()) <= BLANKS_MAX {
            return;
        }
        self.join();
        while self.before.len() > BLANKS_MAX {
            let oldest = self.before.pop_front();
            if self.has_begun {
                out.extend(oldest);
            }
        }
    }
}

/// Returns where the last line of `blanks` begins.
fn last_line(blanks: &VecDeque<Piece>) -> usize {
    blanks
        .iter()
        .rposition(|piece| piece.char() == Some('\n'))
        .map_or(0, |at| at + 1)
}

fn breaks(blanks: &VecDeque<Piece>) -> usize {
    blanks
        .iter()
        .filter(|piece| piece.char() == Some('\n'))
        .count()
}
