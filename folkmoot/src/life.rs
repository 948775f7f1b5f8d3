//! The end of worlds: of those that somebody names, and of those that nobody uses any more.

use std::time::Duration;

use folkmoot_agents::{FoldError, HeldWorld, OpenError, Runtime, fold_world, fold_world_from};
use folkmoot_core::event::{ClockKind, Event, Right, WorldEvent};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Position, Time, WorldId, WorldName};
use folkmoot_core::port::{EventLog as _, Labels, ReadError, WorldEntry};
use folkmoot_store::{DeleteError, DeleteOrder, Store, Tombstone};
use futures::TryStreamExt as _;

/// How many worlds are looked at at a time.
const PAGE: usize = 256;

/// Which worlds are kept: those in use, for as long as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// A world whose last commit is older than this is idle.
    pub idle_for: Duration,
    /// What time it is, by the clock of the machine.
    pub now: Time,
    /// Only worlds that have all of these labels are looked at.
    pub labels: Labels,
}

impl Retention {
    /// A world whose last commit is before this is idle.
    #[must_use]
    pub fn limit(&self) -> Time {
        Time(
            self.now
                .0
                .saturating_sub(u64::try_from(self.idle_for.as_millis()).unwrap_or(u64::MAX)),
        )
    }
}

/// The worlds that a retention does not keep, and those that it says nothing of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Idle {
    /// Whose last commit is older than they are kept, by name.
    pub worlds: Vec<WorldEntry>,
    /// Which have a clock of their own, so that nobody can tell how old they are, by name.
    pub simulated: Vec<WorldEntry>,
}

/// Why worlds are not deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LifeError {
    /// There is no such world; none was deleted.
    #[error("there is no world called {0}")]
    NoSuchWorld(WorldName),
    /// It is open in this process; none was deleted. Close it first.
    #[error("the world {0} is open; close it first")]
    Open(WorldName),
    /// The parent of a fork; none was deleted.
    #[error("the world {parent} is the parent of {fork}; delete that fork first, or both together")]
    HasForks {
        /// The parent.
        parent: WorldName,
        /// One of its forks.
        fork: WorldName,
    },
    /// Whoever wants it may not operate this world; none was deleted.
    #[error("only somebody who may operate the world {0} may delete it")]
    NoRight(WorldName),
    /// One of the worlds does not read, so that nobody can tell who may delete it; none was deleted.
    #[error("the world {world} cannot be read, so nobody can tell who may delete it")]
    Unread {
        /// The world.
        world: WorldName,
        /// What is wrong with its log.
        #[source]
        source: FoldError,
    },
    /// Another node holds one of them, and does not let go of it; none was deleted.
    #[error("the world {world} cannot be had for its deletion")]
    Held {
        /// The world.
        world: WorldName,
        /// The reason.
        #[source]
        source: OpenError,
    },
    /// The store could not do it.
    #[error(transparent)]
    Store(DeleteError),
    /// The list of worlds does not read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Deletes worlds that are not open in `runtime`, for good: see [`Store::delete`]. `store` is the one that it runs over. A node
/// that holds one of them closes it first.
///
/// # Errors
/// [`LifeError`]; after [`DeleteError::Unfinished`] the worlds are gone, after any other none is.
pub async fn delete_worlds(
    runtime: &Runtime,
    store: &Store,
    worlds: &[WorldName],
    order: &DeleteOrder,
) -> Result<Vec<Tombstone>, LifeError> {
    let mut ids: Vec<(WorldId, &WorldName)> = Vec::new();
    for name in worlds {
        if runtime.world(name).is_some() {
            return Err(LifeError::Open(name.clone()));
        }
        let entry = store.find(name).await?;
        let entry = entry.ok_or_else(|| LifeError::NoSuchWorld(name.clone()))?;
        check_right(store, name, &order.by).await?;
        ids.push((entry.world, name));
    }
    let only: Vec<WorldId> = ids.iter().map(|(id, _)| *id).collect();
    // Whoever uses it is not interrupted for what is refused.
    store
        .check_deletion(&only)
        .await
        .map_err(|error| undeleted(error, &ids))?;
    let mut held = Vec::new();
    for name in worlds {
        match runtime.hold(name, &order.by).await {
            Ok(world) => held.push(world),
            Err(source) => {
                give_back(held).await;
                let world = name.clone();
                return Err(LifeError::Held { world, source });
            }
        }
    }
    let deleted = store.delete(&only, order).await;
    give_back(held).await;
    deleted.map_err(|error| undeleted(error, &ids))
}

async fn give_back(held: Vec<HeldWorld>) {
    for world in held {
        world.give_back().await;
    }
}

/// The reason that these worlds were not deleted.
fn undeleted(error: DeleteError, worlds: &[(WorldId, &WorldName)]) -> LifeError {
    let named = |id: WorldId| {
        let known = worlds.iter().find(|(known, _)| *known == id);
        known.map(|(_, name)| (*name).clone())
    };
    match error {
        DeleteError::HasForks { world, fork } => match named(world) {
            Some(parent) => LifeError::HasForks { parent, fork },
            None => LifeError::Store(DeleteError::HasForks { world, fork }),
        },
        error @ (DeleteError::NoSuchWorld(_)
        | DeleteError::Held { .. }
        | DeleteError::Engine(_)
        | DeleteError::Unfinished { .. }
        | DeleteError::Stopped(_)
        | _) => LifeError::Store(error),
    }
}

/// Deleting takes the right that erasing and branching off take.
async fn check_right(store: &Store, name: &WorldName, by: &Principal) -> Result<(), LifeError> {
    let world = fold_world_from(store, store, name, None).await;
    let world = world.map_err(|source| LifeError::Unread {
        world: name.clone(),
        source,
    })?;
    if world.rights_of(by).has(Right::Operate) {
        Ok(())
    } else {
        Err(LifeError::NoRight(name.clone()))
    }
}

/// The worlds that `retention` does not keep. Nothing is deleted.
///
/// # Errors
/// [`FoldError::Read`] if the store does not read.
pub async fn idle_worlds(store: &Store, retention: &Retention) -> Result<Idle, FoldError> {
    let mut idle = Idle::default();
    let mut after: Option<WorldName> = None;
    loop {
        let page = store
            .worlds(&retention.labels, after.as_ref(), PAGE)
            .await?;
        let Some(last) = page.last() else {
            return Ok(idle);
        };
        after = Some(last.name.clone());
        for entry in page {
            // The time of a world with the machine's clock is neither in the future nor, if it is in use, long past.
            if entry.time >= retention.limit() && entry.time <= retention.now {
                continue;
            }
            match clock(store, &entry).await? {
                ClockKind::Simulated => idle.simulated.push(entry),
                ClockKind::System if entry.time < retention.limit() => idle.worlds.push(entry),
                ClockKind::System => {}
            }
        }
    }
}

/// Returns which clock a world has: its first event says so, or the fold of a fork.
async fn clock(store: &Store, entry: &WorldEntry) -> Result<ClockKind, FoldError> {
    let first = store
        .read(entry.world, Position::new(1))
        .await?
        .try_next()
        .await?;
    let event = first.and_then(|stored| stored.commit.events.into_iter().next());
    if let Some(Event::World(WorldEvent::WorldOpened(opened))) = event {
        return Ok(opened.clock);
    }
    Ok(fold_world(store, &entry.name, None).await?.clock())
}
