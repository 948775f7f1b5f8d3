//! Rows: a key and its value, or that a key is gone.

use crate::engine::{EngineError, Table};
use crate::format::Malformed;
use crate::format::bytes::{Bytes, to_u32};

/// The first byte of the keys of frames.
pub(super) const FRAMES: u8 = 0;

/// Bytes of a row before its key: kind, length of the key, length of the value, checksum of the
/// value.
pub(super) const HEADER_LEN: usize = 1 + 2 + 4 + 4;

/// The kind of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// The key has this value.
    Put = 1,
    /// The key is gone.
    Remove = 2,
}

/// A key and what is said of it. The first byte of a key is its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub(super) kind: RowKind,
    pub(super) key: Vec<u8>,
    pub(super) value: &'a [u8],
}

impl<'a> Row<'a> {
    pub(super) const fn put(key: Vec<u8>, value: &'a [u8]) -> Self {
        Self {
            kind: RowKind::Put,
            key,
            value,
        }
    }

    /// The bytes that it takes in the file.
    pub(super) const fn len(&self) -> usize {
        HEADER_LEN + self.key.len() + self.value.len()
    }
}

/// The payload of a group with these rows.
pub(super) fn encode(rows: &[Row<'_>]) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::with_capacity(rows.iter().map(Row::len).sum());
    for Row { kind, key, value } in rows {
        let key_len = u16::try_from(key.len()).map_err(|_| too_large("a key"))?;
        let value_len = to_u32(value.len()).map_err(|_| too_large("a value"))?;
        bytes.push(*kind as u8);
        bytes.extend_from_slice(&key_len.to_le_bytes());
        bytes.extend_from_slice(&value_len.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(value).to_le_bytes());
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(value);
    }
    Ok(bytes)
}

/// Reads the next row, and the checksum of its value.
pub(super) fn decode<'a>(bytes: &mut Bytes<'a>) -> Result<(Row<'a>, u32), Malformed> {
    let kind = match bytes.u8()? {
        1 => RowKind::Put,
        2 => RowKind::Remove,
        kind => return Err(Malformed(format!("a row of kind {kind}"))),
    };
    let key_len = bytes.u16()?;
    let value_len = bytes.u32()?;
    let checksum = bytes.u32()?;
    let key = bytes.take(usize::from(key_len))?.to_vec();
    let value = bytes.take(crate::format::bytes::to_usize(value_len))?;
    Ok((Row { kind, key, value }, checksum))
}

/// The key of a row of a table.
pub(super) fn key(table: Table, key: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number_of(table)];
    bytes.extend_from_slice(key);
    bytes
}

/// The key of a frame.
pub(super) fn frame_key(number: u64) -> Vec<u8> {
    let mut key = vec![FRAMES];
    key.extend_from_slice(&number.to_be_bytes());
    key
}

/// Reads a number that is kept as eight bytes.
pub(super) fn number(bytes: &[u8]) -> Result<u64, EngineError> {
    let bytes = <[u8; 8]>::try_from(bytes);
    bytes
        .map(u64::from_be_bytes)
        .map_err(|_| EngineError::Damaged("a number has not eight bytes".to_owned()))
}

/// The numbers are a part of the format.
const fn number_of(table: Table) -> u8 {
    match table {
        Table::Meta => 1,
        Table::Worlds => 2,
        Table::Runs => 3,
        Table::Keys => 4,
        Table::Gone => 5,
        Table::Deleted => 6,
        // Its rows are files of their own; the number is kept free.
        Table::Content => 7,
    }
}

fn too_large(what: &str) -> EngineError {
    EngineError::Io(std::io::Error::new(
        std::io::ErrorKind::InvalidInput,
        format!("{what} is too large"),
    ))
}
