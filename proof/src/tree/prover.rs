//! Making proofs while leaves go by.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Frontier, ProofError, Subtree, path};
use crate::Hash;

/// A tree that grows, and keeps what the proofs that were asked of it need: at most 64 hashes for
/// each, whatever the number of leaves. Ask first, then add the leaves, then take the proofs.
#[derive(Debug, Clone, Default)]
pub struct Prover {
    tree: Frontier,
    kept: BTreeMap<Subtree, Option<Hash>>,
}

impl Prover {
    /// Asks for the proof that the leaf `index` is in the tree of `size` leaves.
    ///
    /// # Errors
    /// [`ProofError::NoSuchLeaf`].
    pub fn want_inclusion(&mut self, index: u64, size: u64) -> Result<(), ProofError> {
        path::inclusion(index, size).map(|spans| self.keep(&spans))
    }

    /// Asks for the proof that the tree of `new` leaves begins with the one of `old` leaves.
    ///
    /// # Errors
    /// [`ProofError::Shrunk`].
    pub fn want_consistency(&mut self, old: u64, new: u64) -> Result<(), ProofError> {
        path::consistency(old, new).map(|proof| self.keep(&proof.spans))
    }

    fn keep(&mut self, spans: &[Range<u64>]) {
        for subtree in spans.iter().flat_map(path::subtrees) {
            self.kept.entry(subtree).or_default();
        }
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let kept = &mut self.kept;
        self.tree.push_each(leaf, |subtree, hash| {
            if let Some(place) = kept.get_mut(&subtree) {
                *place = Some(*hash);
            }
        });
    }

    /// The tree so far.
    #[must_use]
    pub const fn tree(&self) -> &Frontier {
        &self.tree
    }

    /// The proof that the leaf `index` is in the tree of `size` leaves.
    ///
    /// # Errors
    /// [`ProofError::NoSuchLeaf`]; [`ProofError::Unknown`] if it was not asked for, or if leaves
    /// are missing.
    pub fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Hash>, ProofError> {
        path::inclusion_proof(index, size, |subtree| self.hash_of(subtree))
    }

    /// The proof that the tree of `new` leaves begins with the one of `old` leaves.
    ///
    /// # Errors
    /// [`ProofError::Shrunk`]; [`ProofError::Unknown`] if it was not asked for, or if leaves are
    /// missing.
    pub fn consistency(&self, old: u64, new: u64) -> Result<Vec<Hash>, ProofError> {
        path::consistency_proof(old, new, |subtree| self.hash_of(subtree))
    }

    fn hash_of(&self, subtree: Subtree) -> Option<Hash> {
        self.kept.get(&subtree).copied().flatten()
    }
}
