//! Frames and tables in a sled database, with the barrier that sled itself does not have.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use barrier::Barrier;
use sled::Tree;

use super::content::ContentFolder;
use crate::engine::{
    Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, TERM, TRIMMED, Table, Term,
    from_io, is_trimmed,
};
use crate::format::FRAME_MAX;
use crate::home::Home;
use crate::home::opening::{OpenError, OpenMode};
pub(crate) use bare::BareSled;
use guard::{Handle, guarded};
use seal::Seal;

mod ahead;
mod bare;
mod barrier;
mod compact;
mod guard;
mod open;
mod rows;
mod seal;
#[cfg(test)]
mod tests;

/// The folders in a store's directory that only this engine makes.
pub(super) const FOLDERS: [&str; 2] = [open::LOG, compact::COPY];

/// A sled database in a directory of its own.
///
/// sled's flush reaches no device, so every write ends with a `sync_data` on our own handle of its
/// file, at the latest after as many bytes as that is safe for. After any failed write the engine
/// refuses all others until it is reopened.
#[derive(Debug)]
pub struct SledEngine {
    /// `None` once the database is closed for good. Whoever needs both takes the writer first.
    trees: RwLock<Option<Trees>>,
    writer: Mutex<Writer>,
    content: ContentFolder,
    // The last to be dropped: the directory stays locked until the database is closed.
    home: Home,
}

#[derive(Debug)]
struct Trees {
    frames: Tree,
    meta: Tree,
    worlds: Tree,
    runs: Tree,
    keys: Tree,
    gone: Tree,
    deleted: Tree,
    /// Goes after all others.
    _last: Handle,
}

impl Trees {
    fn of(&self, table: Table) -> Result<&Tree, EngineError> {
        match table {
            Table::Meta => Ok(&self.meta),
            Table::Worlds => Ok(&self.worlds),
            Table::Runs => Ok(&self.runs),
            Table::Keys => Ok(&self.keys),
            Table::Gone => Ok(&self.gone),
            Table::Deleted => Ok(&self.deleted),
            Table::Content => Err(EngineError::Io(io::Error::other(
                "large content has no tree",
            ))),
        }
    }

    const fn all(&self) -> [&Tree; 7] {
        let Self {
            frames,
            meta,
            worlds,
            runs,
            keys,
            gone,
            deleted,
            _last,
        } = self;
        [frames, meta, worlds, runs, keys, gone, deleted]
    }
}

/// The state that writing needs. Whoever holds it is the only writer.
#[derive(Debug)]
struct Writer {
    barrier: Barrier,
    head: FrameNumber,
    term: Term,
    has_failed: bool,
    /// The seal of the database before it was opened; empty for one that was copied afresh.
    sealed: Seal,
}

impl Writer {
    /// Runs `write`; an error of it ends all writing.
    fn run(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        if self.has_failed {
            return Err(EngineError::Io(io::Error::other("an earlier write failed")));
        }
        self.has_failed = true;
        write(self)?;
        self.has_failed = false;
        Ok(())
    }
}

impl SledEngine {
    /// Opens the database in `dir`, or makes one.
    ///
    /// # Errors
    /// [`OpenError`]: each variant says what to do.
    pub fn open(dir: impl Into<PathBuf>, mode: OpenMode) -> Result<Self, OpenError> {
        open::open(dir.into(), mode)
    }

    /// Opens the database in a directory that is locked already.
    pub(crate) fn open_home(home: Home) -> Result<Self, EngineError> {
        let sealed = open::check(home.path())?;
        open::open_in(home, sealed)
    }

    /// The same, where somebody has looked already whether it is damaged.
    pub(crate) fn open_checked(home: Home) -> Result<Self, EngineError> {
        let folder = compact::current(home.path())?;
        let sealed = seal::read(&folder).map_err(from_io)?.unwrap_or_default();
        open::open_in(home, sealed)
    }

    /// Calls `work` with the trees, which stay open meanwhile.
    fn with<T>(
        &self,
        work: impl FnOnce(&Trees) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let trees = self.trees.read().unwrap_or_else(PoisonError::into_inner);
        work(trees.as_ref().ok_or_else(closed)?)
    }

    /// Calls `write` as the only writer, and brings to the disk what it wrote.
    fn write(
        &self,
        write: impl FnOnce(&mut Writer, &Trees) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.writer().run(|writer| {
            self.with(|trees| write(writer, trees).and_then(|()| writer.barrier.sync()))
        })
    }

