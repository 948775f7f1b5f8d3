//! What is left of a world that has a tombstone.

use folkmoot_core::ids::WorldId;

use super::Traces;
use crate::engine::{Engine, EngineError, Table, is_full};

/// The most rows that are removed at once.
const KEYS_MAX: usize = 1_000;

/// No key of a world's rows is behind its id with this.
const BEHIND: [u8; 64] = [0xff; 64];

/// Removes all rows and files of a world, but not its entry. Nobody may write any.
pub(super) fn remove(traces: Traces<'_>, world: WorldId) -> Result<(), EngineError> {
    for table in [Table::Runs, Table::Keys, Table::Gone, Table::Content] {
        remove_rows(traces.engine, table, world)?;
    }
    let failed = |error| {
        if is_full(&error) {
            EngineError::Full(error)
        } else {
            EngineError::Io(error)
        }
    };
    // Without its keys what is sealed is gone in every copy, too.
    traces.keys.destroy_all(world).map_err(failed)?;
    traces.vault.remove(world).map_err(failed)?;
    traces.shelter.remove(world).map_err(failed)
}

fn remove_rows(engine: &dyn Engine, table: Table, world: WorldId) -> Result<(), EngineError> {
    let from = world.0.as_bytes().to_vec();
    let to = [from.as_slice(), &BEHIND].concat();
    loop {
        let keys = engine.keys(table, &from, &to, KEYS_MAX)?;
        if keys.is_empty() {
            return Ok(());
        }
        engine.remove(table, &keys)?;
    }
}
