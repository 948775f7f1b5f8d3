//! Runs: the commits of one world in frames of its own.
//!
//! Worlds interleave in shared frames. A *sweep* copies all commits of the shared frames into runs,
//! world by world, and then drops those frames. It runs beside the committer, and the two meet only
//! at the barrier.

use std::collections::BTreeMap;

use folkmoot_core::command::commit::CommandKey;
use folkmoot_core::ids::{Digest, Position, WorldId, WorldName};
use folkmoot_proof::Frontier;

use crate::engine::{Engine, EngineError, FrameNumber, Pair, READ_BYTES, Table, each_row};
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::frame::{FrameRef, Joiner};
use crate::format::record::{RecordRef, records};
use crate::format::upcast::LiftError;
use crate::state::index::{IndexedWorld, Reach};
use crate::state::shared::Shared;
use crate::state::summary::{Summary, key_digest};

pub(crate) mod entry;
pub(crate) mod sheet;

use sheet::Sheet;

/// A world with so many events outside of runs makes a sweep due.
pub(crate) const TAIL_EVENTS_MAX: u64 = if cfg!(feature = "shuttle") { 6 } else { 4_096 };

/// So many bytes of shared frames make a sweep due. They bound what has to be read and verified
/// after a kill, too.
pub(crate) const TAIL_BYTES_MAX: usize = if cfg!(feature = "shuttle") {
    2 * 1024
} else {
    16 * 1024 * 1024
};

/// With so many, the committer waits for a sweep: what a kill leaves to verify stays bounded.
pub(crate) const TAIL_BYTES_LIMIT: usize = 4 * TAIL_BYTES_MAX;

/// About how many runs are kept in memory before they are written.
const PAIRS_MAX: usize = 256;

/// The key of the last swept frame, and of the number of worlds, in [`Table::Meta`].
pub(crate) const SWEPT: &[u8] = b"swept";

/// Copies everything that is durable now into runs, and drops the shared frames.
pub(crate) fn sweep(shared: &Shared) -> Result<(), EngineError> {
    let _alone = shared.chores();
    let lease = shared.lease();
    sweep_alone(shared, lease.engine()?)
}

/// The same, for who wants nothing to be left in shared frames: a sweep that a process died in may
/// have left its own.
pub(crate) fn leave_shared_frames(shared: &Shared, engine: &dyn Engine) -> Result<(), EngineError> {
    sweep_alone(shared, engine)?;
    let swept = shared.index().swept;
    engine.trim(swept)
}

/// The same, for who has the chores already.
pub(crate) fn sweep_alone(shared: &Shared, engine: &dyn Engine) -> Result<(), EngineError> {
    let (from, to) = {
        let index = shared.index();
        (index.swept.plus(1), index.head)
    };
    if from > to {
        return Ok(());
    }
    let (sheets, bytes) = collect(shared, engine, from, to)?;
    // Before `swept` says so: until then these runs do not count, and the frames stay
    // (decision 0001).
    write(engine, &sheets)?;
    let ends: Vec<(WorldId, Position)> = sheets
        .iter()
        .map(|(world, sheet)| (*world, sheet.end()))
        .collect();
    let worlds = entries(shared, &sheets);
    engine.put(
        Table::Meta,
        &[(SWEPT.to_vec(), entry::write_swept(to, worlds))],
    )?;
    {
        let mut index = shared.index();
        ends.into_iter()
            .for_each(|(world, end)| index.swept(world, end));
        index.swept = to;
        index.tail_bytes = index.tail_bytes.saturating_sub(bytes);
    }
    engine.trim(to)
}

/// Returns how many worlds have an entry. One that was begun since the sweep was has none.
fn entries(shared: &Shared, sheets: &BTreeMap<WorldId, Sheet>) -> usize {
    let index = shared.index();
    let has_entry =
        |(id, world): &(&WorldId, &IndexedWorld)| world.has_entry() || sheets.contains_key(id);
    // An opening that finds fewer knows that a row of the table is lost.
    index.worlds.iter().filter(has_entry).count()
}

