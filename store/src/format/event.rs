//! An event as stored: a binary header, facts, and content beside its salt or, once erased, its
//! commitment.

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
const BESIDE: u8 = 4;
const SEALED_BESIDE: u8 = 5;

/// The id of the key that content is sealed with.
pub(crate) type KeyId = [u8; 16];

/// Random bytes that no two sealed contents share. The first of them are the salt of the
/// commitment.
pub(crate) type Nonce = [u8; 24];

/// The content of an event, still in the bytes it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentRef<'a> {
    /// No content: this kind of event has none.
    None,
    /// As it was written, with the salt of its commitment.
    Present { salt: Salt, bytes: &'a [u8] },
    /// Encrypted. The commitment is over the encrypted bytes: so it stays when the key is
    /// destroyed.
    Sealed {
        key: KeyId,
        nonce: Nonce,
        bytes: &'a [u8],
    },
    /// Too large for frames: its bytes stand beside them.
    Beside(Beside),
    /// Gone; the commitment stays.
    Erased {
        by: Option<Position>,
        commitment: Hash,
    },
}

impl<'a> ContentRef<'a> {
    /// The key that it is sealed with, if it is.
    pub(crate) const fn key(&self) -> Option<KeyId> {
        match self {
            Self::Sealed { key, .. }
            | Self::Beside(Beside {
                form: Form::Sealed { key, .. },
                ..
            }) => Some(*key),
            Self::None | Self::Present { .. } | Self::Beside(_) | Self::Erased { .. } => None,
        }
    }

    /// The bytes, if they are in it.
    pub(crate) const fn bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::Present { bytes, .. } | Self::Sealed { bytes, .. } => Some(bytes),
            Self::None | Self::Beside(_) | Self::Erased { .. } => None,
        }
    }

    /// Returns what is left of it once its bytes stand beside the frames; `None` if there are none
    /// in it.
    pub(crate) fn put_beside(&self) -> Option<Beside> {
        let (form, bytes) = match *self {
            Self::Present { salt, bytes } => (Form::Plain { salt }, bytes),
            Self::Sealed { key, nonce, bytes } => (Form::Sealed { key, nonce }, bytes),
            Self::None | Self::Beside(_) | Self::Erased { .. } => return None,
        };
        Some(Beside {
            form,
            len: u32::try_from(bytes.len()).ok()?,
            commitment: form.commitment(bytes),
        })
    }
}

/// Content whose bytes stand beside the frames. The commitment is the one that the leaf covers, and
/// no two are alike: each has random bytes of its own in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beside {
    pub(crate) form: Form,
    pub(crate) len: u32,
    pub(crate) commitment: Hash,
}

/// The form of bytes beside the frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain { salt: Salt },
    Sealed { key: KeyId, nonce: Nonce },
}

impl Form {
    fn commitment(&self, bytes: &[u8]) -> Hash {
        match self {
            Self::Plain { salt } => leaf::commitment(salt, bytes),
            Self::Sealed { nonce, .. } => sealed_commitment(nonce, bytes),
        }
    }
}

impl Beside {
    /// The content with its `bytes`; `None` if they are not those that were put there.
    pub(crate) fn with<'a>(&self, bytes: &'a [u8]) -> Option<ContentRef<'a>> {
        let is_it = bytes.len() == super::bytes::to_usize(self.len)
            && self.form.commitment(bytes) == self.commitment;
        is_it.then_some(match self.form {
            Form::Plain { salt } => ContentRef::Present { salt, bytes },
            Form::Sealed { key, nonce } => ContentRef::Sealed { key, nonce, bytes },
        })
    }
}

