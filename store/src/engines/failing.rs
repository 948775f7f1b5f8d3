//! An engine that fails at a chosen place: for tests of recovery.

use std::io;
use std::path::Path;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};

/// Passes everything on to another engine until a number of appends, of changes of tables or of reads is
/// used up; then each of them fails, and nothing of it is kept. For tests of recovery: the store
/// above it stops as it would at a broken disk, or as that of a process which dies there.
///
/// One append of the engine holds whatever commits waited: a world that appends one commit at a
/// time, alone, makes one append per commit. Tables change row by row, since a process may die
/// between any two.
#[derive(Debug)]
pub struct FailingEngine {
    inner: Arc<dyn Engine>,
    appends: Left,
    changes: Left,
    reads: Left,
}

impl FailingEngine {
    /// Lets `appends` appends through to `inner`, and all else.
    #[must_use]
    pub fn after(appends: u64, inner: Arc<dyn Engine>) -> Self {
        Self {
            inner,
            appends: Left::new(appends),
            changes: Left::new(u64::MAX),
            reads: Left::new(u64::MAX),
        }
    }

    /// Lets `changes` changes through to `inner`, and all else: rows that are put or removed, and
    /// frames that are trimmed.
    #[must_use]
    pub fn after_changes(changes: u64, inner: Arc<dyn Engine>) -> Self {
        Self {
            inner,
            appends: Left::new(u64::MAX),
            changes: Left::new(changes),
            reads: Left::new(u64::MAX),
        }
    }

    /// Lets so many reads of frames through from now on.
    pub fn let_reads_through(&self, reads: u64) {
        self.reads.0.store(reads, Ordering::SeqCst);
    }

    /// Lets so many changes through from now on.
    pub fn let_changes_through(&self, changes: u64) {
        self.changes.0.store(changes, Ordering::SeqCst);
    }
}

/// The number of calls that may still succeed.
#[derive(Debug)]
struct Left(AtomicU64);

impl Left {
    const fn new(count: u64) -> Self {
        Self(AtomicU64::new(count))
    }

    fn spend(&self) -> Result<(), EngineError> {
        let spent = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        spent
            .map(|_| ())
            .map_err(|_| EngineError::Io(io::Error::other("what the test lets through is used up")))
    }
}

impl FrameLog for FailingEngine {
    fn ack(&self) -> Ack {
        self.inner.ack()
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        self.inner.take_over()
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        self.inner.head()
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        self.appends.spend()?;
        self.inner.append(term, expected, frames)
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        self.reads.spend()?;
        self.inner.read(from, bytes_max)
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        self.changes.spend()?;
        self.inner.trim(up_to)
    }
}

impl Shelf for FailingEngine {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        for pair in pairs {
            self.changes.spend()?;
            self.inner.put(table, slice::from_ref(pair))?;
        }
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        self.inner.get(table, key)
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        self.inner.range(table, from, to, bytes_max)
    }

    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        self.inner.keys(table, from, to, count_max)
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        self.inner.floor(table, key)
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        for key in keys {
            self.changes.spend()?;
            self.inner.remove(table, slice::from_ref(key))?;
        }
        Ok(())
    }
}

impl Engine for FailingEngine {
    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }

    fn compact(&self) -> Result<(), EngineError> {
        self.changes.spend()?;
        self.inner.compact()
    }
}
