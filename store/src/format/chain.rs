//! The chain of a world, in the store's own types: one leaf per commit, each linked with its
//! predecessor's link.

use folkmoot_core::ids::Digest;
use folkmoot_proof::Hash;
use folkmoot_proof::leaf::{self, Leaf, LeafEvent};

use crate::format::event::EventRef;

/// The link that the first commit of a world follows.
pub(crate) const NO_LINK: Digest = Digest::new(leaf::NO_LINK);

/// Adds an event to a leaf. Its content counts through the commitment only, so that it can be
/// erased.
pub(crate) fn add(leaf: &mut Leaf, event: &EventRef<'_>) {
    let commitment = event.commitment();
    leaf.add(&LeafEvent {
        kind: event.kind,
        version: event.version,
        facts: event.facts,
        commitment: commitment.as_ref(),
    });
}

/// The leaf of a commit with this header and these events.
pub(crate) fn leaf(header: &[u8], events: &[EventRef<'_>]) -> Hash {
    let mut leaf = Leaf::new(header);
    events.iter().for_each(|event| add(&mut leaf, event));
    leaf.finish()
}

/// Links a leaf to its predecessor's link.
pub(crate) fn link(previous: &Digest, leaf: &Hash) -> Digest {
    Digest::new(leaf::link(previous.as_bytes(), leaf))
}
