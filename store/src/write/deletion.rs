//! Deleting worlds, so that their text is in no file of the store's directory.
//!
//! What is appended already is swept into runs first, so that the shared frames hold nothing of the
//! world. Then its *tombstone* is written: from there on the world is deleted, and whatever is left
//! of it is removed, now or at the next opening. The last step copies the database into a fresh
//! one, because sled keeps what was removed in its file.

use std::collections::BTreeMap;

use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Time, WorldId};

use crate::engine::{Engine, EngineError, Pair, Table};
use crate::home::blobs::Vault;
use crate::home::checkpoints::Shelter;
use crate::home::keys::Keyring;
use crate::read::runs;
use crate::read::runs::entry;
use crate::state::index::Index;
use crate::state::shared::Shared;

mod error;
mod remains;
#[cfg(test)]
mod tests;
mod tombstone;

pub use error::DeleteError;
pub use tombstone::Tombstone;
#[cfg(feature = "testing")]
pub(crate) use tombstone::rewrite;
pub(crate) use tombstone::{
    all as tombstones, decode as read_tombstone, encode as write_tombstone,
    is_whole as is_tombstone, world as tombstone_world,
};

/// The order of a person to delete worlds: who, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteOrder {
    /// Who.
    pub by: Principal,
    /// When, by the clock of the machine.
    pub at: Time,
}

/// The parts of a store that hold traces of a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traces<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) vault: &'a Vault,
    pub(crate) shelter: &'a Shelter,
    pub(crate) keys: &'a Keyring,
}

/// Deletes worlds that were ended, for who has the chores; also finishes what an earlier deletion
/// left to do.
pub(crate) fn delete_alone(
    shared: &Shared,
    traces: Traces<'_>,
    worlds: &[WorldId],
    order: &DeleteOrder,
) -> Result<Vec<Tombstone>, DeleteError> {
    let tombstones =
        bury(shared, traces.engine, worlds, order).inspect_err(|_| go_on(shared, worlds))?;
    {
        let _nobody = shared.no_files();
        let mut index = shared.index();
        worlds.iter().for_each(|world| index.remove(*world));
    }
    let unfinished = |source| DeleteError::Unfinished {
        worlds: tombstones.len(),
        source,
    };
    clean(shared, traces).map_err(unfinished)?;
    Ok(tombstones
        .into_iter()
        .map(|tombstone| Tombstone {
            is_clean: true,
            ..tombstone
        })
        .collect())
}

/// A copy of a world's events reads their files from there.
fn check_copies(shared: &Shared, vault: &Vault, worlds: &[WorldId]) -> Result<(), DeleteError> {
    for world in worlds {
        let copy = shared
            .index()
            .copies(*world)
            .find(|(copy, _)| !worlds.contains(copy))
            .map(|(_, name)| name.clone());
        if let Some(fork) = copy
            && vault.has_any(*world).map_err(EngineError::Io)?
        {
            return Err(DeleteError::HasForks {
                world: *world,
                fork,
            });
        }
    }
    Ok(())
}

/// Verifies that the worlds may be deleted.
pub(crate) fn check(shared: &Shared, vault: &Vault, worlds: &[WorldId]) -> Result<(), DeleteError> {
    check_copies(shared, vault, worlds)?;
    forks_first(&shared.index(), worlds).map(drop)
}

/// Lets nobody append to the worlds any more, if they may be deleted; gives them with forks before
/// their parents.
pub(crate) fn end(
    shared: &Shared,
    vault: &Vault,
    worlds: &[WorldId],
) -> Result<Vec<WorldId>, DeleteError> {
    check_copies(shared, vault, worlds)?;
    // What is being appended lands first.
    let _between = shared.batch();
    let mut index = shared.index();
    let ordered = forks_first(&index, worlds)?;
    ordered.iter().for_each(|world| index.end(*world));
    Ok(ordered)
}

/// Lets worlds go on that were ended and are not deleted.
pub(crate) fn go_on(shared: &Shared, worlds: &[WorldId]) {
    let mut index = shared.index();
    worlds.iter().for_each(|world| index.go_on(*world));
}

