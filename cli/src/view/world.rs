//! Worlds as a store lists them.

use folkmoot::core::ids::{Position, Time, WorldId, WorldName};
use folkmoot::core::port::{Labels, WorldEntry};
use folkmoot::core::world::{Activity, Meter, World};
use serde::{Deserialize, Serialize};

/// A world of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorldView {
    /// The world's name.
    pub(crate) name: WorldName,
    /// The world's id.
    pub(crate) id: WorldId,
    /// The number of its events.
    pub(crate) events: Position,
    /// The number of its agents.
    pub(crate) agents: usize,
    /// The number of requests that wait for people.
    pub(crate) pending: usize,
    /// The usage of models, and its cost.
    pub(crate) usage: Meter,
    /// The state of work: running, waiting for people, or idle.
    pub(crate) activity: Activity,
    /// The time of its last commit, in milliseconds since 1970; a simulated world's own time.
    pub(crate) last: Time,
    /// The owner; `None` if it belongs to nobody.
    pub(crate) owner: Option<String>,
    /// The labels; empty if it has none.
    pub(crate) labels: Labels,
}

impl WorldView {
    pub(crate) fn of(entry: &WorldEntry, world: &World) -> Self {
        Self {
            name: entry.name.clone(),
            id: entry.world,
            events: entry.head,
            agents: world.rules().spec().agents.len(),
            pending: world.consent().pending().len(),
            usage: world.meters().total,
            activity: world.activity(),
            last: entry.time,
            owner: entry.owner.clone(),
            labels: entry.labels.clone(),
        }
    }
}
