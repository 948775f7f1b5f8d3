//! The witnesses of a log: anchors and keys that were kept outside of the store.

use std::collections::BTreeSet;

use folkmoot_core::event::HeadSigned;
use folkmoot_core::ids::WorldId;
use folkmoot_proof::anchors::{Anchors, AnchorsError};
use folkmoot_proof::note::{Checkpoint, NoteError, SignedNote, VerifierKey};

use super::report::SignatureVerdict;
use crate::format::header;

/// Anchors and keys.
#[derive(Debug, Clone, Default)]
pub struct Against {
    keys: Vec<VerifierKey>,
    anchors: Vec<(WorldId, Checkpoint)>,
}

/// The reason that anchors cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// The file is not one of anchors.
    #[error(transparent)]
    File(#[from] AnchorsError),
    /// None of the given keys signed one of them, or what is signed was changed.
    #[error("the anchor in line {line}: {source}")]
    Signature {
        /// The first line of the anchor.
        line: usize,
        /// The fault.
        source: NoteError,
    },
}

impl Against {
    /// Knows these keys, and no anchors yet.
    #[must_use]
    pub const fn keys(keys: Vec<VerifierKey>) -> Self {
        Self {
            keys,
            anchors: Vec::new(),
        }
    }

    /// Takes a file of anchors, and says which worlds they are about. Without keys their signatures
    /// are not verified: whoever gives the file vouches for it.
    ///
    /// # Errors
    /// [`AnchorError`]; then none of them is taken.
    pub fn add(&mut self, file: &[u8]) -> Result<Vec<WorldId>, AnchorError> {
        let mut taken = Vec::new();
        for anchor in Anchors::parse(file)?.iter() {
            if !self.keys.is_empty() {
                let verified = anchor.note().verify(&self.keys);
                verified.map_err(|source| AnchorError::Signature {
                    line: anchor.line(),
                    source,
                })?;
            }
            taken.push((header::world(anchor.world()), anchor.checkpoint().clone()));
        }
        let worlds = taken.iter().map(|(world, _)| *world).collect();
        self.anchors.extend(taken);
        Ok(worlds)
    }

    /// Tells whether there is an anchor of `world`.
    #[must_use]
    pub fn is_about(&self, world: WorldId) -> bool {
        self.anchors.iter().any(|(of, _)| *of == world)
    }

    /// The worlds that there are anchors of.
    #[must_use]
    pub fn worlds(&self) -> BTreeSet<WorldId> {
        self.anchors.iter().map(|(world, _)| *world).collect()
    }

    /// Tells whether there is any anchor.
    #[must_use]
    pub const fn has_anchors(&self) -> bool {
        !self.anchors.is_empty()
    }

    /// The anchors of a world, the smallest first.
    pub(crate) fn of(&self, world: WorldId) -> Vec<Checkpoint> {
        let mut anchors: Vec<_> = self
            .anchors
            .iter()
            .filter(|(of, _)| *of == world)
            .map(|(_, anchor)| anchor.clone())
            .collect();
        anchors.sort_by_key(|anchor| anchor.size);
        anchors
    }

    /// Tells whether the key that a head of `world` names signed it.
    pub(crate) fn signature(&self, world: WorldId, signed: &HeadSigned) -> SignatureVerdict {
        let is_named = |key: &&VerifierKey| format!("{}+{}", key.name(), key.id()) == signed.key;
        let keys: Vec<VerifierKey> = self.keys.iter().filter(is_named).cloned().collect();
        let Some(name) = keys.first().map(VerifierKey::name) else {
            return SignatureVerdict::NotChecked;
        };
        let head = &signed.head;
        let world = *world.0.as_bytes();
        let root = *head.root.as_bytes();
        let body = Checkpoint::of_world(world, head.commits, root, head.of.get()).body();
        let note = SignedNote::of_line(&body, name, &signed.signature);
        if note.is_ok_and(|note| note.verify(&keys).is_ok()) {
            SignatureVerdict::Verified
        } else {
            SignatureVerdict::Wrong
        }
    }
}
