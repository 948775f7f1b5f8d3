//! The worlds whose rows a world has.

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::ReadError;
use folkmoot_core::world::FORKS_DEEP_MAX;

use super::Inner;
use super::settle::read_error;

/// A world whose rows a world has, and which.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) world: WorldId,
    pub(super) name: WorldName,
    /// The first event that it has of that one.
    pub(super) from: Position,
    /// The last event that it has of that one.
    pub(super) until: Position,
}

/// The worlds whose rows a world has, the first one first. The last is the world itself.
pub(super) async fn sources(inner: &Inner, world: WorldId) -> Result<Vec<Source>, ReadError> {
    let mut sources = Vec::new();
    let mut next = Some((world, Position::new(u64::MAX)));
    while let Some((id, until)) = next.filter(|_| sources.len() <= FORKS_DEEP_MAX) {
        let entry = inner
            .entry(id)
            .await
            .map_err(|error| missing(error, world))?;
        let base = entry.base.filter(|base| !base.is_copied);
        sources.push(Source {
            world: id,
            name: entry.name,
            from: base.map_or(Position::ZERO, |base| base.at).next(),
            until,
        });
        next = base.map(|base| (base.parent, base.at.min(until)));
    }
    sources.reverse();
    Ok(sources)
}

/// A parent that is not there is damage.
fn missing(error: ReadError, world: WorldId) -> ReadError {
    if matches!(error, ReadError::NoSuchWorld(id) if id != world) {
        return ReadError::Damaged {
            at: Position::new(1),
            what: "the world that it was forked from is not there".to_owned(),
        };
    }
    error
}

/// A world and those that it comes from, itself first.
pub(super) async fn worlds(inner: &Inner, world: WorldId) -> Result<Vec<WorldId>, ReadError> {
    let mut worlds = vec![world];
    let mut next = inner.entry(world).await?.base;
    while let Some(base) = next.filter(|_| worlds.len() <= FORKS_DEEP_MAX) {
        worlds.push(base.parent);
        // The parent of a world with a copy may be gone.
        let parent = inner.read(|| inner.ledger.entry(base.parent)).await;
        let parent = parent.map_err(|error| read_error(error, Position::ZERO))?;
        next = parent.and_then(|parent| parent.base);
    }
    Ok(worlds)
}

/// `world`, and all worlds that have its events up to `from` or beyond by forking: each with the last event that it has of
/// `world`, and whether it has them in rows of its own.
pub(super) async fn family(
    inner: &Inner,
    world: WorldId,
    from: Position,
) -> Result<Vec<Relative>, ReadError> {
    let mut family = vec![Relative {
        world,
        until: Position::new(u64::MAX),
        is_copied: true,
    }];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        next += 1;
        let forks = inner.read(|| inner.ledger.forks(parent.world)).await;
        for fork in forks.map_err(|error| read_error(error, from))? {
            let Some(base) = fork.base else { continue };
            let until = parent.until.min(base.at);
            if until >= from && family.iter().all(|known| known.world != fork.world) {
                family.push(Relative {
                    world: fork.world,
                    until,
                    is_copied: base.is_copied,
                });
            }
        }
    }
    Ok(family)
}

/// A world that has events of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    pub(super) world: WorldId,
    /// The last event that it has of the other.
    pub(super) until: Position,
    /// True if it has them in rows of its own.
    pub(super) is_copied: bool,
}
