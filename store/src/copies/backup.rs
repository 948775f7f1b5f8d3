//! Copying a store, while it is written, into a directory that becomes a store of its own.
//!
//! The cut is the head at the beginning: sweeps and deletions wait, so that what lies before it
//! stays as it is, and appends go on behind it. Until the copy is whole, read back and compared,
//! its directory says that it is half a backup, and does not open.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};

use crate::engine::{EngineError, FrameNumber};
use crate::engines::EngineKind;
use crate::home::blobs::Vault;
use crate::home::head_record::{Head, HeadRecord};
use crate::home::opening::OpenError;
use crate::home::{self, Home};
use crate::local::{Inner, LocalStore};
use crate::state::shared::{CLOSED, Phase, Shared};
use crate::sync::threads::blocking;

mod check;
mod error;
mod rows;

pub(crate) use check::{CheckedCopy, check};
pub use error::BackupError;

/// A copy of a store that opens like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// The directory.
    pub path: PathBuf,
    /// The number of worlds.
    pub worlds: usize,
    /// The number of their events, together.
    pub events: u64,
    /// The number of blobs that were copied.
    pub blobs: usize,
    /// The number of blobs that were left out because they are damaged.
    pub blobs_damaged: usize,
    /// The number of events whose content is missing or changed here, because it is so in the
    /// store.
    pub content_damaged: usize,
}

impl Backup {
    /// A copy at `path` that has nothing yet.
    pub(crate) const fn empty(path: PathBuf) -> Self {
        Self {
            path,
            worlds: 0,
            events: 0,
            blobs: 0,
            blobs_damaged: 0,
            content_damaged: 0,
        }
    }
}

impl LocalStore {
    /// Copies the store, as it is now, into the directory `dir`, which must not exist or be empty,
    /// and which then opens like any other store. Appends go on meanwhile and are not in it. Saved
    /// folds are left out: they are made again.
    pub(crate) async fn backup(&self, dir: impl Into<PathBuf>) -> Result<Backup, BackupError> {
        let inner = Arc::clone(&self.inner);
        let dir = dir.into();
        blocking(move || inner.backup(&dir)).await
    }
}

impl Inner {
    fn backup(&self, dir: &Path) -> Result<Backup, BackupError> {
        match self.shared.phase() {
            // What is read can be copied as it is.
            Phase::Open | Phase::Reading => {}
            Phase::Stopped(why) => return Err(BackupError::Stopped(why)),
            Phase::Closed => return Err(BackupError::Stopped(CLOSED.to_owned())),
        }
        backup(&self.shared, (self.home.as_deref(), &self.vault), dir)
    }
}

/// The part of the store that is copied.
#[derive(Debug)]
struct BackupCut {
    swept: FrameNumber,
    head: FrameNumber,
    record: Option<Head>,
    worlds: Vec<(WorldId, Position)>,
}

impl BackupCut {
    fn at_head(shared: &Shared) -> Self {
        let index = shared.index();
        Self {
            swept: index.swept,
            head: index.head,
            record: crate::write::committer::head(&index),
            worlds: index
                .worlds
                .iter()
                .map(|(id, world)| (*id, world.reach.head))
                .collect(),
        }
    }
}

/// Copies the store to `dir`, which must not exist or be empty.
pub(crate) fn backup(
    shared: &Shared,
    (home, vault): (Option<&Path>, &Vault),
    dir: &Path,
) -> Result<Backup, BackupError> {
    refuse_inside(home, dir)?;
    // The copy has the engine that the store has; one in memory has no say.
    let kind = home
        .map(EngineKind::of)
        .transpose()?
        .flatten()
        .unwrap_or_default();
    let half = begin(dir)?;
    let copied = write(shared, (half, kind), vault).and_then(|(cut, backup)| {
        let CheckedCopy {
            events,
            content_damaged,
        } = check(&cut.worlds, dir)?;
        home::finish_half(dir)?;
        Ok(Backup {
            events,
            content_damaged,
            ..backup
        })
    });
    if copied.is_err() {
        empty_or_warn(dir);
    }
    copied
}