/// Sorts the commits of the shared frames by world.
fn collect(
    shared: &Shared,
    engine: &dyn Engine,
    from: FrameNumber,
    to: FrameNumber,
) -> Result<(BTreeMap<WorldId, Sheet>, usize), EngineError> {
    let mut sheets = BTreeMap::new();
    let mut bytes = 0;
    each_unit(engine, from, to, |unit, span| {
        bytes += span.bytes;
        for record in records(unit) {
            let record = record?;
            let world = record.fixed.world;
            let sheet = match sheets.entry(world) {
                std::collections::btree_map::Entry::Occupied(sheet) => sheet.into_mut(),
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(begin(shared, engine, world)?)
                }
            };
            let summary = Summary::read(&record, &shared.upcasters).map_err(lift_failed)?;
            sheet.add(&record, &summary)?;
        }
        Ok(())
    })?;
    Ok((sheets, bytes))
}

pub(crate) fn lift_failed(error: LiftError) -> Malformed {
    match error {
        LiftError::Malformed(error) => error,
        LiftError::Newer { kind, version } => {
            Malformed(format!("an unknown {kind} of version {version}"))
        }
    }
}

/// A sheet for a world, with what is known of it at the end of its runs.
fn begin(shared: &Shared, engine: &dyn Engine, world: WorldId) -> Result<Sheet, Malformed> {
    let (runs_end, born) = {
        let index = shared.index();
        let known = index
            .worlds
            .get(&world)
            .ok_or_else(|| Malformed(format!("commits of an unknown world {world}")))?;
        let unborn = || Reach::unborn(WorldName::clone(&known.reach.name));
        (
            known.runs_end,
            known.origin.as_deref().cloned().unwrap_or_else(unborn),
        )
    };
    let failed = |error: EngineError| Malformed(error.to_string());
    let stored = engine
        .get(Table::Worlds, world.0.as_bytes())
        .map_err(failed)?;
    let reach = match stored {
        None => born,
        Some(bytes) => match entry::read(&bytes)? {
            (reach, true) => reach,
            (reach, false) => Reach {
                tree: tree(engine, world, reach.head).map_err(failed)?,
                ..reach
            },
        },
    };
    if reach.head == runs_end {
        Ok(Sheet::new(reach))
    } else {
        Err(Malformed(format!(
            "the entry of the world {world} ends at {}, not at {runs_end}",
            reach.head
        )))
    }
}

/// The place of a unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitSpan {
    /// The first frame.
    pub(crate) first: FrameNumber,
    /// The stored bytes of its frames.
    pub(crate) bytes: usize,
}

/// Hands out the units of the frames `from` to `to`.
pub(crate) fn each_unit(
    engine: &dyn Engine,
    from: FrameNumber,
    to: FrameNumber,
    mut each: impl FnMut(&[u8], UnitSpan) -> Result<(), Malformed>,
) -> Result<(), EngineError> {
    let damaged = |error: Malformed| EngineError::Damaged(error.0);
    let mut joiner = Joiner::default();
    let mut next = from;
    let mut span = UnitSpan {
        first: from,
        bytes: 0,
    };
    while next <= to {
        let frames = engine.read(next, READ_BYTES)?;
        if frames.is_empty() {
            return Err(EngineError::Damaged(format!("frame {next} is missing")));
        }
        for (number, frame) in frames.iter().take_while(|(number, _)| *number <= to) {
            let read = FrameRef::read(frame).map_err(damaged)?;
            // The frame says its own number, so that one that was moved is noticed.
            if *number != next || read.number != number.0 {
                return Err(EngineError::Damaged(format!(
                    "frame {next} is missing, {} stands there",
                    read.number
                )));
            }
            if !read.is_continued {
                span.first = next;
            }
            span.bytes += frame.len();
            if let Some(unit) = joiner.add(&read).map_err(damaged)? {
                each(unit, span).map_err(damaged)?;
                span.bytes = 0;
            }
            next = next.plus(1);
        }
    }
    Ok(())
}

