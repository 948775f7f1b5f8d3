//! An event as stored: a binary header, facts, and content beside its salt or, once erased, its commitment.

use folkmoot_core::event::{ContentView, EventRecord, RecordView, StoredContent};
use folkmoot_core::ids::Position;
use folkmoot_proof::Hash;
use folkmoot_proof::leaf::{self, Salt};

use super::Malformed;
use super::bytes::{Bytes, to_u32};

const NONE: u8 = 0;
const PRESENT: u8 = 1;
const ERASED: u8 = 2;
const SEALED: u8 = 3;

/// Which key content is sealed with.
pub(crate) type KeyId = [u8; 16];

/// Random bytes that no two sealed contents share. The first of them are the salt of the commitment.
pub(crate) type Nonce = [u8; 24];

/// The content of an event, still in the bytes it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentRef<'a> {
    /// This kind of event has none.
    None,
    /// As it was written, with the salt of its commitment.
    Present { salt: Salt, bytes: &'a [u8] },
    /// Encrypted. The commitment is over the encrypted bytes: so it stays when the key is destroyed.
    Sealed { key: KeyId, nonce: Nonce, bytes: &'a [u8] },
    /// Gone; the commitment stays.
    Erased { by: Option<Position>, commitment: Hash },
}

/// An event, still in the bytes it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventRef<'a> {
    pub(crate) kind: u16,
    pub(crate) version: u16,
    pub(crate) facts: &'a [u8],
    pub(crate) content: ContentRef<'a>,
}

impl<'a> EventRef<'a> {
    /// Reads the next event of `bytes`.
    pub(crate) fn read(bytes: &mut Bytes<'a>) -> Result<Self, Malformed> {
        let (kind, version, form, facts_len) = (bytes.u16()?, bytes.u16()?, bytes.u8()?, bytes.u32()?);
        let facts_len = super::bytes::to_usize(facts_len);
        let (facts, content) = match form {
            NONE => (bytes.take(facts_len)?, ContentRef::None),
            PRESENT => {
                let (salt, len) = (bytes.array()?, bytes.u32()?);
                let facts = bytes.take(facts_len)?;
                (facts, ContentRef::Present { salt, bytes: bytes.take(super::bytes::to_usize(len))? })
            }
            ERASED => {
                let (commitment, by) = (bytes.array()?, bytes.u64()?);
                let by = (by > 0).then_some(Position::new(by));
                (bytes.take(facts_len)?, ContentRef::Erased { by, commitment })
            }
            SEALED => {
                let (key, nonce, len) = (bytes.array()?, bytes.array()?, bytes.u32()?);
                let facts = bytes.take(facts_len)?;
                (facts, ContentRef::Sealed { key, nonce, bytes: bytes.take(super::bytes::to_usize(len))? })
            }
            other => return Err(Malformed(format!("content of the unknown form {other}"))),
        };
        Ok(Self { kind, version, facts, content })
    }

    /// What the event's leaf says about its content.
    pub(crate) fn commitment(&self) -> Option<Hash> {
        match self.content {
            ContentRef::None => None,
            ContentRef::Present { salt, bytes } => Some(leaf::commitment(&salt, bytes)),
            ContentRef::Sealed { nonce, bytes, .. } => {
                nonce.first_chunk().map(|salt: &Salt| leaf::commitment(salt, bytes))
            }
            ContentRef::Erased { commitment, .. } => Some(commitment),
        }
    }

    /// The record as core reads it. What is sealed reads as erased: see [`Keyring::open`](crate::keys::Keyring::open).
    pub(crate) const fn view(&self) -> RecordView<'a> {
        let content = match self.content {
            ContentRef::None => ContentView::None,
            ContentRef::Present { bytes, .. } => ContentView::Present(bytes),
            ContentRef::Sealed { .. } => ContentView::Erased { by: None },
            ContentRef::Erased { by, .. } => ContentView::Erased { by },
        };
        RecordView { kind: self.kind, version: self.version, facts: self.facts, content }
    }

    /// The record that an upcaster changes.
    pub(crate) fn to_record(self) -> EventRecord {
        let content = match self.content {
            ContentRef::None => StoredContent::None,
            ContentRef::Present { bytes, .. } => StoredContent::Present(bytes.to_vec()),
            ContentRef::Sealed { .. } => StoredContent::Erased { by: None },
            ContentRef::Erased { by, .. } => StoredContent::Erased { by },
        };
        EventRecord { kind: self.kind, version: self.version, facts: self.facts.to_vec(), content }
    }

    /// Writes the event.
    pub(crate) fn write(&self, into: &mut Vec<u8>) -> Result<(), Malformed> {
        into.extend_from_slice(&self.kind.to_le_bytes());
        into.extend_from_slice(&self.version.to_le_bytes());
        into.push(match self.content {
            ContentRef::None => NONE,
            ContentRef::Present { .. } => PRESENT,
            ContentRef::Sealed { .. } => SEALED,
            ContentRef::Erased { .. } => ERASED,
        });
        into.extend_from_slice(&to_u32(self.facts.len())?.to_le_bytes());
        match self.content {
            ContentRef::None => into.extend_from_slice(self.facts),
            ContentRef::Present { salt, bytes } => {
                into.extend_from_slice(&salt);
                into.extend_from_slice(&to_u32(bytes.len())?.to_le_bytes());
                into.extend_from_slice(self.facts);
                into.extend_from_slice(bytes);
            }
            ContentRef::Sealed { key, nonce, bytes } => {
                into.extend_from_slice(&key);
                into.extend_from_slice(&nonce);
                into.extend_from_slice(&to_u32(bytes.len())?.to_le_bytes());
                into.extend_from_slice(self.facts);
                into.extend_from_slice(bytes);
            }
            ContentRef::Erased { by, commitment } => {
                into.extend_from_slice(&commitment);
                into.extend_from_slice(&by.map_or(0, Position::get).to_le_bytes());
                into.extend_from_slice(self.facts);
            }
        }
        Ok(())
    }
}
