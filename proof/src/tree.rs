//! The Merkle tree over a log's commits, after RFC 6962, section 2.1.

use sha2::{Digest as _, Sha256};

use crate::Hash;

/// What begins the input of an inner node.
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

/// A tree that grows: the roots of its whole subtrees, the largest first. It knows its root, and no proofs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    /// One hash per bit that is set in `size`, the highest bit first.
    roots: Vec<Hash>,
}

/// A frontier that cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tree of {size} leaves has {expected} whole subtrees, not {found}")]
pub struct FrontierError {
    /// How many leaves it is said to have.
    pub size: u64,
    /// How many whole subtrees such a tree has.
    pub expected: u32,
    /// How many were given.
    pub found: usize,
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
            Err(FrontierError { size, expected: size.count_ones(), found: roots.len() })
        }
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut right = leaf;
        for _ in 0..self.size.trailing_ones() {
            let Some(left) = self.roots.pop() else { break };
            right = node(&left, &right);
        }
        self.roots.push(right);
        self.size = self.size.saturating_add(1);
    }

    /// How many leaves it has.
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
        let Some(last) = roots.next() else { return Sha256::digest([]).into() };
        roots.fold(last, |right, left| node(&left, &right))
    }
}

#[cfg(test)]
mod tests;
