//! Copying what a ledger keeps into a folder, as a store of one process.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{BlobError, ReadError};

use super::reader::fetch;
use super::rows_engine::RowsEngine;
use super::settle::{blob_error, read_error};
use super::waiter::Waiter;
use super::{Inner, SharedStore, lineage};
use crate::copies::backup::{self, Backup, BackupError, CheckedCopy};
use crate::engine::{Engine, EngineError, FrameNumber, Table};
use crate::engines::EngineKind;
use crate::engines::content::ContentFolder;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::record::RecordRef;
use crate::home::blobs::Vault;
use crate::home::{self, Home};
use crate::ledger::{LedgerEntry, LedgerError, Row};
use crate::read::runs::{self, entry};
use crate::state::content;
use crate::sync::threads::blocking;
use crate::verify::salvage::scribe::{Scribe, Task};

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
        let worlds = self.waiter.wait(self.inner().all_worlds());
        for entry in worlds.map_err(unreadable)? {
            backup.content_damaged += self.log(&entry, engine.as_ref(), &path)?;
            self.blobs(entry.world, &path, &mut backup)?;
            heads.push((entry.world, entry.head));
        }
        backup.worlds = heads.len();
        let tombstones = self.waiter.wait(self.inner().all_tombstones());
        for (world, value) in tombstones.map_err(unreadable)? {
            let tombstone = (world.0.as_bytes().to_vec(), value);
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
        let blobs = self.waiter.wait(inner.all_blobs(world));
        for (blob, _) in blobs.map_err(|error| failed(&error))? {
            let read = inner.work(|| inner.ledger.blob(world, blob));
            let bytes = self.waiter.wait(read);
            let Some(bytes) = bytes.map_err(|error| failed(&error))? else {
                continue;
            };
            let keys = is_sealed.then_some(&inner.keys);
            match vault.take_over(world, blob, bytes, keys) {
                Ok(()) => backup.blobs += 1,
                Err(BlobError::Damaged { .. }) => backup.blobs_damaged += 1,
                Err(source) => return Err(BackupError::Blobs { source }),
            }
        }
        Ok(())
    }
}

/// The record of a row, with what stands beside it inside. Content that is not what was written is left out.
fn joined(row: &Row) -> Result<Vec<u8>, EngineError> {
    let record = RecordRef::read(&mut Bytes(&row.record)).map_err(broken)?;
    let events = record.events().map_err(broken)?;
    let Ok(fetched) = fetch(row.beside.clone(), (row.first, &events), |_, _| {
        Ok::<_, Infallible>(())
    });
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