fn forks_first(index: &Index, worlds: &[WorldId]) -> Result<Vec<WorldId>, DeleteError> {
    let mut left: BTreeMap<WorldId, usize> = BTreeMap::new();
    for world in worlds {
        if index.is_ending(*world) || !index.worlds.contains_key(world) {
            return Err(DeleteError::NoSuchWorld(*world));
        }
        let depth = std::iter::successors(Some(*world), |world| index.parent(*world))
            .take(index.worlds.len())
            .count();
        left.insert(*world, depth);
    }
    for world in left.keys() {
        if let Some((_, fork)) = index
            .forks(*world)
            .find(|(fork, _)| !left.contains_key(fork))
        {
            return Err(DeleteError::HasForks {
                world: *world,
                fork: fork.clone(),
            });
        }
    }
    let mut ordered: Vec<(WorldId, usize)> = left.into_iter().collect();
    // A process that dies in between must not leave a fork whose parent is gone.
    ordered.sort_by_key(|(_, depth)| std::cmp::Reverse(*depth));
    Ok(ordered.into_iter().map(|(world, _)| world).collect())
}

/// Writes the tombstones, once the shared frames hold nothing of the worlds.
fn bury(
    shared: &Shared,
    engine: &dyn Engine,
    worlds: &[WorldId],
    order: &DeleteOrder,
) -> Result<Vec<Tombstone>, EngineError> {
    if worlds.is_empty() {
        return Ok(Vec::new());
    }
    // A frame holds commits of many worlds: others would keep what is to go (decision 0018).
    runs::leave_shared_frames(shared, engine)?;
    let tombstones: Vec<Tombstone> = {
        let index = shared.index();
        let known = worlds
            .iter()
            .filter_map(|world| Some((*world, index.worlds.get(world)?)));
        known
            .map(|(id, world)| Tombstone::of(id, &world.reach, order))
            .collect()
    };
    // From here on they are deleted, and every step behind may be done again (decision 0018).
    tombstone::put(engine, &tombstones)?;
    Ok(tombstones)
}

/// Removes what is left of deleted worlds, which are in the index no more.
pub(crate) fn clean(shared: &Shared, traces: Traces<'_>) -> Result<(), EngineError> {
    let Traces { engine, .. } = traces;
    let mut unclean = tombstone::all(engine)?;
    unclean.retain(|tombstone| !tombstone.is_clean);
    if unclean.is_empty() {
        return Ok(());
    }
    for tombstone in &unclean {
        remains::remove(traces, tombstone.world)?;
    }
    // Before the entries go: an opening that finds fewer than were counted calls that damage.
    recount(shared, engine)?;
    let entries: Vec<Vec<u8>> = unclean
        .iter()
        .map(|tombstone| tombstone.world.0.as_bytes().to_vec())
        .collect();
    engine.remove(Table::Worlds, &entries)?;
    // sled keeps what was removed in its file until it needs the room (decision 0018).
    engine.compact()?;
    unclean
        .iter_mut()
        .for_each(|tombstone| tombstone.is_clean = true);
    tombstone::put(engine, &unclean)
}

/// Notes that there are fewer worlds, before there are.
fn recount(shared: &Shared, engine: &dyn Engine) -> Result<(), EngineError> {
    let (swept, worlds) = {
        let index = shared.index();
        (index.swept, index.entries_count())
    };
    let note: Pair = (runs::SWEPT.to_vec(), entry::write_swept(swept, worlds));
    if engine.get(Table::Meta, runs::SWEPT)?.is_none() {
        Ok(())
    } else {
        engine.put(Table::Meta, &[note])
    }
}

/// Takes the worlds that have tombstones out of an index that was just read, and lets nobody begin
/// them again.
pub(crate) fn take_out(engine: &dyn Engine, index: &mut Index) -> Result<(), EngineError> {
    for tombstone in tombstone::all(engine)? {
        index.end(tombstone.world);
        index.remove(tombstone.world);
    }
    Ok(())
}
