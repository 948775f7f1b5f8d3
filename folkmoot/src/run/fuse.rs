//! The death of a process as a script plays it: the log takes nothing more of a world.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use folkmoot_agents::Gatekeeper;
use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::{Incarnation, WorldId};
use folkmoot_core::port::{AppendError, Appended, EventLog};

/// Stands between a run and its log, and lets nothing of a world through that is to die at its next append.
#[derive(Debug, Default)]
pub(crate) struct Fuse {
    /// The world that is to die; none: everything passes.
    dies: Mutex<Option<WorldId>>,
}

impl Fuse {
    /// Lets `world` die at its next append.
    pub(super) fn lay(&self, world: Option<WorldId>) {
        *self.dies() = world;
    }

    /// Lets everything pass again. Tells whether a world was to die.
    pub(super) fn mend(&self) -> bool {
        self.dies().take().is_some()
    }

    fn dies(&self) -> MutexGuard<'_, Option<WorldId>> {
        self.dies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Gatekeeper for Fuse {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commit: Commit,
    ) -> Result<Appended, AppendError> {
        if *self.dies() == Some(commit.header.world) {
            return Err(AppendError::Crash);
        }
        log.append(incarnation, commit).await
    }

    fn read(&self, _commits: usize) {}
}
