//! The store: worlds and their logs, of one process or of many nodes.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use folkmoot_core::command::commit::{CommandKey, Commit};
use folkmoot_core::event::{Span, TreeHead};
use folkmoot_core::ids::{CopyId, Digest, Incarnation, Position, Time, WorldId, WorldName};
use folkmoot_core::port::{
    AppendError, Appended, BlobError, Blobs, Checkpoints, CommitStream, Custody, Erasure, EventLog,
    ForkPoint, Labels, ReadError, StoredCommit, WorldEntry,
};
use folkmoot_proof::Hash;

use crate::audit::{Evidence, Inclusion, Wanted};
use crate::copies::backup::{Backup, BackupError};
use crate::engine::Engine;
use crate::engines::EngineKind;
use crate::home::opening::{OpenError, OpenMode};
use crate::ledger::SharedRecords;
use crate::local::LocalStore;
use crate::local::simulation::Driver;
use crate::shared_store::{SharedStore, TakeInError, TakenIn};
use crate::state::shared::LostContent;
use crate::state::stats::Stats;
use crate::verify::salvage::Survey;
use crate::verify::{Against, Integrity};
use crate::write::deletion::{DeleteError, DeleteOrder, Tombstone};

/// A store of worlds: of this process alone, or one that it shares with other nodes. Cloning gives
/// another handle on the same store; the last one to be dropped closes it.
#[derive(Debug, Clone)]
pub struct Store(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Local(LocalStore),
    Shared(SharedStore),
}

impl From<SharedStore> for Store {
    fn from(store: SharedStore) -> Self {
        Self(Kind::Shared(store))
    }
}

impl From<LocalStore> for Store {
    fn from(store: LocalStore) -> Self {
        Self(Kind::Local(store))
    }
}

/// Asks the store that is meant.
macro_rules! either {
    ($self:expr, $store:ident => $asked:expr) => {
        match &$self.0 {
            Kind::Local($store) => $asked,
            Kind::Shared($store) => $asked,
        }
    };
}

impl Store {
    /// The store that it shares with other nodes; `None` if it is of this process alone.
    #[must_use]
    pub const fn as_shared(&self) -> Option<&SharedStore> {
        match &self.0 {
            Kind::Shared(store) => Some(store),
            Kind::Local(_) => None,
        }
    }
}

/// Opening.
impl Store {
    /// Opens the store in the directory `dir`.
    ///
    /// # Errors
    /// [`OpenError`]: each variant says what to do.
    pub fn open(dir: impl Into<PathBuf>, mode: OpenMode) -> Result<Self, OpenError> {
        LocalStore::open(dir, mode).map(Self::from)
    }

    /// The same, to go on with the world called `world`. If content of it is missing or damaged,
    /// the store is not opened, and nothing of it has changed. The log of that world is read for
    /// it, once, and its content.
    ///
    /// # Errors
    /// [`OpenError::LostContent`]; else as [`Store::open`].
    pub fn open_for(
        dir: impl Into<PathBuf>,
        mode: OpenMode,
        world: &WorldName,
    ) -> Result<Self, OpenError> {
        LocalStore::open_for(dir, mode, world).map(Self::from)
    }

