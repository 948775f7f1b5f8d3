//! Values of the small tables.

use std::sync::Arc;

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{Digest, Incarnation, Position, Time, WorldId, WorldName};
use folkmoot_proof::Frontier;

use crate::engine::FrameNumber;
use crate::format::bytes::{Bytes, to_u32, to_usize};
use crate::format::{Malformed, header};
use crate::state::index::{Base, Reach};

#[cfg(test)]
mod tests;

/// The formats of entries that older builds wrote: without and with labels, and without a tree.
const BARE_FORMAT: u8 = 1;
const LABELLED_FORMAT: u8 = 2;

/// The format of entries.
const ENTRY_FORMAT: u8 = 3;

/// The flags of the parts that not every entry has.
const LABELS: u8 = 1;
const BASE: u8 = 2;
const COPIED: u8 = 4;
const SEALED: u8 = 8;

/// Returns what the table of worlds says of a world: how far it had come at the end of its runs.
pub(crate) fn write(reach: &Reach) -> Result<Vec<u8>, Malformed> {
    let is_labelled = *reach.labelled != Labelled::default();
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    let flags = flag(is_labelled, LABELS)
        | flag(reach.base.is_some(), BASE)
        | flag(reach.base.is_some_and(|base| base.is_copied), COPIED)
        | flag(reach.is_sealed, SEALED);
    let mut bytes = vec![ENTRY_FORMAT, flags];
    bytes.extend_from_slice(&reach.head.get().to_le_bytes());
    bytes.extend_from_slice(&reach.time.0.to_le_bytes());
    bytes.extend_from_slice(&reach.incarnation.0.to_le_bytes());
    bytes.extend_from_slice(reach.link.as_bytes());
    bytes.extend_from_slice(&reach.tree.size().to_le_bytes());
    bytes.extend_from_slice(reach.tree.roots().as_flattened());
    if let Some(base) = &reach.base {
        bytes.extend_from_slice(base.parent.0.as_bytes());
        bytes.extend_from_slice(&base.at.get().to_le_bytes());
    }
    if is_labelled {
        let json = serde_json::to_vec(&*reach.labelled)
            .map_err(|error| Malformed(format!("labels have no JSON form: {error}")))?;
        bytes.extend_from_slice(&to_u32(json.len())?.to_le_bytes());
        bytes.extend_from_slice(&json);
    }
    bytes.extend_from_slice(reach.name.as_str().as_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    Ok(bytes)
}

/// Tells whether an entry that does not read is one of a newer build.
pub(crate) fn is_newer(bytes: &[u8]) -> bool {
    checked(bytes).is_ok_and(|body| body.first().is_some_and(|format| *format > ENTRY_FORMAT))
}

/// Reads it back, and says whether it knows the tree: entries of older builds do not.
pub(crate) fn read(bytes: &[u8]) -> Result<(Reach, bool), Malformed> {
    let mut body = Bytes(checked(bytes)?);
    let (flags, knows_tree) = match body.u8()? {
        BARE_FORMAT => (0, false),
        LABELLED_FORMAT => (LABELS, false),
        ENTRY_FORMAT => (body.u8()?, true),
        format => {
            return Err(Malformed(format!(
                "the entry of a world has format {format}"
            )));
        }
    };
    let head = Position::new(body.u64()?);
    let time = Time(body.u64()?);
    let incarnation = Incarnation(body.u32()?);
    let link = Digest::new(body.array()?);
    let tree = if knows_tree {
        read_tree(&mut body)?
    } else {
        Frontier::default()
    };
    let base = if flags & BASE == 0 {
        None
    } else {
        Some(read_base(&mut body, flags & COPIED != 0)?)
    };
    let labelled = if flags & LABELS == 0 {
        Labelled::default()
    } else {
        read_labels(&mut body)?
    };
    let name = String::from_utf8_lossy(body.0).into_owned();
    let name = WorldName::new(name).map_err(|error| Malformed(error.to_string()))?;
    let name = Arc::new(name);
    let labelled = Arc::new(labelled);
    let is_sealed = flags & SEALED != 0;
    Ok((
        Reach {
            name,
            head,
            time,
            incarnation,
            link,
            tree,
            labelled,
            base,
            is_sealed,
        },
        knows_tree,
    ))
}

fn read_tree(body: &mut Bytes<'_>) -> Result<Frontier, Malformed> {
    let size = body.u64()?;
    let roots = (0..size.count_ones())
        .map(|_| body.array())
        .collect::<Result<_, _>>()?;
    Frontier::from_parts(size, roots).map_err(|error| Malformed(error.to_string()))
}

fn read_base(body: &mut Bytes<'_>, is_copied: bool) -> Result<Base, Malformed> {
    Ok(Base {
        parent: header::world(body.array()?),
        at: Position::new(body.u64()?),
        is_copied,
    })
}

fn read_labels(body: &mut Bytes<'_>) -> Result<Labelled, Malformed> {
    let len = to_usize(body.u32()?);
    let json = body.take(len)?;
    serde_json::from_slice(json)
        .map_err(|error| Malformed(format!("the labels of a world cannot be read: {error}")))
}

/// Returns what the note of the last sweep says: the last swept frame, and how many worlds there
/// are at least.
pub(crate) fn write_swept(frame: FrameNumber, worlds: usize) -> Vec<u8> {
    let mut bytes = frame.0.to_le_bytes().to_vec();
    bytes.extend_from_slice(&(worlds as u64).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Reads it back.
pub(crate) fn read_swept(bytes: &[u8]) -> Result<(FrameNumber, u64), Malformed> {
    let mut body = Bytes(checked(bytes)?);
    Ok((FrameNumber(body.u64()?), body.u64()?))
}

/// Returns what stands before the checksum, if that fits.
fn checked(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let broken = || Malformed::new("a value of the index does not match its checksum");
    let (body, checksum) = bytes.split_last_chunk::<4>().ok_or_else(broken)?;
    if crc32fast::hash(body) == u32::from_le_bytes(*checksum) {
        Ok(body)
    } else {
        Err(broken())
    }
}

/// Returns where the table of keys has a key.
pub(crate) fn key(world: WorldId, digest: &Digest) -> Vec<u8> {
    let mut key = world.0.as_bytes().to_vec();
    key.extend(digest.as_bytes().iter().take(16));
    key
}

/// Returns where the table of messages that are gone has the message at `position`.
pub(crate) fn gone_key(world: WorldId, position: Position) -> Vec<u8> {
    let mut key = world.0.as_bytes().to_vec();
    key.extend_from_slice(&position.get().to_be_bytes());
    key
}

/// Reads the position back.
pub(crate) fn read_gone_key(key: &[u8]) -> Result<Position, Malformed> {
    let mut key = Bytes(key);
    let _world: [u8; 16] = key.array()?;
    Ok(Position::new(u64::from_be_bytes(key.array()?)))
}

/// Returns what it has there: the commit that took the message away.
pub(crate) fn write_gone_by(by: Position) -> Vec<u8> {
    by.get().to_le_bytes().to_vec()
}

/// Reads it back; `None` if an older build wrote it.
pub(crate) fn read_gone_by(value: &[u8]) -> Result<Option<Position>, Malformed> {
    if value.is_empty() {
        Ok(None)
    } else {
        Ok(Some(Position::new(Bytes(value).u64()?)))
    }
}

/// Returns what it has there: the position of the commit, and the digest of what it asked.
pub(crate) fn write_key(position: Position, digest: &Digest) -> Vec<u8> {
    let mut value = position.get().to_le_bytes().to_vec();
    value.extend_from_slice(digest.as_bytes());
    value
}

/// Reads it back.
pub(crate) fn read_key(value: &[u8]) -> Result<(Position, Digest), Malformed> {
    let mut value = Bytes(value);
    Ok((Position::new(value.u64()?), Digest::new(value.array()?)))
}
