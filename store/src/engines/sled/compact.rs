//! Compaction: what a database keeps is copied into a fresh one beside it, which then takes its
//! place.
//!
//! sled leaves what was overwritten or removed in its file until it needs the room. Where nothing
//! of it may be left, the file itself has to go. The steps, each of which the next opening finishes
//! or undoes:
//!
//! 1. the copy is made in a folder of its own: until it is complete it does not count, and is removed;
//! 2. it is compared with the original, synced, and marked as complete: from here on it is the database;
//! 3. the old folder is removed, the new one is renamed, and the mark is removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use sled::Tree;

use super::open::{LOG, open_database};
use super::seal::Seal;
use super::{SledEngine, Trees, from_io, rows};
use crate::engine::EngineError;
use crate::home::{gone, remove_folder, replace, sync_folder};

use super::guard::guarded;

#[cfg(test)]
mod tests;

/// The folder of the copy, in the store's directory.
pub(super) const COPY: &str = "log.new";

/// The file in it that says that it is complete.
const COMPLETE: &str = "complete";

/// About how many bytes are read at once.
const READ_BYTES: usize = 64 * 1024;

/// Copies the database into a fresh one and puts that in its place. Nobody writes meanwhile;
/// reading goes on until the last step. A copy that cannot be made changes nothing; after a failure
/// behind it the engine refuses everything until it is reopened.
pub(super) fn compact(engine: &SledEngine) -> Result<(), EngineError> {
    let home = engine.home.path();
    let mut writer = engine.writer();
    writer.run(|writer| writer.barrier.sync())?;
    if let Err(error) = engine.with(|trees| copy(trees, home)) {
        if let Err(error) = remove_folder(&home.join(COPY)) {
            tracing::warn!(%error, "an unfinished copy of the database stays until the store is opened again");
        }
        return Err(error);
    }
    writer.run(|writer| {
        let mut trees = engine.trees.write().unwrap_or_else(PoisonError::into_inner);
        writer.barrier.release();
        drop(trees.take());
        // The numbers of segments begin anew in the copy: none of them is one that was sealed.
        writer.sealed = Seal::default();
        take_place(home).map_err(from_io)?;
        let (opened, barrier) = open_database(&home.join(LOG))?;
        writer.barrier = barrier;
        *trees = Some(opened);
        Ok(())
    })
}

/// The folder of the database that counts, whatever a process that died has left of a compaction.
pub(super) fn current(home: &Path) -> Result<PathBuf, EngineError> {
    let copy = home.join(COPY);
    let log = home.join(LOG);
    let is_there = |path: &Path| path.try_exists().map_err(from_io);
    if is_there(&copy.join(COMPLETE))? {
        Ok(copy)
    } else if is_there(&copy)? && !is_there(&log)? {
        Err(incomplete())
    } else {
        Ok(log)
    }
}

fn incomplete() -> EngineError {
    EngineError::Damaged(format!(
        "its log is gone, and the copy in {COPY} is not complete"
    ))
}

/// Finishes or undoes what a process that died has left of a compaction.
pub(super) fn finish(home: &Path) -> Result<(), EngineError> {
    let copy = home.join(COPY);
    let log = home.join(LOG);
    let is_there = |path: &Path| path.try_exists().map_err(from_io);
    let is_complete = is_there(&copy.join(COMPLETE))?;
    let has_copy = is_there(&copy)?;
    let has_log = is_there(&log)?;
    if is_complete {
        // Whoever marked it may have died before the mark was for good, and the original goes next.
        sync_folder(&copy)
            .and_then(|()| take_place(home))
            .map_err(from_io)
    } else if has_copy && !has_log {
        Err(incomplete())
    } else if has_copy {
        remove_folder(&copy).map_err(from_io)
    } else {
        unmark(&log).map_err(from_io)
    }
}

/// Makes a copy of the database, marked as complete once it is one and survives power loss.
fn copy(trees: &Trees, home: &Path) -> Result<(), EngineError> {
    let folder = home.join(COPY);
    remove_folder(&folder).map_err(from_io)?;
    fill(trees, &folder)?;
    compare(trees, &folder)?;
    sync_files(&folder)
        .and_then(|()| sync_folder(home))
        .map_err(from_io)?;
    replace(&folder, COMPLETE, b"").map_err(from_io)
}

fn fill(trees: &Trees, folder: &Path) -> Result<(), EngineError> {
    let (copies, mut barrier) = open_database(folder)?;
    for (from, to) in trees.all().into_iter().zip(copies.all()) {
        each_row(from, |key, value| {
            barrier.reserve(key.len() + value.len())?;
            guarded(|| to.insert(key, value)).map(|_| ())
        })?;
    }
    barrier.sync()
}

/// Opens the copy again and compares it with the original, row by row.
fn compare(trees: &Trees, folder: &Path) -> Result<(), EngineError> {
    let (copies, _barrier) = open_database(folder)?;
    for (from, to) in trees.all().into_iter().zip(copies.all()) {
        each_row(from, |key, value| match guarded(|| to.get(key))? {
            Some(copied) if copied == value => Ok(()),
            Some(_) | None => Err(EngineError::Damaged(
                "a copy of the database is not what was written".to_owned(),
            )),
        })?;
    }
    Ok(())
}

fn each_row(
    tree: &Tree,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let mut next = Vec::new();
    loop {
        let rows = rows::collect(tree, next.as_slice().., READ_BYTES)?;
        let Some((last, _)) = rows.last() else {
            return Ok(());
        };
        next.clone_from(last);
        next.push(0);
        rows.iter().try_for_each(|(key, value)| each(key, value))?;
    }
}

/// Puts a complete copy in the place of the database.
fn take_place(home: &Path) -> io::Result<()> {
    let log = home.join(LOG);
    remove_folder(&log)?;
    fs::rename(home.join(COPY), &log)?;
    sync_folder(home)?;
    unmark(&log)
}

/// A mark that stays means nothing where the copy has become the database.
fn unmark(log: &Path) -> io::Result<()> {
    gone(fs::remove_file(log.join(COMPLETE)))
}

/// Returns when the files of a folder survive power loss: sled does not sync all of its own.
pub(super) fn sync_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        File::open(entry?.path())?.sync_all()?;
    }
    sync_folder(folder)
}
