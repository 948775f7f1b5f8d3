//! Replacing a unit of several frames as a whole: its new frames are kept aside first, then a note
//! that they count; from there on the replacement is finished, by this process or by the next
//! opening.

use folkmoot_core::ids::{Position, WorldId};

use super::units::damaged;
use crate::engine::{Engine, EngineError, Pair, READ_BYTES, Table};
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::header;
use crate::read::runs::run_key;
use crate::state::shared::Shared;

/// The key of the note in [`Table::Meta`].
const REPLACING: &[u8] = b"replacing";

/// The beginning of the keys of counted files in [`Table::Meta`].
pub(crate) const FILES: &[u8] = b"files ";

/// The world under which frames are kept aside. No world has this id.
pub(crate) const ASIDE: WorldId = WorldId(uuid::Uuid::nil());

/// Puts `frames` in the place of the unit at `first`. Readers see the old unit or the new one.
pub(super) fn replace(
    shared: &Shared,
    world: WorldId,
    first: Position,
    frames: Vec<Vec<u8>>,
) -> Result<(), EngineError> {
    let parts = u16::try_from(frames.len())
        .map_err(|_| EngineError::Damaged("a unit of too many frames".to_owned()))?;
    let aside: Vec<Pair> = frames
        .into_iter()
        .zip(0..)
        .map(|(frame, part)| (run_key(ASIDE, first, part), frame))
        .collect();
    let lease = shared.lease();
    let engine = lease.engine()?;
    // Aside first: until the note is there, the old unit counts.
    engine.put(Table::Runs, &aside)?;
    engine.put(
        Table::Meta,
        &[(REPLACING.to_vec(), note(world, first, parts))],
    )?;
    // Readers wait: between its first new frame and its last the unit is neither.
    let _unread = shared.replacing();
    finish(engine)
}

/// Finishes a replacement that counts, and removes what is left of one that does not.
pub(crate) fn finish(engine: &dyn Engine) -> Result<(), EngineError> {
    if let Some(note) = engine.get(Table::Meta, REPLACING)? {
        let (world, first, parts) = read_note(&note).map_err(damaged)?;
        let frame = |part| {
            let frame = engine.get(Table::Runs, &run_key(ASIDE, first, part))?;
            let frame = frame.ok_or_else(|| {
                EngineError::Damaged(format!("a new run of event {first} is missing"))
            })?;
            Ok((run_key(world, first, part), frame))
        };
        let frames: Vec<Pair> = (0..parts).map(frame).collect::<Result<_, EngineError>>()?;
        engine.put(Table::Runs, &frames)?;
        clear(
            engine,
            &run_key(world, first, parts),
            &run_key(world, first.next(), 0),
        )?;
        engine.remove(Table::Meta, &[REPLACING.to_vec()])?;
    }
    clear(
        engine,
        &run_key(ASIDE, Position::ZERO, 0),
        &run_key(ASIDE, Position::new(u64::MAX), u16::MAX),
    )
}

/// Removes the runs from `from` to before `to`.
fn clear(engine: &dyn Engine, from: &[u8], to: &[u8]) -> Result<(), EngineError> {
    loop {
        let rows = engine.range(Table::Runs, from, to, READ_BYTES)?;
        if rows.is_empty() {
            return Ok(());
        }
        engine.remove(
            Table::Runs,
            &rows.into_iter().map(|(key, _)| key).collect::<Vec<_>>(),
        )?;
    }
}

/// Notes how many files a request takes away before they go: who does it again finds fewer. Gives
/// the most that was noted.
pub(super) fn count_files(
    engine: &dyn Engine,
    world: WorldId,
    by: Position,
    count: u64,
) -> Result<u64, EngineError> {
    let mut key = FILES.to_vec();
    key.extend_from_slice(world.0.as_bytes());
    key.extend_from_slice(&by.get().to_be_bytes());
    let noted = match engine.get(Table::Meta, &key)? {
        Some(noted) => Bytes(&noted).u64().map_err(damaged)?,
        None => 0,
    };
    if count > noted {
        engine.put(Table::Meta, &[(key, count.to_le_bytes().to_vec())])?;
    }
    Ok(count.max(noted))
}

/// Reads a note and writes it again, for tests.
#[cfg(feature = "testing")]
pub(crate) fn rewrite(bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
    read_note(bytes).map(|(world, first, parts)| note(world, first, parts))
}

fn note(world: WorldId, first: Position, parts: u16) -> Vec<u8> {
    let mut bytes = world.0.as_bytes().to_vec();
    bytes.extend_from_slice(&first.get().to_le_bytes());
    bytes.extend_from_slice(&parts.to_le_bytes());
    bytes
}

fn read_note(bytes: &[u8]) -> Result<(WorldId, Position, u16), Malformed> {
    let mut bytes = Bytes(bytes);
    Ok((
        header::world(bytes.array()?),
        Position::new(bytes.u64()?),
        bytes.u16()?,
    ))
}
