//! The part of a commit that is hashed: its header, and of each event its kind, its version, its
//! facts and a commitment to its content. So content can be erased, and all hashes stay.

use sha2::{Digest as _, Sha256};

use crate::{Hash, node};

/// The first byte of a leaf's input, after RFC 6962.
const LEAF: u8 = 0;

/// The link before the first commit of a world.
pub const NO_LINK: Hash = [0; 32];

/// Random bytes that keep erased content from being guessed by its commitment.
pub type Salt = [u8; 16];

/// Commits to content without revealing it: SHA-256 over the salt and the content.
#[must_use]
pub fn commitment(salt: &Salt, content: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(salt);
    hasher.update(content);
    hasher.finalize().into()
}

/// An event, as a leaf sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeafEvent<'a> {
    /// The kind of event, by number.
    pub kind: u16,
    /// The schema version.
    pub version: u16,
    /// The facts, which are all that decisions need, as they are stored.
    pub facts: &'a [u8],
    /// The commitment to its content, if this kind has content.
    pub commitment: Option<&'a Hash>,
}

/// The leaf of a commit, on its way.
#[derive(Debug, Clone)]
pub struct Leaf(Sha256);

impl Leaf {
    /// Begins with the commit's header as it is stored.
    #[must_use]
    pub fn new(header: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update([LEAF]);
        hasher.update(header);
        Self(hasher)
    }

    /// Adds the next event.
    pub fn add(&mut self, event: &LeafEvent<'_>) {
        self.0.update(event.kind.to_le_bytes());
        self.0.update(event.version.to_le_bytes());
        self.0.update([u8::from(event.commitment.is_some())]);
        // Facts have no fixed length: without it two events could be cut in another place and give
        // the same bytes. A commitment has one, and a byte says if it is there.
        self.0.update((event.facts.len() as u64).to_le_bytes());
        if let Some(commitment) = event.commitment {
            self.0.update(commitment);
        }
        self.0.update(event.facts);
    }

    /// The leaf.
    #[must_use]
    pub fn finish(self) -> Hash {
        self.0.finalize().into()
    }
}

/// Links a leaf to its predecessor's link.
#[must_use]
pub fn link(previous: &Hash, leaf: &Hash) -> Hash {
    // The chain hashes as the tree does, so that one rule keeps a leaf from passing for a node.
    node(previous, leaf)
}
