//! Forks: a world whose first events are those of another one.
//!
//! A fork shares the records of its parent up to where it left it, and keeps only its own. Nothing
//! of the parent is changed by that, and nothing is written twice, unless the fork is given a copy.

use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::ReadError;
use folkmoot_core::world::FORKS_DEEP_MAX;

use crate::engine::{Engine, EngineError};
use crate::format::Malformed;
use crate::format::record::{RecordRef, records};
use crate::format::upcast::Upcasters;
use crate::read::frames::Frames;
use crate::read::runs::{self, lift_failed};
use crate::state::index::{Base, Index, Reach, TailCommit};
use crate::state::shared::{Shared, read_error};
use crate::state::summary::{Origin, Summary};

mod copy;

pub(crate) use copy::copy_base;

/// A world whose records a world has, and up to which event.
#[derive(Debug, Clone)]
pub(crate) struct SharedRecords {
    pub(crate) world: WorldId,
    /// The last event that it has of that one.
    pub(crate) until: Position,
    runs_end: Position,
    tail: Vec<TailCommit>,
}

/// The worlds whose records a world has, the first one first; `None` if there is no such world.
pub(crate) fn sources(index: &Index, world: WorldId) -> Option<Vec<SharedRecords>> {
    let mut sources = Vec::new();
    let mut next = Some((world, Position::new(u64::MAX)));
    while let Some((id, most)) = next.filter(|_| sources.len() <= FORKS_DEEP_MAX) {
        let known = index.worlds.get(&id)?;
        let until = most.min(known.reach.head);
        let tail = known
            .tail
            .iter()
            .take_while(|commit| commit.first <= until)
            .copied()
            .collect();
        sources.push(SharedRecords {
            world: id,
            until,
            runs_end: known.runs_end.min(until),
            tail,
        });
        next = known
            .reach
            .base
            .filter(|base| !base.is_copied)
            .map(|base| (base.parent, base.at.min(until)));
    }
    sources.reverse();
    Some(sources)
}

/// A world and those that it comes from, itself first.
pub(crate) fn worlds(index: &Index, world: WorldId) -> Vec<WorldId> {
    let parent = |world: &WorldId| Some(index.worlds.get(world)?.reach.base?.parent);
    std::iter::successors(Some(world), parent)
        .take(FORKS_DEEP_MAX.saturating_add(1))
        .collect()
}

/// The messages at `from` or behind it, and before `to`, that commits outside of runs took away.
pub(crate) fn gone_in_tail(
    index: &Index,
    sources: &[SharedRecords],
    from: Position,
    to: Position,
) -> Vec<Position> {
    let of_one = |source: &SharedRecords| -> Vec<Position> {
        let gone = index
            .worlds
            .get(&source.world)
            .into_iter()
            .flat_map(|known| known.tail_gone.range(from..to));
        gone.filter(|(_, by)| **by <= source.until)
            .map(|(gone, _)| *gone)
            .collect()
    };
    sources.iter().flat_map(of_one).collect()
}

/// The result of walking over records.
enum Walked {
    Whole,
    /// Frames were moved into runs meanwhile.
    Moved,
}

/// Hands out the records of a world in order, those of its parents first, up to the one that holds
/// `until`; with each, the world that keeps it.
fn walk(
    engine: &dyn Engine,
    sources: &[SharedRecords],
    until: Position,
    each: &mut dyn FnMut(WorldId, &RecordRef<'_>) -> Result<(), Malformed>,
) -> Result<Walked, EngineError> {
    let mut next = Position::new(1);
    for source in sources
        .iter()
        .filter(|source| source.until > Position::ZERO)
    {
        let mut take = |record: &RecordRef<'_>| {
            if record.fixed.last() < next || record.fixed.first > source.until || next > until {
                return Ok(());
            }
            if record.fixed.first != next {
                return Err(Malformed(format!(
                    "event {next} is followed by event {}",
                    record.fixed.first
                )));
            }
            next = record.fixed.last().next();
            each(source.world, record)
        };
        runs::each_record(engine, source.world, source.runs_end, |record| {
            take(record).map_err(damaged)
        })?;
        let mut frames = Frames::default();
        for commit in source.tail.iter().filter(|commit| commit.first <= until) {
            let Some(unit) = frames.unit(engine, commit.frame)? else {
                return Ok(Walked::Moved);
            };
            for record in records(&unit) {
                let record = record.map_err(damaged)?;
                if record.fixed.world == source.world {
                    take(&record).map_err(damaged)?;
                }
            }
        }
    }
    Ok(Walked::Whole)
}

