//! The findings of a check.

use serde::Serialize;

use super::{CallStory, ReportedEvent};

/// The result of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BundleVerdict {
    /// Intact: the thing is as it says.
    Intact,
    /// Not checked, for want of a key, a signature or a proof.
    NotChecked,
    /// Damaged: the thing is not as it says.
    Damaged,
}

/// A property of a bundle that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
    /// Each commit is in the tree of the head.
    Commits,
    /// The head is signed.
    Signature,
    /// The texts that people were shown, and the arguments, are as their digests say.
    Digests,
    /// The log agrees with a note that was kept elsewhere.
    Against,
}

/// A check and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The property that was checked.
    pub what: Checked,
    /// The result.
    pub verdict: BundleVerdict,
    /// The reasons, in plain words.
    pub why: Vec<String>,
}

/// All findings about a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The world, by its id.
    pub world: String,
    /// The number of commits that its log had.
    pub size: u64,
    /// True if all of them are in the bundle.
    pub is_whole: bool,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The events of the commits that are in the bundle and proven to be in the tree, in order.
    pub events: Vec<ReportedEvent>,
    /// The tool calls among them, in order.
    pub calls: Vec<CallStory>,
}

impl Report {
    /// The worst of all verdicts: intact only if all that was asked for could be checked, and was
    /// found so.
    #[must_use]
    pub fn verdict(&self) -> BundleVerdict {
        self.checks
            .iter()
            .map(|check| check.verdict)
            // The order of the variants is the order of the verdicts: the worst is the last.
            .max()
            .unwrap_or(BundleVerdict::NotChecked)
    }

    /// Tells whether the event at `position` is in the bundle.
    #[must_use]
    pub fn holds(&self, position: u64) -> bool {
        self.events.iter().any(|event| event.position == position)
    }

    /// The calls that the event at `position` is about.
    pub fn calls_at(&self, position: u64) -> impl Iterator<Item = &CallStory> {
        self.calls
            .iter()
            .filter(move |call| call.events.contains(&position))
    }
}
