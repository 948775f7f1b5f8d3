//! What came of a story.

use std::collections::BTreeMap;
use std::time::Duration;

use folkmoot::core::ids::Digest;
use serde::Serialize;

use crate::law::Violation;

/// What came of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lived {
    /// The digest of all logs, as they were at the end: the same story gives the same.
    pub digest: Digest,
    /// How much time passed on the simulated machine.
    pub time: Duration,
    /// What happened, in numbers.
    pub counts: StoryCounts,
    /// Whether every law held, or the first that did not.
    pub result: Result<(), Violation>,
}

/// What happened, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StoryCounts {
    /// Commits that were acknowledged.
    pub commits: u64,
    /// The events in them.
    pub events: u64,
    /// Processes that were started, but for the first.
    pub restarts: u64,
    /// Effects of tools.
    pub effects: u64,
    /// What people did and the rooms took up.
    pub accepted: u64,
    /// What people did and the rooms refused.
    pub refused: u64,
    /// The faults that hit, by their names.
    pub faults: BTreeMap<String, u64>,
}

impl StoryCounts {
    /// A fault hit.
    pub(crate) fn hit(&mut self, fault: &str) {
        let count = self.faults.entry(fault.to_owned()).or_default();
        *count += 1;
    }

    /// Adds those of another story.
    pub fn add(&mut self, other: &Self) {
        self.commits += other.commits;
        self.events += other.events;
        self.restarts += other.restarts;
        self.effects += other.effects;
        self.accepted += other.accepted;
        self.refused += other.refused;
        for (fault, count) in &other.faults {
            let sum = self.faults.entry(fault.clone()).or_default();
            *sum += *count;
        }
    }
}
