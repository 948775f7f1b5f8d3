//! The keys that sign notes and verify them: Ed25519 with a name.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

/// The byte for Ed25519 in keys and key ids.
const ED25519: u8 = 1;

/// The beginning of the text form of a key that signs.
const PRIVATE: &str = "PRIVATE+KEY+";

/// The most bytes that the text form of a key may have.
const KEY_MAX: usize = 1_024;

/// A fault of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A name that is empty, or has spaces, control characters or `+`.
    #[error("the name of a key cannot be empty or have spaces or `+` in it")]
    Name,
    /// A key that verifies, not in its text form.
    #[error(
        "a key that verifies is written `name+id+key`, the id as 8 lower-case hexadecimal digits, the key as base64"
    )]
    VerifierForm,
    /// A key that signs, not in its text form. The text that was given instead is never shown.
    #[error(
        "a key that signs is written `PRIVATE+KEY+name+id+key`, the id as 8 lower-case hexadecimal digits, the key as base64"
    )]
    SignerForm,
    /// A key for another algorithm.
    #[error("only Ed25519 keys are known; this one says it is of the kind {0}")]
    Algorithm(u8),
    /// The id is not that of the key.
    #[error(
        "the id {found} is not that of the key, which is {expected}: the key was not copied whole"
    )]
    Id {
        /// The id of that key and name.
        expected: KeyId,
        /// The id that stands there.
        found: KeyId,
    },
    /// Bytes that are no public key of Ed25519, or one for which anybody can sign.
    #[error("this is not a public key of Ed25519")]
    NotAKey,
}

/// The hint at the key that made a signature, beside the key's name. It is too short to rely on as
/// a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId(pub [u8; 4]);

impl KeyId {
    fn of(name: &str, key: &VerifyingKey) -> Self {
        let hasher = Sha256::new()
            .chain_update(name)
            .chain_update([b'\n', ED25519])
            .chain_update(key.as_bytes());
        let [a, b, c, d, ..] = <[u8; 32]>::from(hasher.finalize());
        Self([a, b, c, d])
    }

    fn read(hex: &str) -> Option<Self> {
        // Capitals are refused: an id has one spelling, as in `sumdb/note`.
        let is_hex = hex.len() == 8
            && hex
                .bytes()
                .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let number = is_hex.then(|| u32::from_str_radix(hex, 16).ok())??;
        Some(Self(number.to_be_bytes()))
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", u32::from_be_bytes(self.0))
    }
}

/// Tells whether a key may have that name.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || c == '+')
}

/// A public key with a name. Its text form is `name+id+key`: the id as 8 hexadecimal digits, the
/// key as base64 of the byte 0x01 and the 32 bytes of the public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    /// The key's name, which is part of its id.
    name: String,
    /// The public key.
    key: VerifyingKey,
}

impl VerifierKey {
    /// Reads the text form.
    ///
    /// # Errors
    /// [`KeyError`], each variant but `SignerForm`.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let (name, id, bytes) = parts(text).ok_or(KeyError::VerifierForm)?;
        let key = VerifyingKey::from_bytes(&bytes?).map_err(|_| KeyError::NotAKey)?;
        // Under a key of small order anybody can make signatures that hold.
        if key.is_weak() {
            return Err(KeyError::NotAKey);
        }
        check(&name, id, &key)?;
        Ok(Self { name, key })
    }

    /// Returns the key's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key's id.
    #[must_use]
    pub fn id(&self) -> KeyId {
        KeyId::of(&self.name, &self.key)
    }

    /// Tells whether this key made that signature of that text.
    pub(super) fn verify(&self, text: &[u8], signature: &[u8]) -> bool {
        let signature = ed25519_dalek::Signature::from_slice(signature);
        // Strict: otherwise one signature could hold for several texts or keys, by points of small
        // order.
        signature.is_ok_and(|signature| self.key.verify_strict(text, &signature).is_ok())
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}+{}+{}",
            self.name,
            self.id(),
            encode(self.key.as_bytes())
        )
    }
}

/// A secret key with a name. Its text form is `PRIVATE+KEY+name+id+key`: the id as 8 hexadecimal
/// digits, the key as base64 of the byte 0x01 and the 32 bytes of the seed. It is neither shown by
/// `Debug` nor left in memory when dropped.
pub struct SignerKey {
    /// The key's name, which is part of its id.
    name: String,
    /// The private key. No output shows it.
    key: SigningKey,
}

impl SignerKey {
    /// Makes a key of 32 random bytes, which nobody else may know.
    ///
    /// # Errors
    /// [`KeyError::Name`].
    pub fn generate(name: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        if !is_name(name) {
            return Err(KeyError::Name);
        }
        Ok(Self {
            name: name.to_owned(),
            key: SigningKey::from_bytes(seed),
        })
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// [`KeyError`], each variant but `VerifierForm`.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let (name, id, seed) = text
            .strip_prefix(PRIVATE)
            .and_then(parts)
            .ok_or(KeyError::SignerForm)?;
        let key = SigningKey::from_bytes(&seed?);
        check(&name, id, &key.verifying_key())?;
        Ok(Self { name, key })
    }

    /// The text form, which holds the secret.
    #[must_use]
    pub fn to_secret_text(&self) -> String {
        format!(
            "{PRIVATE}{}+{}+{}",
            self.name,
            self.id(),
            encode(self.key.as_bytes())
        )
    }

    /// Returns the key's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key's id.
    #[must_use]
    pub fn id(&self) -> KeyId {
        KeyId::of(&self.name, &self.key.verifying_key())
    }

    /// The public key, to be given to whoever verifies.
    #[must_use]
    pub fn verifier(&self) -> VerifierKey {
        VerifierKey {
            name: self.name.clone(),
            key: self.key.verifying_key(),
        }
    }

    pub(super) fn sign(&self, text: &[u8]) -> [u8; 64] {
        self.key.sign(text).to_bytes()
    }
}

impl fmt::Debug for SignerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignerKey")
            .field("name", &self.name)
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}

fn encode(key: &[u8; 32]) -> String {
    STANDARD.encode([[ED25519].as_slice(), key].concat())
}

/// The name, the id and the key of `name+id+key`. The key itself may have `+`.
fn parts(text: &str) -> Option<(String, KeyId, Result<[u8; 32], KeyError>)> {
    // A key may come out of a file that somebody else wrote.
    if text.len() > KEY_MAX {
        return None;
    }
    // At most three parts, since base64 has `+` among its characters.
    let mut parts = text.splitn(3, '+');
    let name = parts.next()?;
    let id = KeyId::read(parts.next()?)?;
    let decoded = STANDARD.decode(parts.next()?).ok()?;
    let (algorithm, key) = decoded.split_first()?;
    let key = match (*algorithm, key.try_into()) {
        (ED25519, Ok(key)) => Ok(key),
        (ED25519, Err(_)) => return None,
        (other, _) => Err(KeyError::Algorithm(other)),
    };
    Some((name.to_owned(), id, key))
}

fn check(name: &str, found: KeyId, key: &VerifyingKey) -> Result<(), KeyError> {
    if !is_name(name) {
        return Err(KeyError::Name);
    }
    let expected = KeyId::of(name, key);
    if found == expected {
        Ok(())
    } else {
        Err(KeyError::Id { expected, found })
    }
}
