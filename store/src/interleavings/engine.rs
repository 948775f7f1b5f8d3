//! An engine at whose calls others get their turn.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use folkmoot_core::ids::{Position, WorldId};
use shuttle::thread::yield_now;

use crate::engine::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};
use crate::engines::MemoryEngine;
use crate::format::upcast::Upcasters;
use crate::local::LocalStore;
use crate::write::recover;

/// Keeps frames in memory; each call is as if it took its time.
#[derive(Debug, Default)]
pub(super) struct Slow {
    inner: MemoryEngine,
    /// The frame that each append began behind.
    appends: Mutex<Vec<FrameNumber>>,
    /// How many appends succeed, if not all do.
    pub(super) good: Option<u64>,
    done: AtomicU64,
}

impl Slow {
    pub(super) fn open() -> (Arc<Self>, LocalStore) {
        Self::default().started()
    }

    /// One whose `good`-th append is the last that succeeds.
    pub(super) fn failing(good: u64) -> (Arc<Self>, LocalStore) {
        Self {
            good: Some(good),
            ..Self::default()
        }
        .started()
    }

    fn started(self) -> (Arc<Self>, LocalStore) {
        let engine = Arc::new(self);
        let store = LocalStore::with_engine(Arc::clone(&engine) as Arc<dyn Engine>).unwrap();
        (engine, store)
    }

    /// Returns how far a world has come by what would be found if the process died now.
    pub(super) fn durable(&self, world: WorldId) -> Position {
        let index = recover::recover(&self.snapshot(), &Upcasters::default()).unwrap();
        index
            .worlds
            .get(&world)
            .map_or(Position::ZERO, |world| world.reach.head)
    }

    /// Returns what it keeps now, in another engine: recovering writes.
    fn snapshot(&self) -> MemoryEngine {
        let frames = self.inner.read(FrameNumber(0), usize::MAX).unwrap();
        let copy = MemoryEngine::new();
        let head = self.inner.head().unwrap();
        let term = copy.take_over().unwrap();
        let trimmed = FrameNumber(head.0 - frames.len() as u64);
        copy.append(term, FrameNumber(0), &vec![Vec::new(); trimmed.0 as usize])
            .unwrap();
        copy.trim(trimmed).unwrap();
        copy.append(
            term,
            trimmed,
            &frames
                .into_iter()
                .map(|(_, frame)| frame)
                .collect::<Vec<_>>(),
        )
        .unwrap();
        for table in [
            Table::Meta,
            Table::Worlds,
            Table::Runs,
            Table::Keys,
            Table::Gone,
            Table::Deleted,
        ] {
            copy.put(
                table,
                &self
                    .inner
                    .range(table, &[], &[0xff; 64], usize::MAX)
                    .unwrap(),
            )
            .unwrap();
        }
        copy
    }

    /// Returns how many appends have begun.
    pub(super) fn begun(&self) -> usize {
        self.appends.lock().unwrap().len()
    }

    /// Returns which append wrote the frame.
    pub(super) fn append_of(&self, frame: FrameNumber) -> usize {
        self.appends
            .lock()
            .unwrap()
            .partition_point(|behind| *behind < frame)
    }
}

/// Gives others their turn, before and behind `call`.
fn slowly<T>(call: impl FnOnce() -> T) -> T {
    yield_now();
    let value = call();
    yield_now();
    value
}

impl FrameLog for Slow {
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
        self.appends.lock().unwrap().push(expected);
        slowly(|| {
            if self
                .good
                .is_some_and(|good| self.done.fetch_add(1, Ordering::SeqCst) >= good)
            {
                return Err(EngineError::Io(std::io::Error::other("the disk is gone")));
            }
            self.inner.append(term, expected, frames)
        })
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        slowly(|| self.inner.read(from, bytes_max))
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        slowly(|| self.inner.trim(up_to))
    }
}

impl Shelf for Slow {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        slowly(|| self.inner.put(table, pairs))
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        slowly(|| self.inner.get(table, key))
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        slowly(|| self.inner.range(table, from, to, bytes_max))
    }

    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        slowly(|| self.inner.keys(table, from, to, count_max))
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        slowly(|| self.inner.floor(table, key))
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        slowly(|| self.inner.remove(table, keys))
    }
}

impl Engine for Slow {
    fn home(&self) -> Option<&Path> {
        None
    }

    fn compact(&self) -> Result<(), EngineError> {
        slowly(|| self.inner.compact())
    }
}
