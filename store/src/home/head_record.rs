//! The head record: how far the log once reached, in a file of its own, so that a log cut short is
//! noticed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use folkmoot_core::ids::Digest;

use crate::engine::FrameNumber;
use crate::format::bytes::Bytes;

/// The name in the store's directory.
pub(crate) const FILE: &str = "head";

/// The first bytes of each of the two slots.
const MARK: &[u8; 8] = b"fmhead1\n";

/// mark, number, link, checksum
const SLOT_LEN: u64 = 8 + 8 + 32 + 4;

/// The last frame that was written, and the link of the last commit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) frame: FrameNumber,
    pub(crate) link: Digest,
}

/// Two slots that are written in turn: a torn write leaves the other one.
#[derive(Debug)]
pub(crate) struct HeadRecord {
    file: File,
    next: u64,
}

impl HeadRecord {
    /// Opens the record of the store in `home`, and reads the newest whole slot.
    pub(crate) fn open(home: &Path) -> io::Result<(Self, Option<Head>)> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(home.join(FILE))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let newest = newest(&bytes);
        let next = newest.map_or(0, |(at, _)| if at == 0 { 1 } else { 0 });
        if bytes.is_empty() {
            File::open(home)?.sync_all()?;
        }
        Ok((Self { file, next }, newest.map(|(_, head)| head)))
    }

    /// Writes the next slot. Until it is synced it outlives the process, not a power cut.
    pub(crate) fn write(&mut self, head: Head) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.next * SLOT_LEN))?;
        self.file.write_all(&encode(head))?;
        self.next = 1 - self.next;
        Ok(())
    }

    /// Returns when what was written survives power loss.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Reads the newest whole slot of the store in `home`; writes nothing.
pub(crate) fn read(home: &Path) -> io::Result<Option<Head>> {
    match std::fs::read(home.join(FILE)) {
        Ok(bytes) => Ok(newest(&bytes).map(|(_, head)| head)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the newest slot and writes it again, for tests.
#[cfg(feature = "testing")]
pub(crate) fn rewrite(bytes: &[u8]) -> Option<Vec<u8>> {
    newest(bytes).map(|(_, head)| encode(head))
}

/// The newest whole slot, and which it is.
fn newest(bytes: &[u8]) -> Option<(usize, Head)> {
    let slots = bytes
        .chunks(usize::try_from(SLOT_LEN).unwrap_or(usize::MAX))
        .map(decode);
    slots
        .enumerate()
        .filter_map(|(at, head)| Some((at, head?)))
        .max_by_key(|(_, head)| head.frame)
}

fn encode(head: Head) -> Vec<u8> {
    let mut slot = MARK.to_vec();
    slot.extend_from_slice(&head.frame.0.to_le_bytes());
    slot.extend_from_slice(head.link.as_bytes());
    let checksum = crc32fast::hash(&slot);
    slot.extend_from_slice(&checksum.to_le_bytes());
    slot
}

fn decode(slot: &[u8]) -> Option<Head> {
    let (body, checksum) = slot.split_last_chunk::<4>()?;
    let body = body.strip_prefix(MARK)?;
    if crc32fast::hash(slot.get(..slot.len() - 4)?) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let mut body = Bytes(body);
    Some(Head {
        frame: FrameNumber(body.u64().ok()?),
        link: Digest::new(body.array().ok()?),
    })
}
