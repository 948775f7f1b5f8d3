//! Opening the database.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use std::sync::{Mutex, RwLock};
use std::time::Duration;

use sled::Db;

use super::ahead::read_ahead;
use super::guard::{Handle, guarded};
use super::seal::{self, Seal};
use super::{Barrier, SledEngine, Trees, Writer, compact, rows};
use crate::engine::{EngineError, FrameLog as _, FrameNumber, TERM, TRIMMED, Term};
use crate::engines::content::ContentFolder;
use crate::home::opening::{OpenError, OpenMode};
use crate::home::{self, Home, sync_folder};

/// The folder of the database in the store's directory.
pub(super) const LOG: &str = "log";

/// The name of that folder until it is whole.
const BEGUN: &str = "log.begun";

/// The bytes of pages that sled keeps in memory.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

pub(super) fn open(dir: PathBuf, mode: OpenMode) -> Result<SledEngine, OpenError> {
    let home = Home::open(dir, mode)?;
    let path = home.path().to_owned();
    let engine =
        SledEngine::open_home(home.clone()).map_err(|error| home::open_error(&path, error))?;
    home.sign()?;
    Ok(engine)
}

/// Opens the database for writing, once nothing of it is found to be damaged: sled writes as soon
/// as it is opened.
pub(super) fn open_in(home: Home, sealed: Seal) -> Result<SledEngine, EngineError> {
    compact::finish(home.path())?;
    let log = home.path().join(LOG);
    if !log.join("db").try_exists().map_err(super::from_io)? {
        if home.has_been_used().map_err(super::from_io)? {
            return Err(EngineError::Damaged("its log is gone".to_owned()));
        }
        begin(home.path())?;
    }
    // Whoever gave the folder its name may have died before that was for good.
    sync_folder(home.path())
        // For good before sled opens it: what sled has written to must not look sealed
        // (decision 0024).
        .and_then(|()| seal::break_up(&log))
        .map_err(super::from_io)?;
    let (trees, barrier) = open_database(&log)?;
    let trimmed = note(&trees, TRIMMED)?;
    let writer = Writer {
        barrier,
        head: FrameNumber(last_frame(&trees)?.max(trimmed)),
        term: Term(note(&trees, TERM)?),
        has_failed: false,
        sealed,
    };
    let content = ContentFolder::of(home.path());
    let engine = SledEngine {
        trees: RwLock::new(Some(trees)),
        writer: Mutex::new(writer),
        content,
        home,
    };
    engine.writer().run(|writer| writer.barrier.sync())?;
    engine.trim(FrameNumber(trimmed))?;
    Ok(engine)
}

/// Compares the database with its seal.
pub(super) fn check(home: &Path) -> Result<Seal, EngineError> {
    let folder = compact::current(home)?;
    if !folder.join("db").try_exists().map_err(super::from_io)? {
        return Ok(Seal::default());
    }
    match seal::check(&folder).map_err(super::from_io)? {
        seal::SealFinding::Whole(seal) => Ok(seal),
        seal::SealFinding::None => Ok(Seal::default()),
        seal::SealFinding::Broken(what) => Err(EngineError::Damaged(
            what.into_iter().next().unwrap_or_default(),
        )),
    }
}

/// Makes an empty database. It gets its name once its files survive power loss: sled does not sync
/// all of its own.
fn begin(home: &Path) -> Result<(), EngineError> {
    let begun = home.join(BEGUN);
    let log = home.join(LOG);
    home::remove_folder(&begun)
        .and_then(|()| home::remove_folder(&log))
        .map_err(super::from_io)?;
    drop(open_database(&begun)?);
    compact::sync_files(&begun)
        .and_then(|()| fs::rename(begun, log))
        .map_err(super::from_io)
}

/// Opens the database in the folder `log`, or makes one.
pub(super) fn open_database(log: &Path) -> Result<(Trees, Barrier), EngineError> {
    remove_torn_snapshots(log)
        .and_then(|()| read_ahead(log))
        .map_err(super::from_io)?;
    let db = Handle::new(open_db(log)?);
    // Opening it gave a new snapshot its name. What is written from here on may take the place of
    // what an older one needs.
    sync_folder(log).map_err(super::from_io)?;
    let file = File::options()
        .write(true)
        .open(log.join("db"))
        .map_err(super::from_io)?;
    let trees = open_trees(db.db()?)?;
    Ok((trees, Barrier::new(db, file)))
}

/// A process that dies while sled writes a snapshot leaves a file that keeps sled from opening.
fn remove_torn_snapshots(log: &Path) -> std::io::Result<()> {
    if !log.try_exists()? {
        return Ok(());
    }
    for entry in fs::read_dir(log)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The number of tries for sled's own lock, with a pause in between.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Our lock is held, so nobody else has the database open; but a process that is just being started
/// holds a copy of an older handle, and sled's lock with it, until it has become another program.
fn open_db(log: &Path) -> Result<Db, EngineError> {
    let config = sled::Config::new()
        .path(log)
        .cache_capacity(CACHE_BYTES)
        // A thread of sled's would write when it likes, and every barrier is ours (decision 0001).
        .flush_every_ms(None);
    for _ in 1..LOCK_TRIES {
        match guarded(|| config.open()) {
            Err(EngineError::Io(error)) if error.to_string().contains("could not acquire lock") => {
                std::thread::sleep(LOCK_PAUSE);
            }
            opened => return opened,
        }
    }
    guarded(|| config.open())
}

fn open_trees(db: &Db) -> Result<Trees, EngineError> {
    let tree = |name: &str| guarded(|| db.open_tree(name));
    Ok(Trees {
        frames: tree("frames")?,
        meta: tree("meta")?,
        worlds: tree("worlds")?,
        runs: tree("runs")?,
        keys: tree("keys")?,
        gone: tree("gone")?,
        deleted: tree("deleted")?,
        _last: Handle::new(db.clone()),
    })
}

fn last_frame(trees: &Trees) -> Result<u64, EngineError> {
    guarded(|| trees.frames.last())?.map_or(Ok(0), |(key, _)| rows::number(&key))
}

fn note(trees: &Trees, key: &[u8]) -> Result<u64, EngineError> {
    guarded(|| trees.meta.get(key))?.map_or(Ok(0), |value| rows::number(&value))
}
