//! What a check found.

use serde::Serialize;

use super::{CallStory, Told};

/// What can be said about something that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is what it says it is.
    Intact,
    /// It could not be checked.
    NotChecked,
    /// It is not.
    Damaged,
}

/// What is checked of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
    /// That each commit is in the tree of the head.
    Commits,
    /// That the head is signed.
    Signature,
    /// That what people were shown, and the arguments, are what their digests say.
    Digests,
    /// How a note that was kept elsewhere stands to the head.
    Against,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked.
    pub what: Checked,
    /// How it went.
    pub verdict: Verdict,
    /// Why, in plain words.
    pub why: Vec<String>,
}

/// All that was found out about a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The world, by its id.
    pub world: String,
    /// How many commits its log had.
    pub size: u64,
    /// Whether all of them are in the bundle.
    pub is_whole: bool,
    /// What was checked.
    pub checks: Vec<Check>,
    /// The events of the commits that are in the bundle and proven to be in the tree, in order.
    pub events: Vec<Told>,
    /// The tool calls among them, in order.
    pub calls: Vec<CallStory>,
}

impl Report {
    /// The worst of all verdicts: intact only if all that was asked for could be checked, and was found so.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.checks
            .iter()
            .map(|check| check.verdict)
            .max()
            .unwrap_or(Verdict::NotChecked)
    }

    /// Whether the event at `position` is among them.
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
