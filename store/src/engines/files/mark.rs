//! The part of the file that was acknowledged, in a file of its own, so that a file cut short is
//! noticed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::format::bytes::Bytes;
use crate::home;

/// The name in the engine's folder.
pub(super) const FILE: &str = "acknowledged";

/// The first bytes of each of the two slots.
const MARK: &[u8; 8] = b"fmsafe1\n";

/// Mark, generation, length, checksum.
const SLOT_LEN: usize = 8 + 8 + 8 + 4;

/// The part of a file that was acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Acknowledged {
    /// Of the file of this generation: each rewriting makes the next one.
    pub(super) generation: u64,
    /// So many bytes.
    pub(super) len: u64,
}

/// Two slots that are written in turn: a torn write leaves the other one.
#[derive(Debug)]
pub(super) struct AcknowledgedLength {
    file: File,
    next: u64,
}

impl AcknowledgedLength {
    /// Makes the file, with both slots: from here on it needs no more room.
    pub(super) fn create(folder: &Path) -> io::Result<()> {
        let slot = encode(Acknowledged::default());
        home::replace(folder, FILE, &[slot.as_slice(), slot.as_slice()].concat())
    }

    /// Reads the newest whole slot, if there is one; `None` if there is no file.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Option<Acknowledged>>> {
        match std::fs::read(folder.join(FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            bytes => Ok(Some(newest(&bytes?).map(|(_, acknowledged)| acknowledged))),
        }
    }

    /// Opens the file, and reads the newest whole slot; `None` if there is none.
    pub(super) fn open(folder: &Path) -> io::Result<(Self, Option<Acknowledged>)> {
        let newest = newest(&std::fs::read(folder.join(FILE))?);
        let file = File::options().write(true).open(folder.join(FILE))?;
        let next = newest.map_or(0, |(at, _)| if at == 0 { 1 } else { 0 });
        Ok((
            Self { file, next },
            newest.map(|(_, acknowledged)| acknowledged),
        ))
    }

    /// Writes the next slot. Until it is synced it outlives the process, not a power cut.
    pub(super) fn write(&mut self, generation: u64, len: u64) -> io::Result<()> {
        self.file.write_all_at(
            &encode(Acknowledged { generation, len }),
            self.next * SLOT_LEN as u64,
        )?;
        self.next = 1 - self.next;
        Ok(())
    }

    /// Returns when what was written survives power loss.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl Drop for AcknowledgedLength {
    fn drop(&mut self) {
        if let Err(error) = self.sync() {
            tracing::warn!(%error, "how much was acknowledged may be forgotten at a power cut");
        }
    }
}

/// The newest whole slot, and which it is.
fn newest(bytes: &[u8]) -> Option<(usize, Acknowledged)> {
    let slots = bytes.chunks(SLOT_LEN).map(decode).enumerate();
    slots
        .filter_map(|(at, slot)| Some((at, slot?)))
        .max_by_key(|(_, slot)| *slot)
}

fn encode(acknowledged: Acknowledged) -> Vec<u8> {
    let mut slot = MARK.to_vec();
    slot.extend_from_slice(&acknowledged.generation.to_le_bytes());
    slot.extend_from_slice(&acknowledged.len.to_le_bytes());
    let checksum = crc32fast::hash(&slot);
    slot.extend_from_slice(&checksum.to_le_bytes());
    slot
}

fn decode(slot: &[u8]) -> Option<Acknowledged> {
    let (body, checksum) = slot.split_last_chunk::<4>()?;
    let mut fields = Bytes(body.strip_prefix(MARK)?);
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let generation = fields.u64().ok()?;
    let len = fields.u64().ok()?;
    fields
        .0
        .is_empty()
        .then_some(Acknowledged { generation, len })
}
