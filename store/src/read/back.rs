//! Reading the commits of one world from a place backwards.

use std::collections::VecDeque;
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{ReadError, StoredCommit};

use crate::engine::Table;
use crate::format::Malformed;
use crate::read::reader::Reader;
use crate::read::runs::{read_run_key, run_key};
use crate::state::shared::{LostContent, Shared, read_error};

/// Reads at most `limit` commits that end before `before`, newest first. Blocks.
pub(crate) fn back(
    (shared, lost): (&Arc<Shared>, Option<&LostContent>),
    world: WorldId,
    before: Position,
    limit: usize,
) -> Result<Vec<StoredCommit>, ReadError> {
    let mut found: VecDeque<StoredCommit> = VecDeque::new();
    let mut before = before;
    while found.len() < limit && before > Position::new(1) {
        let from = block_start(shared, world, before, limit - found.len())?;
        let mut block = between((shared, lost), world, from, before)?;
        before = from;
        while let Some(commit) = block.pop()
            && found.len() < limit
        {
            found.push_back(commit);
        }
    }
    Ok(found.into())
}

/// A commit's first position before `before`, about `limit` commits or one unit back.
fn block_start(
    shared: &Shared,
    world: WorldId,
    before: Position,
    limit: usize,
) -> Result<Position, ReadError> {
    let world = {
        let index = shared.index();
        let last = before.previous();
        let (world, _) = index
            .source(world, last)
            .ok_or(ReadError::NoSuchWorld(world))?;
        let known = index
            .worlds
            .get(&world)
            .ok_or(ReadError::NoSuchWorld(world))?;
        if before > known.runs_end.next() {
            let end = known.tail.partition_point(|commit| commit.first < before);
            let start = known
                .tail
                .get(end.saturating_sub(limit.max(1).saturating_add(1)));
            return Ok(start.map_or(Position::new(1), |commit| commit.first));
        }
        world
    };
    let lease = shared.lease();
    let last = before.previous();
    let damaged = |what: String| ReadError::Damaged { at: last, what };
    let engine = lease.engine().map_err(|error| read_error(error, last))?;
    let run = engine
        .floor(Table::Runs, &run_key(world, last, u16::MAX))
        .map_err(|error| read_error(error, last))?;
    let (key, _) = run
        .filter(|(key, _)| key.starts_with(world.0.as_bytes()))
        .ok_or_else(|| damaged("its run is missing".to_owned()))?;
    read_run_key(&key)
        .map(|(_, first, _)| first)
        .map_err(|Malformed(what)| damaged(what))
}

/// The commits from the one that begins at `from`, as far as they end before `before`.
fn between(
    (shared, lost): (&Arc<Shared>, Option<&LostContent>),
    world: WorldId,
    from: Position,
    before: Position,
) -> Result<Vec<StoredCommit>, ReadError> {
    let mut reader = Reader::new(Arc::clone(shared), world, from).passing_over(lost);
    let mut commits = Vec::new();
    while reader.next() < before {
        let piece = reader.piece()?;
        if piece.is_empty() {
            break;
        }
        commits.extend(
            piece
                .into_iter()
                .take_while(|stored| stored.commit.last() < before),
        );
    }
    Ok(commits)
}
