//! Rows of a ledger as the engine of a store that is only read.
//!
//! Whoever verifies a log, proves it or takes commits out of it reads an engine. A snapshot lets all of them read a ledger:
//! a world, and those that it shares rows with, as far as they had come. Each row is compared with its record, which is
//! what the ledger finds it by.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::BlobError;

use super::Inner;
use super::reaches::PIECE;
use super::settle::blob_error;
use super::waiter::Waiter;
use crate::engine::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::frame::{Packing, Unit};
use crate::format::header;
use crate::format::record::RecordRef;
use crate::ledger::{GoneRange, LedgerError, PieceMax, Row};
use crate::read::runs::{entry, read_run_key, run_key};
use crate::state::shared::READS_ONLY;
use crate::state::summary::key_digest;
use crate::verify::tables::KeptFiles;

/// The rows of a world and of those that it shares rows with.
#[derive(Debug)]
pub(super) struct RowsEngine {
    inner: Arc<Inner>,
    waiter: Waiter,
    /// The worlds, and the last event of each that is in the snapshot.
    heads: BTreeMap<WorldId, Position>,
    /// The rows that were read last: what stands beside a record is asked for right behind it.
    last: Mutex<Vec<Row>>,
}

impl RowsEngine {
    pub(super) fn new(inner: Arc<Inner>, heads: BTreeMap<WorldId, Position>) -> Self {
        Self {
            inner,
            waiter: Waiter::new(),
            heads,
            last: Mutex::default(),
        }
    }

    /// Asks the ledger, on a thread that may wait.
    fn ask<T, F>(&self, call: impl Fn() -> F + Send + Sync) -> Result<T, EngineError>
    where
        T: Send,
        F: Future<Output = Result<T, LedgerError>> + Send,
    {
        let answer = self.waiter.wait(self.inner.work(call));
        answer.map_err(engine_error)
    }

    /// The rows of a world from the one that holds `from`, one piece of them.
    fn rows(
        &self,
        world: WorldId,
        from: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, EngineError> {
        let Some(head) = self.heads.get(&world).filter(|head| from <= **head) else {
            return Ok(Vec::new());
        };
        let from = from.max(Position::new(1));
        let mut rows = self.ask(|| self.inner.ledger.read(world, from, most))?;
        rows.retain(|row| row.last <= *head);
        rows.iter().try_for_each(compare)?;
        self.last().clone_from(&rows);
        Ok(rows)
    }

    /// Hands out the rows of a world from the one that holds `from` to the one that holds `until`, in order.
    pub(super) fn each_row(
        &self,
        (world, from): (WorldId, Position),
        until: Position,
        mut take: impl FnMut(&Row) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let mut next = from;
        while next <= until {
            let rows = self.rows(world, next, PIECE)?;
            let Some(end) = rows.last().map(|row| row.last) else {
                let what = format!("the rows end before event {next}");
                return Err(EngineError::Damaged(what));
            };
            rows.iter().try_for_each(&mut take)?;
            next = end.next();
        }
        Ok(())
    }

    /// The row of a world that holds the event at `at`.
    fn row(&self, world: WorldId, at: Position) -> Result<Option<Row>, EngineError> {
        let holds = |row: &&Row| row.world == world && row.first <= at && at <= row.last;
        if let Some(row) = self.last().iter().find(holds) {
            return Ok(Some(row.clone()));
        }
        let one = PieceMax { rows: 1, ..PIECE };
        let rows = self.rows(world, at, one)?;
        Ok(rows.iter().find(holds).cloned())
    }

    fn last(&self) -> MutexGuard<'_, Vec<Row>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The frames of rows whose keys are at least `from` and before `to`.
    fn runs(&self, from: &[u8], to: &[u8], bytes_max: usize) -> Result<Vec<Pair>, EngineError> {
        // Whoever looks for a record under any world is shown none: a ledger has too many.
        let Ok((world, mut next, _)) = read_run_key(from) else {
            return Ok(Vec::new());
        };
        let most = PieceMax {
            bytes: bytes_max.min(PIECE.bytes),
            ..PIECE
        };
        let (mut pairs, mut bytes) = (Vec::new(), 0_usize);
        loop {
            let rows = self.rows(world, next, most)?;
            let Some(end) = rows.last().map(|row| row.last) else {
                return Ok(pairs);
            };
            for pair in rows
                .iter()
                .map(frames)
                .collect::<Result<Vec<_>, _>>()?
                .into_iter()
                .flatten()
            {
                if pair.0.as_slice() >= to || bytes >= bytes_max {
                    return Ok(pairs);
                }
                if pair.0.as_slice() >= from {
                    bytes = bytes.saturating_add(pair.1.len());
                    pairs.push(pair);
                }
            }
            next = end.next();
        }
    }

    /// The content of the event that the key of a row of [`Table::Content`] names.
    fn content(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        let mut rest = Bytes(key);
        let world = header::world(rest.array().map_err(damaged)?);
        let at = Position::new(u64::from_be_bytes(rest.array().map_err(damaged)?));
        let row = self.row(world, at)?;
        let beside = row.into_iter().flat_map(|row| row.beside);
        Ok(beside
            .into_iter()
            .find(|beside| beside.at == at)
            .map(|beside| beside.bytes))
    }

    /// The positions that are gone, as a table has them.
    fn gone(&self, from: &[u8], to: &[u8]) -> Result<Vec<Pair>, EngineError> {
        let world = header::world(Bytes(from).array().map_err(damaged)?);
        let Some(until) = self.heads.get(&world).copied() else {
            return Ok(Vec::new());
        };
        let range = GoneRange {
            from: entry::read_gone_key(from).map_err(damaged)?,
            to: entry::read_gone_key(to).map_err(damaged)?,
            until,
        };
        let gone = self.ask(|| self.inner.ledger.gone(world, range))?;
        let keys = gone.into_iter().map(|at| entry::gone_key(world, at));
        Ok(keys
            .filter(|key| key.as_slice() >= from)
            .map(|key| (key, Vec::new()))
            .collect())
    }
}

/// The frames of a row, as a run has them.
fn frames(row: &Row) -> Result<Vec<Pair>, EngineError> {
    let unit = Unit {
        number: row.first.get(),
        term: 0,
        packing: Packing::Plain,
        raw_len: row.record.len(),
        payload: &row.record,
    };
    let frames = unit.frames().map_err(damaged)?;
    let numbered = (0..=u16::MAX).zip(frames);
    Ok(numbered
        .map(|(part, frame)| (run_key(row.world, row.first, part), frame))
        .collect())
}

/// Compares what a ledger finds a row by with its record.
fn compare(row: &Row) -> Result<(), EngineError> {
    let record = RecordRef::read(&mut Bytes(&row.record)).map_err(damaged)?;
    let key = header::read_key(record.header).map_err(damaged)?;
    let key = key.map(|keyed| key_digest(&keyed.key)).transpose();
    let key = key.map_err(damaged)?;
    // A copy of what a fork shares has no keys: those are its parent's.
    let is_copy = record.fixed.world != row.world;
    let is_right = row.first == record.fixed.first
        && row.last == record.fixed.last()
        && row.key == key.filter(|_| !is_copy);
    if is_right {
        return Ok(());
    }
    let what = format!(
        "the row of event {} is found by other positions or another key than its record has",
        row.first
    );
    Err(EngineError::Damaged(what))
}

fn damaged(error: Malformed) -> EngineError {
    EngineError::Damaged(error.0)
}

fn engine_error(error: LedgerError) -> EngineError {
    match error {
        LedgerError::Damaged(what) => EngineError::Damaged(what),
        error @ (LedgerError::Full(_)
        | LedgerError::Invalid(_)
        | LedgerError::Refused(_)
        | LedgerError::Unknown(_)
        | LedgerError::Unreachable(_)
        | LedgerError::Closed) => EngineError::Io(io::Error::other(error)),
    }
}

fn reads_only<T>() -> Result<T, EngineError> {
    Err(EngineError::Io(io::Error::other(READS_ONLY)))
}

impl KeptFiles for RowsEngine {
    fn file(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        let read = self.inner.work(|| self.inner.ledger.blob(world, blob));
        let bytes = self.waiter.wait(read).map_err(|error| blob_error(&error))?;
        match bytes {
            Some(bytes) if Digest::sha256(&bytes) != blob => Err(BlobError::Damaged { blob }),
            bytes => Ok(bytes),
        }
    }
}

impl FrameLog for RowsEngine {
    fn ack(&self) -> Ack {
        self.inner.ledger.ack()
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        reads_only()
    }

