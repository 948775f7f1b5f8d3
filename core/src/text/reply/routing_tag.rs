//! Routing tags.

use serde::{Deserialize, Serialize};

/// What an agent says about the routing of its own reply, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingTag {
    /// Exactly those whom it names are to hear it.
    To,
    /// It has nothing to add; nobody is to answer.
    Pass,
    /// Its part is done; nobody is to answer.
    Done,
    /// Nobody is to go on from here.
    Stop,
}
