//! Waiting for agents that were addressed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::ids::principal::Person;
use crate::ids::{AgentName, EpisodeId, Position, Time};

/// An agent addressed others and is not woken before they are done with what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joining {
    /// The position of its words.
    pub message: Position,
    /// The episode that belongs to.
    pub episode: EpisodeId,
    /// The agents that are not done with it. Empty if all are, and the agent is still to be told
    /// what became of them.
    pub of: BTreeSet<AgentName>,
    /// The fates of those who are done with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ended: BTreeMap<AgentName, JoinEnd>,
    /// True if the agent is told of those who gave it no answer. Older rules left it waiting for
    /// ever if nobody did.
    #[serde(default)]
    pub tells: bool,
    /// The people who led to what it said.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub began_by: BTreeSet<Person>,
    /// The time at which the waiting ends, whoever is done.
    pub until: Time,
}

/// The fate of an agent for whom another one waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinEnd {
    /// The agent answered the one that waits.
    Answered,
    /// The agent answered, and not the one that waits.
    Elsewhere,
    /// The agent had nothing to say.
    Passed,
    /// The agent failed.
    Failed,
    /// The agent may ask no model any more.
    Limit,
    /// The agent was stopped.
    Stopped,
    /// The agent handed the episode over.
    HandedOff,
}

impl Joining {
    /// Tells whether nobody is waited for any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.of.is_empty()
    }

    /// Tells whether some of those who are done gave no answer, and the agent is to be told so.
    #[must_use]
    pub fn has_silent(&self) -> bool {
        self.tells && self.ended.values().any(|end| *end != JoinEnd::Answered)
    }
}
