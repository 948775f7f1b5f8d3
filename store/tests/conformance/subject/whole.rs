//! All that a store does, whatever it keeps its worlds in.

use async_trait::async_trait;
use folkmoot_core::ids::WorldId;
use folkmoot_core::port::{AppendError, Blobs, Checkpoints, Custody, EventLog, ReadError};
use folkmoot_store::{Against, DeleteError, DeleteOrder, Integrity, SharedStore, Store, Tombstone};

/// A store.
#[async_trait]
pub(crate) trait Whole: EventLog + Checkpoints + Custody + Blobs {
    /// Deletes worlds.
    async fn delete(
        &self,
        worlds: &[WorldId],
        order: &DeleteOrder,
    ) -> Result<Vec<Tombstone>, DeleteError>;

    /// What stays of them.
    async fn deleted(&self) -> Result<Vec<Tombstone>, ReadError>;

    /// Whether the log of a world is whole.
    async fn verify(&self, world: WorldId, against: Against) -> Result<Integrity, ReadError>;

    /// Closes it.
    fn end(&self) -> Result<(), AppendError>;

    /// The store itself, if one process has it alone.
    fn alone(&self) -> Option<&Store>;
}

#[async_trait]
impl Whole for Store {
    async fn delete(
        &self,
        worlds: &[WorldId],
        order: &DeleteOrder,
    ) -> Result<Vec<Tombstone>, DeleteError> {
        Self::delete(self, worlds, order).await
    }

    async fn deleted(&self) -> Result<Vec<Tombstone>, ReadError> {
        Self::deleted(self).await
    }

    async fn verify(&self, world: WorldId, against: Against) -> Result<Integrity, ReadError> {
        Self::verify(self, world, against).await
    }

    fn end(&self) -> Result<(), AppendError> {
        self.close()
    }

    fn alone(&self) -> Option<&Store> {
        Some(self)
    }
}

#[async_trait]
impl Whole for SharedStore {
    async fn delete(
        &self,
        worlds: &[WorldId],
        order: &DeleteOrder,
    ) -> Result<Vec<Tombstone>, DeleteError> {
        Self::delete(self, worlds, order).await
    }

    async fn deleted(&self) -> Result<Vec<Tombstone>, ReadError> {
        Self::deleted(self).await
    }

    async fn verify(&self, world: WorldId, against: Against) -> Result<Integrity, ReadError> {
        Self::verify(self, world, against).await
    }

    fn end(&self) -> Result<(), AppendError> {
        self.close();
        Ok(())
    }

    fn alone(&self) -> Option<&Store> {
        None
    }
}