    /// The same, to take content or worlds out of an existing store. Content that is missing or
    /// damaged reads as gone there, and no folds are saved.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_to_erase(dir: impl Into<PathBuf>) -> Result<Self, OpenError> {
        LocalStore::open_to_erase(dir).map(Self::from)
    }

    /// Opens the store in the directory `dir`. If it has none yet, it gets an engine of this kind;
    /// else it keeps its own.
    ///
    /// # Errors
    /// [`OpenError`]: each variant says what to do.
    pub fn open_with(
        dir: impl Into<PathBuf>,
        mode: OpenMode,
        kind: EngineKind,
    ) -> Result<Self, OpenError> {
        LocalStore::open_with(dir, mode, kind).map(Self::from)
    }

    /// Opens the store in the directory `dir` to read it. No byte of it is changed, and nothing can
    /// be appended. Others may read meanwhile, and nobody can write. Of a damaged store there is
    /// what [`rebuild`](crate::rebuild) would save: [`Store::survey`] says what that is.
    ///
    /// # Errors
    /// [`OpenError`]: each variant says what to do. What is damaged is no error.
    pub fn look(dir: impl Into<PathBuf>) -> Result<Self, OpenError> {
        LocalStore::look(dir).map(Self::from)
    }

    /// Makes an empty store in memory. If the system refuses it threads, it is one that is stopped.
    #[must_use]
    pub fn memory() -> Self {
        LocalStore::memory().into()
    }

    /// Opens the store that an engine keeps.
    ///
    /// # Errors
    /// [`OpenError::Damaged`] or [`OpenError::CutTail`] if what the engine keeps is not what was
    /// written.
    pub fn with_engine(engine: Arc<dyn Engine>) -> Result<Self, OpenError> {
        LocalStore::with_engine(engine).map(Self::from)
    }

    /// Opens the store that an engine keeps, as a build would whose event schema has moved on.
    ///
    /// # Errors
    /// As [`Store::with_engine`].
    #[cfg(feature = "testing")]
    pub fn with_next_schema(
        engine: Arc<dyn Engine>,
        next: crate::NextSchema,
    ) -> Result<Self, OpenError> {
        LocalStore::with_next_schema(engine, next).map(Self::from)
    }

    /// Opens the store that an engine keeps, for a simulation: the [`Driver`] does what its threads
    /// would do, when it is told to, and as long as it lives, nothing that is asked of a store on
    /// this thread is done on another. Salts come from `seed` and not from the system: such a store
    /// protects nobody's content.
    ///
    /// # Errors
    /// As [`Store::with_engine`].
    pub fn simulated(engine: Arc<dyn Engine>, seed: u64) -> Result<(Self, Driver), OpenError> {
        let (store, driver) = LocalStore::simulated(engine, seed)?;
        Ok((store.into(), driver))
    }
}

/// Looking after it.
impl Store {
    /// Another handle on the same store, for who only reads or erases: content that is missing or
    /// damaged reads as gone through it, is noted in [`Store::lost_content`], and no folds are
    /// saved.
    #[must_use]
    pub fn passing_over_loss(&self) -> Self {
        Self(match &self.0 {
            Kind::Local(store) => Kind::Local(store.passing_over_loss()),
            Kind::Shared(store) => Kind::Shared(store.passing_over_loss()),
        })
    }

    /// The content that is found to be lost while this handle reads; always empty if it does not
    /// pass over it.
    #[must_use]
    pub fn lost_content(&self) -> LostContent {
        either!(self, store => store.lost_content())
    }

    /// Returns what is whole of a damaged store that was opened to be read; `None` if nothing was
    /// found to be damaged, or if it was opened for writing.
    #[must_use]
    pub fn survey(&self) -> Option<&Survey> {
        match &self.0 {
            Kind::Local(store) => store.survey(),
            Kind::Shared(_) => None,
        }
    }

    /// The folder of the keys that sealed worlds are read with, if there are any. No backup holds
    /// it.
    #[must_use]
    pub fn keys_folder(&self) -> Option<PathBuf> {
        match &self.0 {
            Kind::Local(store) => store.keys_folder(),
            Kind::Shared(_) => None,
        }
    }

