//! Where values were tried that are no calls, so that none is read twice.
//!
//! A value that breaks breaks with all that is open in it. Only what it had in texts and comments
//! can be read in another way, from brackets that it did not see.

use std::collections::BTreeSet;

use super::value::{LEVELS_MAX, Value};

/// How many times each byte may be read on average: far more often than any text needs that is not
/// made for it.
const READS_MAX: usize = 8;

/// How many bytes may be read in any case.
const READS_MIN: usize = 4 * 1024;

/// How long a value may be that is read beyond that.
const SHORT: usize = 512;

/// The places of a text at which values were tried.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// Brackets of values without calls, by how many times those were written into texts.
    brackets: [BTreeSet<usize>; LEVELS_MAX + 1],
    /// How many bytes were read in vain.
    spent: usize,
    /// How far.
    furthest: usize,
}

impl Tried {
    /// Tells whether a value that begins at `place` was read in vain.
    pub(super) fn has(&self, level: usize, place: usize) -> bool {
        self.brackets
            .get(level)
            .is_some_and(|brackets| brackets.contains(&place))
    }

    /// Takes note of a value at `place` that was read in vain.
    pub(super) fn note(&mut self, level: usize, place: usize, value: &Value) {
        self.spent += value.work();
        self.furthest = self.furthest.max(place + value.len());
        if let Some(brackets) = self.brackets.get_mut(level) {
            while brackets.first().is_some_and(|first| *first < place) {
                brackets.pop_first();
            }
            brackets.extend(
                value
                    .brackets()
                    .iter()
                    .map(|at| place + *at)
                    .filter(|at| *at > place),
            );
        }
    }

    /// Takes note that the end of a value that breaks at `place` was looked for within so many
    /// bytes.
    pub(super) fn note_skimmed(&mut self, place: usize, bytes: usize) {
        self.spent += bytes;
        self.furthest = self.furthest.max(place);
    }

    /// Returns how many bytes of the next value may be read, `max` in ordinary texts.
    pub(super) fn limit(&self, max: usize) -> usize {
        let allowed = READS_MIN + self.furthest.saturating_mul(READS_MAX);
        if self.spent > allowed {
            SHORT.min(max)
        } else {
            max
        }
    }
}
