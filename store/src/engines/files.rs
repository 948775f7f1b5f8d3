//! Frames and tables in one plain file: the control of every benchmark, and what a damaged store is
//! rebuilt into.
//!
//! What is written is appended in *groups* of rows, each with a checksum, each synced before the
//! next one begins. Where the newest value of each key stands is kept in memory and found again by
//! reading the file once, at opening. Rows that were replaced or removed stay in the file until it
//! is rewritten.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use super::content::ContentFolder;
use crate::engine::{
    Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, TERM, TRIMMED, Table, Term,
    from_io, is_trimmed,
};
use crate::home::Home;
use crate::home::opening::{OpenError, OpenMode};
use index::{RowIndex, ValuePlace};
use mark::AcknowledgedLength;
use row::{Row, RowKind};

mod compact;
mod group;
mod head;
mod index;
mod mark;
mod open;
mod row;
mod scan;
#[cfg(test)]
mod tests;

/// The folder of the engine in the store's directory.
pub(super) const FOLDER: &str = "files";

/// The file in it that has all rows.
const ROWS: &str = "rows";

/// A file that is larger is rewritten once more than half of it is dead.
const REWRITE_BYTES: u64 = 64 * 1024 * 1024;

/// A plain file in a directory of its own. After any failed write the engine refuses all others
/// until it is reopened.
#[derive(Debug)]
pub struct FilesEngine {
    /// Whoever needs both takes the writer first.
    writer: Mutex<FileWriter>,
    state: RwLock<ReadState>,
    rewrite_bytes: u64,
    content: ContentFolder,
    // The last to be dropped: the directory stays locked until the files are closed.
    home: Home,
}

/// The state that reading needs.
#[derive(Debug)]
struct ReadState {
    file: Arc<File>,
    index: RowIndex,
}

/// The state that writing needs. Whoever holds it is the only writer.
#[derive(Debug)]
struct FileWriter {
    file: Arc<File>,
    /// `None` if nothing is to be written.
    mark: Option<AcknowledgedLength>,
    generation: u64,
    len: u64,
    has_failed: bool,
}

impl FileWriter {
    /// Runs `write`; an error of it ends all writing.
    fn run<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        // After a failed sync nobody knows what is on the disk and what only in memory
        // (decision 0021).
        if self.has_failed {
            return Err(EngineError::Io(io::Error::other("an earlier write failed")));
        }
        // Before the write, so that one that panics has failed as well.
        self.has_failed = true;
        let written = write(self)?;
        self.has_failed = false;
        Ok(written)
    }

    /// Writes a group at the end of the file; returns when it survives power loss.
    fn append(&mut self, payload: &[u8]) -> Result<u64, EngineError> {
        let at = self.len;
        let group = group::encode(at, payload)?;
        self.file.write_all_at(&group, at).map_err(from_io)?;
        // One group, one sync: a group that reads proves everything before it (decision 0021).
        self.file.sync_data().map_err(from_io)?;
        self.len = at + group.len() as u64;
        self.note()?;
        Ok(at)
    }

    /// Notes that all of the file is acknowledged.
    fn note(&mut self) -> Result<(), EngineError> {
        let generation = self.generation;
        let len = self.len;
        let mark = self
            .mark
            .as_mut()
            .ok_or_else(|| EngineError::Io(io::Error::other("it is only read from")))?;
        // Not synced: that would be a second sync per append, for a case that needs two faults at
        // once (decision 0021).
        mark.write(generation, len).map_err(from_io)
    }
}

impl FilesEngine {
    /// Opens the files in `dir`, or makes them.
    ///
    /// # Errors
    /// [`OpenError`]: each variant says what to do.
    pub fn open(dir: impl Into<PathBuf>, mode: OpenMode) -> Result<Self, OpenError> {
        open::open(dir.into(), mode)
    }

    /// Opens the files in a directory that is locked already.
    pub(crate) fn open_home(home: Home) -> Result<Self, EngineError> {
        open::open_in(home)
    }

    /// Opens the files to read what is whole of them, and says what is not. Nothing is written.
    /// `None` if there are none yet.
    pub(crate) fn look(home: Home) -> Result<Option<(Self, Vec<String>)>, EngineError> {
        open::look_in(home)
    }

    /// Writes rows in order, a group at a time.
    fn write(&self, writer: &mut FileWriter, rows: &[Row<'_>]) -> Result<(), EngineError> {
        for some in group::parts(rows) {
            let payload = row::encode(some)?;
            let at = writer.run(|writer| writer.append(&payload))?;
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let applied = group::each_row(at, &payload, |row, place| state.index.apply(row, place));
            applied.map_err(|error| damaged(at, &error.0))?;
        }
        Ok(())
    }

    fn writer(&self) -> MutexGuard<'_, FileWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> RwLockReadGuard<'_, ReadState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one small value of [`Table::Meta`].
    fn put_number(
        &self,
        writer: &mut FileWriter,
        key: &[u8],
        number: u64,
    ) -> Result<(), EngineError> {
        self.write(
            writer,
            &[Row::put(row::key(Table::Meta, key), &number.to_be_bytes())],
        )
    }

    /// Rewrites the file if most of it is dead. Where that fails, the file stays as it is.
    fn rewrite_if_due(&self) {
        let len = self.writer().len;
        let live = self.state().index.live_bytes();
        if len > self.rewrite_bytes
            && live < len / 2
            && let Err(error) = compact::compact(self)
        {
            tracing::warn!(%error, "dead rows stay in the file");
        }
    }
}

impl ReadState {
    /// Reads a value back, and verifies that it is what was written.
    fn value(&self, place: ValuePlace) -> Result<Vec<u8>, EngineError> {
        let mut value = vec![0; crate::format::bytes::to_usize(place.len)];
        self.file
            .read_exact_at(&mut value, place.at)
            .map_err(|error| {
                let is_cut = error.kind() == io::ErrorKind::UnexpectedEof;
                if is_cut {
                    damaged(place.at, "the file ends in a value")
                } else {
                    from_io(error)
                }
            })?;
        if crc32fast::hash(&value) == place.checksum {
            Ok(value)
        } else {
            Err(damaged(place.at, "a value does not match its checksum"))
        }
    }

