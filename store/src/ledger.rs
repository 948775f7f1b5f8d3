//! The contract of ledgers: compare-and-append of records, world by world, for many nodes at once.
//!
//! A [`FrameLog`](crate::FrameLog) has one writer, and the world index lives in its process. A ledger has many: each world
//! has a *holder*, which alone appends to it, and everybody reads. It knows nothing of what events mean: a record is bytes,
//! and beside it stand the few facts by which it is found. Decision 0042 says why there are two contracts.
//!
//! Safe is what stands under `(world, first)` and was appended by the holder. [`Members`](folkmoot_core::port::Members) say
//! who that is.
//!
//! All ledgers do the same: one suite of tests asks each of them. So all that could be done in one way or another is said
//! here.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Debug;

use async_trait::async_trait;
use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{CopyId, Digest, Incarnation, NodeId, Position, Time, WorldId, WorldName};
use folkmoot_core::port::Labels;
use folkmoot_core::spec::limits::{BLOB_BYTES_MAX, CONTENT_BYTES_MAX};

use crate::engine::Ack;
use crate::format::COMMIT_MAX;

mod check;
mod memory;
mod shared;
mod uncertain;

pub use check::{check_blob, check_chains, check_checkpoint, check_rewrite};
#[cfg(feature = "postgres")]
pub(crate) use check::{not_whole, within};
pub use memory::MemoryLedger;
pub use shared::{
    SHARED_KEY_BYTES_MAX, SHARED_KIND_BYTES_MAX, SHARED_VALUE_BYTES_MAX, SharedRecord,
    SharedRecords, check_shared,
};
pub use uncertain::{Fate, UncertainLedger};

/// The most bytes of a record: as many as any commit may have in a store.
pub const RECORD_BYTES_MAX: usize = COMMIT_MAX;

/// The most bytes that sealing adds to content or to a blob.
const SEAL_BYTES_MAX: usize = 1_024;

/// The most bytes of one content beside a record.
pub const BESIDE_BYTES_MAX: usize = CONTENT_BYTES_MAX + SEAL_BYTES_MAX;

/// The most bytes of a blob as it is kept.
pub const BLOB_ROW_BYTES_MAX: usize = BLOB_BYTES_MAX + SEAL_BYTES_MAX;

/// The most bytes of a saved fold: 64 MiB.
pub const CHECKPOINT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The most bytes of a tombstone.
pub const TOMBSTONE_BYTES_MAX: usize = 64 * 1024;

/// The most bytes of what is saved of a world's reach.
pub const REACH_BYTES_MAX: usize = 64 * 1024;

/// The most appends that a store has under way at a ledger, each of many worlds: a second one begins while the first is late.
pub(crate) const APPENDS_AT_ONCE: usize = 2;

/// All that a store needs of a ledger. Whoever has the parts has the whole.
pub trait Ledger:
    Rows + Register + LedgerUpkeep + BlobTable + CheckpointTable + SharedRecords
{
}

impl<T> Ledger for T where
    T: Rows + Register + LedgerUpkeep + BlobTable + CheckpointTable + SharedRecords + ?Sized
{
}

/// The records of all worlds.
#[async_trait]
pub trait Rows: Send + Sync + Debug {
    /// Returns what it means that an append returned.
    fn ack(&self) -> Ack;

    /// The copy of another ledger that this one is: a database that was restored from a backup, or whose standby took over.
    /// `None`: it is where it was made. Commits may be missing that somebody was told of, and what they led to has happened.
    fn copy(&self) -> Option<CopyId>;

