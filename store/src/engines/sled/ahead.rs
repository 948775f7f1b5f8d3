//! Reading ahead what sled reads when it opens.
//!
//! sled takes a read that fails while it looks for the end of its log for that end, and overwrites
//! what is behind it. So all that it will look at is read once before: a disk that does not give it
//! back is said to fail, and nothing is lost. What sled reads right afterwards is in the system's
//! memory.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// The bytes of a segment of sled's file, and of the header that it begins with.
const SEGMENT: usize = 512 * 1024;
const HEADER: usize = 20;

/// The mask that sled combines the numbers in a header with.
const MASK: u64 = 0x7fff_ffff_ffff_ffff;

/// Reads the header of every segment, and whole those segments that are newer than the newest
/// snapshot.
pub(super) fn read_ahead(log: &Path) -> io::Result<()> {
    let file = match File::open(log.join("db")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let from = snapshot(log)?;
    let len = file.metadata()?.len();
    let mut segment = vec![0; SEGMENT];
    for base in (0..len).step_by(SEGMENT) {
        let header = segment.get_mut(..HEADER).unwrap_or_default();
        let is_whole = fill(&file, header, base)? == HEADER;
        if !is_whole || number(header) >= from {
            fill(&file, &mut segment, base)?;
        }
    }
    Ok(())
}

/// The number of the first segment that the newest snapshot does not cover all of.
fn snapshot(log: &Path) -> io::Result<u64> {
    let mut newest = 0;
    for entry in fs::read_dir(log)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("snap."));
        newest = number
            .and_then(|number| u64::from_str_radix(number, 16).ok())
            .unwrap_or(0)
            .max(newest);
    }
    Ok(newest - newest % SEGMENT as u64)
}

/// The number of a segment, where a header has one.
fn number(header: &[u8]) -> u64 {
    let bytes = header
        .get(4..12)
        .and_then(|bytes| bytes.first_chunk().copied())
        .unwrap_or_default();
    u64::from_le_bytes(bytes) ^ MASK
}

/// Reads into `to` what there is at `at`; gives how many bytes.
fn fill(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = to.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at.saturating_add(done as u64)) {
            Ok(0) => break,
            Ok(read) => done = done.saturating_add(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
