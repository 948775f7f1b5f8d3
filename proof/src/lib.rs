//! Proofs of a log of Folkmoot, without the runtime.
//!
//! A world's commits are the leaves of a Merkle tree after RFC 6962, and each is linked to the one
//! before it. Whoever holds a root of that tree can tell whether a log has been changed since. This
//! crate deliberately reads no store, and decides nothing: it has hashes, trees, proofs and
//! signatures, and a checker of evidence that knows what a few kinds of events say, so that it can
//! be read in an hour.
//!
//! Read first: [`leaf`] (what is hashed of a commit), [`Frontier`] (the tree of a log that grows)
//! with [`Prover`], [`note`] (how its root is signed), and [`bundle`] (commits that prove
//! themselves elsewhere).
//!
//! ```
//! use folkmoot_proof::{Frontier, leaf::Leaf};
//!
//! let mut tree = Frontier::default();
//! tree.push(Leaf::new(b"the header of a commit").finish());
//! assert_eq!(tree.size(), 1);
//! ```

pub mod leaf;

mod tree;

mod world;

pub mod note;

pub mod anchors;

pub mod bundle;

pub use tree::{
    Frontier, FrontierError, ProofError, Prover, Subtree, consistency_proof, inclusion_proof, node,
    verify_consistency, verify_inclusion,
};

/// A SHA-256 hash.
pub type Hash = [u8; 32];
