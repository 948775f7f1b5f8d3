//! The life of worlds in a store: how they end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::ReadError;

use super::{Inner, LocalStore};
use crate::engine::EngineError;
use crate::state::content;
use crate::state::shared::{CLOSED, read_error};
use crate::sync::threads::blocking;
use crate::write::deletion;
use crate::write::deletion::{DeleteError, DeleteOrder, Tombstone, Traces};

impl LocalStore {
    /// The folder of the keys that sealed worlds are read with, if there are any. No backup holds
    /// it.
    #[must_use]
    pub(crate) fn keys_folder(&self) -> Option<PathBuf> {
        self.inner
            .shared
            .keys
            .folder()
            .filter(|folder| folder.exists())
            .map(Path::to_owned)
    }

    /// Deletes worlds: their commits, keys, blobs and checkpoints. When it returns, nothing that
    /// they held is in any file of the store's directory; what stays is a [`Tombstone`] of each.
    /// Appends wait while the database is copied for that. A process that dies after the tombstones
    /// were written leaves the rest to the next opening.
    pub(crate) async fn delete(
        &self,
        worlds: &[WorldId],
        order: &DeleteOrder,
    ) -> Result<Vec<Tombstone>, DeleteError> {
        let inner = Arc::clone(&self.inner);
        let worlds = worlds.to_vec();
        let order = order.clone();
        blocking(move || inner.delete(&worlds, &order)).await
    }

    /// Verifies that [`LocalStore::delete`] would find no reason to refuse. Nothing is changed, and a fork
    /// that is made later is a reason again.
    pub(crate) async fn check_deletion(&self, worlds: &[WorldId]) -> Result<(), DeleteError> {
        let inner = Arc::clone(&self.inner);
        let worlds = worlds.to_vec();
        blocking(move || {
            inner.shared.check_writes()?;
            deletion::check(&inner.shared, &inner.vault, &worlds)
        })
        .await
    }

    /// The tombstones of all deleted worlds, oldest first.
    pub(crate) async fn deleted(&self) -> Result<Vec<Tombstone>, ReadError> {
        self.check_open()?;
        let shared = Arc::clone(&self.inner.shared);
        let all = blocking(move || {
            let lease = shared.lease();
            lease.engine().and_then(deletion::tombstones)
        });
        let mut all = all
            .await
            .map_err(|error| read_error(error, Position::ZERO))?;
        all.sort_by_key(|tombstone| tombstone.at);
        Ok(all)
    }
}

impl Inner {
    fn delete(
        &self,
        worlds: &[WorldId],
        order: &DeleteOrder,
    ) -> Result<Vec<Tombstone>, DeleteError> {
        self.shared.check_writes()?;
        let worlds = deletion::end(&self.shared, &self.vault, worlds)?;
        let _alone = self.shared.chores();
        let lease = self.shared.lease();
        let Ok(engine) = lease.engine() else {
            deletion::go_on(&self.shared, &worlds);
            return Err(DeleteError::Stopped(CLOSED.to_owned()));
        };
        let traces = Traces {
            engine,
            vault: &self.vault,
            shelter: &self.shelter,
            keys: &self.shared.keys,
        };
        deletion::delete_alone(&self.shared, traces, &worlds, order)
    }

    /// Removes content of commits that a process did not live to append.
    pub(super) fn remove_leftovers(&self) -> Result<(), EngineError> {
        let lease = self.shared.lease();
        self.vault.forget_all_derived().map_err(EngineError::Io)?;
        content::remove_leftovers(lease.engine()?, &self.shared.index())
    }

    /// Finishes deletions that a process did not live to finish. One that finds no room is left for
    /// later.
    pub(super) fn finish_deletions(&self) -> Result<(), EngineError> {
        let lease = self.shared.lease();
        let vault = &self.vault;
        let shelter = &self.shelter;
        let keys = &self.shared.keys;
        let traces = Traces {
            engine: lease.engine()?,
            vault,
            shelter,
            keys,
        };
        match deletion::clean(&self.shared, traces) {
            Err(EngineError::Full(error)) => {
                tracing::warn!(%error, "deleted worlds are still in the files of the store: the disk is full");
                Ok(())
            }
            result => result,
        }
    }
}
