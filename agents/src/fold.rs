//! Folding a world from its log: what opening, replaying and auditing have in common.

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::{Checkpoints, EventLog, ReadError, WorldEntry};
use folkmoot_core::world::World;
use folkmoot_core::world::decider::{checkpoint_id, decider_id};
use futures::TryStreamExt as _;

use crate::error::FoldError;

/// Folds a world up to the commit that holds `at`, or up to its head. Reads only: nothing is
/// appended, called or run. Whoever holds the log may read it; others have a [`Seat`](crate::Seat).
///
/// # Errors
/// [`FoldError`].
pub async fn fold_world(
    log: &dyn EventLog,
    name: &WorldName,
    at: Option<Position>,
) -> Result<World, FoldError> {
    let entry = entry_up_to(log, name, at).await?;
    Ok(go_on(log, &entry, World::default(), at).await?)
}

/// The same, from the newest usable checkpoint at that position or before it. A checkpoint of this
/// log is trusted: whoever checks a log folds all of it.
///
/// # Errors
/// [`FoldError`].
pub async fn fold_world_from(
    log: &dyn EventLog,
    checkpoints: &dyn Checkpoints,
    name: &WorldName,
    at: Option<Position>,
) -> Result<World, FoldError> {
    let entry = entry_up_to(log, name, at).await?;
    let world = saved(checkpoints, entry.world, at.unwrap_or(entry.head)).await;
    Ok(go_on(log, &entry, world, at).await?)
}

/// The entry of the world called `name`, which must reach up to `at`.
async fn entry_up_to(
    log: &dyn EventLog,
    name: &WorldName,
    at: Option<Position>,
) -> Result<WorldEntry, FoldError> {
    let entry = log
        .find(name)
        .await?
        .ok_or_else(|| FoldError::NoSuchWorld(name.clone()))?;
    let head = entry.head;
    match at.filter(|at| *at > head) {
        Some(at) => Err(FoldError::BehindHead { at, head }),
        None => Ok(entry),
    }
}

/// Folds a world up to its head, from its checkpoint if there is one.
pub(crate) async fn load(
    log: &dyn EventLog,
    checkpoints: &dyn Checkpoints,
    entry: &WorldEntry,
) -> Result<World, ReadError> {
    let world = saved(checkpoints, entry.world, entry.head).await;
    go_on(log, entry, world, None).await
}

/// The world as its newest usable checkpoint has it, up to a position; an empty one if there is none.
pub(crate) async fn saved(checkpoints: &dyn Checkpoints, id: WorldId, up_to: Position) -> World {
    let saved = checkpoints
        .latest(id, checkpoint_id(decider_id()), Some(up_to))
        .await;
    let world = saved.and_then(|(at, state)| {
        World::restore(&state)
            .ok()
            .filter(|world| world.head() == at)
    });
    world.unwrap_or_default()
}

/// Folds a world from the beginning of its log up to its head.
pub(crate) async fn fold_anew(log: &dyn EventLog, id: WorldId) -> Result<World, ReadError> {
    let mut world = World::default();
    follow(log, id, &mut world, None).await?;
    Ok(world)
}

/// Folds what a world's log has behind its head.
pub(crate) async fn catch_up(log: &dyn EventLog, world: &mut World) -> Result<(), ReadError> {
    match world.id() {
        Some(id) => follow(log, id, world, None).await,
        None => Ok(()),
    }
}

async fn go_on(
    log: &dyn EventLog,
    entry: &WorldEntry,
    mut world: World,
    until: Option<Position>,
) -> Result<World, ReadError> {
    if world.head() != entry.head {
        follow(log, entry.world, &mut world, until).await?;
    }
    Ok(world)
}

async fn follow(
    log: &dyn EventLog,
    id: WorldId,
    world: &mut World,
    until: Option<Position>,
) -> Result<(), ReadError> {
    let mut commits = log.read(id, world.head().next()).await?;
    while let Some(stored) = commits.try_next().await? {
        if until.is_some_and(|until| stored.commit.header.first > until) {
            break;
        }
        if stored.commit.header.first != world.head().next() {
            let what = format!(
                "event {} is followed by event {}",
                world.head(),
                stored.commit.header.first
            );
            return Err(ReadError::Damaged {
                at: world.head().next(),
                what,
            });
        }
        world.apply(&stored.commit);
    }
    Ok(())
}
