//! Reading the units of a world's runs as they are stored.

use std::collections::BTreeSet;

use folkmoot_core::ids::{Position, WorldId};

use crate::engine::{Engine, EngineError, READ_BYTES, Table};
use crate::format::event::KeyId;
use crate::format::frame::{FrameRef, Joiner};
use crate::format::record::records;
use crate::format::{COMMIT_MAX, Malformed};
use crate::read::runs::{read_run_key, run_key};

/// The bytes that are read where one unit is larger.
const LARGE_BYTES: usize = 4 * COMMIT_MAX;

/// A unit of a run.
pub(super) struct StoredUnit {
    /// The position of its first event.
    pub(super) first: Position,
    /// The number of its frames.
    pub(super) parts: u16,
    /// Its commits.
    pub(super) commits: Vec<u8>,
}

/// The place to read on from.
pub(super) struct UnitPlace {
    world: WorldId,
    next: Vec<u8>,
    end: Vec<u8>,
}

impl UnitPlace {
    /// At the unit that holds `from`; ends behind the one that holds `to`.
    pub(super) fn new(
        engine: &dyn Engine,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Self, EngineError> {
        let floor = engine.floor(Table::Runs, &run_key(world, from, u16::MAX))?;
        let first = match floor.filter(|(key, _)| key.starts_with(world.0.as_bytes())) {
            Some((key, _)) => read_run_key(&key).map_err(damaged)?.1,
            None => from,
        };
        Ok(Self {
            world,
            next: run_key(world, first, 0),
            end: run_key(world, to.next(), 0),
        })
    }

    /// The next units; none at the end.
    pub(super) fn read(&mut self, engine: &dyn Engine) -> Result<Vec<StoredUnit>, EngineError> {
        for bytes_max in [READ_BYTES, LARGE_BYTES] {
            let rows = engine.range(Table::Runs, &self.next, &self.end, bytes_max)?;
            if rows.is_empty() {
                return Ok(Vec::new());
            }
            let units = join(&rows).map_err(damaged)?;
            if let Some(last) = units.last() {
                self.next = run_key(self.world, last.first, u16::MAX);
                self.next.push(0);
                return Ok(units);
            }
        }
        Err(EngineError::Damaged(
            "a unit of a run has no end".to_owned(),
        ))
    }
}

/// Joins the frames of whole units.
fn join(rows: &[(Vec<u8>, Vec<u8>)]) -> Result<Vec<StoredUnit>, Malformed> {
    let mut joiner = Joiner::default();
    let mut units = Vec::new();
    for (key, value) in rows {
        let (_, first, part) = read_run_key(key)?;
        let frame = FrameRef::read(value)?;
        if frame.number != first.get().saturating_add(u64::from(part)) {
            return Err(Malformed(format!(
                "the run of event {first} stands under the key of another one"
            )));
        }
        if let Some(commits) = joiner.add(&frame)? {
            units.push(StoredUnit {
                first,
                parts: part.saturating_add(1),
                commits: commits.to_vec(),
            });
        }
    }
    Ok(units)
}

/// The keys that content of `world` is sealed with: in the events that are meant, and in all
/// others.
pub(super) fn keys(
    engine: &dyn Engine,
    world: WorldId,
    is_meant: impl Fn(Position) -> bool,
) -> Result<(BTreeSet<KeyId>, BTreeSet<KeyId>), EngineError> {
    let mut meant = BTreeSet::new();
    let mut others = BTreeSet::new();
    let mut place = UnitPlace::new(engine, world, Position::new(1), Position::new(u64::MAX - 1))?;
    loop {
        let units = place.read(engine)?;
        if units.is_empty() {
            return Ok((meant, others));
        }
        for record in units.iter().flat_map(|unit| records(&unit.commits)) {
            let record = record.map_err(damaged)?;
            let events = record.events().map_err(damaged)?;
            for (at, event) in (record.fixed.first.get()..).map(Position::new).zip(events) {
                if let Some(key) = event.content.key() {
                    let keys = if is_meant(at) {
                        &mut meant
                    } else {
                        &mut others
                    };
                    keys.insert(key);
                }
            }
        }
    }
}

pub(super) fn damaged(error: Malformed) -> EngineError {
    EngineError::Damaged(error.0)
}
