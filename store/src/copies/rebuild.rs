//! Rebuilding: whatever is whole of a damaged store, in a new one. The old store is only read.

use std::path::{Path, PathBuf};

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_proof::bundle::Bundle;
use serde::Serialize;

use crate::copies::backup;
use crate::copies::backup::BackupError;
use crate::engine::{Engine, EngineError, Table};
use crate::engines::EngineKind;
use crate::home::blobs::Vault;
use crate::home::keys::Keyring;
use crate::home::opening::OpenError;
use crate::home::{self, Home};
use crate::read::runs::entry;
use crate::verify::StoreDamage;
use crate::verify::salvage::{OldStore, RebuiltWorld, export, fill, source};

/// The order of a rebuilding: from where, and into what.
#[derive(Debug, Clone)]
pub struct Rebuild {
    /// The directory of the old store. Nothing is changed in it.
    pub from: PathBuf,
    /// The directory of the new one, which must not exist or be empty.
    pub to: PathBuf,
    /// The engine that the new one gets.
    pub kind: EngineKind,
    /// Bundles of whole worlds: what the old store has lost is taken from them.
    pub exports: Vec<Bundle>,
}

/// A new store, and what it has of the old one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The directory.
    pub path: PathBuf,
    /// The worlds, by id. Deleted ones are not among them.
    pub worlds: Vec<RebuiltWorld>,
    /// The damage of the old store beside its worlds.
    pub store: Vec<StoreDamage>,
    /// The number of blobs that were copied.
    pub blobs: usize,
    /// The number of blobs that were left out because they are damaged.
    pub blobs_damaged: usize,
    /// The keys of sealed worlds, if the old store has any. They are not copied.
    pub keys: Option<PathBuf>,
}

impl Rebuilt {
    /// Tells whether nothing was left behind.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.store.is_empty()
            && self.blobs_damaged == 0
            && self.worlds.iter().all(RebuiltWorld::is_whole)
    }
}

/// Makes a new store of whatever is whole of an old one. Saved folds are left out: they are made
/// again.
///
/// # Errors
/// [`BackupError`]; nothing that opens is left behind. What is damaged is no error.
pub fn rebuild(order: &Rebuild) -> Result<Rebuilt, BackupError> {
    backup::refuse_inside(Some(&order.from), &order.to)?;
    let old = lock(order)?;
    let home = backup::begin(&order.to)?;
    let rebuilt = write(order, old, home).and_then(|rebuilt| {
        backup::check(&heads(&rebuilt.worlds), &order.to)?;
        home::finish_half(&order.to)?;
        Ok(rebuilt)
    });
    if rebuilt.is_err() {
        backup::empty_or_warn(&order.to);
    }
    rebuilt
}

/// Keeps the old store from being written to; `None` if there is none, and all is to come from
/// exports.
fn lock(order: &Rebuild) -> Result<Option<Home>, BackupError> {
    match Home::look(order.from.clone()) {
        Ok(home) => Ok(Some(home)),
        Err(OpenError::Missing { .. }) if !order.exports.is_empty() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn write(order: &Rebuild, old: Option<Home>, home: Home) -> Result<Rebuilt, BackupError> {
    let to = order.to.as_path();
    let target = |error: EngineError| BackupError::Target(home::open_error(to, error));
    let engine = order.kind.open_home(home).map_err(target)?;
    let mut source = match old {
        Some(old) => source::look(old).and_then(|found| OldStore::open(&order.from, found)),
        None => Ok(OldStore::default()),
    }
    .map_err(BackupError::Source)?;
    let exports = export::read_all(&order.exports).map_err(BackupError::Source)?;
    let worlds = fill((&mut source, &order.from), &exports, engine.as_ref())?;
    let (blobs, blobs_damaged) = copy_blobs(order, &worlds, engine.as_ref())?;
    drop(engine);
    let keys = Keyring::new(Some(&order.from))
        .folder()
        .filter(|folder| folder.exists())
        .map(Path::to_owned);
    Ok(Rebuilt {
        path: to.to_owned(),
        worlds,
        store: source.finish(),
        blobs,
        blobs_damaged,
        keys,
    })
}

fn heads(worlds: &[RebuiltWorld]) -> Vec<(WorldId, Position)> {
    worlds
        .iter()
        .filter(|world| world.kept > Position::ZERO)
        .map(|world| (world.world, world.kept))
        .collect()
}

fn copy_blobs(
    order: &Rebuild,
    worlds: &[RebuiltWorld],
    target: &dyn Engine,
) -> Result<(usize, usize), BackupError> {
    let from = Vault::new(Some(&order.from));
    let to = Vault::new(Some(&order.to));
    let keyring = Keyring::new(Some(&order.from));
    let mut whole = 0;
    let mut damaged = 0;
    for (world, _) in heads(worlds) {
        let entry = target
            .get(Table::Worlds, world.0.as_bytes())?
            .unwrap_or_default();
        let is_sealed = entry::read(&entry).is_ok_and(|(reach, _)| reach.is_sealed);
        let copied = from.copy(world, &to, is_sealed.then_some(&keyring));
        let copied = copied.map_err(|source| BackupError::Blobs { source })?;
        whole += copied.whole;
        damaged += copied.damaged;
    }
    Ok((whole, damaged))
}
