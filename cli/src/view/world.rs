//! Worlds as a store lists them.

use folkmoot::core::ids::{Position, Time, WorldId, WorldName};
use folkmoot::core::port::{Labels, WorldEntry};
use folkmoot::core::world::{Activity, Meter, World};
use serde::{Deserialize, Serialize};

/// A world of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorldView {
    /// Its name.
    pub(crate) name: WorldName,
    /// Its id.
    pub(crate) id: WorldId,
    /// How many events it has.
    pub(crate) events: Position,
    /// How many agents.
    pub(crate) agents: usize,
    /// How many requests wait for people.
    pub(crate) pending: usize,
    /// What its models were asked, and what that cost.
    pub(crate) usage: Meter,
    /// Whether anything is owed, or waits.
    pub(crate) activity: Activity,
    /// The time of its last commit, in milliseconds since 1970; a simulated world's own time.
    pub(crate) last: Time,
    /// Whom it belongs to.
    pub(crate) owner: Option<String>,
    /// Its labels.
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