    /// Reads values until about `bytes_max` bytes are read; at least one, if there is one.
    fn collect<'a>(
        &self,
        rows: impl Iterator<Item = (&'a [u8], ValuePlace)>,
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        let mut pairs = Vec::new();
        let mut read = 0_usize;
        for (key, place) in rows {
            let value = self.value(place)?;
            read += value.len() + 1;
            pairs.push((key.to_vec(), value));
            if read >= bytes_max {
                break;
            }
        }
        Ok(pairs)
    }
}

impl FrameLog for FilesEngine {
    fn ack(&self) -> Ack {
        Ack::PowerSafe
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        let mut writer = self.writer();
        let term = self.state().index.term.0.saturating_add(1);
        self.put_number(&mut writer, TERM, term)?;
        Ok(Term(term))
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        Ok(self.state().index.head)
    }

    fn append(
        &self,
        term: Term,
        expected: FrameNumber,
        frames: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        let mut writer = self.writer();
        let (current, actual) = {
            let state = self.state();
            (state.index.term, state.index.head)
        };
        if term != current {
            return Err(EngineError::Fenced { current });
        }
        if expected != actual {
            return Err(EngineError::WrongHead { actual });
        }
        let numbered = (expected.0.saturating_add(1)..).zip(frames);
        let rows: Vec<Row<'_>> = numbered
            .map(|(number, frame)| Row::put(row::frame_key(number), frame))
            .collect();
        self.write(&mut writer, &rows)
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        let state = self.state();
        let pairs = state.collect(state.index.frames(from), bytes_max)?;
        pairs
            .into_iter()
            .map(|(key, frame)| Ok((FrameNumber(row::number(&key)?), frame)))
            .collect()
    }

    fn trim(&self, up_to: FrameNumber) -> Result<(), EngineError> {
        {
            let mut writer = self.writer();
            let up_to = up_to.min(self.state().index.head);
            if is_trimmed(self.get(Table::Meta, TRIMMED)?.as_deref(), up_to) {
                return Ok(());
            }
            self.put_number(&mut writer, TRIMMED, up_to.0)?;
        }
        self.rewrite_if_due();
        Ok(())
    }
}

impl Shelf for FilesEngine {
    fn put(&self, table: Table, pairs: &[Pair]) -> Result<(), EngineError> {
        if table == Table::Content {
            return self.content.put(pairs);
        }
        let rows: Vec<Row<'_>> = pairs
            .iter()
            .map(|(key, value)| Row::put(row::key(table, key), value))
            .collect();
        self.write(&mut self.writer(), &rows)
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        if table == Table::Content {
            return self.content.get(key);
        }
        let state = self.state();
        state
            .index
            .get(&row::key(table, key))
            .map(|place| state.value(place))
            .transpose()
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
        let state = self.state();
        state.collect(
            state
                .index
                .range(row::key(table, from)..row::key(table, to)),
            bytes_max,
        )
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
        let state = self.state();
        let keys = state
            .index
            .range(row::key(table, from)..row::key(table, to))
            .map(|(key, _)| key.to_vec());
        Ok(keys.take(count_max).collect())
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        if table == Table::Content {
            return self.content.floor(key);
        }
        let state = self.state();
        let below = state
            .index
            .range(row::key(table, &[])..=row::key(table, key))
            .next_back();
        below
            .map(|(key, place)| Ok((key.to_vec(), state.value(place)?)))
            .transpose()
    }

    fn remove(&self, table: Table, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        if table == Table::Content {
            return self.content.remove(keys);
        }
        let mut writer = self.writer();
        let mut keys: Vec<Vec<u8>> = keys.iter().map(|key| row::key(table, key)).collect();
        keys.retain(|key| self.state().index.get(key).is_some());
        let rows: Vec<Row<'_>> = keys
            .into_iter()
            .map(|key| Row {
                kind: RowKind::Remove,
                key,
                value: &[],
            })
            .collect();
        self.write(&mut writer, &rows)
    }
}

impl Engine for FilesEngine {
    fn home(&self) -> Option<&Path> {
        Some(self.home.path())
    }

    fn compact(&self) -> Result<(), EngineError> {
        compact::compact(self)
    }
}

fn damaged(at: u64, what: &str) -> EngineError {
    EngineError::Damaged(damage_at(at, what))
}

fn damage_at(at: u64, what: &str) -> String {
    format!("{what}, at byte {at} of {FOLDER}/{ROWS}")
}
