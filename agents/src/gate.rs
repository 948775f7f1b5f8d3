//! A store with somebody at its gate: a full disk, tests, benches, simulations and the `crash` of
//! scripts stand there.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::command::commit::{CommandKey, Commit};
use folkmoot_core::ids::{Digest, Incarnation, Position, WorldId, WorldName};
use folkmoot_core::port::{
    AppendError, Appended, BlobError, Blobs, CommitStream, EventLog, Labels, ReadError,
    StoredCommit, WorldEntry,
};
use futures::StreamExt as _;

/// Somebody between worlds and their log.
#[async_trait]
pub trait Gatekeeper: Send + Sync + Debug {
    /// Takes an append: passes it on to `log`, before or after which it may do what it likes, or
    /// refuses it. It may pass on the first of its commits and refuse the others.
    ///
    /// # Errors
    /// Those of `log`, or the gatekeeper's own.
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError>;

    /// Takes a file that is to be kept beside the log: passes it on to `blobs`, or refuses it.
    /// Without a word on it, all are passed on.
    ///
    /// # Errors
    /// Those of `blobs`, or the gatekeeper's own.
    async fn keep(
        &self,
        blobs: &dyn Blobs,
        world: WorldId,
        bytes: Vec<u8>,
    ) -> Result<Digest, BlobError> {
        blobs.put(world, bytes).await
    }

    /// Is told that so many commits have been read.
    fn read(&self, commits: usize);
}

/// A log whose appends and reads pass a gatekeeper. Everything else goes straight to the log.
#[derive(Debug, Clone)]
pub(crate) struct GatedLog {
    log: Arc<dyn EventLog>,
    keeper: Arc<dyn Gatekeeper>,
}

impl GatedLog {
    /// `log` with `keeper` at its gate.
    pub(crate) fn new(log: Arc<dyn EventLog>, keeper: Arc<dyn Gatekeeper>) -> Self {
        Self { log, keeper }
    }

    fn counted(&self, commits: CommitStream) -> CommitStream {
        let keeper = Arc::clone(&self.keeper);
        commits.inspect(move |_| keeper.read(1)).boxed()
    }
}

#[async_trait]
impl EventLog for GatedLog {
    async fn append(
        &self,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        self.keeper.append(&*self.log, incarnation, commits).await
    }

    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        Ok(self.counted(self.log.read(world, from).await?))
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        let commits = self.log.read_back(world, before, limit).await?;
        self.keeper.read(commits.len());
        Ok(commits)
    }

    async fn gone(
        &self,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Vec<Position>, ReadError> {
        self.log.gone(world, from, to).await
    }

    async fn subscribe(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        Ok(self.counted(self.log.subscribe(world, from).await?))
    }

    async fn find_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<StoredCommit>, ReadError> {
        self.log.find_key(world, key).await
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<WorldEntry>, ReadError> {
        self.log.worlds(labels, after, limit).await
    }

    async fn find(&self, name: &WorldName) -> Result<Option<WorldEntry>, ReadError> {
        self.log.find(name).await
    }
}

/// Files that pass a gatekeeper before they are kept.
#[derive(Debug, Clone)]
pub(crate) struct GatedBlobs {
    blobs: Arc<dyn Blobs>,
    keeper: Arc<dyn Gatekeeper>,
}

impl GatedBlobs {
    /// `blobs` with `keeper` at their gate.
    pub(crate) fn new(blobs: Arc<dyn Blobs>, keeper: Arc<dyn Gatekeeper>) -> Self {
        Self { blobs, keeper }
    }
}

#[async_trait]
impl Blobs for GatedBlobs {
    async fn put(&self, world: WorldId, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        self.keeper.keep(&*self.blobs, world, bytes).await
    }

    async fn get(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        self.blobs.get(world, blob).await
    }

    async fn size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, BlobError> {
        self.blobs.size(world, blob).await
    }

    async fn touch(&self, world: WorldId, blobs: &[Digest]) -> Result<(), BlobError> {
        self.blobs.touch(world, blobs).await
    }

    fn derived(&self, world: WorldId) -> Option<PathBuf> {
        self.blobs.derived(world)
    }

    async fn forget_derived(&self, world: WorldId) -> Result<(), BlobError> {
        self.blobs.forget_derived(world).await
    }
}
