//! Verifying proofs. They mean what the proofs of RFC 9162, sections 2.1.3 and 2.1.4, mean.

use sha2::{Digest as _, Sha256};

use super::{ProofError, node, path};
use crate::Hash;

/// Verifies that `leaf` is the leaf `index` of the tree of `size` leaves whose root is `root`.
///
/// # Errors
/// [`ProofError`]: each variant but `Shrunk`, `Unknown` and `NotConsistent`.
pub fn verify_inclusion(
    leaf: &Hash,
    index: u64,
    size: u64,
    proof: &[Hash],
    root: &Hash,
) -> Result<(), ProofError> {
    let path = path::inclusion(index, size)?;
    // A longer proof is refused too: hashes that nobody looks at could carry anything.
    check_length(path.len(), proof.len())?;
    let found = path.iter().zip(proof).fold(*leaf, |inner, (beside, hash)| {
        if beside.start > index {
            node(&inner, hash)
        } else {
            node(hash, &inner)
        }
    });
    if found == *root {
        Ok(())
    } else {
        Err(ProofError::NotIncluded)
    }
}

/// Verifies that the tree of `new_size` leaves whose root is `new_root` begins with the one of
/// `old_size` leaves whose root is `old_root`. Every tree begins with the empty one.
///
/// # Errors
/// [`ProofError`]: each variant but `NoSuchLeaf`, `Unknown` and `NotIncluded`.
pub fn verify_consistency(
    old_size: u64,
    old_root: &Hash,
    new_size: u64,
    new_root: &Hash,
    proof: &[Hash],
) -> Result<(), ProofError> {
    let path = path::consistency(old_size, new_size)?;
    check_length(path.spans.len(), proof.len())?;
    if old_size == 0 {
        // The proof is empty here, so the root of the empty tree is all that there is to check.
        return if *old_root == Hash::from(Sha256::digest([])) {
            Ok(())
        } else {
            Err(ProofError::NotConsistent)
        };
    }
    let mut steps = path.spans.iter().zip(proof);
    let first = if path.begins_with_old_root {
        Some(old_root)
    } else {
        steps.next().map(|(_, hash)| hash)
    };
    // `first` is there: a proof for other than empty trees has at least one hash, or begins with
    // the root.
    let (mut old, mut new) = first.map_or(([0; 32], [0; 32]), |first| (*first, *first));
    for (beside, hash) in steps {
        if beside.start >= old_size {
            new = node(&new, hash);
        } else {
            old = node(hash, &old);
            new = node(hash, &new);
        }
    }
    if (old, new) == (*old_root, *new_root) {
        Ok(())
    } else {
        Err(ProofError::NotConsistent)
    }
}

const fn check_length(expected: usize, found: usize) -> Result<(), ProofError> {
    if expected == found {
        Ok(())
    } else {
        Err(ProofError::Length { expected, found })
    }
}
