//! Processes that end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use folkmoot_store::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};

/// An engine of a process that can be killed: from then on it does nothing more.
#[derive(Debug)]
pub(super) struct Mortal {
    pub(super) engine: Arc<dyn Engine>,
    pub(super) home: PathBuf,
    pub(super) life: Arc<Life>,
}

/// How long a process lives.
#[derive(Debug)]
pub(super) struct Life {
    /// Whether it does; held for writing while it ends.
    lives: RwLock<bool>,
    /// How many writes it will live to make.
    writes: AtomicU64,
}

impl Default for Life {
    fn default() -> Self {
        Self {
            lives: RwLock::new(true),
            writes: AtomicU64::new(u64::MAX),
        }
    }
}

impl Life {
    /// Ends it now, while nothing is under way; `last` sees what it leaves.
    pub(super) fn end(&self, last: impl FnOnce()) {
        let mut lives = self.lives.write().unwrap();
        last();
        *lives = false;
    }

    /// Ends it after so many writes.
    pub(super) fn end_after(&self, writes: u64) {
        self.writes.store(writes, Ordering::SeqCst);
    }

    /// Does `work` if the process lives.
    fn read<T>(&self, work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
        let lives = self.lives.read().unwrap();
        if *lives {
            work()
        } else {
            Err(EngineError::Io(io::Error::other("the process was killed")))
        }
    }

    /// The same for something that is written.
    fn write<T>(&self, work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
        let lives = |left: u64| left.checked_sub(1);
        if self
            .writes
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, lives)
            .is_err()
        {
            *self.lives.write().unwrap() = false;
        }
        self.read(work)
    }
}

impl FrameLog for Mortal {
    fn ack(&self) -> Ack {
        self.engine.ack()
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        self.life.write(|| self.engine.take_over())
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        self.life.read(|| self.engine.head())
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        self.life
            .write(|| self.engine.append(term, expected, frames))
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        self.life.read(|| self.engine.read(from, bytes_max))
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        self.life.write(|| self.engine.trim(up_to))
    }
}

impl Shelf for Mortal {
    /// Pair by pair: a process may die between any two.
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        pairs.iter().try_for_each(|pair| {
            self.life
                .write(|| self.engine.put(table, std::slice::from_ref(pair)))
        })
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        self.life.read(|| self.engine.get(table, key))
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        self.life
            .read(|| self.engine.range(table, from, to, bytes_max))
    }

    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        self.life
            .read(|| self.engine.keys(table, from, to, count_max))
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        self.life.read(|| self.engine.floor(table, key))
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        keys.iter().try_for_each(|key| {
            self.life
                .write(|| self.engine.remove(table, std::slice::from_ref(key)))
        })
    }
}

impl Engine for Mortal {
    fn home(&self) -> Option<&Path> {
        Some(&self.home)
    }

    fn compact(&self) -> Result<(), EngineError> {
        self.life.write(|| self.engine.compact())
    }
}