    /// A ledger shares no frames among worlds.
    fn head(&self) -> Result<FrameNumber, EngineError> {
        Ok(FrameNumber(0))
    }

    fn append(&self, _: Term, _: FrameNumber, _: &[Vec<u8>]) -> Result<(), EngineError> {
        reads_only()
    }

    fn read(&self, _: FrameNumber, _: usize) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        Ok(Vec::new())
    }

    fn trim(&self, _: FrameNumber) -> Result<(), EngineError> {
        reads_only()
    }
}

impl Shelf for RowsEngine {
    fn put(&self, _: Table, _: &[Pair]) -> Result<(), EngineError> {
        reads_only()
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        if table == Table::Content {
            return self.content(key);
        }
        let behind = [key, &[0]].concat();
        let found = self.range(table, key, &behind, 1)?;
        Ok(found.into_iter().next().map(|(_, value)| value))
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        match table {
            Table::Runs => self.runs(from, to, bytes_max),
            Table::Gone => self.gone(from, to),
            // Keys stand in the rows, and no other table says anything of a log.
            Table::Meta | Table::Worlds | Table::Keys | Table::Deleted | Table::Content => {
                Ok(Vec::new())
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
        let pairs = self.range(table, from, to, usize::MAX)?;
        Ok(pairs
            .into_iter()
            .take(count_max)
            .map(|(key, _)| key)
            .collect())
    }

    fn remove(&self, _: Table, _: &[Vec<u8>]) -> Result<(), EngineError> {
        reads_only()
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        if table != Table::Runs {
            return Ok(None);
        }
        let (world, first, _) = read_run_key(key).map_err(damaged)?;
        let Some(head) = self.heads.get(&world).copied() else {
            return Ok(None);
        };
        let row = self.row(world, first.min(head))?;
        let frames = row.as_ref().map(frames).transpose()?.unwrap_or_default();
        Ok(frames
            .into_iter()
            .rfind(|(found, _)| found.as_slice() <= key))
    }
}

impl Engine for RowsEngine {
    fn home(&self) -> Option<&Path> {
        None
    }

    fn compact(&self) -> Result<(), EngineError> {
        reads_only()
    }
}
