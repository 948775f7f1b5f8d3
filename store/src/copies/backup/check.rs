//! Reading a copy back before it counts.

use std::path::Path;

use folkmoot_core::ids::{Digest, Position, WorldId};

use super::{BackupError, open_copy};
use crate::engine::{Engine, EngineError};
use crate::format::Malformed;
use crate::format::chain;
use crate::format::chain::NO_LINK;
use crate::format::record::RecordRef;
use crate::local::LocalStore;
use crate::read::runs;
use crate::state::content;
use crate::state::index::Reach;

/// The content of a copy, counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CheckedCopy {
    pub(crate) events: u64,
    /// The number of contents beside the frames that are missing or changed.
    pub(crate) content_damaged: usize,
}

/// Opens the copy, reads every commit of it, and compares how far each world comes. Opening
/// verifies the shared frames, and closing brings them into runs.
pub(crate) fn check(
    worlds: &[(WorldId, Position)],
    dir: &Path,
) -> Result<CheckedCopy, BackupError> {
    let different = |what: String| BackupError::Different {
        path: dir.to_owned(),
        what,
    };
    let close = |store: &LocalStore| store.close().map_err(|error| different(error.to_string()));
    close(&open_copy(dir)?)?;
    let store = open_copy(dir)?;
    let mut checked = CheckedCopy::default();
    for (world, head) in worlds {
        let what = |what: String| different(format!("world {world}: {what}"));
        let reach = {
            let index = store.inner.shared.index();
            index.worlds.get(world).map(|world| world.reach.clone())
        };
        let reach = reach.ok_or_else(|| what("it is not there".to_owned()))?;
        if reach.head != *head {
            return Err(what(format!(
                "it ends at event {}, not at {head}",
                reach.head
            )));
        }
        checked.content_damaged +=
            read(&store, *world, &reach).map_err(|error| what(error.to_string()))?;
        checked.events += head.get();
    }
    if store.inner.shared.index().worlds.len() != worlds.len() {
        return Err(different("it has other worlds".to_owned()));
    }
    close(&store)?;
    Ok(checked)
}

/// Reads the runs of a world, and verifies link by link that they end where the index says. Gives
/// how many contents beside the frames are damaged.
fn read(store: &LocalStore, world: WorldId, reach: &Reach) -> Result<usize, EngineError> {
    let lease = store.inner.shared.lease();
    let mut damaged = 0;
    let (next, link) = follow(lease.engine()?, world, reach, &mut damaged)?;
    if next == reach.head.next() && link == reach.link {
        Ok(damaged)
    } else {
        Err(EngineError::Damaged(format!(
            "its runs end before event {next}"
        )))
    }
}

/// Follows the chain through the runs of a world; gives the position behind it, and the last link.
fn follow(
    engine: &dyn Engine,
    world: WorldId,
    reach: &Reach,
    content_damaged: &mut usize,
) -> Result<(Position, Digest), EngineError> {
    let damaged = |error: Malformed| EngineError::Damaged(error.0);
    let shared = reach
        .base
        .filter(|base| !base.is_copied)
        .map_or(Position::ZERO, |base| base.at);
    let mut next = shared.next();
    let mut link = (shared == Position::ZERO).then_some(NO_LINK);
    runs::each_record(engine, world, Position::new(u64::MAX), |record| {
        (next, link) = step(record, next, link).map_err(damaged)?;
        let events = record.events().map_err(damaged)?;
        for (_, at, beside) in content::besides(record.fixed.first, &events) {
            match content::fetch_one(engine, (world, at), &beside) {
                Err(EngineError::Damaged(_)) => *content_damaged += 1,
                fetched => drop(fetched?),
            }
        }
        Ok(())
    })?;
    Ok((next, link.unwrap_or(reach.link)))
}

/// The first commit of a fork follows one of its parent: its own link is taken as it is.
fn step(
    record: &RecordRef<'_>,
    next: Position,
    link: Option<Digest>,
) -> Result<(Position, Option<Digest>), Malformed> {
    let first = record.fixed.first;
    if first != next {
        return Err(Malformed(format!(
            "event {first} stands where event {next} should"
        )));
    }
    let leaf = record.leaf()?;
    match link {
        Some(link) if chain::link(&link, &leaf) != record.link => {
            Err(Malformed(format!("event {first} does not match its link")))
        }
        Some(_) | None => Ok((record.fixed.last().next(), Some(record.link))),
    }
}
