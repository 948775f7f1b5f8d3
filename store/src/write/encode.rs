//! A commit on its way into the log: encoded, its content sealed and parted from it, not yet
//! linked.

use folkmoot_core::command::commit::{Commit, CommitHeader};
use folkmoot_core::event::{Event, EventRecord, StoredContent};
use folkmoot_core::ids::{Digest, Position};
use folkmoot_core::spec::limits::CONTENT_BYTES_MAX;
use folkmoot_proof::Hash;
use folkmoot_proof::leaf::{Leaf, Salt};

use crate::engine::Pair;
use crate::format::bytes::to_u32;
use crate::format::chain;
use crate::format::event::{ContentRef, EventRef};
use crate::format::record::{LINK_AT, LINK_LEN, patch};
use crate::format::upcast::Upcasters;
use crate::format::{COMMIT_MAX, Malformed, header};
use crate::home::keys::{Keyring, Sealed, holder};
use crate::state::content::Parting;
use crate::sync::random;

/// A commit, encoded but not yet linked.
#[derive(Debug)]
pub(crate) struct Unlinked {
    bytes: Vec<u8>,
    leaf: Hash,
    /// The content that stands beside the frames, until it was put there.
    beside: Vec<Pair>,
}

impl Unlinked {
    /// Encodes `commit`, and seals its content if there is a keyring for that. Hashing, sealing and
    /// encoding are done here, on the task that appends.
    pub(crate) fn encode(
        commit: &Commit,
        upcasters: &Upcasters,
        keys: Option<&Keyring>,
    ) -> Result<Self, Malformed> {
        let record = |event: &Event| {
            let record = event
                .to_record()
                .map_err(|error| Malformed(error.to_string()))?;
            Ok(EventRecord {
                version: upcasters.stored_version(&record),
                ..record
            })
        };
        let records: Vec<EventRecord> =
            commit.events.iter().map(record).collect::<Result<_, _>>()?;
        Self::of(&commit.header, &records, keys)
    }

    fn of(
        header: &CommitHeader,
        records: &[EventRecord],
        keys: Option<&Keyring>,
    ) -> Result<Self, Malformed> {
        let mut bytes = Vec::with_capacity(records.iter().map(size).sum::<usize>() + 320);
        bytes.extend_from_slice(&[0; LINK_AT + LINK_LEN + 2]);
        let header_at = bytes.len();
        header::write(header, to_u32(records.len())?, &mut bytes)?;
        let header_bytes = bytes.get(header_at..).unwrap_or_default();
        let header_len = u16::try_from(header_bytes.len())
            .map_err(|_| Malformed::new("its header is too long"))?;
        let mut leaf = Leaf::new(header_bytes);
        let mut parting = Parting::of(header.world, header.first);
        check_content(header.first, records)?;
        for (record, salt) in records.iter().zip(salts(records)?) {
            let sealed = seal(record, header, keys)?;
            let event = match &sealed {
                Some(sealed) => borrow_sealed(record, sealed),
                None => borrow(record, salt)?,
            };
            let event = parting.part(&event);
            chain::add(&mut leaf, &event);
            event.write(&mut bytes)?;
        }
        patch(&mut bytes, LINK_AT + LINK_LEN, &header_len.to_le_bytes());
        let len = bytes.len();
        if len > COMMIT_MAX {
            return Err(Malformed(format!(
                "it has {len} bytes; at most {COMMIT_MAX} are allowed"
            )));
        }
        patch(&mut bytes, 0, &to_u32(len)?.to_le_bytes());
        Ok(Self {
            bytes,
            leaf: leaf.finish(),
            beside: parting.finish(),
        })
    }

    /// Hands out the content that stands beside the frames.
    pub(crate) fn take_beside(&mut self) -> Vec<Pair> {
        std::mem::take(&mut self.beside)
    }

    /// Returns how many bytes it has.
    pub(crate) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns its leaf.
    pub(crate) const fn leaf(&self) -> Hash {
        self.leaf
    }

    /// Links it to its predecessor: the stored bytes, and the link.
    pub(crate) fn link(mut self, previous: &Digest) -> (Vec<u8>, Digest) {
        let link = chain::link(previous, &self.leaf);
        patch(&mut self.bytes, LINK_AT, link.as_bytes());
        (self.bytes, link)
    }
}

/// Encodes records that this build would not write.
#[cfg(test)]
pub(crate) fn foreign(
    header: &CommitHeader,
    records: &[EventRecord],
) -> Result<Unlinked, Malformed> {
    Unlinked::of(header, records, None)
}

fn size(record: &EventRecord) -> usize {
    let content = match &record.content {
        StoredContent::Present(bytes) => bytes.len(),
        StoredContent::None | StoredContent::Erased { .. } => 0,
    };
    record.facts.len() + content + 64
}

/// Refuses content that no event may have.
fn check_content(first: Position, records: &[EventRecord]) -> Result<(), Malformed> {
    for (at, record) in (first.get()..).zip(records) {
        if let StoredContent::Present(bytes) = &record.content
            && bytes.len() > CONTENT_BYTES_MAX
        {
            let len = bytes.len();
            let what = format!(
                "the content of event {at} has {len} bytes; at most {CONTENT_BYTES_MAX} are allowed"
            );
            return Err(Malformed(what));
        }
    }
    Ok(())
}

/// One salt per record, of real randomness: whoever knows the log must not be able to guess erased
/// content.
fn salts(records: &[EventRecord]) -> Result<Vec<Salt>, Malformed> {
    let mut salts = vec![[0; 16]; records.len()];
    random::fill(salts.as_flattened_mut())
        .map_err(|error| Malformed(format!("the system gives no randomness: {error}")))?;
    Ok(salts)
}

fn borrow(record: &EventRecord, salt: Salt) -> Result<EventRef<'_>, Malformed> {
    let content = match &record.content {
        StoredContent::None => ContentRef::None,
        StoredContent::Present(bytes) => ContentRef::Present { salt, bytes },
        StoredContent::Erased { .. } => {
            return Err(Malformed::new("new content cannot be erased already"));
        }
    };
    Ok(EventRef {
        kind: record.kind,
        version: record.version,
        facts: &record.facts,
        content,
    })
}

/// The content of a record, sealed; `None` if it has none, or is kept as it is.
fn seal(
    record: &EventRecord,
    header: &CommitHeader,
    keys: Option<&Keyring>,
) -> Result<Option<Sealed>, Malformed> {
    let (Some(keys), StoredContent::Present(bytes)) = (keys, &record.content) else {
        return Ok(None);
    };
    let sealed = keys.seal(header.world, holder(record.kind, &header.principal), bytes);
    sealed
        .map(Some)
        .map_err(|error| Malformed(format!("its content cannot be sealed: {error}")))
}

fn borrow_sealed<'a>(
    record: &'a EventRecord,
    Sealed { key, nonce, bytes }: &'a Sealed,
) -> EventRef<'a> {
    let content = ContentRef::Sealed {
        key: *key,
        nonce: *nonce,
        bytes,
    };
    EventRef {
        kind: record.kind,
        version: record.version,
        facts: &record.facts,
        content,
    }
}

#[cfg(test)]
impl Unlinked {
    /// A record of `len` bytes that nobody reads.
    pub(crate) fn of_len(len: usize) -> Self {
        Self {
            bytes: vec![0; len],
            leaf: [0; 32],
            beside: Vec::new(),
        }
    }
}
