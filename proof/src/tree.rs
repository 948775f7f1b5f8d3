//! The Merkle tree over a log's commits, after RFC 6962, section 2.1.

use sha2::{Digest as _, Sha256};

use crate::Hash;

mod path;
mod prover;
#[cfg(test)]
mod tests;
mod verify;

pub use path::{Subtree, consistency_proof, inclusion_proof};
pub use prover::Prover;
pub use verify::{verify_consistency, verify_inclusion};

/// The first byte of an inner node's input, after RFC 6962: no node can pass for a leaf.
const NODE: u8 = 1;

/// The hash of the node above two others.
#[must_use]
pub fn node(left: &Hash, right: &Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([NODE]);
    hasher.update(left);
    hasher.update(right);
    hasher.finalize().into()
}

/// A tree that grows: the roots of its whole subtrees, the largest first. It knows its root, and no
/// proofs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    /// The number of leaves.
    size: u64,
    /// The roots of the whole subtrees, one for each bit that is set in `size`, the highest bit
    /// first. Empty for a tree without leaves.
    roots: Vec<Hash>,
}

/// A frontier that cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tree of {size} leaves has {expected} whole subtrees, not {found}")]
pub struct FrontierError {
    /// The number of leaves that the tree is said to have.
    pub size: u64,
    /// The number of whole subtrees of such a tree.
    pub expected: u32,
    /// The number of hashes that were given.
    pub found: usize,
}

/// A fault of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The tree is smaller.
    #[error("a tree of {size} leaves has no leaf {index}; the first one is 0")]
    NoSuchLeaf {
        /// The leaf, the first being 0.
        index: u64,
        /// The number of the tree's leaves.
        size: u64,
    },
    /// The old tree is the larger one.
    #[error("a tree of {new} leaves cannot have grown out of one of {old}")]
    Shrunk {
        /// The number of the old tree's leaves.
        old: u64,
        /// The number of the new tree's leaves.
        new: u64,
    },
    /// A hash that the proof is made of was not kept.
    #[error("the hash of subtree {} at level {} is not known: ask for a proof before its leaves are added", .0.index, .0.level)]
    Unknown(Subtree),
    /// A proof that is too long or too short for a leaf of that index, or for trees of these sizes.
    #[error("the proof has {found} hashes; for trees of that size it would have {expected}")]
    Length {
        /// The number of hashes in such a proof.
        expected: usize,
        /// The number of hashes in this one.
        found: usize,
    },
    /// The leaf is not in that tree at that place.
    #[error("the proof does not lead to the root of the tree: the leaf is not there")]
    NotIncluded,
    /// The new tree does not begin with the old one.
    #[error("the proof does not lead to both roots: the new tree does not begin with the old one")]
    NotConsistent,
}

impl Frontier {
    /// Puts a frontier together again from what [`Frontier::size`] and [`Frontier::roots`] gave.
    ///
    /// # Errors
    /// [`FrontierError`] if there are not as many roots as a tree of that size has.
    pub fn from_parts(size: u64, roots: Vec<Hash>) -> Result<Self, FrontierError> {
        if usize::try_from(size.count_ones()) == Ok(roots.len()) {
            Ok(Self { size, roots })
        } else {
            Err(FrontierError {
                size,
                expected: size.count_ones(),
                found: roots.len(),
            })
        }
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: Hash) {
        self.push_each(leaf, |_, _| {});
    }

    /// Adds a leaf, and hands out each subtree that is whole with it, the leaf itself first.
    fn push_each(&mut self, leaf: Hash, mut each: impl FnMut(Subtree, &Hash)) {
        let mut right = leaf;
        let mut subtree = Subtree {
            level: 0,
            index: self.size,
        };
        each(subtree, &right);
        // As in adding one to a binary number: each low bit that is set is a subtree that the leaf
        // completes.
        for _ in 0..self.size.trailing_ones() {
            let Some(left) = self.roots.pop() else { break };
            right = node(&left, &right);
            subtree = Subtree {
                level: subtree.level + 1,
                index: subtree.index >> 1,
            };
            each(subtree, &right);
        }
        self.roots.push(right);
        self.size = self.size.saturating_add(1);
    }

    /// Returns the number of leaves.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The roots of its whole subtrees, the largest first.
    #[must_use]
    pub fn roots(&self) -> &[Hash] {
        &self.roots
    }

    /// The root; of an empty tree SHA-256 of nothing.
    #[must_use]
    pub fn root(&self) -> Hash {
        let mut roots = self.roots.iter().rev().copied();
        let Some(last) = roots.next() else {
            return Sha256::digest([]).into();
        };
        roots.fold(last, |right, left| node(&left, &right))
    }
}