/// Over the encrypted bytes; the first of the nonce are the salt.
fn sealed_commitment(nonce: &Nonce, bytes: &[u8]) -> Hash {
    let mut salt = Salt::default();
    salt.iter_mut()
        .zip(nonce)
        .for_each(|(to, from)| *to = *from);
    leaf::commitment(&salt, bytes)
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
        let kind = bytes.u16()?;
        let version = bytes.u16()?;
        let form = bytes.u8()?;
        let facts_len = bytes.u32()?;
        let facts_len = super::bytes::to_usize(facts_len);
        let (facts, content) = match form {
            NONE => (bytes.take(facts_len)?, ContentRef::None),
            PRESENT => {
                let salt = bytes.array()?;
                let len = bytes.u32()?;
                let facts = bytes.take(facts_len)?;
                (
                    facts,
                    ContentRef::Present {
                        salt,
                        bytes: bytes.take(super::bytes::to_usize(len))?,
                    },
                )
            }
            ERASED => {
                let commitment = bytes.array()?;
                let by = bytes.u64()?;
                let by = (by > 0).then_some(Position::new(by));
                (
                    bytes.take(facts_len)?,
                    ContentRef::Erased { by, commitment },
                )
            }
            SEALED => {
                let key = bytes.array()?;
                let nonce = bytes.array()?;
                let len = bytes.u32()?;
                let facts = bytes.take(facts_len)?;
                (
                    facts,
                    ContentRef::Sealed {
                        key,
                        nonce,
                        bytes: bytes.take(super::bytes::to_usize(len))?,
                    },
                )
            }
            BESIDE => {
                let form = Form::Plain {
                    salt: bytes.array()?,
                };
                let commitment = bytes.array()?;
                let len = bytes.u32()?;
                (
                    bytes.take(facts_len)?,
                    ContentRef::Beside(Beside {
                        form,
                        len,
                        commitment,
                    }),
                )
            }
            SEALED_BESIDE => {
                let form = Form::Sealed {
                    key: bytes.array()?,
                    nonce: bytes.array()?,
                };
                let commitment = bytes.array()?;
                let len = bytes.u32()?;
                (
                    bytes.take(facts_len)?,
                    ContentRef::Beside(Beside {
                        form,
                        len,
                        commitment,
                    }),
                )
            }
            other => return Err(Malformed(format!("content of the unknown form {other}"))),
        };
        Ok(Self {
            kind,
            version,
            facts,
            content,
        })
    }

    /// Returns what the event's leaf says about its content.
    pub(crate) fn commitment(&self) -> Option<Hash> {
        match self.content {
            ContentRef::None => None,
            ContentRef::Present { salt, bytes } => Some(leaf::commitment(&salt, bytes)),
            ContentRef::Sealed { nonce, bytes, .. } => Some(sealed_commitment(&nonce, bytes)),
            ContentRef::Beside(Beside { commitment, .. })
            | ContentRef::Erased { commitment, .. } => Some(commitment),
        }
    }

    /// The record as core reads it. What is sealed or beside the frames reads as erased: see
    /// [`crate::state::content`] and [`Keyring::open`](crate::home::keys::Keyring::open).
    pub(crate) const fn view(&self) -> RecordView<'a> {
        let content = match self.content {
            ContentRef::None => ContentView::None,
            ContentRef::Present { bytes, .. } => ContentView::Present(bytes),
            ContentRef::Sealed { .. } | ContentRef::Beside(_) => ContentView::Erased { by: None },
            ContentRef::Erased { by, .. } => ContentView::Erased { by },
        };
        RecordView {
            kind: self.kind,
            version: self.version,
            facts: self.facts,
            content,
        }
    }

    /// The record that an upcaster changes.
    pub(crate) fn to_record(self) -> EventRecord {
        let content = match self.content {
            ContentRef::None => StoredContent::None,
            ContentRef::Present { bytes, .. } => StoredContent::Present(bytes.to_vec()),
            ContentRef::Sealed { .. } | ContentRef::Beside(_) => StoredContent::Erased { by: None },
            ContentRef::Erased { by, .. } => StoredContent::Erased { by },
        };
        EventRecord {
            kind: self.kind,
            version: self.version,
            facts: self.facts.to_vec(),
            content,
        }
    }

    /// Writes the event.
    pub(crate) fn write(&self, into: &mut Vec<u8>) -> Result<(), Malformed> {
        into.extend_from_slice(&self.kind.to_le_bytes());
        into.extend_from_slice(&self.version.to_le_bytes());
        into.push(match self.content {
            ContentRef::None => NONE,
            ContentRef::Present { .. } => PRESENT,
            ContentRef::Sealed { .. } => SEALED,
            ContentRef::Beside(Beside {
                form: Form::Plain { .. },
                ..
            }) => BESIDE,
            ContentRef::Beside(Beside {
                form: Form::Sealed { .. },
                ..
            }) => SEALED_BESIDE,
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
            ContentRef::Beside(Beside {
                form,
                len,
                commitment,
            }) => {
                match form {
                    Form::Plain { salt } => into.extend_from_slice(&salt),
                    Form::Sealed { key, nonce } => {
                        into.extend_from_slice(&[key.as_slice(), &nonce].concat())
                    }
                }
                into.extend_from_slice(&commitment);
                into.extend_from_slice(&len.to_le_bytes());
                into.extend_from_slice(self.facts);
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