    /// Removes `keys` a few at a time, so that appends get their turn.
    fn remove_all(
        &self,
        tree: impl Fn(&Trees) -> Result<&Tree, EngineError>,
        keys: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        for some in keys.chunks(barrier::REMOVALS_MAX) {
            self.write(|writer, trees| {
                let tree = tree(trees)?;
                for key in some {
                    writer.barrier.reserve(FRAME_MAX)?;
                    guarded(|| tree.remove(key))?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrameLog for SledEngine {
    fn ack(&self) -> Ack {
        Ack::PowerSafe
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        let mut writer = self.writer();
        let term = Term(writer.term.0.saturating_add(1));
        writer.run(|writer| self.with(|trees| note(writer, trees, TERM, term.0)))?;
        writer.term = term;
        Ok(term)
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        Ok(self.writer().head)
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        let mut writer = self.writer();
        if term != writer.term {
            return Err(EngineError::Fenced {
                current: writer.term,
            });
        }
        if expected != writer.head {
            return Err(EngineError::WrongHead {
                actual: writer.head,
            });
        }
        writer.run(|writer| {
            self.with(|trees| {
                for (number, frame) in (expected.0.saturating_add(1)..).zip(frames) {
                    writer.barrier.reserve(frame.len())?;
                    guarded(|| trees.frames.insert(number.to_be_bytes(), frame.as_slice()))?;
                }
                writer.barrier.sync()
            })
        })?;
        writer.head = expected.plus(frames.len() as u64);
        Ok(())
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        let pairs =
            self.with(|trees| rows::collect(&trees.frames, from.0.to_be_bytes().., bytes_max))?;
        pairs
            .into_iter()
            .map(|(key, value)| Ok((FrameNumber(rows::number(&key)?), value)))
            .collect()
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        let mut writer = self.writer();
        let up_to = up_to.min(writer.head);
        if !is_trimmed(self.get(Table::Meta, TRIMMED)?.as_deref(), up_to) {
            writer.run(|writer| self.with(|trees| note(writer, trees, TRIMMED, up_to.0)))?;
        }
        drop(writer);
        let keys =
            self.with(|trees| rows::keys(&trees.frames, ..=up_to.0.to_be_bytes(), usize::MAX))?;
        self.remove_all(|trees| Ok(&trees.frames), &keys)
    }
}

impl Shelf for SledEngine {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        if table == Table::Content {
            return self.content.put(pairs);
        }
        for step in barrier::steps(table, pairs) {
            self.write(|writer, trees| {
                let tree = trees.of(table)?;
                for (cost, (key, value)) in step {
                    writer.barrier.reserve(cost)?;
                    guarded(|| tree.insert(key, value.as_slice()))?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        if table == Table::Content {
            return self.content.get(key);
        }
        let value = self.with(|trees| {
            let tree = trees.of(table)?;
            guarded(|| tree.get(key))
        })?;
        Ok(value.map(|value| value.to_vec()))
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
        if table == Table::Content {
            return self.content.range(from, to, bytes_max);
        }
        self.with(|trees| rows::collect(trees.of(table)?, from..to, bytes_max))
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
        if table == Table::Content {
            return self.content.keys(from, to, count_max);
        }
        self.with(|trees| rows::keys(trees.of(table)?, from..to, count_max))
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        if table == Table::Content {
            return self.content.floor(key);
        }
        let below = self.with(|trees| {
            let tree = trees.of(table)?;
            guarded(|| tree.range(..=key).next_back().transpose())
        })?;
        Ok(below.map(|(key, value)| (key.to_vec(), value.to_vec())))
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        if table == Table::Content {
            return self.content.remove(keys);
        }
        self.remove_all(|trees| trees.of(table), keys)
    }
}

impl Engine for SledEngine {
    fn home(&self) -> Option<&Path> {
        Some(self.home.path())
    }

    fn compact(&self) -> Result<(), EngineError> {
        compact::compact(self)
    }
}

impl Drop for SledEngine {
    /// Closes the database and seals it. One that something could not be written to stays without a
    /// seal.
    fn drop(&mut self) {
        let writer = self
            .writer
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        writer.barrier.release();
        let had_failed = std::mem::replace(&mut writer.has_failed, true);
        drop(
            self.trees
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        if had_failed {
            return;
        }
        if let Err(error) = seal::close(&self.home.path().join(open::LOG), &writer.sealed) {
            tracing::warn!(%error, "damage of the closed store will be found less surely");
        }
    }
}

/// Writes one small value of [`Table::Meta`].
fn note(writer: &mut Writer, trees: &Trees, key: &[u8], number: u64) -> Result<(), EngineError> {
    writer.barrier.reserve(key.len() + FRAME_MAX)?;
    guarded(|| trees.meta.insert(key, &number.to_be_bytes()))?;
    writer.barrier.sync()
}

fn closed() -> EngineError {
    EngineError::Io(io::Error::other("the database is closed"))
}