fn damaged(error: Malformed) -> EngineError {
    EngineError::Damaged(error.0)
}

/// Returns how far a world had come with the commit that holds the event at `at`; `None` if frames
/// were moved meanwhile.
fn reach_at(
    engine: &dyn Engine,
    sources: &[SharedRecords],
    at: Position,
    upcasters: &Upcasters,
    mut reach: Reach,
) -> Result<Option<Reach>, EngineError> {
    let walked = walk(engine, sources, at, &mut |_, record| {
        let summary = Summary::read(record, upcasters).map_err(lift_failed)?;
        reach.advance(&summary, record.leaf()?);
        Ok(())
    })?;
    Ok(matches!(walked, Walked::Whole).then_some(reach))
}

/// Returns how far the world `of` had come with the commit that holds the event at `at`. Blocks.
pub(crate) fn reach(shared: &Arc<Shared>, of: WorldId, at: Position) -> Result<Reach, ReadError> {
    let lease = shared.lease();
    let engine = lease.engine().map_err(|error| read_error(error, at))?;
    loop {
        let (sources, name, runs_end) = {
            let index = shared.index();
            let known = index.worlds.get(&of).ok_or(ReadError::NoSuchWorld(of))?;
            let sources = sources(&index, of).ok_or(ReadError::NoSuchWorld(of))?;
            (sources, WorldName::clone(&known.reach.name), index.swept)
        };
        let found = reach_at(engine, &sources, at, &shared.upcasters, Reach::unborn(name));
        match found.map_err(|error| read_error(error, at))? {
            Some(reach) if reach.head >= at => return Ok(reach),
            // A sweep moved frames into runs meanwhile: once more, by the index of now.
            None if shared.index().swept > runs_end => {}
            Some(_) | None => {
                return Err(ReadError::Damaged {
                    at,
                    what: "the event is not there".to_owned(),
                });
            }
        }
    }
}

/// Finds out where the parent of a fork stood, while a store is opened.
pub(crate) fn recover(
    engine: &dyn Engine,
    index: &Index,
    upcasters: &Upcasters,
    origin: &Origin,
) -> Result<Reach, Malformed> {
    let parent = origin.forked.parent;
    let sources = sources(index, parent);
    let sources = sources.ok_or_else(|| {
        Malformed(format!(
            "the world {parent} that one was forked from is not there"
        ))
    })?;
    let unborn = Reach::unborn(origin.forked.name.clone());
    let found = reach_at(engine, &sources, origin.forked.base.of, upcasters, unborn);
    let found = found.map_err(|error| Malformed(error.to_string()))?;
    begin(
        origin,
        found.ok_or_else(|| Malformed::new("frames of a forked world are missing"))?,
    )
}

/// The fork itself, before its first commit: what it says of its parent must be what the parent's
/// log says.
pub(crate) fn begin(origin: &Origin, parent: Reach) -> Result<Reach, Malformed> {
    let forked = &origin.forked;
    let fits = parent.head == forked.base.of
        && parent.link == forked.link
        && parent.tree.size() == forked.base.commits
        && parent.tree.root() == *forked.base.root.as_bytes();
    if !fits {
        return Err(Malformed(format!(
            "what {} says of its parent is not what its log says",
            forked.name
        )));
    }
    Ok(Reach {
        name: Arc::new(forked.name.clone()),
        incarnation: folkmoot_core::ids::Incarnation(0),
        base: Some(Base {
            parent: forked.parent,
            at: forked.base.of,
            is_copied: false,
        }),
        ..parent
    })
}
