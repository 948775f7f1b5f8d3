//! An engine over another one that is only read: what is written stays in memory.
//!
//! Opening a store brings in order what a process that died has left. Whoever only reads does the
//! same over this, and the files stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::engine::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};

/// The rows that were written, by table and key; `None` is one that was removed.
type Rows = BTreeMap<(Table, Vec<u8>), Option<Vec<u8>>>;

/// An engine whose files nobody changes.
#[derive(Debug)]
pub(crate) struct Overlay {
    below: Arc<dyn Engine>,
    rows: Mutex<Rows>,
}

impl Overlay {
    pub(crate) fn over(below: Arc<dyn Engine>) -> Self {
        Self {
            below,
            rows: Mutex::default(),
        }
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows below from `from` to before `to` with what was written over them, as far as those
    /// below were read.
    fn merged(&self, table: Table, below: Vec<Pair>, from: &[u8], to: &[u8]) -> Vec<Pair> {
        let rows = self.rows();
        let written = |to: &[u8], is_with_last: bool| {
            let range = rows.range((table, from.to_vec())..);
            let until = range.take_while(|((of, key), _)| {
                *of == table && (key.as_slice() < to || is_with_last && key.as_slice() == to)
            });
            until
                .map(|((_, key), value)| (key.clone(), value.clone()))
                .collect::<Vec<_>>()
        };
        let written = match below.last() {
            Some((last, _)) => written(last, true),
            None => written(to, false),
        };
        if written.is_empty() {
            return below;
        }
        let mut merged: BTreeMap<Vec<u8>, Option<Vec<u8>>> = below
            .into_iter()
            .map(|(key, value)| (key, Some(value)))
            .collect();
        merged.extend(written);
        merged
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }
}

impl FrameLog for Overlay {
    fn ack(&self) -> Ack {
        Ack::Process
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        Err(EngineError::Io(std::io::Error::other(
            "it is only read from",
        )))
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        self.below.head()
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        self.below.append(term, expected, frames)
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        self.below.read(from, bytes_max)
    }

    /// Whoever opens a store knows by its notes which frames count.
    fn trim(&self, _: FrameNumber) -> Result<(), EngineError> {
        Ok(())
    }
}

impl Shelf for Overlay {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        self.rows().extend(
            pairs
                .iter()
                .map(|(key, value)| ((table, key.clone()), Some(value.clone()))),
        );
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        let written = self.rows().get(&(table, key.to_vec())).cloned();
        written.map_or_else(|| self.below.get(table, key), Ok)
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        let mut from = from.to_vec();
        loop {
            let below = self.below.range(table, &from, to, bytes_max)?;
            let last = below.last().map(|(key, _)| [key.as_slice(), &[0]].concat());
            let merged = self.merged(table, below, &from, to);
            match last {
                // All that was read is removed: what comes behind it?
                Some(next) if merged.is_empty() => from = next,
                Some(_) | None => return Ok(merged),
            }
        }
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
        let mut keys: BTreeSet<Vec<u8>> = self
            .below
            .keys(table, from, to, usize::MAX)?
            .into_iter()
            .collect();
        let rows = self.rows();
        for ((_, key), value) in rows.range((table, from.to_vec())..(table, to.to_vec())) {
            if value.is_some() {
                keys.insert(key.clone());
            } else {
                keys.remove(key);
            }
        }
        Ok(keys.into_iter().take(count_max).collect())
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        let mut below = self.below.floor(table, key)?;
        while let Some((found, _)) = below
            .as_ref()
            .filter(|(found, _)| self.is_removed(table, found))
        {
            below = match before(found) {
                Some(before) => self.below.floor(table, &before)?,
                None => None,
            };
        }
        let rows = self.rows();
        let written = rows
            .range((table, Vec::new())..=(table, key.to_vec()))
            .rev();
        let written = written
            .filter_map(|((_, key), value)| Some((key.clone(), value.clone()?)))
            .next();
        Ok(match (below, written) {
            (Some(below), Some(written)) if below.0 > written.0 => Some(below),
            (below, written) => written.or(below),
        })
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        self.rows()
            .extend(keys.iter().map(|key| ((table, key.clone()), None)));
        Ok(())
    }
}

impl Overlay {
    fn is_removed(&self, table: Table, key: &[u8]) -> bool {
        matches!(self.rows().get(&(table, key.to_vec())), Some(None))
    }
}

/// The longest key that a table has, and some more.
const KEY_MAX: usize = 64;

/// The greatest key before `key`; `None` if there is none.
fn before(key: &[u8]) -> Option<Vec<u8>> {
    let (last, rest) = key.split_last()?;
    Some(match last.checked_sub(1) {
        None => rest.to_vec(),
        Some(less) => [rest, &[less], &[u8::MAX; KEY_MAX]].concat(),
    })
}

impl Engine for Overlay {
    fn home(&self) -> Option<&Path> {
        self.below.home()
    }

    fn compact(&self) -> Result<(), EngineError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
