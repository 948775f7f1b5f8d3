//! The hashes that a proof is made of, after RFC 6962, sections 2.1.1 and 2.1.2.

use std::ops::Range;

use super::{ProofError, node};
use crate::Hash;

/// A subtree in which no leaf is missing: `2^level` leaves from the leaf `index * 2^level` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subtree {
    /// The height above the leaves; a leaf is at 0.
    pub level: u32,
    /// The number of subtrees of that level before it.
    pub index: u64,
}

/// Proves that the leaf `index` is in the tree of `size` leaves. `hash_of` gives the hashes of
/// whole subtrees.
///
/// # Errors
/// [`ProofError::NoSuchLeaf`], or [`ProofError::Unknown`] if `hash_of` does not know one.
pub fn inclusion_proof(
    index: u64,
    size: u64,
    hash_of: impl Fn(Subtree) -> Option<Hash>,
) -> Result<Vec<Hash>, ProofError> {
    roots(&inclusion(index, size)?, hash_of)
}

/// Proves that the tree of `new` leaves begins with the one of `old` leaves. `hash_of` gives the
/// hashes of whole subtrees. The proof is empty if both are the same tree, or if the old one is
/// empty.
///
/// # Errors
/// [`ProofError::Shrunk`], or [`ProofError::Unknown`] if `hash_of` does not know one.
pub fn consistency_proof(
    old: u64,
    new: u64,
    hash_of: impl Fn(Subtree) -> Option<Hash>,
) -> Result<Vec<Hash>, ProofError> {
    roots(&consistency(old, new)?.spans, hash_of)
}

fn roots(
    spans: &[Range<u64>],
    hash_of: impl Fn(Subtree) -> Option<Hash>,
) -> Result<Vec<Hash>, ProofError> {
    spans.iter().map(|span| root(span, &hash_of)).collect()
}

/// The leaves below each hash of an inclusion proof, the nearest first.
pub(super) fn inclusion(index: u64, size: u64) -> Result<Vec<Range<u64>>, ProofError> {
    if index >= size {
        return Err(ProofError::NoSuchLeaf { index, size });
    }
    let mut within = 0..size;
    let mut path = Vec::new();
    while let Some(middle) = middle(&within) {
        let left = within.start..middle;
        let right = middle..within.end;
        let (inner, beside) = if index < middle {
            (left, right)
        } else {
            (right, left)
        };
        path.push(beside);
        within = inner;
    }
    path.reverse();
    Ok(path)
}

/// The hashes that a consistency proof is made of, by the leaves below them.
pub(super) struct Consistency {
    /// The leaves below each hash, the deepest first.
    pub(super) spans: Vec<Range<u64>>,
    /// True if the proof begins with the old root itself, which therefore does not stand in it.
    pub(super) begins_with_old_root: bool,
}

pub(super) fn consistency(old: u64, new: u64) -> Result<Consistency, ProofError> {
    if old > new {
        return Err(ProofError::Shrunk { old, new });
    }
    if old == 0 {
        return Ok(Consistency {
            spans: Vec::new(),
            begins_with_old_root: true,
        });
    }
    let mut within = 0..new;
    let mut spans = Vec::new();
    while within.end != old {
        let Some(middle) = middle(&within) else { break };
        let left = within.start..middle;
        let right = middle..within.end;
        let (inner, beside) = if old <= middle {
            (left, right)
        } else {
            (right, left)
        };
        spans.push(beside);
        within = inner;
    }
    let begins_with_old_root = within.start == 0;
    if !begins_with_old_root {
        spans.push(within);
    }
    spans.reverse();
    Ok(Consistency {
        spans,
        begins_with_old_root,
    })
}

/// Returns the leaf at which the tree over these leaves is split: behind the largest power of two
/// that is smaller. `None` for one leaf.
const fn middle(span: &Range<u64>) -> Option<u64> {
    let len = span.end - span.start;
    if len < 2 {
        return None;
    }
    let half = 1_u64 << (len - 1).ilog2();
    Some(span.start + half)
}

/// The whole subtrees that the tree over `span` consists of, the largest first. `span` is one of
/// the above, so it begins where a subtree of its largest one's level does.
pub(super) fn subtrees(span: &Range<u64>) -> Vec<Subtree> {
    let len = span.end - span.start;
    let mut at = span.start;
    let mut subtrees = Vec::new();
    for level in (0..u64::BITS).rev().filter(|level| len >> level & 1 == 1) {
        subtrees.push(Subtree {
            level,
            index: at >> level,
        });
        at += 1 << level;
    }
    subtrees
}

fn root(span: &Range<u64>, hash_of: impl Fn(Subtree) -> Option<Hash>) -> Result<Hash, ProofError> {
    let mut root = None;
    for subtree in subtrees(span).into_iter().rev() {
        let left = hash_of(subtree).ok_or(ProofError::Unknown(subtree))?;
        root = Some(root.map_or(left, |right| node(&left, &right)));
    }
    // A span is never empty.
    Ok(root.unwrap_or_default())
}
