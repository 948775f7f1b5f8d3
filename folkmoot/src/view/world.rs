//! Worlds as a store lists them.

use folkmoot_agents::{FoldError, fold_world};
use folkmoot_core::ids::{Position, Time, WorldId, WorldName};
use folkmoot_core::port::{EventLog, Labels, ReadError, WorldEntry};
use folkmoot_core::world::{Activity, Meter, World};
use folkmoot_store::Store;
use serde::{Deserialize, Serialize};

use super::ViewError;

/// The number of worlds that are listed at a time.
pub(super) const PAGE: usize = 256;

/// A world, or a world at a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldAt {
    /// The world.
    pub world: WorldName,
    /// The position; its head if `None`.
    pub at: Option<Position>,
}

/// A world of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldView {
    /// The world's name.
    pub name: WorldName,
    /// The world's id.
    pub id: WorldId,
    /// The number of its events.
    pub events: Position,
    /// The number of its agents.
    pub agents: usize,
    /// The number of requests that wait for people.
    pub pending: usize,
    /// The usage of models, and its cost.
    pub usage: Meter,
    /// The state of work: running, waiting for people, or idle.
    pub activity: Activity,
    /// The time of its last commit, in milliseconds since 1970; a simulated world's own time.
    pub last: Time,
    /// The owner; `None` if it belongs to nobody.
    pub owner: Option<String>,
    /// The labels; empty if it has none.
    pub labels: Labels,
}

impl WorldView {
    /// The world of `entry`, folded to its head.
    #[must_use]
    pub fn of(entry: &WorldEntry, world: &World) -> Self {
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

/// The worlds of a store, and those of which it can say no more.
#[derive(Debug, Default)]
pub struct WorldList {
    /// The worlds that have all of the labels asked for, by name.
    pub worlds: Vec<WorldView>,
    /// The damage of the others.
    pub damaged: Vec<ViewError>,
}

/// Reads all worlds of a store that have all of these labels.
///
/// # Errors
/// [`ViewError::Fold`] where a log does not read for another reason than damage.
pub async fn worlds(store: &Store, labels: &Labels) -> Result<WorldList, ViewError> {
    let mut list = WorldList::default();
    let mut after: Option<WorldName> = None;
    loop {
        let page = store.worlds(labels, after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.name.clone());
        for entry in &page {
            match fold_world(store, &entry.name, None).await {
                Ok(world) => list.worlds.push(WorldView::of(entry, &world)),
                Err(FoldError::Read(source @ ReadError::Damaged { .. })) => {
                    let world = entry.name.clone();
                    list.damaged.push(ViewError::Damaged { world, source });
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    list.damaged.extend(lost(store));
    Ok(list)
}

/// The worlds of which a damaged store has nothing but the knowledge that they were there.
fn lost(store: &Store) -> Vec<ViewError> {
    let Some(survey) = store.survey() else {
        return Vec::new();
    };
    if survey.worlds.is_empty() {
        return vec![ViewError::NoWorlds];
    }
    let worlds = survey.worlds.iter();
    worlds
        .filter(|world| world.kept == Position::ZERO)
        .map(|world| {
            let name = world.name.as_ref();
            ViewError::Lost(name.map_or_else(|| world.world.to_string(), ToString::to_string))
        })
        .collect()
}

/// Reads the names of all worlds, in order.
///
/// # Errors
/// [`ViewError::Fold`].
pub async fn names(log: &dyn EventLog) -> Result<Vec<WorldName>, ViewError> {
    let mut all: Vec<WorldName> = Vec::new();
    loop {
        let page = log.worlds(&Labels::new(), all.last(), PAGE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page.into_iter().map(|entry| entry.name));
    }
}

/// Finds the world called `world`.
///
/// # Errors
/// [`ViewError::Fold`] if there is none.
pub async fn entry(log: &dyn EventLog, world: &WorldName) -> Result<WorldEntry, ViewError> {
    let entry = log.find(world).await?;
    Ok(entry.ok_or_else(|| FoldError::NoSuchWorld(world.clone()))?)
}