    /// Appends chains of rows, one for each of several worlds, for the node `node`; gives what became of each, in order.
    /// All rows of a chain land or none, with all that they say; the chains do not depend on one another.
    ///
    /// The first of these that holds is the landing of a chain:
    ///
    /// 1. All of its rows are there, under the same links: [`Landing::Appended`], whoever holds the world now, and
    ///    nothing changes. So an append whose answer was lost is sent again.
    /// 2. The world was deleted, or is not there and the chain has no birth, or the birth's parent is not there:
    ///    [`Landing::NoSuchWorld`] names the missing one.
    /// 3. The world has a row with the key of the chain's first row: [`Landing::KeyKnown`].
    /// 4. The world is there, and `node` does not hold it: [`Landing::Fenced`].
    /// 5. The chain does not stand behind the last row: the world is there and its last row does not begin at `prev` and
    ///    end right before the chain, or the birth is of a world that is there, or begins elsewhere than at 1, or right
    ///    behind the base if it is a fork: [`Landing::Conflict`].
    /// 6. The birth's name is another world's: [`Landing::NameTaken`].
    /// 7. [`Landing::Appended`]: the rows are as safe as [`Rows::ack`] says. A birth has made `node` the world's holder.
    ///
    /// It is not cancelled by dropping the future: what was begun may land later.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] for what [`check_chains`] refuses, before anything is appended. After
    /// [`LedgerError::Unknown`] each chain may have landed or not, and may land still: send the same again. After any
    /// other error none has landed.
    async fn append(&self, node: NodeId, chains: &[RowChain]) -> Result<Vec<Landing>, LedgerError>;

    /// The last row of a world itself, without its parent's; `None` if there is no such world.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn last(&self, world: WorldId) -> Result<Option<Row>, LedgerError>;

    /// The rows of a world itself from the one that holds `from`, in order: at most so many, and about so many bytes, with
    /// the content beside them, but at least one if there is one. Empty behind the last row, and if there is no such world.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn read(
        &self,
        world: WorldId,
        from: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError>;

    /// The rows of a world itself that end before `before`, newest first; as many as [`Rows::read`] would give.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError>;

    /// The row of a world that carries `key`. Rows that were copied to a fork carry none.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn by_key(&self, world: WorldId, key: Digest) -> Result<Option<Row>, LedgerError>;
}

/// The worlds of a ledger.
#[async_trait]
pub trait Register: Send + Sync + Debug {
    /// The entry of a world; `None` if there is no such world.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn entry(&self, world: WorldId) -> Result<Option<LedgerEntry>, LedgerError>;

    /// The entry of the world called `name`.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn find(&self, name: &WorldName) -> Result<Option<LedgerEntry>, LedgerError>;

    /// At most `limit` of the worlds that have all of `labels`, by the bytes of their names, from the one after `after`. No
    /// labels: all worlds.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError>;

    /// At most `limit` of the worlds that `owner` has and whose last row is of the time `since` or later, by the bytes of
    /// their names, from the one after `after`.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn grown(
        &self,
        (owner, since): (&str, Time),
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError>;

    /// The worlds that were forked from `parent`, those with a copy of its rows too, by their ids.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn forks(&self, parent: WorldId) -> Result<Vec<LedgerEntry>, LedgerError>;

    /// The last positions of these worlds, in any order. One that is not there is left out.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn heads(&self, worlds: &[WorldId]) -> Result<Vec<(WorldId, Position)>, LedgerError>;

    /// The positions in `range` that rows of the world itself have taken away, in order; only such rows count as begin at
    /// `range.until` or before it.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn gone(&self, world: WorldId, range: GoneRange) -> Result<Vec<Position>, LedgerError>;
}

/// The work on what is there already.
#[async_trait]
pub trait LedgerUpkeep: Send + Sync + Debug {
    /// Keeps `reach` as the newest that is known of how far a world has come, for whoever opens it next. Nothing happens if
    /// `node` does not hold it.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] if it has more than [`REACH_BYTES_MAX`]; else see [`LedgerError`].
    async fn save_reach(
        &self,
        node: NodeId,
        world: WorldId,
        reach: Vec<u8>,
    ) -> Result<(), LedgerError>;

    /// Puts other bytes in the place of a record, and removes content beside it, at once. Nobody needs to hold the world. False
    /// if the record in its place is neither the one that it replaces nor itself: nothing is changed, read it again.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] if there is no such row, or the record has another link than the one in its place, or is
    /// larger than a record may be: nothing is changed.
    async fn rewrite(&self, rewrite: Rewrite) -> Result<bool, LedgerError>;

    /// Removes all saved folds of these worlds, and keeps every one from being saved that was made in the present
    /// incarnation of its world or before, at once. Worlds that are not there are left out.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn bar(&self, worlds: &[WorldId]) -> Result<(), LedgerError>;

    /// Notes that the erasure at the wish of the event at `by` took away `files` blobs, and gives the greatest number that
    /// was ever noted of it: one that is done again finds fewer, and answers as before.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] if there is no such world.
    async fn note_files(
        &self,
        world: WorldId,
        by: Position,
        files: u64,
    ) -> Result<u64, LedgerError>;