    /// The worlds of `owner` that have grown since `since`, by their names; `None` if the store is of this process alone,
    /// which has to list them.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn grown(
        &self,
        owner: &str,
        since: Time,
    ) -> Result<Option<Vec<WorldEntry>>, ReadError> {
        match &self.0 {
            Kind::Local(_) => Ok(None),
            Kind::Shared(store) => store.grown(owner, since).await.map(Some),
        }
    }

    /// The small records that all nodes share; `None` if the store is of this process alone.
    #[must_use]
    pub fn shared_records(&self) -> Option<Arc<dyn SharedRecords>> {
        match &self.0 {
            Kind::Local(_) => None,
            Kind::Shared(store) => Some(store.shared_records()),
        }
    }

    /// Facts about the store, for people who look after it.
    ///
    /// # Errors
    /// [`AppendError::Io`] if its directory does not read.
    pub fn stats(&self) -> io::Result<Stats> {
        match &self.0 {
            Kind::Local(store) => store.stats(),
            Kind::Shared(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "the database of a shared store has its own figures",
            )),
        }
    }

    /// Verifies the log of a world as it stands now; what is appended meanwhile is left out. Reads
    /// every byte of it, a piece at a time.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or the store does not read or is closed. What is damaged is no
    /// error.
    pub async fn verify(&self, world: WorldId, against: Against) -> Result<Integrity, ReadError> {
        either!(self, store => store.verify(world, against).await)
    }

    /// Gives commits as they are stored, with proofs. Reads the whole log of the world, and keeps a
    /// hash of each commit meanwhile.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if the log is not the one whose tree the store has kept: what is
    /// damaged proves nothing.
    pub async fn evidence(&self, wanted: Wanted) -> Result<Evidence, ReadError> {
        either!(self, store => store.evidence(wanted).await)
    }

    /// Proves that the commit with the event at `position` is in the log of `world` as it stands
    /// now.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`]; [`ReadError::Damaged`] if there is no such event, or if the log
    /// does not give the root that it should.
    pub async fn inclusion_proof(
        &self,
        world: WorldId,
        position: Position,
    ) -> Result<Inclusion, ReadError> {
        either!(self, store => store.inclusion_proof(world, position).await)
    }

    /// Proves that the log of `world` with `new` commits begins with the one of `old` commits: the
    /// hashes as RFC 6962 orders them.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`]; [`ReadError::Damaged`] if there are not so many commits, or if
    /// the log does not give the root that it should.
    pub async fn consistency_proof(
        &self,
        world: WorldId,
        old: u64,
        new: u64,
    ) -> Result<Vec<Hash>, ReadError> {
        either!(self, store => store.consistency_proof(world, old, new).await)
    }

    /// Deletes worlds: their commits, keys, blobs and checkpoints. When it returns, nothing that
    /// they held is in any file of the store's directory; what stays is a [`Tombstone`] of each.
    /// Appends wait while the database is copied for that. A process that dies after the tombstones
    /// were written leaves the rest to the next opening.
    ///
    /// A world that somebody has open loses its log under the hands: ask the runtime first.
    ///
    /// # Errors
    /// [`DeleteError::NoSuchWorld`] and [`DeleteError::HasForks`] delete nothing. After
    /// [`DeleteError::Unfinished`] the worlds are gone, but perhaps not their text.
    pub async fn delete(
        &self,
        worlds: &[WorldId],
        order: &DeleteOrder,
    ) -> Result<Vec<Tombstone>, DeleteError> {
        either!(self, store => store.delete(worlds, order).await)
    }

    /// Verifies that [`Store::delete`] would find no reason to refuse. Nothing is changed, and a fork
    /// that is made later is a reason again.
    ///
    /// # Errors
    /// [`DeleteError::NoSuchWorld`] and [`DeleteError::HasForks`], as [`Store::delete`].
    pub async fn check_deletion(&self, worlds: &[WorldId]) -> Result<(), DeleteError> {
        either!(self, store => store.check_deletion(worlds).await)
    }

    /// The tombstones of all deleted worlds, oldest first.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if one does not read, [`ReadError::Stopped`] if the store is closed.
    pub async fn deleted(&self) -> Result<Vec<Tombstone>, ReadError> {
        either!(self, store => store.deleted().await)
    }

    /// Tells whether files of a world are kept.
    ///
    /// # Errors
    /// [`BlobError`].
    pub async fn has_blobs(&self, world: WorldId) -> Result<bool, BlobError> {
        either!(self, store => store.has_blobs(world).await)
    }

    /// Removes the files of a world that were kept before `before` and are none of `named`: uploads
    /// that no message took up. Returns their number. A world with forks keeps all of its files,
    /// which those may name. The caller sees to it that no message takes one up meanwhile; over a store that nodes share
    /// whoever posts one [touches](Blobs::touch) it first.
    ///
    /// # Errors
    /// [`BlobError`]; files may be gone by then.
    pub async fn sweep_blobs(
        &self,
        world: WorldId,
        named: BTreeSet<Digest>,
        before: SystemTime,
    ) -> Result<usize, BlobError> {
        either!(self, store => store.sweep_blobs(world, named, before).await)
    }

    /// Copies all worlds, as far as each has come, with their files into a store that nodes share. Records and links stay as
    /// they are, so proofs that were made before still fit. Deleted worlds, saved folds and the keys of sealed worlds are
    /// left out. The node of `to` holds the worlds afterwards. Done again, it goes on where it ended.
    ///
    /// A shared store is copied by way of a [backup](Self::backup).
    ///
    /// # Errors
    /// [`TakeInError`] names the first world that was not copied; those before it were.
    pub async fn copy_into(&self, to: &SharedStore) -> Result<TakenIn, TakeInError> {
        match &self.0 {
            Kind::Local(store) => to.take_in(store).await,
            Kind::Shared(_) => Err(TakeInError::Shared),
        }
    }

    /// Copies the store, as it is now, into the directory `dir`, which must not exist or be empty,
    /// and which then opens like any other store. Appends go on meanwhile and are not in it. Saved
    /// folds are left out: they are made again.
    ///
    /// # Errors
    /// [`BackupError`]; nothing that opens is left behind.
    pub async fn backup(&self, dir: impl Into<PathBuf>) -> Result<Backup, BackupError> {
        either!(self, store => store.backup(dir).await)
    }

    /// Leaves all further appends to the store's own thread, so that those that are asked for at once share a barrier.
    #[cfg(feature = "testing")]
    pub fn gather_appends(&self) {
        match &self.0 {
            Kind::Local(store) => store.gather_appends(),
            Kind::Shared(_) => {}
        }
    }

    /// Waits for all appends under way, brings the log in order and lets the engine go. Appends and
    /// reads fail from then on; streams end. A second call does nothing.
    ///
    /// # Errors
    /// [`AppendError::Io`] or [`AppendError::Full`] if something could not be written; no
    /// acknowledged commit is lost.
    pub fn close(&self) -> Result<(), AppendError> {
        match &self.0 {
            Kind::Local(store) => store.close(),
            Kind::Shared(store) => {
                store.close();
                Ok(())
            }
        }
    }
}

