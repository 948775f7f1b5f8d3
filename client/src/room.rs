//! Rooms, in short.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A room that the caller may read, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Room {
    /// The name, which all other calls take.
    pub name: String,
    /// The title that people read; `None` if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Who opened it, by their proof; `None` if nobody is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The position of its last event.
    pub head: u64,
    /// The time of its last event, as RFC 3339.
    pub time: String,
    /// `idle`, `running`, or `parked` while all that is left waits for people.
    pub activity: String,
    /// The number of requests that wait for people.
    pub waiting: u64,
    /// The agents, in the order of the roster; empty in a list of rooms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

/// A page of the list of rooms.
#[derive(Debug, Deserialize)]
pub(crate) struct RoomPage {
    pub(crate) worlds: Vec<Room>,
    pub(crate) next: Option<String>,
}
