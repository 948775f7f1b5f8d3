//! Giving a fork its own copy of what it shares with its parent.

use folkmoot_core::ids::{Position, WorldId};

use super::{SharedRecords, Walked, damaged, sources, walk};
use crate::engine::{Engine, EngineError, Pair, Table};
use crate::format::Malformed;
use crate::format::record::RecordRef;
use crate::format::upcast::Upcasters;
use crate::read::runs;
use crate::read::runs::sheet::pack;
use crate::read::runs::{entry, run_key};
use crate::state::content;
use crate::state::index::Base;
use crate::state::shared::Shared;
use crate::state::summary::Summary;

/// About how many bytes of commits make a unit.
const UNIT_BYTES: usize = 24 * 1024;

/// About how many runs are kept in memory before they are written.
const PAIRS_MAX: usize = 256;

/// Copies the records that `world` shares into runs of its own, as they are. They count from the
/// moment on at which the world's entry says so. Blocks.
pub(crate) fn copy_base(shared: &Shared, world: WorldId) -> Result<(), EngineError> {
    let _alone = shared.chores();
    let lease = shared.lease();
    let engine = lease.engine()?;
    // Afterwards the fork has an entry.
    runs::sweep_alone(shared, engine)?;
    let (mut parents, base) = {
        let index = shared.index();
        let known = index
            .worlds
            .get(&world)
            .ok_or_else(|| EngineError::Damaged(format!("there is no world {world}")))?;
        let Some(base) = known.reach.base.filter(|base| !base.is_copied) else {
            return Ok(());
        };
        (sources(&index, world).unwrap_or_default(), base)
    };
    parents.retain(|source| source.world != world);
    runs::remove_half_copied(engine, world, base.at)?;
    write_runs(engine, (world, base.at), &parents, &shared.upcasters)?;
    let stored = engine.get(Table::Worlds, world.0.as_bytes())?;
    let stored =
        stored.ok_or_else(|| EngineError::Damaged("the entry of a fork is missing".to_owned()))?;
    let (mut reach, _) = entry::read(&stored).map_err(damaged)?;
    reach.base = Some(Base {
        is_copied: true,
        ..base
    });
    engine.put(
        Table::Worlds,
        &[(
            world.0.as_bytes().to_vec(),
            entry::write(&reach).map_err(damaged)?,
        )],
    )?;
    if let Some(known) = shared.index().worlds.get_mut(&world) {
        known.reach.base = reach.base;
    }
    Ok(())
}

fn write_runs(
    engine: &dyn Engine,
    (world, until): (WorldId, Position),
    parents: &[SharedRecords],
    upcasters: &Upcasters,
) -> Result<(), EngineError> {
    let mut copy = Copy {
        world,
        unit: Vec::new(),
        first: Position::new(1),
        pairs: Vec::new(),
        gone: Vec::new(),
    };
    let failed = |error: EngineError| Malformed(error.to_string());
    let walked = walk(engine, parents, until, &mut |keeper, record| {
        copy_beside(engine, (keeper, world), record)?;
        copy.add(record)?;
        let summary = Summary::read(record, upcasters).map_err(runs::lift_failed)?;
        let by = entry::write_gone_by(summary.first);
        copy.gone.extend(
            summary
                .gone
                .iter()
                .map(|gone| (entry::gone_key(world, *gone), by.clone())),
        );
        if copy.pairs.len() < PAIRS_MAX {
            return Ok(());
        }
        engine
            .put(Table::Runs, &std::mem::take(&mut copy.pairs))
            .map_err(failed)
    })?;
    if matches!(walked, Walked::Moved) {
        return Err(EngineError::Damaged(
            "frames of a forked world are missing".to_owned(),
        ));
    }
    copy.seal().map_err(damaged)?;
    engine.put(Table::Runs, &copy.pairs)?;
    engine.put(Table::Gone, &copy.gone)
}

/// Copies what stands beside the frames for a record: an erasure in one of the two worlds leaves
/// the other as it is. What is damaged there is left out, and is damaged here.
fn copy_beside(
    engine: &dyn Engine,
    (from, to): (WorldId, WorldId),
    record: &RecordRef<'_>,
) -> Result<(), Malformed> {
    for (_, at, beside) in content::besides(record.fixed.first, &record.events()?) {
        match content::fetch_one(engine, (from, at), &beside) {
            Ok(bytes) => {
                let pair = (content::key(to, at, &beside.commitment), bytes);
                engine
                    .put(Table::Content, &[pair])
                    .map_err(|error| Malformed(error.to_string()))?;
            }
            Err(EngineError::Damaged(error)) => {
                tracing::warn!(error, "a fork is copied without it")
            }
            Err(error) => return Err(Malformed(error.to_string())),
        }
    }
    Ok(())
}

/// Runs in the making.
struct Copy {
    world: WorldId,
    unit: Vec<u8>,
    first: Position,
    pairs: Vec<Pair>,
    /// The messages that were taken away.
    gone: Vec<Pair>,
}

impl Copy {
    fn add(&mut self, record: &RecordRef<'_>) -> Result<(), Malformed> {
        if self.unit.len() + record.bytes.len() > UNIT_BYTES {
            self.seal()?;
        }
        if self.unit.is_empty() {
            self.first = record.fixed.first;
        }
        self.unit.extend_from_slice(record.bytes);
        Ok(())
    }

    fn seal(&mut self) -> Result<(), Malformed> {
        if !self.unit.is_empty() {
            let frames = pack(&self.unit)?.into_iter().zip(0..);
            self.pairs
                .extend(frames.map(|(frame, part)| (run_key(self.world, self.first, part), frame)));
            self.unit.clear();
        }
        Ok(())
    }
}