/// Writes runs, then keys and what is gone, then what the index says of the worlds: until that is
/// there, the runs do not count.
fn write(engine: &dyn Engine, sheets: &BTreeMap<WorldId, Sheet>) -> Result<(), EngineError> {
    let damaged = |error: Malformed| EngineError::Damaged(error.0);
    let mut pairs: Vec<Pair> = Vec::new();
    for (world, sheet) in sheets {
        pairs.extend(
            sheet
                .runs(*world, last_run(engine, *world, sheet.start())?)
                .map_err(damaged)?,
        );
        if pairs.len() >= PAIRS_MAX {
            engine.put(Table::Runs, &std::mem::take(&mut pairs))?;
        }
    }
    engine.put(Table::Runs, &pairs)?;
    let keys: Vec<Pair> = sheets
        .iter()
        .flat_map(|(world, sheet)| sheet.keys(*world))
        .collect();
    engine.put(Table::Keys, &keys)?;
    let gone: Vec<Pair> = sheets
        .iter()
        .flat_map(|(world, sheet)| sheet.gone(*world))
        .collect();
    put_gone(engine, gone)?;
    let pair = |(world, sheet): (&WorldId, &Sheet)| {
        Ok((world.0.as_bytes().to_vec(), entry::write(&sheet.reach)?))
    };
    let entries: Vec<Pair> = sheets
        .iter()
        .map(pair)
        .collect::<Result<_, _>>()
        .map_err(damaged)?;
    engine.put(Table::Worlds, &entries)
}

/// Writes which messages are gone. Of two commits that took the same one away, the first stays: a
/// fork may end between them.
pub(crate) fn put_gone(engine: &dyn Engine, pairs: Vec<Pair>) -> Result<(), EngineError> {
    let mut first = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let known = engine.get(Table::Gone, &key)?;
        if known
            .map_or(Ok(true), |known| is_before(&value, &known))
            .map_err(|error| EngineError::Damaged(error.0))?
        {
            first.push((key, value));
        }
    }
    engine.put(Table::Gone, &first)
}

/// Tells whether the commit of one value is before that of the other.
fn is_before(one: &[u8], other: &[u8]) -> Result<bool, Malformed> {
    Ok(entry::read_gone_by(one)? < entry::read_gone_by(other)?)
}

/// The run of a world in which its last counted event stands.
fn last_run(
    engine: &dyn Engine,
    world: WorldId,
    end: Position,
) -> Result<Option<Pair>, EngineError> {
    let last = engine.floor(Table::Runs, &run_key(world, end, u16::MAX))?;
    Ok(last.filter(|(key, _)| key.starts_with(world.0.as_bytes())))
}

/// Returns where the part `part` of the unit with the commit at `first` is.
pub(crate) fn run_key(world: WorldId, first: Position, part: u16) -> Vec<u8> {
    let mut key = world.0.as_bytes().to_vec();
    key.extend_from_slice(&first.get().to_be_bytes());
    key.extend_from_slice(&part.to_be_bytes());
    key
}

/// Reads a run's key: the world, the first position, the part.
pub(crate) fn read_run_key(key: &[u8]) -> Result<(WorldId, Position, u16), Malformed> {
    let mut key = Bytes(key);
    let world = crate::format::header::world(key.array()?);
    let first = Position::new(u64::from_be_bytes(key.array()?));
    Ok((world, first, u16::from_be_bytes(key.array()?)))
}

