//! Frames and tables in memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};

/// Keeps everything in memory: for tests, and for worlds that nobody needs tomorrow.
#[derive(Debug, Default)]
pub struct MemoryEngine {
    state: Mutex<MemoryFrames>,
}

#[derive(Debug, Default)]
struct MemoryFrames {
    term: Term,
    head: FrameNumber,
    frames: BTreeMap<FrameNumber, Vec<u8>>,
    tables: BTreeMap<(Table, Vec<u8>), Vec<u8>>,
}

impl MemoryEngine {
    /// Makes an empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, MemoryFrames> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrameLog for MemoryEngine {
    fn ack(&self) -> Ack {
        Ack::Process
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        let mut state = self.state();
        state.term.0 = state.term.0.saturating_add(1);
        Ok(state.term)
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        Ok(self.state().head)
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        let mut state = self.state();
        if term != state.term {
            return Err(EngineError::Fenced {
                current: state.term,
            });
        }
        if expected != state.head {
            return Err(EngineError::WrongHead { actual: state.head });
        }
        for frame in frames {
            state.head = state.head.plus(1);
            let head = state.head;
            state.frames.insert(head, frame.clone());
        }
        Ok(())
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        let state = self.state();
        let frames = state
            .frames
            .range(from..)
            .map(|(number, frame)| (*number, frame.clone()));
        Ok(take_bytes(frames, bytes_max, |(_, frame)| frame.len()))
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        let mut state = self.state();
        state.frames = state.frames.split_off(&up_to.plus(1));
        Ok(())
    }
}

impl Shelf for MemoryEngine {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        let mut state = self.state();
        state.tables.extend(
            pairs
                .iter()
                .map(|(key, value)| ((table, key.clone()), value.clone())),
        );
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        Ok(self.state().tables.get(&(table, key.to_vec())).cloned())
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        if from >= to {
            return Ok(Vec::new());
        }
        let state = self.state();
        let range = state
            .tables
            .range((table, from.to_vec())..(table, to.to_vec()));
        let pairs = range.map(|((_, key), value)| (key.clone(), value.clone()));
        Ok(take_bytes(pairs, bytes_max, |(_, value)| value.len()))
    }

    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        if from >= to {
            return Ok(Vec::new());
        }
        let state = self.state();
        let range = state
            .tables
            .range((table, from.to_vec())..(table, to.to_vec()));
        Ok(range
            .map(|((_, key), _)| key.clone())
            .take(count_max)
            .collect())
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        let state = self.state();
        let below = state
            .tables
            .range((table, Vec::new())..=(table, key.to_vec()))
            .next_back();
        Ok(below.map(|((_, key), value)| (key.clone(), value.clone())))
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        let mut state = self.state();
        for key in keys {
            state.tables.remove(&(table, key.clone()));
        }
        Ok(())
    }
}

impl Engine for MemoryEngine {
    fn home(&self) -> Option<&Path> {
        None
    }

    /// A file that was removed is nowhere already.
    fn compact(&self) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Takes items until their sizes reach `bytes_max`; at least one.
fn take_bytes<T>(
    items: impl Iterator<Item = T>,
    bytes_max: usize,
    size: impl Fn(&T) -> usize,
) -> Vec<T> {
    let mut left = bytes_max.max(1);
    let enough = |item: &T| {
        let had = left > 0;
        left = left.saturating_sub(size(item).max(1));
        had
    };
    items.take_while(enough).collect()
}
