//! Signed notes and checkpoints, as the C2SP specifications `signed-note` and `tlog-checkpoint`
//! describe them.
//!
//! A note is text that ends in a newline, an empty line, and signature lines:
//!
//! ```text
//! folkmoot/01890a5d-ac96-774b-bcce-b302099a8057
//! 3
//! rra8/itwsUoU+wZ6XlV4JkttsPm6X14KAVkVjzKeBnc=
//! event 7
//!
//! — example.com/folkmoot 8yQ3Fb…
//! ```
//!
//! * A signature line is an em dash (U+2014), a space, the key's name, a space, and base64 of 4
//!   bytes of key id and the signature. Signed is the text with its last newline, without the empty
//!   line. The *last* empty line parts the two.
//! * The key id is the first 4 bytes of SHA-256 over the key's name, the byte 0x0A, the byte 0x01
//!   (Ed25519) and the 32 bytes of the public key. A name is not empty, and has neither spaces nor
//!   `+`.
//! * A note is UTF-8, and has no control characters but newlines.
//! * Signatures of unknown keys are ignored. A bad signature of a known key condemns the note.
//! * A checkpoint is a note of at least three lines, none of them empty: the origin, which names
//!   the log; how many leaves its tree has, in decimal digits; base64 of the tree's root; and
//!   extension lines.
//!
//! The text forms of keys are those of Go's `sumdb/note`: see [`VerifierKey`] and [`SignerKey`].

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

mod checkpoint;
mod key;
mod line;
#[cfg(test)]
mod tests;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use key::{KeyError, KeyId, SignerKey, VerifierKey};

/// The most bytes that a note may have.
pub const NOTE_MAX: usize = 128 * 1024;

/// The most signatures that a note may have.
pub const SIGNATURES_MAX: usize = 32;

/// The beginning of a signature line.
const DASH: &str = "\u{2014} ";

/// A fault of a note.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoteError {
    /// A note of too many bytes.
    #[error("the note has {found} bytes; at most {NOTE_MAX} are read")]
    TooLong {
        /// The number of its bytes.
        found: usize,
    },
    /// Bytes that are not text as a note has it.
    #[error("the note is not UTF-8, or has control characters")]
    NotText,
    /// The text, the empty line and the signatures are not there in this order.
    #[error(
        "a note is text, an empty line and at least one signature line, each ending in a newline"
    )]
    Form,
    /// A signature line does not read.
    #[error(
        "the signature line {line} is not an em dash, a key's name and base64 of its id and signature"
    )]
    SignatureLine {
        /// The number of the line, the first signature line being 1.
        line: usize,
    },
    /// A note with too many signatures.
    #[error("the note has {found} signatures; at most {SIGNATURES_MAX} are read")]
    TooManySignatures {
        /// The number of its signatures.
        found: usize,
    },
    /// None of the signatures is by a known key.
    #[error("none of the given keys has signed the note")]
    NoKnownKey,
    /// A key is known, and it did not make the signature that says so.
    #[error(
        "the signature of the key `{name}` is wrong: the note was changed, or the key did not sign it"
    )]
    BadSignature {
        /// The key's name.
        name: String,
    },
}

/// A signature of a note, not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name of the key that is said to have made it.
    name: String,
    /// The id of that key.
    id: KeyId,
    /// The signature behind the key id; never empty, and of any length until it is verified.
    bytes: Vec<u8>,
}

impl Signature {
    /// The name of the key that is said to have made it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id of that key.
    #[must_use]
    pub const fn id(&self) -> KeyId {
        self.id
    }

    fn read(line: &str) -> Option<Self> {
        let (name, encoded) = line.strip_prefix(DASH)?.split_once(' ')?;
        let decoded = STANDARD.decode(encoded).ok()?;
        let (id, bytes) = decoded.split_first_chunk::<4>()?;
        let is_whole = key::is_name(name) && !bytes.is_empty();
        is_whole.then(|| Self {
            name: name.to_owned(),
            id: KeyId(*id),
            bytes: bytes.to_vec(),
        })
    }
}

