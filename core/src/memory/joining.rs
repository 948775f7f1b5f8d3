//! Waiting for agents that were addressed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentName, EpisodeId, Position, Time};

/// An agent addressed others and is not woken before they are done with what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joining {
    /// What it said.
    pub message: Position,
    /// The episode that belongs to.
    pub episode: EpisodeId,
    /// Who is not done with it.
    pub of: BTreeSet<AgentName>,
    /// When the waiting ends, whoever is done.
    pub until: Time,
}
