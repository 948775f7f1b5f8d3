//! The first bytes of the file of rows: which of the files that stood there it is.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::mark::Acknowledged;
use super::{damage_at, from_io};
use crate::engine::EngineError;
use crate::format::bytes::Bytes;

/// The first bytes of the file.
const MARK: &[u8; 8] = b"fmrows1\n";

/// Mark, generation, length, checksum.
pub(super) const LEN: usize = 8 + 8 + 8 + 4;

/// The words where the other file is missing.
pub(super) const NO_MARK: &str = "the note on how much of its log was acknowledged cannot be read";

/// The head of a file: which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileHead {
    /// Each rewriting makes the next one.
    pub(super) generation: u64,
    /// So many bytes were synced before the file got its name.
    pub(super) len: u64,
}

/// Of the first file that a store has.
pub(super) const FIRST: FileHead = FileHead {
    generation: 1,
    len: LEN as u64,
};

pub(super) fn encode(head: FileHead) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.extend_from_slice(&head.generation.to_le_bytes());
    bytes.extend_from_slice(&head.len.to_le_bytes());
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Reads the head of a file; `None` if it has none.
pub(super) fn read(file: &File) -> Result<Option<FileHead>, EngineError> {
    let mut bytes = [0; LEN];
    match file.read_exact_at(&mut bytes, 0) {
        Ok(()) => Ok(decode(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(from_io(error)),
    }
}

fn decode(bytes: &[u8]) -> Option<FileHead> {
    let (body, checksum) = bytes.split_last_chunk::<4>()?;
    let mut fields = Bytes(body.strip_prefix(MARK)?);
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return None;
    }
    Some(FileHead {
        generation: fields.u64().ok()?,
        len: fields.u64().ok()?,
    })
}

/// Returns what is wrong with a file whose rows end at `end`, as far as head and mark tell.
pub(super) fn compare(
    head: Option<FileHead>,
    acknowledged: Option<Acknowledged>,
    end: u64,
) -> Option<String> {
    let Some(head) = head else {
        return Some(damage_at(0, "the head of the file cannot be read"));
    };
    let Some(acknowledged) = acknowledged else {
        return Some(NO_MARK.to_owned());
    };
    if acknowledged.generation > head.generation {
        let FileHead { generation, .. } = head;
        return Some(format!(
            "its log is number {generation}, and number {} was written",
            acknowledged.generation
        ));
    }
    // A process may have died, or the power gone, between a rewriting and its note.
    let is_of_this = acknowledged.generation == head.generation;
    let len = if is_of_this {
        head.len.max(acknowledged.len)
    } else {
        head.len
    };
    (end < len).then(|| {
        damage_at(
            end,
            &format!("what was written up to byte {len} cannot be read"),
        )
    })
}