/// A text with signatures, which are not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedNote {
    /// The text that is signed, with its last newline.
    text: String,
    /// The signatures in the note's order, at least one.
    signatures: Vec<Signature>,
}

impl SignedNote {
    /// Signs a text, which ends in a newline.
    ///
    /// # Errors
    /// [`NoteError::Form`], [`NoteError::NotText`] or [`NoteError::TooLong`] if no note can have
    /// that text.
    pub fn sign(text: &str, key: &SignerKey) -> Result<Self, NoteError> {
        let bytes = key.sign(text.as_bytes()).to_vec();
        let signature = Signature {
            name: key.name().to_owned(),
            id: key.id(),
            bytes,
        };
        let note = Self {
            text: text.to_owned(),
            signatures: vec![signature],
        };
        // What is not read back as itself is no note.
        if Self::parse(note.to_string().as_bytes())? == note {
            Ok(note)
        } else {
            Err(NoteError::Form)
        }
    }

    /// Reads a note. Nothing is verified yet.
    ///
    /// # Errors
    /// [`NoteError`], each variant but `NoKnownKey` and `BadSignature`.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > NOTE_MAX {
            return Err(NoteError::TooLong { found: bytes.len() });
        }
        let note = std::str::from_utf8(bytes).map_err(|_| NoteError::NotText)?;
        // Before anything is taken apart: a carriage return would make lines that look alike
        // differ.
        if note.bytes().any(|byte| byte < b' ' && byte != b'\n') {
            return Err(NoteError::NotText);
        }
        // The last empty line, since the text may have empty lines of its own.
        let (text, signatures) = note.rsplit_once("\n\n").ok_or(NoteError::Form)?;
        let signatures = signatures.strip_suffix('\n').ok_or(NoteError::Form)?;
        // Counted before any is decoded: each costs a curve operation when it is verified.
        let found = signatures.lines().count();
        if found > SIGNATURES_MAX {
            return Err(NoteError::TooManySignatures { found });
        }
        let read = |(line, text)| Signature::read(text).ok_or(NoteError::SignatureLine { line });
        let signatures = (1..)
            .zip(signatures.split('\n'))
            .map(read)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            text: format!("{text}\n"),
            signatures,
        })
    }

    /// The text, with its last newline.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signatures, not verified.
    #[must_use]
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// Verifies the signatures of those keys, and ignores all others. Gives the keys that have
    /// signed, at least one.
    ///
    /// # Errors
    /// [`NoteError::NoKnownKey`] or [`NoteError::BadSignature`].
    pub fn verify<'a>(&self, keys: &'a [VerifierKey]) -> Result<Vec<&'a VerifierKey>, NoteError> {
        let mut signers: Vec<&VerifierKey> = Vec::new();
        for signature in &self.signatures {
            let is_by =
                |key: &&VerifierKey| key.name() == signature.name && key.id() == signature.id;
            let mut known = keys.iter().filter(is_by).peekable();
            if known.peek().is_none() {
                continue;
            }
            let Some(signer) = known.find(|key| key.verify(self.text.as_bytes(), &signature.bytes))
            else {
                // A bad signature of a known key is worse than none: the note was changed, or
                // somebody lies.
                return Err(NoteError::BadSignature {
                    name: signature.name.clone(),
                });
            };
            if !signers.contains(&signer) {
                signers.push(signer);
            }
        }
        if signers.is_empty() {
            Err(NoteError::NoKnownKey)
        } else {
            Ok(signers)
        }
    }
}

impl fmt::Display for SignedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures
            .iter()
            .try_for_each(|Signature { name, id, bytes }| {
                writeln!(
                    f,
                    "{DASH}{name} {}",
                    STANDARD.encode([id.0.as_slice(), bytes].concat())
                )
            })
    }
}
