//! Routing tags.

use serde::{Deserialize, Serialize};

/// An agent's word about the routing of its own reply, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingTag {
    /// Exactly those whom it names are to hear it.
    To,
    /// The agent has nothing to add; nobody is to answer.
    Pass,
    /// The agent's part is done; nobody is to answer.
    Done,
    /// The talk ends: nobody is to go on from here.
    Stop,
}