    /// Gives a fork its own copy of the rows in `of`, with the content beside them and the positions that they take away,
    /// and without their keys; notes that it has one, at once. Nothing happens if it has one. [`LedgerUpkeep::bar`] on a world
    /// whose rows are copied just now waits for that, so that whoever rewrites rows finds the copies behind it.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] if there is no such world, or it is no fork. [`LedgerError::Damaged`] if the rows do not run
    /// from event 1 to where it was forked: nothing is copied.
    async fn copy_base(&self, fork: WorldId, of: &[RowRange]) -> Result<(), LedgerError>;

    /// Deletes worlds, with all that is kept of them, and keeps a tombstone of each, at once. Their names are free again,
    /// their ids never. All of them go or none.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] for a tombstone of more than [`TOMBSTONE_BYTES_MAX`]; else see [`LedgerError`]. After
    /// [`LedgerError::Unknown`] do it again: a world that is gone by then is [`Burial::NoSuchWorld`].
    async fn delete(
        &self,
        node: NodeId,
        worlds: &[(WorldId, Vec<u8>)],
    ) -> Result<Burial, LedgerError>;

    /// The tombstones of deleted worlds, by their ids: at most `limit`, from the one behind `after`.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn tombstones(
        &self,
        after: Option<WorldId>,
        limit: usize,
    ) -> Result<Vec<(WorldId, Vec<u8>)>, LedgerError>;

    /// Leaves nothing in the ledger's own files of what was rewritten or removed, as far as it can at once: it waits for
    /// nobody, and keeps others waiting for a short time alone. It does not reach journals, standbys and backups. Members do
    /// it every few minutes, so nobody who erases or deletes has to.
    ///
    /// # Errors
    /// [`LedgerError::Refused`] if this login may not; else see [`LedgerError`].
    async fn compact(&self) -> Result<Compaction, LedgerError>;
}

/// The blobs of all worlds.
#[async_trait]
pub trait BlobTable: Send + Sync + Debug {
    /// Keeps bytes for a world, as safe as [`Rows::ack`] says. What stands under that name is replaced.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] for what [`check_blob`] refuses, and if there is no such world.
    async fn put_blob(
        &self,
        world: WorldId,
        blob: Digest,
        bytes: Vec<u8>,
    ) -> Result<(), LedgerError>;

    /// The bytes under a name; `None` if the world has none of it.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn blob(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, LedgerError>;

    /// The number of bytes under a name; `None` if the world has none of it.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn blob_size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, LedgerError>;

    /// The names of a world's blobs, and when each was put last, by the ledger's clock: by name, from the one behind
    /// `after`, at most `limit`.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn blobs(
        &self,
        world: WorldId,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(Digest, Time)>, LedgerError>;

    /// The time by the ledger's clock.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn blob_time(&self) -> Result<Time, LedgerError>;

    /// The worlds in which blobs were put last at a time in `range`, each with such a time: by time and world, from the
    /// one behind `after`, at most `limit`. A world comes once for each time.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn puts(
        &self,
        range: PutRange,
        after: Option<(Time, WorldId)>,
        limit: usize,
    ) -> Result<Vec<(Time, WorldId)>, LedgerError>;

    /// Makes blobs of a world, those that are there, as young as if they were put now: somebody is about to name them. It
    /// does not come between the look of [`BlobTable::remove_blobs`] at a blob and its removal.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn touch_blobs(&self, world: WorldId, blobs: &[Digest]) -> Result<(), LedgerError>;

    /// Removes blobs of a world, those that are there and were put before `before`; gives how many were. One that is put again
    /// or touched meanwhile stays: somebody is about to name it.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn remove_blobs(
        &self,
        world: WorldId,
        blobs: &[Digest],
        before: Time,
    ) -> Result<u64, LedgerError>;
}

/// The saved folds of all worlds.
#[async_trait]
pub trait CheckpointTable: Send + Sync + Debug {
    /// Keeps a saved fold; one at the same place is replaced.
    ///
    /// # Errors
    /// [`LedgerError::Invalid`] for what [`check_checkpoint`] refuses; else see [`LedgerError`].
    async fn save_checkpoint(&self, row: CheckpointRow) -> Result<Saving, LedgerError>;

