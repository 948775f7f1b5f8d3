//! Groups: rows that are written and synced together.
//!
//! A group says at which byte it begins. It is written only once everything before it was synced,
//! so that whoever finds one knows that nothing before it may be missing.

use super::index::ValuePlace;
use super::row::{self, Row};
use crate::engine::EngineError;
use crate::format::Malformed;
use crate::format::bytes::{Bytes, to_u32, to_usize};

/// The first bytes of each group.
pub(super) const MARK: &[u8; 8] = b"fmgroup1";

/// Mark, where it begins, length and checksum of the payload, checksum of all that.
pub(super) const HEADER_LEN: usize = 8 + 8 + 4 + 4 + 4;

/// About how many bytes of rows are written and synced at once.
const PAYLOAD_MAX: usize = 1024 * 1024;

/// The header of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) len: usize,
    checksum: u32,
}

impl Header {
    /// Reads the header of a group that begins at `at`; `None` if there is none.
    pub(super) fn read(bytes: &[u8], at: u64) -> Option<Self> {
        let (body, checksum) = bytes.get(..HEADER_LEN)?.split_last_chunk::<4>()?;
        let mut fields = Bytes(body.strip_prefix(MARK)?);
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) || fields.u64().ok()? != at {
            return None;
        }
        Some(Self {
            len: to_usize(fields.u32().ok()?),
            checksum: fields.u32().ok()?,
        })
    }

    pub(super) fn fits(self, payload: &[u8]) -> bool {
        payload.len() == self.len && crc32fast::hash(payload) == self.checksum
    }
}

/// A group that begins at `at`.
pub(super) fn encode(at: u64, payload: &[u8]) -> Result<Vec<u8>, EngineError> {
    let len =
        to_u32(payload.len()).map_err(|error| EngineError::Io(std::io::Error::other(error.0)))?;
    let mut group = Vec::with_capacity(HEADER_LEN + payload.len());
    group.extend_from_slice(MARK);
    group.extend_from_slice(&at.to_le_bytes());
    group.extend_from_slice(&len.to_le_bytes());
    group.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    let checksum = crc32fast::hash(&group);
    group.extend_from_slice(&checksum.to_le_bytes());
    group.extend_from_slice(payload);
    Ok(group)
}

/// Cuts rows into the parts of a group each; none if there are no rows.
pub(super) fn parts<'r, 'v>(mut rows: &'r [Row<'v>]) -> Vec<&'r [Row<'v>]> {
    let mut parts = Vec::new();
    while !rows.is_empty() {
        let mut left = PAYLOAD_MAX;
        let fits = |row: &&Row<'_>| {
            let had = left > 0;
            left = left.saturating_sub(row.len());
            had
        };
        let (part, rest) = rows.split_at(rows.iter().take_while(fits).count());
        parts.push(part);
        rows = rest;
    }
    parts
}

/// Hands out the rows of the group at `at`, and where their values stand in the file.
pub(super) fn each_row(
    at: u64,
    payload: &[u8],
    mut each: impl FnMut(&Row<'_>, ValuePlace),
) -> Result<(), Malformed> {
    let mut rest = Bytes(payload);
    while !rest.0.is_empty() {
        let (row, checksum) = row::decode(&mut rest)?;
        let end = payload.len().saturating_sub(rest.0.len());
        let value = HEADER_LEN
            .saturating_add(end)
            .saturating_sub(row.value.len());
        let len = to_u32(row.value.len())?;
        each(
            &row,
            ValuePlace {
                at: at.saturating_add(value as u64),
                len,
                checksum,
            },
        );
    }
    Ok(())
}
