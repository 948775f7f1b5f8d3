//! The contract of engines: the narrow waist under the event log.
//!
//! An engine keeps opaque frames under growing numbers, and tables of opaque values under ordered
//! keys. It knows nothing of worlds and commits. Calls block: they are made by the committer's
//! thread and by threads that may wait.

use std::fmt::{self, Debug};
use std::io;
use std::path::Path;

/// The number of a frame. The first has 1; 0 is "before the first".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameNumber(pub u64);

impl FrameNumber {
    /// The number `count` frames further on.
    #[must_use]
    pub const fn plus(self, count: u64) -> Self {
        Self(self.0.saturating_add(count))
    }
}

/// The right to append. Every [`FrameLog::take_over`] makes a higher one and ends all lower ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

/// The meaning of an append that returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ack {
    /// The frames survive power loss.
    PowerSafe,
    /// The frames live as long as the process.
    Process,
    /// A server has them.
    Server {
        /// True if a second server has them as well before the first one answers.
        is_synchronous: bool,
    },
}

/// The reason that an engine did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The head is elsewhere; nothing was appended.
    #[error("the log's head is frame {actual:?}")]
    WrongHead {
        /// The number of the last frame.
        actual: FrameNumber,
    },
    /// Another one has taken over; nothing was appended.
    #[error("another writer has taken over (term {current:?})")]
    Fenced {
        /// The term that counts.
        current: Term,
    },
    /// There is no room. What of the frames is kept shows when the log is opened again.
    #[error("the disk is full")]
    Full(#[source] io::Error),
    /// The stored data cannot be read back.
    #[error("the stored data is damaged: {0}")]
    Damaged(String),
    /// Writing or reading failed. What of the frames is kept shows when the log is opened again.
    #[error("input or output failed")]
    Io(#[source] io::Error),
}

/// Tells whether the system says that there is no room: on the disk, in a quota, or under a file
/// size limit.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::WriteZero
    )
}

/// Tells a full disk from other failures.
pub(crate) fn from_io(error: io::Error) -> EngineError {
    if is_full(&error) {
        EngineError::Full(error)
    } else {
        EngineError::Io(error)
    }
}

/// A log of frames with one writer.
pub trait FrameLog: Send + Sync + Debug {
    /// Returns what it means that an append returned.
    fn ack(&self) -> Ack;

    /// Makes the caller the only one who may append.
    ///
    /// # Errors
    /// [`EngineError::Io`] and its like; the caller then has no right.
    fn take_over(&self) -> Result<Term, EngineError>;

    /// The number of the last frame, trimmed or not; 0 if there never was one.
    ///
    /// # Errors
    /// [`EngineError::Io`], [`EngineError::Damaged`].
    fn head(&self) -> Result<FrameNumber, EngineError>;

    /// Appends `frames` behind `expected` and returns when they are as safe as [`FrameLog::ack`]
    /// says.
    ///
    /// # Errors
    /// [`EngineError::WrongHead`] and [`EngineError::Fenced`] append nothing. After any other error
    /// a prefix of the frames may be there.
    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError>;

    /// Reads frames from number `from` on, in order, until about `bytes_max` bytes are read. Empty
    /// behind the head.
    ///
    /// # Errors
    /// [`EngineError::Io`], [`EngineError::Damaged`].
    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError>;

    /// Drops the frames from the oldest up to `up_to`. They stay counted: the head does not move.
    ///
    /// # Errors
    /// [`EngineError::Io`] and its like; a prefix may be gone.
    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError>;
}

/// The tables beside the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Single facts of the store.
    Meta,
    /// Worlds as of the last run.
    Worlds,
    /// The frames of one world alone.
    Runs,
    /// The commit of each key.
    Keys,
    /// The messages that later events have taken away.
    Gone,
    /// The tombstones of deleted worlds.
    Deleted,
    /// The values that are too large for frames, of up to some megabytes. Keys begin with the
    /// world's id.
    Content,
}

/// The key of the current term in [`Table::Meta`], in engines that keep it there.
pub(crate) const TERM: &[u8] = b"term";

/// The key of the last trimmed frame in [`Table::Meta`], in engines that keep it there.
pub(crate) const TRIMMED: &[u8] = b"trimmed";

/// Tells whether frames up to `number` are trimmed already, by the value under [`TRIMMED`]: it
/// never goes back.
pub(crate) fn is_trimmed(value: Option<&[u8]>, number: FrameNumber) -> bool {
    let noted = value.and_then(|value| <[u8; 8]>::try_from(value).ok());
    noted.is_some_and(|noted| number.0 <= u64::from_be_bytes(noted))
}

/// The row of [`Table::Meta`] that tells an engine, once it is opened again, that the frames up to
/// `number` were dropped.
pub(crate) fn trimmed_row(number: FrameNumber) -> Pair {
    (TRIMMED.to_vec(), number.0.to_be_bytes().to_vec())
}

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// Tables of values under ordered keys.
pub trait Shelf: Send + Sync + Debug {
    /// Writes `pairs` in order; returns when they are as safe as an append. Each pair is atomic,
    /// all of them are not.
    ///
    /// # Errors
    /// [`EngineError::Io`] and its like; a prefix may be written.
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError>;

    /// The value under `key`.
    ///
    /// # Errors
    /// [`EngineError::Io`], [`EngineError::Damaged`].
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError>;

    /// The pairs from `from` to before `to`, in order, until about `bytes_max` bytes are read.
    ///
    /// # Errors
    /// [`EngineError::Io`], [`EngineError::Damaged`].
    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError>;

    /// The keys from `from` to before `to`, in order, at most `count_max`. No value is read.
    ///
    /// # Errors
    /// [`EngineError::Io`], [`EngineError::Damaged`].
    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError>;

    /// The pair with the greatest key that is at most `key`.
    ///
    /// # Errors
    /// [`EngineError::Io`], [`EngineError::Damaged`].
    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError>;

    /// Removes `keys`, those that are there.
    ///
    /// # Errors
    /// [`EngineError::Io`] and its like; a prefix may be gone.
    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError>;
}

/// The bytes of a table that are read at once.
pub(crate) const READ_BYTES: usize = 256 * 1024;

/// Behind every key.
pub(crate) const BEHIND: [u8; 64] = [0xff; 64];

/// Hands out the rows of `table` from the key `from` to before `to`, in order, until `take` fails.
pub(crate) fn each_row(
    engine: &dyn Engine,
    table: Table,
    mut from: Vec<u8>,
    to: &[u8],
    mut take: impl FnMut(Pair) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    loop {
        let rows = engine.range(table, &from, to, READ_BYTES)?;
        let Some((last, _)) = rows.last() else {
            return Ok(());
        };
        from.clone_from(last);
        // The least key behind that one.
        from.push(0);
        rows.into_iter().try_for_each(&mut take)?;
    }
}

/// An engine: a frame log with tables beside it, and perhaps a directory.
pub trait Engine: FrameLog + Shelf {
    /// The directory it lives in, if it lives in one. The store keeps its head record and its
    /// checkpoints there.
    fn home(&self) -> Option<&Path>;

    /// Leaves nothing in its files of what was overwritten, removed or trimmed. Writing waits until
    /// that is done.
    ///
    /// # Errors
    /// [`EngineError::Full`], [`EngineError::Io`], [`EngineError::Damaged`]: what is kept is as it
    /// was, and so may be what is not. Engines that cannot go on then refuse all that comes.
    fn compact(&self) -> Result<(), EngineError>;
}

impl fmt::Display for FrameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
