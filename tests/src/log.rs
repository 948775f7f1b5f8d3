//! A store behind a gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use folkmoot::Store;
use folkmoot::core::command::commit::{CommandKey, Commit};
use folkmoot::core::event::{Span, TreeHead};
use folkmoot::core::ids::{CopyId, Digest, Incarnation, Position, WorldId, WorldName};
use folkmoot::core::port::{
    AppendError, Appended, BlobError, Blobs, Checkpoints, CommitStream, Custody, Erasure, EventLog,
    ForkPoint, Labels, ReadError, StoredCommit, WorldEntry,
};

use futures::StreamExt as _;

use crate::gate::Gate;

/// Passes everything on to a store, appends through a [`Gate`].
#[derive(Debug, Clone)]
pub struct TestLog {
    store: Store,
    gate: Arc<dyn Gate>,
    commits_read: Arc<AtomicUsize>,
}

impl TestLog {
    /// `store` behind `gate`.
    #[must_use]
    pub fn new(store: &Store, gate: Arc<dyn Gate>) -> Self {
        Self {
            store: store.clone(),
            gate,
            commits_read: Arc::default(),
        }
    }

    /// How many commits were read, by this handle and its clones.
    #[must_use]
    pub fn commits_read(&self) -> usize {
        self.commits_read.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl EventLog for TestLog {
    async fn append(
        &self,
        incarnation: Incarnation,
        commit: Commit,
    ) -> Result<Appended, AppendError> {
        self.gate.before(&commit).await?;
        let appended = self.store.append(incarnation, commit.clone()).await?;
        self.gate.after(&commit).await?;
        Ok(appended)
    }

    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        let count = Arc::clone(&self.commits_read);
        let counted = move |_: &_| {
            count.fetch_add(1, Ordering::SeqCst);
        };
        Ok(self.store.read(world, from).await?.inspect(counted).boxed())
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        let commits = self.store.read_back(world, before, limit).await?;
        self.commits_read.fetch_add(commits.len(), Ordering::SeqCst);
        Ok(commits)
    }

    async fn gone(
        &self,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Vec<Position>, ReadError> {
        self.store.gone(world, from, to).await
    }

    async fn subscribe(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.store.subscribe(world, from).await
    }

    async fn find_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<StoredCommit>, ReadError> {
        self.store.find_key(world, key).await
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<WorldEntry>, ReadError> {
        self.store.worlds(labels, after, limit).await
    }

    async fn find(&self, name: &WorldName) -> Result<Option<WorldEntry>, ReadError> {
        self.store.find(name).await
    }
}

#[async_trait]
impl Checkpoints for TestLog {
    async fn save(
        &self,
        world: WorldId,
        at: Position,
        decider: Digest,
        state: Vec<u8>,
    ) -> Result<(), AppendError> {
        self.store.save(world, at, decider, state).await
    }

    async fn latest(
        &self,
        world: WorldId,
        decider: Digest,
        up_to: Option<Position>,
    ) -> Option<(Position, Vec<u8>)> {
        self.store.latest(world, decider, up_to).await
    }

    async fn places(&self, world: WorldId) -> Vec<(Position, Digest)> {
        self.store.places(world).await
    }
}

#[async_trait]
impl Blobs for TestLog {
    async fn put(&self, world: WorldId, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        self.store.put(world, bytes).await
    }

    async fn get(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        self.store.get(world, blob).await
    }

    async fn size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, BlobError> {
        self.store.size(world, blob).await
    }
}

#[async_trait]
impl Custody for TestLog {
    fn copy(&self) -> Option<CopyId> {
        self.store.copy()
    }

    async fn tree_head(&self, world: WorldId) -> Result<TreeHead, ReadError> {
        self.store.tree_head(world).await
    }

    async fn erase(
        &self,
        world: WorldId,
        events: &[Span],
        by: Position,
    ) -> Result<Erasure, AppendError> {
        self.store.erase(world, events, by).await
    }

    async fn fork_point(&self, world: WorldId, at: Position) -> Result<ForkPoint, ReadError> {
        self.store.fork_point(world, at).await
    }

    async fn copy_base(&self, world: WorldId) -> Result<(), AppendError> {
        self.store.copy_base(world).await
    }
}
