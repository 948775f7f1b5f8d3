//! What stays of a deleted world.

use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Position, Time, WorldId, WorldName};
use serde::{Deserialize, Serialize};

use super::DeleteOrder;
use crate::engine::{Engine, EngineError, Pair, Table, each_row};
use crate::format::Malformed;
use crate::state::index::Reach;

/// What stays of a deleted world: how far it had come, so that whoever holds an older root of it
/// can tell, and who deleted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    /// Its id, which no world can have again.
    pub world: WorldId,
    /// Its name, which another one can have.
    pub name: WorldName,
    /// Its last event.
    pub head: Position,
    /// The time of its last commit, by its own clock.
    pub last: Time,
    /// The link of its last commit.
    pub link: Digest,
    /// The number of leaves that the tree over its commits had.
    pub size: u64,
    /// The root of that tree.
    pub root: Digest,
    /// When it was deleted, by the clock of the machine.
    pub at: Time,
    /// The person who deleted it.
    pub by: Principal,
    /// True if nothing of it is in the files any more.
    pub is_clean: bool,
}

impl Tombstone {
    pub(crate) fn of(world: WorldId, reach: &Reach, order: &DeleteOrder) -> Self {
        Self {
            world,
            name: (*reach.name).clone(),
            head: reach.head,
            last: reach.time,
            link: reach.link,
            size: reach.tree.size(),
            root: Digest::new(reach.tree.root()),
            at: order.at,
            by: order.by.clone(),
            is_clean: false,
        }
    }
}

/// Writes tombstones, in order; returns when they are as safe as an append.
pub(super) fn put(engine: &dyn Engine, tombstones: &[Tombstone]) -> Result<(), EngineError> {
    let pairs: Vec<Pair> = tombstones
        .iter()
        .map(encode)
        .collect::<Result<_, _>>()
        .map_err(damaged)?;
    engine.put(Table::Deleted, &pairs)
}

/// All tombstones, by the ids of their worlds.
pub(crate) fn all(engine: &dyn Engine) -> Result<Vec<Tombstone>, EngineError> {
    let mut all = Vec::new();
    each_row(
        engine,
        Table::Deleted,
        Vec::new(),
        &[0xff; 17],
        |(_, value)| {
            all.push(decode(&value).map_err(damaged)?);
            Ok(())
        },
    )?;
    Ok(all)
}

/// Reads a tombstone and writes it again, for tests.
#[cfg(feature = "testing")]
pub(crate) fn rewrite(value: &[u8]) -> Result<Vec<u8>, Malformed> {
    encode(&decode(value)?).map(|(_, value)| value)
}

/// The world of the tombstone that a value is, if it is one.
pub(crate) fn world(value: &[u8]) -> Option<WorldId> {
    decode(value).ok().map(|tombstone| tombstone.world)
}

/// Tells whether a value is that of a tombstone.
pub(crate) fn is_whole(value: &[u8]) -> bool {
    decode(value).is_ok()
}

pub(crate) fn encode(tombstone: &Tombstone) -> Result<Pair, Malformed> {
    let json = serde_json::to_vec(tombstone);
    let mut value =
        json.map_err(|error| Malformed(format!("a tombstone has no JSON form: {error}")))?;
    value.extend_from_slice(&crc32fast::hash(&value).to_le_bytes());
    Ok((tombstone.world.0.as_bytes().to_vec(), value))
}

pub(crate) fn decode(value: &[u8]) -> Result<Tombstone, Malformed> {
    let broken = || Malformed::new("a tombstone does not match its checksum");
    let (json, checksum) = value.split_last_chunk::<4>().ok_or_else(broken)?;
    if crc32fast::hash(json) != u32::from_le_bytes(*checksum) {
        return Err(broken());
    }
    serde_json::from_slice(json)
        .map_err(|error| Malformed(format!("a tombstone cannot be read: {error}")))
}

fn damaged(error: Malformed) -> EngineError {
    EngineError::Damaged(error.0)
}
