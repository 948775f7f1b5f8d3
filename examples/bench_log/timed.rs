//! A store that notes how long each tool call's pair of commits takes: from the append of its start to the end of the
//! append of its finish.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use folkmoot::Store;
use folkmoot::core::command::CommandKind;
use folkmoot::core::command::commit::{CommandKey, Commit};
use folkmoot::core::event::{Span, TreeHead};
use folkmoot::core::ids::{CopyId, Digest, Incarnation, Position, WorldId, WorldName};
use folkmoot::core::port::{
    AppendError, Appended, BlobError, Blobs, Checkpoints, CommitStream, Custody, Erasure, EventLog,
    ForkPoint, Labels, ReadError, StoredCommit, WorldEntry,
};

/// A store and the pairs that went through it.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    store: Store,
    pairs: Arc<Mutex<Pairs>>,
}

#[derive(Debug, Default)]
struct Pairs {
    begun: HashMap<WorldId, Instant>,
    count: u64,
    time: Duration,
}

impl Timed {
    /// Watches `store`.
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            store: store.clone(),
            pairs: Arc::default(),
        }
    }

    /// How many pairs there were since the last time, and how long they took together.
    pub(crate) fn take(&self) -> (u64, Duration) {
        let Pairs { count, time, .. } =
            std::mem::take(&mut *self.pairs.lock().unwrap_or_else(PoisonError::into_inner));
        (count, time)
    }

    fn note(&self, change: impl FnOnce(&mut Pairs)) {
        change(&mut self.pairs.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[async_trait]
impl EventLog for Timed {
    async fn append(
        &self,
        incarnation: Incarnation,
        commit: Commit,
    ) -> Result<Appended, AppendError> {
        let (kind, world) = (commit.header.command, commit.header.world);
        if kind == CommandKind::StartTool {
            let now = Instant::now();
            self.note(|pairs| pairs.begun.extend([(world, now)]));
        }
        let appended = self.store.append(incarnation, commit).await;
        if kind == CommandKind::FinishTool {
            self.note(|pairs| {
                if let Some(begun) = pairs.begun.remove(&world) {
                    pairs.count += 1;
                    pairs.time += begun.elapsed();
                }
            });
        }
        appended
    }

    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        self.store.read(world, from).await
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        self.store.read_back(world, before, limit).await
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
impl Checkpoints for Timed {
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
impl Blobs for Timed {
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
impl Custody for Timed {
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
