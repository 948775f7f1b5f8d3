//! Copying what a ledger keeps into a folder, as a store of one process.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::{BlobError, Labels, ReadError};

use super::rows_engine::RowsEngine;
use super::settle::{blob_error, read_error};
use super::waiter::Waiter;
use super::{Inner, SharedStore, lineage};
use crate::copies::backup::{self, Backup, BackupError, CheckedCopy};
use crate::engine::{Engine, EngineError, FrameNumber, Pair, Table};
use crate::engines::EngineKind;
use crate::engines::content::ContentFolder;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::record::RecordRef;
use crate::home::blobs::Vault;
use crate::home::{self, Home};
use crate::ledger::{LedgerEntry, LedgerError, Row};
use crate::read::runs::{self, entry};
use crate::state::content::{self, Fetched};
use crate::sync::threads::blocking;
use crate::verify::salvage::scribe::{Scribe, Task};

/// The number of worlds, tombstones or names of files that are read at once.
const PAGE: usize = 1_000;

impl SharedStore {
    /// Copies all worlds, each as far as it has come, into the directory `dir`, which must not exist or be empty, and which
    /// then opens like any store of one process. Appends go on meanwhile and are not in it. Saved folds are left out: they
    /// are made again. The keys of sealed worlds are not in it.
    ///
    /// # Errors
    /// [`BackupError`]; nothing that opens is left behind.
    pub async fn backup(&self, dir: impl Into<PathBuf>) -> Result<Backup, BackupError> {
        self.check_open().map_err(unread)?;
        let waiter = Waiter::new();
        let dir = dir.into();
        let store = self.clone();
        blocking(move || {
            let half = backup::begin(&dir)?;
            let copied = Copying { store, waiter }
                .write(half)
                .and_then(|(heads, copied)| {
                    let CheckedCopy {
                        events,
                        content_damaged,
                    } = backup::check(&heads, &dir)?;
                    home::finish_half(&dir)?;
                    Ok(Backup {
                        events,
                        content_damaged: copied.content_damaged + content_damaged,
                        ..copied
                    })
                });
            if copied.is_err() {
                backup::empty_or_warn(&dir);
            }
            copied
        })
        .await
    }
}

/// A copy under way, on a thread that may wait.
struct Copying {
    store: SharedStore,
    waiter: Waiter,
}

impl Copying {
    /// Writes the copy, whose events are not counted yet; gives how far each world comes.
    fn write(&self, half: Home) -> Result<(Vec<(WorldId, Position)>, Backup), BackupError> {
        let path = half.path().to_owned();
        let target = |error: EngineError| BackupError::Target(home::open_error(&path, error));
        let engine = EngineKind::default().open_home(half).map_err(target)?;
        let mut backup = Backup::empty(path.clone());
        let mut heads = Vec::new();
        for entry in self.worlds()? {
            backup.content_damaged += self.log(&entry, engine.as_ref(), &path)?;
            self.blobs(entry.world, &path, &mut backup)?;
            heads.push((entry.world, entry.head));
        }
        backup.worlds = heads.len();
        for tombstone in self.tombstones()? {
            engine.put(Table::Deleted, &[tombstone]).map_err(target)?;
        }
        let swept = entry::write_swept(FrameNumber(0), heads.len());
        let swept = (runs::SWEPT.to_vec(), swept);
        engine.put(Table::Meta, &[swept]).map_err(target)?;
        Ok((heads, backup))
    }

    fn inner(&self) -> &Inner {
        &self.store.inner
    }

    fn ask<T, F>(&self, call: impl Fn() -> F + Send + Sync) -> Result<T, LedgerError>
    where
        T: Send,
        F: Future<Output = Result<T, LedgerError>> + Send,
    {
        self.waiter.wait(self.inner().read(call))
    }

