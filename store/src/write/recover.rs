//! Opening the log: what is durable is read, and what was not yet in runs is verified link by link.

use folkmoot_core::ids::Position;
use folkmoot_proof::Hash;

use crate::engine::{Engine, EngineError, FrameNumber, Table, each_row};
use crate::format::Malformed;
use crate::format::chain;
use crate::format::header;
use crate::format::record::{RecordRef, records};
use crate::format::upcast::{LiftError, Upcasters};
use crate::home::head_record::Head;
use crate::read::runs;
use crate::read::runs::entry;
use crate::state::index::{Index, IndexedWorld, LandedCommit, Reach};
use crate::state::summary::Summary;
use crate::write::{erase, lineage};

/// Reads the index and the shared frames behind it.
pub(crate) fn recover(engine: &dyn Engine, upcasters: &Upcasters) -> Result<Index, EngineError> {
    // Before anything is read: a unit that is half rewritten would pass for damage (decision 0020).
    erase::journal::finish(engine)?;
    let mut index = Index::default();
    read_worlds(engine, &mut index)?;
    let swept = engine.get(Table::Meta, runs::SWEPT)?;
    if let Some(note) = swept {
        let (frame, worlds) = entry::read_swept(&note).map_err(damaged)?;
        index.swept = frame;
        // A table that lost a whole row reads well; only the count tells.
        if (index.worlds.len() as u64) < worlds {
            let found = index.worlds.len();
            return Err(EngineError::Damaged(format!(
                "{found} of at least {worlds} worlds are in its index"
            )));
        }
    }
    index.head = engine.head()?.max(index.swept);
    read_tail(engine, &mut index, upcasters)?;
    let with_tail = index
        .worlds
        .iter()
        .filter(|(_, world)| !world.tail.is_empty());
    let with_tail: Vec<_> = with_tail.map(|(id, world)| (*id, world.runs_end)).collect();
    with_tail
        .into_iter()
        // Rows of a sweep that died before the table of worlds said so do not count
        // (decision 0001).
        .try_for_each(|(world, end)| runs::remove_stale(engine, world, end))?;
    for (fork, world) in &index.worlds {
        // A copy counts once the fork's entry says so (decision 0019).
        if let Some(base) = world.reach.base.filter(|base| !base.is_copied) {
            runs::remove_half_copied(engine, *fork, base.at)?;
        }
    }
    Ok(index)
}

fn damaged(error: Malformed) -> EngineError {
    EngineError::Damaged(error.0)
}

fn read_worlds(engine: &dyn Engine, index: &mut Index) -> Result<(), EngineError> {
    let from = vec![0; 16];
    each_row(engine, Table::Worlds, from, &[0xff; 17], |(key, value)| {
        let id = <[u8; 16]>::try_from(key.as_slice());
        let id =
            id.map_err(|_| EngineError::Damaged("a world's id has not 16 bytes".to_owned()))?;
        let world = header::world(id);
        let (mut reach, knows_tree) = entry::read(&value).map_err(damaged)?;
        if !knows_tree {
            reach.tree = runs::tree(engine, world, reach.head)?;
        }
        let end = reach.head;
        index.insert(world, IndexedWorld::new(reach, end));
        Ok(())
    })
}

fn read_tail(
    engine: &dyn Engine,
    index: &mut Index,
    upcasters: &Upcasters,
) -> Result<(), EngineError> {
    let from = index.swept.plus(1);
    let to = index.head;
    runs::each_unit(engine, from, to, |unit, span| {
        for record in records(unit) {
            take(&record?, span.first, (engine, upcasters), index)?;
        }
        index.tail_bytes += span.bytes;
        Ok(())
    })
}

/// Takes in a commit that is in shared frames, once it fits its world.
fn take(
    record: &RecordRef<'_>,
    frame: FrameNumber,
    (engine, upcasters): (&dyn Engine, &Upcasters),
    index: &mut Index,
) -> Result<(), Malformed> {
    let mut summary = Summary::read(record, upcasters).map_err(|error| match error {
        LiftError::Malformed(error) => error,
        LiftError::Newer { kind, version } => {
            Malformed(format!("an unknown {kind} of version {version}"))
        }
    })?;
    let known = index.worlds.get(&summary.world);
    if known.is_some_and(|world| runs::is_known(record, world.runs_end)) {
        // A sweep that died counted some worlds: the last link of the log may be of one of them.
        index.last_link = Some(record.link);
        return Ok(());
    }
    let known = known.map(|world| world.reach.clone());
    if let Some(origin) = summary.origin.as_mut().filter(|_| known.is_none()) {
        origin.reach = Some(lineage::recover(engine, index, upcasters, origin)?);
    }
    let forked = || {
        summary
            .origin
            .as_ref()
            .and_then(|origin| origin.reach.clone())
    };
    let unborn = || summary.created.clone().map(Reach::unborn);
    let reach = known.or_else(forked).or_else(unborn);
    let reach =
        reach.ok_or_else(|| Malformed(format!("frame {frame} has commits of an unknown world")))?;
    let leaf = check(record, &reach, summary.first)?;
    index.land(LandedCommit {
        summary,
        leaf,
        frame,
    });
    Ok(())
}

/// Gives the leaf of a commit that follows `reach`.
fn check(record: &RecordRef<'_>, reach: &Reach, first: Position) -> Result<Hash, Malformed> {
    if first != reach.head.next() {
        return Err(Malformed(format!(
            "event {first} of {} does not follow event {}",
            reach.name, reach.head
        )));
    }
    let leaf = record.leaf()?;
    if chain::link(&reach.link, &leaf) == record.link {
        Ok(leaf)
    } else {
        Err(Malformed(format!(
            "event {first} of {} does not match its link",
            reach.name
        )))
    }
}

/// Compares what was recovered with the head record: `Err` gives the frame that is missing or
/// another.
pub(crate) fn check_head(index: &Index, recorded: Option<Head>) -> Result<(), FrameNumber> {
    match recorded {
        // A log that ends before its record was cut: that is an error, and no recovery
        // (decision 0001).
        Some(head) if head.frame > index.head => Err(head.frame),
        Some(head)
            if head.frame == index.head
                && index.last_link.is_some_and(|link| link != head.link) =>
        {
            Err(head.frame)
        }
        Some(_) | None => Ok(()),
    }
}
