//! Secrets that stand for somebody: tokens, sessions and codes. Only their hashes are kept.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The bytes of randomness in a secret.
const RANDOM_BYTES: usize = 32;

/// The kinds of secrets that a server makes, each with a beginning by which it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    /// A token, for as long as its file says.
    Token,
    /// A session, for some hours.
    Session,
    /// A code of a login link, for one use.
    Code,
    /// The one by which the servers of a store know each other.
    Node,
}

impl SecretKind {
    /// The beginning of its secrets.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Token => "fmt_",
            Self::Session => "fms_",
            Self::Code => "fmc_",
            Self::Node => "fmn_",
        }
    }

    /// Tells whether `secret` has its form.
    pub(crate) fn fits(self, secret: &Secret) -> bool {
        secret.0.starts_with(self.prefix())
    }
}

/// A secret. It is shown to nobody by accident: `Debug` says nothing of it, and there is no
/// `Display`.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Takes a text for a secret.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Makes a secret of 256 random bits.
    pub(crate) fn random(kind: SecretKind) -> Result<Self, RandomnessError> {
        let mut random = [0; RANDOM_BYTES];
        getrandom::fill(&mut random).map_err(|error| RandomnessError(error.to_string()))?;
        Ok(Self(format!("{}{}", kind.prefix(), hex(&random))))
    }

    /// The text, for whom it is meant for.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The hash that is kept of it.
    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The machine gave no random numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machine gives no random numbers for a secret: {0}")]
pub struct RandomnessError(String);

/// The SHA-256 of a secret. All of it is random, so that it needs no salt, and that looking it up
/// tells nothing of other secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct SecretHash([u8; 32]);

/// A text is no SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a SHA-256 is written in 64 lower-case hex digits")]
pub(crate) struct HashTextError;

impl SecretHash {
    /// Its bytes.
    pub(crate) const fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// A hash of these bytes; `None` if they are not 32.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its first 10 hex digits, by which people call a token.
    pub(crate) fn short(&self) -> String {
        hex(self.0.get(..5).unwrap_or_default())
    }
}

impl From<SecretHash> for String {
    fn from(hash: SecretHash) -> Self {
        hex(&hash.0)
    }
}

impl TryFrom<String> for SecretHash {
    type Error = HashTextError;

    fn try_from(text: String) -> Result<Self, HashTextError> {
        let digit = |c: u8| match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        };
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() {
            return Err(HashTextError);
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let [high, low] = *pair else {
                return Err(HashTextError);
            };
            *byte = digit(high)
                .zip(digit(low))
                .map(|(high, low)| high << 4 | low)
                .ok_or(HashTextError)?;
        }
        Ok(Self(bytes))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_secrets_are_the_same_and_none_is_shown() {
        let one = Secret::random(SecretKind::Token).unwrap();
        let other = Secret::random(SecretKind::Token).unwrap();
        assert_ne!(one.expose(), other.expose());
        assert_eq!(one.expose().len(), 68);
        assert!(SecretKind::Token.fits(&one) && !SecretKind::Session.fits(&one));
        assert_eq!(format!("{one:?}"), "Secret(…)");
    }

    #[test]
    fn a_hash_is_read_as_it_is_written_and_nothing_else_is() {
        let hash = Secret::new("fmt_x").hash();
        let text = String::from(hash);
        assert_eq!(SecretHash::try_from(text.clone()), Ok(hash));
        let mut longer = text.clone();
        longer.push('0');
        let half = text.get(1..).unwrap().to_owned();
        let accented = format!("é{}", text.get(2..).unwrap());
        for wrong in [text.to_uppercase(), longer, half, accented, String::new()] {
            assert!(SecretHash::try_from(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
