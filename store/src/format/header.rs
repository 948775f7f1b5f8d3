//! The commit header: 84 fixed bytes, then JSON for the parts that vary.

use std::fmt::Display;

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{CommitHeader, Keyed};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Position, Seed, Stamp, Time, WorldId};
use serde::{Deserialize, Serialize};

use super::Malformed;
use super::bytes::Bytes;

/// The number of bytes of the fixed part.
const FIXED_LEN: usize = 84;

/// The fixed part of a commit header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fixed {
    pub(crate) world: WorldId,
    pub(crate) first: Position,
    pub(crate) count: u32,
    pub(crate) stamp: Stamp,
    pub(crate) decider: Digest,
}

impl Fixed {
    /// The position of the last event.
    pub(crate) fn last(&self) -> Position {
        Position::new(
            self.first
                .get()
                .saturating_add(u64::from(self.count))
                .saturating_sub(1),
        )
    }

    /// Reads the fixed part, and leaves the rest in `bytes`.
    pub(crate) fn read(bytes: &mut Bytes<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            world: world(bytes.array()?),
            first: Position::new(bytes.u64()?),
            count: bytes.u32()?,
            stamp: Stamp {
                time: Time(bytes.u64()?),
                seed: Seed::new(bytes.array()?),
            },
            decider: Digest::new(bytes.array()?),
        })
    }

    fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.world.0.as_bytes());
        into.extend_from_slice(&self.first.get().to_le_bytes());
        into.extend_from_slice(&self.count.to_le_bytes());
        into.extend_from_slice(&self.stamp.time.0.to_le_bytes());
        into.extend_from_slice(self.stamp.seed.as_bytes());
        into.extend_from_slice(self.decider.as_bytes());
    }
}

/// Makes a world's id of its 16 bytes.
pub(crate) fn world(bytes: [u8; 16]) -> WorldId {
    WorldId(uuid::Uuid::from_bytes(bytes))
}

/// The part that varies in length. The short names are part of the format.
#[derive(Serialize, Deserialize)]
struct Rest<P, K, R> {
    p: P,
    m: CommandKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<Position>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    k: Option<K>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    r: Option<R>,
}

const fn none<T>() -> Option<T> {
    None
}

/// Writes the header of a commit of `count` events.
pub(crate) fn write(
    header: &CommitHeader,
    count: u32,
    into: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let CommitHeader {
        world,
        first,
        stamp,
        principal,
        cause,
        key,
        decider,
        command,
        residual,
    } = header;
    Fixed {
        world: *world,
        first: *first,
        count,
        stamp: *stamp,
        decider: *decider,
    }
    .write(into);
    let rest = Rest {
        p: principal,
        m: *command,
        c: *cause,
        k: key.as_ref(),
        r: residual.as_ref(),
    };
    serde_json::to_writer(into, &rest)
        .map_err(|error| Malformed(format!("the header has no JSON form: {error}")))
}

/// Reads the key of a command alone; most headers have none, and are not read for that.
pub(crate) fn read_key(bytes: &[u8]) -> Result<Option<Keyed>, Malformed> {
    const FIELD: &[u8] = b"\"k\":";
    let json = bytes.get(FIXED_LEN..).unwrap_or_default();
    if json.windows(FIELD.len()).any(|window| window == FIELD) {
        read(bytes).map(|(header, _)| header.key)
    } else {
        Ok(None)
    }
}

/// Reads a header and the number of events behind it.
pub(crate) fn read(bytes: &[u8]) -> Result<(CommitHeader, u32), Malformed> {
    let mut bytes = Bytes(bytes);
    let fixed = Fixed::read(&mut bytes)?;
    let unread =
        |error: &dyn Display| Malformed(format!("the commit's header cannot be read: {error}"));
    let json = str::from_utf8(bytes.0).map_err(|error| unread(&error))?;
    let rest: Rest<Principal, Keyed, String> =
        serde_json::from_str(json).map_err(|error| unread(&error))?;
    let header = CommitHeader {
        world: fixed.world,
        first: fixed.first,
        stamp: fixed.stamp,
        principal: rest.p,
        cause: rest.c,
        key: rest.k,
        decider: fixed.decider,
        command: rest.m,
        residual: rest.r,
    };
    Ok((header, fixed.count))
}
