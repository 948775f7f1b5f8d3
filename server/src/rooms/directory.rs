//! The directory: worlds in short, and who may read them, for worlds that are not open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use folkmoot::core::ids::WorldId;
use folkmoot::core::port::WorldEntry;
use folkmoot::core::world::World;
use folkmoot::view::summary::WorldSummary;
use folkmoot::{Store, fold_world_from};

use crate::problem::Problem;

/// The most worlds that are known at a time. More are folded anew when they are asked for.
const KNOWN_MAX: usize = 100_000;

/// A memory of folds, by the head at which they were made: a log that did not grow says the same.
#[derive(Debug, Default)]
pub(super) struct Directory {
    known: Mutex<HashMap<WorldId, Arc<WorldSummary>>>,
}

impl Directory {
    /// The world of `entry` in short, at its head. Nothing is opened for it.
    pub(super) async fn summary(
        &self,
        store: &Store,
        entry: &WorldEntry,
    ) -> Result<Arc<WorldSummary>, Problem> {
        let known = self.known().get(&entry.world).cloned();
        if let Some(known) = known.filter(|known| known.head >= entry.head) {
            return Ok(known);
        }
        let world = fold_world_from(store, store, &entry.name, None).await?;
        Ok(self.learn(entry, &world))
    }

    /// Keeps what a fold says.
    pub(super) fn learn(&self, entry: &WorldEntry, world: &World) -> Arc<WorldSummary> {
        let summary = Arc::new(WorldSummary::of(entry, world));
        let mut known = self.known();
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(entry.world, Arc::clone(&summary));
        summary
    }

    fn known(&self) -> MutexGuard<'_, HashMap<WorldId, Arc<WorldSummary>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
