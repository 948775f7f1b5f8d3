//! The death of a process as a script plays it: the log takes nothing more of a world.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use folkmoot_agents::Gatekeeper;
use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::{Incarnation, WorldId};
use folkmoot_core::port::{AppendError, Appended, EventLog};

/// Stands between a run and its log, and lets nothing of those worlds through that are to die at their next append.
#[derive(Debug, Default)]
pub(crate) struct Fuse {
    /// The worlds that are to die, each by itself: a room and its branches crash apart. Empty: everything passes.
    dies: Mutex<BTreeSet<WorldId>>,
}

impl Fuse {
    /// Lets `world` die at its next append.
    pub(super) fn lay(&self, world: WorldId) {
        self.dies().insert(world);
    }

    /// Lets everything of `world` pass again. Tells whether it was to die.
    pub(super) fn mend(&self, world: WorldId) -> bool {
        self.dies().remove(&world)
    }

    fn dies(&self) -> MutexGuard<'_, BTreeSet<WorldId>> {
        self.dies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Gatekeeper for Fuse {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let dies = |commit: &Commit| self.dies().contains(&commit.header.world);
        if commits.iter().any(dies) {
            return Err(AppendError::Crash);
        }
        log.append(incarnation, commits).await
    }

    fn read(&self, _commits: usize) {}
}
