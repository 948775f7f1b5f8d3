//! What a store has beside the commits of its worlds, and what cannot be made of them again.

use std::collections::BTreeSet;

use folkmoot_core::ids::WorldId;

use super::source::OldStore;
use crate::engine::{Engine, EngineError, Pair, Table};
use crate::format::header;
use crate::write::deletion::{is_tombstone, tombstone_world};
use crate::write::erase::journal::FILES;

const READ_BYTES: usize = 256 * 1024;

/// The worlds that were deleted.
pub(crate) fn deleted(engine: &dyn Engine) -> Result<BTreeSet<WorldId>, EngineError> {
    let mut deleted = BTreeSet::new();
    each(engine, Table::Deleted, |(key, _)| {
        deleted.extend(key.first_chunk::<16>().map(|id| header::world(*id)));
        Ok(())
    })?;
    Ok(deleted)
}

/// Copies the tombstones that read, and the notes of erasures that are not finished.
pub(crate) fn copy(source: &mut OldStore, target: &dyn Engine) -> Result<(), EngineError> {
    for value in source.tombstones() {
        if let Some(world) = tombstone_world(value) {
            target.put(
                Table::Deleted,
                &[(world.0.as_bytes().to_vec(), value.clone())],
            )?;
        }
    }
    let Some(engine) = source.engine.clone() else {
        return Ok(());
    };
    let mut broken = 0_usize;
    let tombstones = each(engine.as_ref(), Table::Deleted, |pair| {
        if is_tombstone(&pair.1) {
            return target.put(Table::Deleted, &[pair]);
        }
        broken += 1;
        Ok(())
    });
    let notes = each(engine.as_ref(), Table::Meta, |pair| {
        if pair.0.starts_with(FILES) {
            target.put(Table::Meta, &[pair])
        } else {
            Ok(())
        }
    });
    source.bear(tombstones)?;
    source.bear(notes)?;
    if broken > 0 {
        source.damaged(format!(
            "{broken} tombstones of deleted worlds cannot be read"
        ));
    }
    Ok(())
}

/// Hands out the rows of a table.
fn each(
    engine: &dyn Engine,
    table: Table,
    mut take: impl FnMut(Pair) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let mut next = Vec::new();
    loop {
        let rows = engine.range(table, &next, &[0xff; 64], READ_BYTES)?;
        let Some((last, _)) = rows.last() else {
            return Ok(());
        };
        next.clone_from(last);
        next.push(0);
        rows.into_iter().try_for_each(&mut take)?;
    }
}
