//! Reading all groups of a file, and finding out where it ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::group::{self, Header};
use super::index::RowIndex;
use super::{damage_at, from_io, head};
use crate::engine::EngineError;

/// The number of bytes that are searched at once for the next group.
const SEARCH_BYTES: usize = 256 * 1024;

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct GroupScan {
    pub(super) index: RowIndex,
    /// The end of the last whole group.
    pub(super) end: u64,
    /// The first byte of the last group, if there is one.
    last: Option<u64>,
    /// The parts that do not read before that.
    pub(super) troubles: Vec<String>,
    file_len: u64,
}

/// Reads all groups. Behind one that does not read, the next is searched for: if there is one,
/// everything before it was acknowledged, and what does not read is damage; else it is the torn end
/// of a write that nobody was told of.
pub(super) fn scan(file: &File) -> Result<GroupScan, EngineError> {
    let file_len = file.metadata().map_err(from_io)?.len();
    let mut scan = GroupScan {
        end: (head::LEN as u64).min(file_len),
        file_len,
        ..GroupScan::default()
    };
    while scan.end < file_len {
        let at = scan.end;
        if let Some(payload) = read_group(file, at, file_len)? {
            scan.take(at, &payload);
        } else if let Some(next) = search(file, at.saturating_add(1), file_len)? {
            scan.troubles
                .push(damage_at(at, "a group of rows cannot be read"));
            scan.end = next;
        } else {
            break;
        }
    }
    Ok(scan)
}

impl GroupScan {
    fn take(&mut self, at: u64, payload: &[u8]) {
        let index = &mut self.index;
        if let Err(error) = group::each_row(at, payload, |row, place| index.apply(row, place)) {
            self.troubles.push(damage_at(at, &error.0));
        }
        self.last = Some(at);
        self.end = at + (group::HEADER_LEN + payload.len()) as u64;
    }

    /// Cuts off the torn end, and writes the last group again: if it was not acknowledged, it may
    /// be here without being on the disk. Returns when what is left survives power loss.
    pub(super) fn settle(&self, file: &File) -> io::Result<()> {
        if let Some(at) = self.last {
            let mut bytes =
                vec![0; usize::try_from(self.end.saturating_sub(at)).unwrap_or_default()];
            file.read_exact_at(&mut bytes, at)?;
            file.write_all_at(&bytes, at)?;
        }
        if self.end < self.file_len {
            file.set_len(self.end)?;
        }
        file.sync_all()
    }
}

/// The payload of the group at `at`, if it is whole.
fn read_group(file: &File, at: u64, file_len: u64) -> Result<Option<Vec<u8>>, EngineError> {
    let begin = at.saturating_add(group::HEADER_LEN as u64);
    if begin > file_len {
        return Ok(None);
    }
    let mut bytes = [0; group::HEADER_LEN];
    file.read_exact_at(&mut bytes, at).map_err(from_io)?;
    let Some(header) = Header::read(&bytes, at) else {
        return Ok(None);
    };
    if begin.saturating_add(header.len as u64) > file_len {
        return Ok(None);
    }
    let mut payload = vec![0; header.len];
    file.read_exact_at(&mut payload, begin).map_err(from_io)?;
    Ok(header.fits(&payload).then_some(payload))
}

/// The next place at `from` or behind it where a group begins.
fn search(file: &File, mut from: u64, file_len: u64) -> Result<Option<u64>, EngineError> {
    let mut bytes = vec![0; SEARCH_BYTES];
    while from.saturating_add(group::HEADER_LEN as u64) <= file_len {
        let len = usize::try_from(file_len.saturating_sub(from))
            .unwrap_or(usize::MAX)
            .min(SEARCH_BYTES);
        let Some(some) = bytes.get_mut(..len) else {
            return Ok(None);
        };
        file.read_exact_at(some, from).map_err(from_io)?;
        let places = (from..).zip(some.windows(group::HEADER_LEN));
        if let Some((at, _)) = places
            .into_iter()
            .find(|(at, window)| Header::read(window, *at).is_some())
        {
            return Ok(Some(at));
        }
        from = from.saturating_add((len + 1).saturating_sub(group::HEADER_LEN) as u64);
    }
    Ok(None)
}