    /// The places of a world's saved folds, and the rules that made each, oldest first.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn checkpoints(&self, world: WorldId) -> Result<Vec<(Position, Digest)>, LedgerError>;

    /// The saved fold at a place.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn checkpoint(
        &self,
        world: WorldId,
        at: Position,
    ) -> Result<Option<CheckpointRow>, LedgerError>;

    /// Removes the saved folds at these places, those that are there.
    ///
    /// # Errors
    /// [`LedgerError`].
    async fn remove_checkpoints(&self, world: WorldId, at: &[Position]) -> Result<(), LedgerError>;
}

/// A commit as a ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The world that keeps it. A row that was copied to a fork has the fork here, and the parent in its record.
    pub world: WorldId,
    /// The position of its first event.
    pub first: Position,
    /// The position of its last event.
    pub last: Position,
    /// The time of the commit.
    pub time: Time,
    /// The incarnation of the world behind it.
    pub incarnation: Incarnation,
    /// The digest of its key; `None` if it has none. The record says what was asked under it.
    pub key: Option<Digest>,
    /// The record, with its link in the bytes from 4 to 36.
    pub record: Vec<u8>,
    /// The content that is too large to stand in the record, by position.
    pub beside: Vec<BesideRow>,
}

impl Row {
    /// The link of its record; `None` if that is too short to have one.
    #[must_use]
    pub fn link(&self) -> Option<Digest> {
        check::link(&self.record)
    }

    /// The bytes of the record and of what stands beside it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let beside = self.beside.iter().map(|beside| beside.bytes.len());
        self.record.len() + beside.sum::<usize>()
    }
}

/// The content of one event that stands beside its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BesideRow {
    /// The position of the event.
    pub at: Position,
    /// The bytes, at most [`BESIDE_BYTES_MAX`].
    pub bytes: Vec<u8>,
}

/// A row on its way into a ledger, with what the ledger notes of it elsewhere in the same step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    /// The row.
    pub row: Row,
    /// The positions that it takes away, of messages. One that is gone already stays so.
    pub gone: Vec<Position>,
    /// The owner and labels that the world has from here on; `None`: as before.
    pub labelled: Option<Labelled>,
    /// The demands that the world has from here on; `None`: as before.
    pub demands: Option<Demands>,
    /// The world that it begins; `None` for all rows but the first one of a world.
    pub birth: Option<Birth>,
}

/// The demands of a world on the node that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demands {
    /// The things that a node must offer; `None`: as before, and at the birth of a fork as its parent.
    pub needs: Option<BTreeSet<String>>,
    /// The least schema that a node must have. It never sinks: of two the greater counts.
    pub schema: u32,
}

/// The beginning of a world. Its owner and labels are those of the row, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Birth {
    /// Its name.
    pub name: WorldName,
    /// The world and the position that it is forked at; `None`: it is no fork.
    pub base: Option<(WorldId, Position)>,
    /// True if its content is sealed.
    pub is_sealed: bool,
}

/// Rows of one world that follow one another, to be appended all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowChain {
    /// The world.
    pub world: WorldId,
    /// The first position of the row that they follow, which is the world's own. Zero at a birth.
    pub prev: Position,
    /// The rows, at least one. Only the first has a key or a birth, and one with a birth comes alone.
    pub rows: Vec<NewRow>,
}

/// The result of appending a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landing {
    /// All of its rows are there.
    Appended,
    /// The world's last row is another one. Read it, decide again.
    Conflict,
    /// Another node holds the world, or none. Give it up, or take it first.
    Fenced {
        /// The node that holds it; `None`: nobody does.
        holder: Option<NodeId>,
    },
    /// Another world has the name.
    NameTaken,
    /// A row with the key is there: this one. Its record says what was asked.
    KeyKnown(Row),
    /// There is no such world, or not any more.
    NoSuchWorld(WorldId),
}

/// The most of one piece of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceMax {
    /// The most rows.
    pub rows: usize,
    /// About the most bytes.
    pub bytes: usize,
}

/// A range of positions that may be gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoneRange {
    /// The first position.
    pub from: Position,
    /// The first position behind the range.
    pub to: Position,
    /// The last position at which a row may begin that took one away.
    pub until: Position,
}

/// The times, by the ledger's clock, at which blobs were put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutRange {
    /// The first time.
    pub since: Time,
    /// The first time behind the range.
    pub before: Time,
}

