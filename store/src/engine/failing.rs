//! An engine that stops taking appends: for tests of recovery.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};

/// Passes everything on to another engine until a number of appends is used up; then every append fails, and nothing of
/// it is kept. For tests of recovery: the store above it stops as it would at a broken disk.
///
/// One append of the engine holds whatever commits waited: a world that appends one commit at a time, alone, makes one
/// append per commit.
#[derive(Debug)]
pub struct FailingEngine {
    inner: Arc<dyn Engine>,
    left: AtomicU64,
}

impl FailingEngine {
    /// Lets `appends` appends through to `inner`.
    #[must_use]
    pub fn after(appends: u64, inner: Arc<dyn Engine>) -> Self {
        Self { inner, left: AtomicU64::new(appends) }
    }

    fn spend(&self) -> Result<(), EngineError> {
        let spent = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        spent.map(|_| ()).map_err(|_| EngineError::Io(io::Error::other("the test's appends are used up")))
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

    fn append(&self, term: Term, expected: FrameNumber, frames: &[Vec<u8>]) -> Result<(), EngineError> {
        self.spend()?;
        self.inner.append(term, expected, frames)
    }

    fn read(&self, from: FrameNumber, bytes_max: usize) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        self.inner.read(from, bytes_max)
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        self.inner.trim(up_to)
    }
}

impl Shelf for FailingEngine {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        self.inner.put(table, pairs)
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        self.inner.get(table, key)
    }

    fn range(&self, table: Table, from: &[u8], to: &[u8], bytes_max: usize) -> Result<Vec<Pair>, EngineError> {
        self.inner.range(table, from, to, bytes_max)
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        self.inner.floor(table, key)
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        self.inner.remove(table, keys)
    }
}

impl Engine for FailingEngine {
    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }

    fn compact(&self) -> Result<(), EngineError> {
        self.inner.compact()
    }
}
