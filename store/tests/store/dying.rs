//! An engine whose process dies between two changes of its tables.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use folkmoot_store::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};

/// An engine that fails from its `left`-th change of tables on, as that of a process which dies there.
#[derive(Debug)]
pub(crate) struct Dying {
    inner: Arc<dyn Engine>,
    left: AtomicUsize,
}

impl Dying {
    /// Lets `changes` through to `inner`.
    pub(crate) fn after(changes: usize, inner: Arc<dyn Engine>) -> Self {
        Self { inner, left: AtomicUsize::new(changes) }
    }

    /// Lets so many more changes through from now on.
    pub(crate) fn dies_after(&self, changes: usize) {
        self.left.store(changes, Ordering::SeqCst);
    }

    fn spend(&self) -> Result<(), EngineError> {
        let spent = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        spent.map(|_| ()).map_err(|_| EngineError::Io(std::io::Error::other("it died")))
    }
}

impl FrameLog for Dying {
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
        self.inner.append(term, expected, frames)
    }

    fn read(&self, from: FrameNumber, bytes_max: usize) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        self.inner.read(from, bytes_max)
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        self.spend()?;
        self.inner.trim(up_to)
    }
}

impl Shelf for Dying {
    /// Pair by pair: a process may die between any two.
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        for pair in pairs {
            self.spend()?;
            self.inner.put(table, std::slice::from_ref(pair))?;
        }
        Ok(())
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
        for key in keys {
            self.spend()?;
            self.inner.remove(table, std::slice::from_ref(key))?;
        }
        Ok(())
    }
}

impl Engine for Dying {
    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }

    fn compact(&self) -> Result<(), EngineError> {
        self.spend()?;
        self.inner.compact()
    }
}
