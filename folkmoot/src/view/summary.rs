//! Worlds in short, as a list of them shows them.

use folkmoot_core::ids::{Position, Time, WorldId, WorldName};
use folkmoot_core::port::{Labels, WorldEntry};
use folkmoot_core::world::{Access, Activity, World};
use serde::Serialize;

/// The label that holds a world's title.
pub const TITLE: &str = "title";

/// A world in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorldSummary {
    /// The world's name.
    pub name: WorldName,
    /// The world's id.
    pub id: WorldId,
    /// The title that people gave it: its label `title`. `None` if it has none.
    pub title: Option<String>,
    /// The owner; `None` if it belongs to nobody.
    pub owner: Option<String>,
    /// The labels; empty if it has none.
    pub labels: Labels,
    /// The position of the last event that is counted here.
    pub head: Position,
    /// The time of that event, in milliseconds since 1970, by the world's own clock.
    pub time: Time,
    /// The time at which it was opened for writing last, by the same clock.
    pub opened_at: Time,
    /// The state of work: running, waiting for people, or idle.
    pub activity: Activity,
    /// The number of requests that wait for people.
    pub waiting: usize,
    /// Everybody's rights in it, so that whoever keeps the summary can tell who may read it. Not
    /// part of its serialised form.
    #[serde(skip)]
    pub access: Access,
}

impl WorldSummary {
    /// The world of `entry`, folded. All that the fold knows is as new as the fold is; the entry
    /// gives the name and the id alone.
    #[must_use]
    pub fn of(entry: &WorldEntry, world: &World) -> Self {
        let labelled = world.labelled();
        Self {
            name: entry.name.clone(),
            id: entry.world,
            title: labelled.labels.get(TITLE).cloned(),
            owner: labelled.owner.clone(),
            labels: labelled.labels.clone(),
            head: world.head(),
            time: world.time(),
            opened_at: world.opened_at(),
            activity: world.activity(),
            waiting: world.consent().pending().len(),
            access: world.access(),
        }
    }
}
