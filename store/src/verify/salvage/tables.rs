//! What a store has beside the commits of its worlds, and what cannot be made of them again.

use std::collections::BTreeSet;

use folkmoot_core::ids::WorldId;

use super::source::OldStore;
use crate::engine::{BEHIND, Engine, EngineError, Table, each_row};
use crate::format::header;
use crate::write::deletion::{is_tombstone, tombstone_world};
use crate::write::erase::journal::FILES;

/// The worlds that were deleted.
pub(crate) fn deleted(engine: &dyn Engine) -> Result<BTreeSet<WorldId>, EngineError> {
    let mut deleted = BTreeSet::new();
    each_row(engine, Table::Deleted, Vec::new(), &BEHIND, |(key, _)| {
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
    let tombstones = each_row(
        engine.as_ref(),
        Table::Deleted,
        Vec::new(),
        &BEHIND,
        |pair| {
            if is_tombstone(&pair.1) {
                return target.put(Table::Deleted, &[pair]);
            }
            broken += 1;
            Ok(())
        },
    );
    let notes = each_row(engine.as_ref(), Table::Meta, Vec::new(), &BEHIND, |pair| {
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