/// Makes the directory of a copy, where nothing may be yet.
pub(crate) fn begin(dir: &Path) -> Result<Home, BackupError> {
    Home::begin_half(dir.to_owned())?.ok_or_else(|| BackupError::Occupied {
        path: dir.to_owned(),
    })
}

/// Removes what was written of a copy that is not made.
pub(crate) fn empty_or_warn(dir: &Path) {
    if let Err(error) = empty(dir) {
        tracing::warn!(%error, path = %dir.display(), "half a backup stays");
    }
}

/// A backup in its own store would be in the way of it, and would be lost with it.
pub(crate) fn refuse_inside(home: Option<&Path>, dir: &Path) -> Result<(), BackupError> {
    let Some(home) = home.and_then(|home| home.canonicalize().ok()) else {
        return Ok(());
    };
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let there = absolute
        .ancestors()
        .find_map(|path| path.canonicalize().ok());
    if there.is_some_and(|there| there.starts_with(&home)) {
        return Err(BackupError::InsideStore {
            path: dir.to_owned(),
        });
    }
    Ok(())
}

/// Writes the copy, whose events are not counted yet.
fn write(
    shared: &Shared,
    (home, kind): (Home, EngineKind),
    vault: &Vault,
) -> Result<(BackupCut, Backup), BackupError> {
    // Appends go on; what lands behind the cut is not copied (decision 0018).
    let _alone = shared.chores();
    let lease = shared.lease();
    let engine = lease.engine()?;
    let cut = BackupCut::at_head(shared);
    let dir = home.path().to_owned();
    let target = |error: EngineError| BackupError::Target(home::open_error(&dir, error));
    let copied = kind.open_home(home).map_err(target)?;
    rows::tables(engine, copied.as_ref(), cut.swept, target)?;
    drop(copied);
    let copied = kind
        .open_home(Home::open_half(dir.clone())?)
        .map_err(target)?;
    rows::frames(engine, copied.as_ref(), &cut, target)?;
    drop(copied);
    // Saved folds are left out: they are made again, and erased text could hide in them
    // (decision 0018).
    let (blobs, blobs_damaged) = copy_blobs(shared, vault, &cut, &dir)?;
    note_head(&dir, &cut).map_err(|error| target(EngineError::Io(error)))?;
    let worlds = cut.worlds.len();
    Ok((
        cut,
        Backup {
            worlds,
            blobs,
            blobs_damaged,
            ..Backup::empty(dir)
        },
    ))
}

fn copy_blobs(
    shared: &Shared,
    vault: &Vault,
    cut: &BackupCut,
    dir: &Path,
) -> Result<(usize, usize), BackupError> {
    let copies = Vault::new(Some(dir));
    let mut whole = 0;
    let mut damaged = 0;
    for (world, _) in &cut.worlds {
        let keys = shared.seals(*world).then_some(&shared.keys);
        let copied = vault
            .copy(*world, &copies, keys)
            .map_err(|source| BackupError::Blobs { source })?;
        whole += copied.whole;
        damaged += copied.damaged;
    }
    Ok((whole, damaged))
}

fn note_head(dir: &Path, cut: &BackupCut) -> std::io::Result<()> {
    let (mut record, _) = HeadRecord::open(dir)?;
    match cut.record {
        Some(head) => record.write(head).and_then(|()| record.sync()),
        None => Ok(()),
    }
}

/// Removes what is in a directory that was empty before.
fn empty(dir: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        // The mark goes last: until then the directory does not open.
        if path.file_name() != Some(home::FORMAT_FILE.as_ref()) {
            if path.is_dir() {
                fs::remove_dir_all(&path)?
            } else {
                fs::remove_file(&path)?
            }
        }
    }
    home::gone(fs::remove_file(dir.join(home::FORMAT_FILE)))
}

/// Opens what was copied, as if it were a store already.
fn open_copy(dir: &Path) -> Result<LocalStore, OpenError> {
    let home = Home::open_half(dir.to_owned())?;
    let engine = EngineKind::default()
        .open_home(home)
        .map_err(|error| home::open_error(dir, error))?;
    LocalStore::with_engine(engine)
}