#[async_trait]
impl EventLog for Store {
    async fn append(
        &self,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        either!(self, store => store.append(incarnation, commits).await)
    }

    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        either!(self, store => store.read(world, from).await)
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError> {
        either!(self, store => store.read_back(world, before, limit).await)
    }

    async fn gone(
        &self,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Vec<Position>, ReadError> {
        either!(self, store => store.gone(world, from, to).await)
    }

    async fn subscribe(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError> {
        either!(self, store => store.subscribe(world, from).await)
    }

    async fn find_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<StoredCommit>, ReadError> {
        either!(self, store => store.find_key(world, key).await)
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<WorldEntry>, ReadError> {
        either!(self, store => store.worlds(labels, after, limit).await)
    }

    async fn find(&self, name: &WorldName) -> Result<Option<WorldEntry>, ReadError> {
        either!(self, store => store.find(name).await)
    }
}

#[async_trait]
impl Checkpoints for Store {
    async fn save(
        &self,
        world: WorldId,
        at: Position,
        decider: Digest,
        state: Vec<u8>,
    ) -> Result<(), AppendError> {
        either!(self, store => store.save(world, at, decider, state).await)
    }

    async fn latest(
        &self,
        world: WorldId,
        decider: Digest,
        up_to: Option<Position>,
    ) -> Option<(Position, Vec<u8>)> {
        either!(self, store => store.latest(world, decider, up_to).await)
    }

    async fn places(&self, world: WorldId) -> Vec<(Position, Digest)> {
        either!(self, store => store.places(world).await)
    }
}

#[async_trait]
impl Blobs for Store {
    async fn put(&self, world: WorldId, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        either!(self, store => store.put(world, bytes).await)
    }

    async fn get(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        either!(self, store => store.get(world, blob).await)
    }

    async fn size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, BlobError> {
        either!(self, store => store.size(world, blob).await)
    }

    async fn touch(&self, world: WorldId, blobs: &[Digest]) -> Result<(), BlobError> {
        either!(self, store => store.touch(world, blobs).await)
    }

    fn derived(&self, world: WorldId) -> Option<PathBuf> {
        either!(self, store => store.derived(world))
    }

    async fn forget_derived(&self, world: WorldId) -> Result<(), BlobError> {
        either!(self, store => store.forget_derived(world).await)
    }
}

#[async_trait]
impl Custody for Store {
    fn copy(&self) -> Option<CopyId> {
        either!(self, store => store.copy())
    }

    async fn tree_head(&self, world: WorldId) -> Result<TreeHead, ReadError> {
        either!(self, store => store.tree_head(world).await)
    }

    async fn erase(
        &self,
        world: WorldId,
        events: &[Span],
        by: Position,
    ) -> Result<Erasure, AppendError> {
        either!(self, store => store.erase(world, events, by).await)
    }

    async fn fork_point(&self, world: WorldId, at: Position) -> Result<ForkPoint, ReadError> {
        either!(self, store => store.fork_point(world, at).await)
    }

    async fn copy_base(&self, world: WorldId) -> Result<(), AppendError> {
        either!(self, store => store.copy_base(world).await)
    }
}
