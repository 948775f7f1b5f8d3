//! The story of each tool call: who asked, what people were shown, who approved, what ran, what
//! came of it.

use std::sync::Arc;

use serde::Serialize;

use super::event::ReportedEvent;
use super::report::Check;

mod digests;
mod facts;
mod gather;

/// A tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CallStory {
    /// The call's id.
    pub call: String,
    /// The agent that asked for it.
    pub agent: String,
    /// The tool.
    pub tool: Option<String>,
    /// The events about it that are in the bundle.
    pub events: Vec<u64>,
    /// True if a given key has signed a head that covers all of those events.
    pub is_signed: bool,
    /// The place where it was asked for; `None` if the bundle does not have it.
    pub requested: Option<Requested>,
    /// The request that people were shown, if they were asked.
    pub shown: Option<ShownRequest>,
    /// The decisions of people, grants and time, in order.
    pub approvals: Vec<StoryEntry>,
    /// The arguments, byte for byte, if the bundle has them. Of many long ones only the first are
    /// told.
    pub arguments: Option<String>,
    /// True if the arguments have the recorded digest. `None` if the arguments or the digest are
    /// not there.
    pub arguments_are_recorded: Option<bool>,
    /// Each time that it ran.
    pub runs: Vec<CallRun>,
    /// The outcomes, in order.
    pub outcomes: Vec<StoryEntry>,
}

/// The place where a call was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Requested {
    /// The `CallsAdmitted`.
    pub at: u64,
    /// The time of that event.
    pub time: String,
    /// The turn.
    pub turn: u64,
    /// The first messages that the turn took up, and who said them; empty if the bundle does not
    /// have the turn.
    pub taken_up: Arc<[String]>,
    /// The answer that asks.
    pub answer: u64,
    /// The call that it takes the place of.
    pub replaces: Option<String>,
}

/// A request as people were shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownRequest {
    /// The `ApprovalRequested`.
    pub at: u64,
    /// The time of that event.
    pub time: String,
    /// The recorded digest of the text.
    pub digest: String,
    /// The text, made again of what the bundle has; `None` if it does not have the arguments.
    pub text: Option<String>,
    /// True if that text has the recorded digest; `None` if there is no text.
    pub is_recorded: Option<bool>,
    /// The time at which the request expires.
    pub expires: String,
}

/// Something that was decided about a call, or came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoryEntry {
    /// The event.
    pub at: u64,
    /// The time of that event.
    pub time: String,
    /// The decision or outcome in words, and whose it is.
    pub what: String,
}

/// A run of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRun {
    /// The `ToolStarted`.
    pub at: u64,
    /// The time of that event.
    pub time: String,
    /// The number of the attempt, from 1.
    pub attempt: u64,
    /// The tool's effect class.
    pub effect: String,
    /// In which opening of the world it ran.
    pub incarnation: u64,
}

/// The calls of all events, and whether what people were shown and the arguments have the recorded
/// digests.
pub(super) fn of(events: &[ReportedEvent]) -> (Vec<CallStory>, Option<Check>) {
    let mut stories = gather::Stories::new(events);
    events.iter().for_each(|event| stories.take(event));
    let calls = stories.end();
    let check = digests::check(&calls);
    (calls, check)
}