/// Rows that a fork shares with a world that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRange {
    /// The world that keeps them.
    pub world: WorldId,
    /// The position of the first event.
    pub from: Position,
    /// The position of the last event.
    pub to: Position,
}

/// A world as a ledger lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Its id.
    pub world: WorldId,
    /// Its name.
    pub name: WorldName,
    /// The position of its last event.
    pub head: Position,
    /// The time of its last row.
    pub time: Time,
    /// The incarnation behind its last row.
    pub incarnation: Incarnation,
    /// Its owner and labels.
    pub labelled: Labelled,
    /// The place that it was forked at; `None`: it is no fork.
    pub base: Option<ForkBase>,
    /// True if its content is sealed.
    pub is_sealed: bool,
    /// The node that holds it.
    pub holder: Option<NodeId>,
    /// The incarnation up to which no fold is saved; `None`: nothing was erased yet.
    pub barred: Option<Incarnation>,
    /// The newest that [`LedgerUpkeep::save_reach`] kept.
    pub reach: Option<Vec<u8>>,
}

/// The place that a world was forked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForkBase {
    /// The world that it was forked from. That may be gone if the fork has a copy of its rows.
    pub parent: WorldId,
    /// The last event that both have.
    pub at: Position,
    /// True if the fork has the rows up to there itself.
    pub is_copied: bool,
}

/// Other bytes for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The world that keeps it.
    pub world: WorldId,
    /// The position of its first event.
    pub first: Position,
    /// The digest of the bytes that it replaces, as [`Digest::of`] them alone. What was read before another rewrite would bring
    /// back what that took away.
    pub replaces: Digest,
    /// The bytes.
    pub record: Vec<u8>,
    /// The positions of the events whose content beside the record goes.
    pub without: Vec<Position>,
}

/// The result of a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Burial {
    /// All of the worlds are deleted.
    Deleted,
    /// There is no such world; nothing is deleted.
    NoSuchWorld(WorldId),
    /// Another node holds a world, or none; nothing is deleted.
    Fenced {
        /// The world.
        world: WorldId,
        /// The node that holds it.
        holder: Option<NodeId>,
    },
    /// A world that is to stay shares the rows of one; nothing is deleted.
    HasForks {
        /// The parent.
        world: WorldId,
        /// The name of the fork.
        fork: WorldName,
    },
}

/// A saved fold as a ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    /// The world.
    pub world: WorldId,
    /// The last event that is in it.
    pub at: Position,
    /// The incarnation of the world that made it.
    pub incarnation: Incarnation,
    /// The rules that made it.
    pub decider: Digest,
    /// The link of the commit that ends at `at`.
    pub link: Digest,
    /// The fold.
    pub state: Vec<u8>,
}

/// The result of leaving nothing in a ledger's own files that is not meant to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compaction {
    /// Nothing is left.
    Done,
    /// Something is left: somebody uses it for long, or it is so large that others would wait for long. Later is another
    /// time.
    Later,
}

/// The result of saving a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saving {
    /// It is kept.
    Saved,
    /// It may hold what was erased since, and is not kept: see [`LedgerUpkeep::bar`].
    Barred,
    /// There is no such world.
    NoSuchWorld,
}

/// The reason that a ledger did not do what it was asked, or may not have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The ledger has no room. Nothing is kept: make room, and do it again.
    #[error("the ledger has no room")]
    Full(#[source] Box<dyn Error + Send + Sync>),
    /// The request breaks the contract, and nothing of it is kept. Permanent.
    #[error("the ledger does not take it: {0}")]
    Invalid(String),
    /// The ledger does not let this login do that. Permanent until somebody gives it the right.
    #[error("the ledger refuses it: {0}")]
    Refused(String),
    /// The rows do not read back as they were written. Verify the world, and restore it.
    #[error("the ledger is damaged: {0}")]
    Damaged(String),
    /// The ledger was lost before it answered: it may have happened, or may happen yet. Do the same again until it is
    /// settled.
    #[error("the ledger was lost before it answered")]
    Unknown(#[source] Box<dyn Error + Send + Sync>),
    /// The ledger cannot be reached, and nothing happened. Try again later.
    #[error("the ledger cannot be reached")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The ledger was closed.
    #[error("the ledger is closed")]
    Closed,
}