/// Returns where the commit of a key is, and the digest of what it asked.
pub(crate) fn find_key(
    engine: &dyn Engine,
    world: WorldId,
    key: &CommandKey,
) -> Result<Option<(Position, Digest)>, EngineError> {
    let damaged = |error: Malformed| EngineError::Damaged(error.0);
    let digest = key_digest(key).map_err(damaged)?;
    let found = engine.get(Table::Keys, &entry::key(world, &digest))?;
    found
        .map(|value| entry::read_key(&value).map_err(damaged))
        .transpose()
}

/// The messages of a world at `from` or behind it, and before `to`, that commits in runs up to
/// `until` took away. Older builds did not write down which commit did: what they wrote counts.
pub(crate) fn gone(
    engine: &dyn Engine,
    world: WorldId,
    from: Position,
    to: Position,
    until: Position,
) -> Result<Vec<Position>, EngineError> {
    let damaged = |error: Malformed| EngineError::Damaged(error.0);
    let mut gone = Vec::new();
    let to = entry::gone_key(world, to);
    let from = entry::gone_key(world, from);
    each_row(engine, Table::Gone, from, &to, |(key, value)| {
        let by = entry::read_gone_by(&value).map_err(damaged)?;
        if by.is_none_or(|by| by <= until) {
            gone.push(entry::read_gone_key(&key).map_err(damaged)?);
        }
        Ok(())
    })?;
    Ok(gone)
}

/// Hands out the records in a world's runs whose units begin at `end` or before it, in order.
pub(crate) fn each_record(
    engine: &dyn Engine,
    world: WorldId,
    end: Position,
    mut take: impl FnMut(&RecordRef<'_>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let damaged = |error: Malformed| EngineError::Damaged(error.0);
    let mut joiner = Joiner::default();
    let from = run_key(world, Position::ZERO, 0);
    let to = run_key(world, end.next(), 0);
    each_row(engine, Table::Runs, from, &to, |(_, value)| {
        let frame = FrameRef::read(&value).map_err(damaged)?;
        let unit = joiner.add(&frame).map_err(damaged)?;
        unit.into_iter()
            .flat_map(records)
            .try_for_each(|record| take(&record.map_err(damaged)?))
    })
}

/// The tree over the commits of a world up to `head`, for an entry that does not know it: older
/// builds wrote none. What a sweep wrote behind that, and did not live to count, is none of it.
pub(crate) fn tree(
    engine: &dyn Engine,
    world: WorldId,
    head: Position,
) -> Result<Frontier, EngineError> {
    let mut tree = Frontier::default();
    each_record(engine, world, head, |record| {
        if record.fixed.last() <= head {
            let leaf = record.leaf();
            tree.push(leaf.map_err(|error| EngineError::Damaged(error.0))?);
        }
        Ok(())
    })?;
    Ok(tree)
}

/// Removes runs that a sweep wrote and did not live to count.
pub(crate) fn remove_stale(
    engine: &dyn Engine,
    world: WorldId,
    runs_end: Position,
) -> Result<(), EngineError> {
    remove(
        engine,
        &run_key(world, runs_end.next(), 0),
        &run_key(world, Position::new(u64::MAX), u16::MAX),
    )
}

/// Removes what a copy of the events up to `at` left that did not come to its end.
pub(crate) fn remove_half_copied(
    engine: &dyn Engine,
    world: WorldId,
    at: Position,
) -> Result<(), EngineError> {
    remove(
        engine,
        &run_key(world, Position::ZERO, 0),
        &run_key(world, at, u16::MAX),
    )
}

fn remove(engine: &dyn Engine, from: &[u8], to: &[u8]) -> Result<(), EngineError> {
    loop {
        let stale = engine.range(Table::Runs, from, to, READ_BYTES)?;
        if stale.is_empty() {
            return Ok(());
        }
        engine.remove(
            Table::Runs,
            &stale.into_iter().map(|(key, _)| key).collect::<Vec<_>>(),
        )?;
    }
}

/// Skips a record that is in runs already.
pub(crate) fn is_known(record: &RecordRef<'_>, runs_end: Position) -> bool {
    record.fixed.last() <= runs_end
}
