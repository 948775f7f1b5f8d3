//! The chain of a world: one leaf per commit, each linked with its predecessor's link.

use folkmoot_core::ids::Digest;
use sha2::{Digest as _, Sha256};

use crate::format::event::EventRef;

/// Random bytes that keep erased content from being guessed by its commitment.
pub(crate) type Salt = [u8; 16];

/// SHA-256 over salt and content.
pub(crate) type Commitment = [u8; 32];

const LEAF: u8 = 0;
const LINK: u8 = 1;

/// Commits to content without revealing it.
pub(crate) fn commitment(salt: &Salt, content: &[u8]) -> Commitment {
    let mut hasher = Sha256::new();
    hasher.update(salt);
    hasher.update(content);
    hasher.finalize().into()
}

/// Hashes a commit's header and the headers and facts of its events.
#[derive(Debug)]
pub(crate) struct Leaf(Sha256);

impl Leaf {
    /// Begins with the commit header as it is stored.
    pub(crate) fn new(header: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update([LEAF]);
        hasher.update(header);
        Self(hasher)
    }

    /// Adds an event. Its content counts through `commitment` only, so that it can be erased.
    pub(crate) fn add(&mut self, event: &EventRef<'_>, commitment: Option<&Commitment>) {
        self.0.update(event.kind.to_le_bytes());
        self.0.update(event.version.to_le_bytes());
        self.0.update([u8::from(commitment.is_some())]);
        self.0.update((event.facts.len() as u64).to_le_bytes());
        if let Some(commitment) = commitment {
            self.0.update(commitment);
        }
        self.0.update(event.facts);
    }

    /// The leaf.
    pub(crate) fn finish(self) -> Digest {
        Digest::new(self.0.finalize().into())
    }
}

/// Links a leaf to its predecessor's link. The first commit of a world follows 32 zero bytes.
pub(crate) fn link(previous: &Digest, leaf: &Digest) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update([LINK]);
    hasher.update(previous.as_bytes());
    hasher.update(leaf.as_bytes());
    Digest::new(hasher.finalize().into())
}

/// What the first commit of a world follows.
pub(crate) const NO_LINK: Digest = Digest::new([0; 32]);