    fn worlds(&self) -> Result<Vec<LedgerEntry>, BackupError> {
        let mut all: Vec<LedgerEntry> = Vec::new();
        loop {
            let after: Option<WorldName> = all.last().map(|entry| entry.name.clone());
            let ledger = &self.inner().ledger;
            let page = self.ask(|| ledger.worlds(NO_LABELS, after.as_ref(), PAGE));
            let page = page.map_err(unreadable)?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    /// Writes the log of a world; gives how many contents beside its records are damaged.
    fn log(
        &self,
        known: &LedgerEntry,
        target: &dyn Engine,
        path: &Path,
    ) -> Result<usize, BackupError> {
        let inner = self.inner();
        let sources = self.waiter.wait(lineage::sources(inner, known.world));
        let sources = sources.map_err(unread)?;
        let heads = sources
            .iter()
            .map(|source| (source.world, source.until.min(known.head)));
        let heads = heads.collect();
        let rows = RowsEngine::new(Arc::clone(&self.store.inner), heads);
        let task = Task {
            world: known.world,
            base: super::reaches::base(known),
            limit: known.head,
            known: known.head,
        };
        let none = ContentFolder::of(path);
        let mut scribe = Scribe::new((target, &none), &task, &[]);
        let mut damaged = 0;
        for source in &sources {
            let until = source.until.min(known.head);
            rows.each_row((source.world, source.from), until, |row| {
                let bytes = joined(row)?;
                let record = RecordRef::read(&mut Bytes(&bytes)).map_err(broken)?;
                scribe.offer(&record)?;
                if scribe.next() <= row.last && scribe.bear_loss() {
                    damaged += 1;
                    scribe.offer(&record)?;
                }
                Ok(())
            })?;
        }
        let written = scribe.finish()?;
        match written.lost.filter(|_| written.kept < known.head) {
            Some(what) => Err(BackupError::Different {
                path: path.to_owned(),
                what: format!("world {}: {what}", known.name),
            }),
            None => Ok(damaged),
        }
    }

    /// Copies the blobs of a world, sealed as they are.
    fn blobs(&self, world: WorldId, path: &Path, backup: &mut Backup) -> Result<(), BackupError> {
        let inner = self.inner();
        let vault = Vault::new(Some(path));
        let is_sealed = self
            .waiter
            .wait(inner.entry(world))
            .map_err(unread)?
            .is_sealed;
        let failed = |error: &LedgerError| BackupError::Blobs {
            source: blob_error(error),
        };
        let mut after = None;
        loop {
            let page = self.ask(|| inner.ledger.blobs(world, after, PAGE));
            let page = page.map_err(|error| failed(&error))?;
            let Some((last, _)) = page.last() else {
                return Ok(());
            };
            after = Some(*last);
            for (blob, _) in &page {
                let bytes = self.ask(|| inner.ledger.blob(world, *blob));
                let Some(bytes) = bytes.map_err(|error| failed(&error))? else {
                    continue;
                };
                let keys = is_sealed.then_some(&inner.keys);
                match vault.take_over(world, *blob, bytes, keys) {
                    Ok(()) => backup.blobs += 1,
                    Err(BlobError::Damaged { .. }) => backup.blobs_damaged += 1,
                    Err(source) => return Err(BackupError::Blobs { source }),
                }
            }
        }
    }

    /// The tombstones, as the table of a local store has them.
    fn tombstones(&self) -> Result<Vec<Pair>, BackupError> {
        let ledger = &self.inner().ledger;
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let page = self
                .ask(|| ledger.tombstones(after, PAGE))
                .map_err(unreadable)?;
            let Some((last, _)) = page.last() else {
                return Ok(all);
            };
            after = Some(*last);
            all.extend(
                page.into_iter()
                    .map(|(world, value)| (world.0.as_bytes().to_vec(), value)),
            );
        }
    }
}

/// No labels: all worlds.
static NO_LABELS: &Labels = &Labels::new();

/// The record of a row, with what stands beside it inside. Content that is not what was written is left out.
fn joined(row: &Row) -> Result<Vec<u8>, EngineError> {
    let record = RecordRef::read(&mut Bytes(&row.record)).map_err(broken)?;
    let events = record.events().map_err(broken)?;
    let mut fetched = Fetched::new();
    for (place, at, wanted) in content::besides(row.first, &events) {
        let beside = row.beside.iter().find(|beside| beside.at == at);
        fetched.extend(
            beside
                .filter(|beside| wanted.with(&beside.bytes).is_some())
                .map(|beside| (place, beside.bytes.clone())),
        );
    }
    record
        .restored(&content::join(events, &fetched))
        .map_err(broken)
}

fn broken(error: Malformed) -> EngineError {
    EngineError::Damaged(error.0)
}

fn unreadable(error: LedgerError) -> BackupError {
    unread(read_error(error, Position::ZERO))
}

fn unread(error: ReadError) -> BackupError {
    match error {
        ReadError::Stopped(why) => BackupError::Stopped(why),
        ReadError::Damaged { at, what } => {
            EngineError::Damaged(format!("at event {at}: {what}")).into()
        }
        error @ (ReadError::NoSuchWorld(_) | ReadError::Newer { .. } | ReadError::Io(_) | _) => {
            EngineError::Io(io::Error::other(error)).into()
        }
    }
}
