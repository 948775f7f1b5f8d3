//! The barrier that makes writes survive power loss, and how much may be written between two of
//! them.

use std::fs::File;

use super::guard::{Handle, guarded};
use crate::engine::{EngineError, Pair, Table};
use crate::format::FRAME_MAX;

/// The most bytes of values between two barriers. With more, sled reuses segments of its file whose
/// successors have not reached the disk yet.
const VALUES_MAX: usize = 126_000;

/// The number of those bytes that a step of the background work takes: appends wait for it.
const STEP_MAX: usize = 64_000;

/// Charged for a value that goes elsewhere than the one before it: sled may rewrite the whole page
/// around it.
const ELSEWHERE: usize = 25_000;

/// Charged for a small value in a page of small values.
const SMALL: usize = 3_000;

/// The most values that go away between two barriers.
pub(super) const REMOVALS_MAX: usize = VALUES_MAX / FRAME_MAX;

/// The bytes of a world's id, with which the keys of runs begin.
const WORLD_LEN: usize = 16;

/// Brings what was written to the disk.
#[derive(Debug)]
pub(super) struct Barrier {
    /// With our own handle of sled's file. Opened once, right after sled opened: a later one could
    /// miss an earlier error.
    open: Option<(Handle, File)>,
    used: usize,
}

impl Barrier {
    pub(super) const fn new(db: Handle, file: File) -> Self {
        Self {
            open: Some((db, file)),
            used: 0,
        }
    }

    /// Makes room for `cost` bytes, with a barrier if need be.
    pub(super) fn reserve(&mut self, cost: usize) -> Result<(), EngineError> {
        if self.used > 0 && self.used.saturating_add(cost) > VALUES_MAX {
            self.sync()?;
        }
        self.used = self.used.saturating_add(cost);
        Ok(())
    }

    /// Returns when everything written so far survives power loss.
    pub(super) fn sync(&mut self) -> Result<(), EngineError> {
        let (db, file) = self.open.as_ref().ok_or_else(super::closed)?;
        let db = db.db()?;
        // sled's flush writes to the file and syncs no device; the barrier is ours (decision 0001).
        guarded(|| db.flush())?;
        file.sync_data().map_err(super::from_io)?;
        self.used = 0;
        Ok(())
    }

    /// Lets the database go. Nothing can be written any more.
    pub(super) fn release(&mut self) {
        self.open = None;
    }
}

/// Cuts `pairs` into steps of background work, each with the costs of its pairs.
pub(super) fn steps(table: Table, pairs: &[Pair]) -> Vec<Vec<(usize, &Pair)>> {
    let mut steps: Vec<Vec<(usize, &Pair)>> = Vec::new();
    let mut used = usize::MAX;
    let mut before = None;
    for pair in pairs {
        let cost = cost(table, pair, before);
        before = Some(pair);
        if used.saturating_add(cost) > STEP_MAX {
            (used, _) = (0, steps.push(Vec::new()));
        }
        used = used.saturating_add(cost);
        if let Some(step) = steps.last_mut() {
            step.push((cost, pair));
        }
    }
    steps
}

fn cost(table: Table, (key, value): &Pair, before: Option<&Pair>) -> usize {
    match table {
        Table::Runs
            if before.is_some_and(|(other, _)| other.get(..WORLD_LEN) == key.get(..WORLD_LEN)) =>
        {
            value.len()
        }
        Table::Runs => value.len() + ELSEWHERE,
        Table::Meta
        | Table::Worlds
        | Table::Keys
        | Table::Gone
        | Table::Deleted
        | Table::Content => value.len() + SMALL,
    }
}

#[cfg(test)]
mod tests;
