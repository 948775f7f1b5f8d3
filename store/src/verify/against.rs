//! What a log is compared with: anchors and keys that were kept outside of the store.

use folkmoot_core::event::HeadSigned;
use folkmoot_core::ids::WorldId;
use folkmoot_proof::note::{Checkpoint, CheckpointError, NoteError, SignedNote, VerifierKey};

use super::report::SignatureVerdict;
use crate::format::header;

/// Anchors and keys.
#[derive(Debug, Clone, Default)]
pub struct Against {
    keys: Vec<VerifierKey>,
    anchors: Vec<(WorldId, Checkpoint)>,
}

/// Why an anchor cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// It is no signed note, or none of the given keys signed it.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// It is a note about something else.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// It is about something that is no world.
    #[error("the anchor is about `{origin}`, which is no world of this program")]
    Origin {
        /// What it says that it is about.
        origin: String,
    },
}

impl Against {
    /// Knows these keys, and no anchors yet.
    #[must_use]
    pub const fn keys(keys: Vec<VerifierKey>) -> Self {
        Self { keys, anchors: Vec::new() }
    }

    /// Takes an anchor, and says which world it is about. Without keys its signature is not verified: whoever gives the
    /// file vouches for it.
    ///
    /// # Errors
    /// [`AnchorError`].
    pub fn add(&mut self, anchor: &[u8]) -> Result<WorldId, AnchorError> {
        let note = SignedNote::parse(anchor)?;
        if !self.keys.is_empty() {
            note.verify(&self.keys)?;
        }
        let checkpoint = Checkpoint::parse(note.text())?;
        let world = checkpoint.world().map(header::world);
        let world = world.ok_or_else(|| AnchorError::Origin { origin: checkpoint.origin.clone() })?;
        self.anchors.push((world, checkpoint));
        Ok(world)
    }

    /// The anchors of a world, the smallest first.
    pub(crate) fn of(&self, world: WorldId) -> Vec<Checkpoint> {
        let mut anchors: Vec<_> =
            self.anchors.iter().filter(|(of, _)| *of == world).map(|(_, anchor)| anchor.clone()).collect();
        anchors.sort_by_key(|anchor| anchor.size);
        anchors
    }

    /// Whether the key that a head of `world` names signed it.
    pub(crate) fn signature(&self, world: WorldId, signed: &HeadSigned) -> SignatureVerdict {
        let is_named = |key: &&VerifierKey| format!("{}+{}", key.name(), key.id()) == signed.key;
        let keys: Vec<VerifierKey> = self.keys.iter().filter(is_named).cloned().collect();
        let Some(name) = keys.first().map(VerifierKey::name) else { return SignatureVerdict::NotChecked };
        let head = &signed.head;
        let (world, root) = (*world.0.as_bytes(), *head.root.as_bytes());
        let body = Checkpoint::of_world(world, head.commits, root, head.of.get()).body();
        let note = SignedNote::parse(format!("{body}\n\u{2014} {name} {}\n", signed.signature).as_bytes());
        if note.is_ok_and(|note| note.verify(&keys).is_ok()) {
            SignatureVerdict::Verified
        } else {
            SignatureVerdict::Wrong
        }
    }
}
