//! Checkpoints of a store without a directory.

use std::collections::{BTreeMap, HashMap};

use folkmoot_core::ids::{Position, WorldId};

use super::{Place, Saved};

/// The checkpoints of each world, by position.
#[derive(Debug, Default)]
pub(crate) struct InMemory(HashMap<WorldId, BTreeMap<Position, Saved>>);

impl InMemory {
    pub(super) fn places(&self, world: WorldId) -> Vec<Place> {
        let all = self.0.get(&world).into_iter().flatten();
        all.map(|(at, saved)| (*at, saved.decider)).collect()
    }

    pub(super) fn keep(&mut self, world: WorldId, saved: Saved) {
        self.0.entry(world).or_default().insert(saved.at, saved);
    }

    pub(super) fn read(&self, world: WorldId, at: Position) -> Option<Saved> {
        self.0.get(&world)?.get(&at).cloned()
    }

    pub(super) fn drop_one(&mut self, world: WorldId, at: Position) {
        if let Some(all) = self.0.get_mut(&world) {
            all.remove(&at);
        }
    }

    pub(super) fn remove(&mut self, world: WorldId) {
        self.0.remove(&world);
    }
}
