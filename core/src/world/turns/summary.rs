//! The request for a summary: an agent's oldest items, and what it is to do with them.

use std::sync::Arc;

use crate::event::Purpose;
use crate::ids::Digest;
use crate::prompt::border::summary_instruction;
use crate::prompt::{Item, fingerprint_next};
use crate::world::memory::{Memory, ModelState, Remembered};

/// The last item of the request.
pub(in crate::world) fn instruction() -> Remembered {
    Remembered::new(summary_instruction(), Arc::default())
}

/// The fingerprint of the request that has the `count` oldest of `items`, and the instruction.
pub(in crate::world) fn fingerprint<'m>(
    start: Digest,
    items: impl Iterator<Item = &'m Remembered>,
    count: usize,
) -> Digest {
    let digests = items
        .take(count)
        .map(|kept| kept.digest)
        .chain([instruction().digest]);
    digests.fold(start, fingerprint_next)
}

impl Memory {
    /// The items that `model` reads.
    pub(in crate::world) fn asked(&self, model: &ModelState) -> Vec<Arc<Item>> {
        let (count, last) = match model.purpose {
            Purpose::Turn | Purpose::Closing => (self.items.len(), None),
            Purpose::Compaction => (model.summarised(), Some(instruction().item)),
        };
        self.items
            .iter()
            .take(count)
            .map(|kept| Arc::clone(&kept.item))
            .chain(last)
            .collect()
    }

    /// The fingerprint of what `model` reads, `start` being its first link.
    pub(in crate::world) fn fingerprint_of(&self, model: &ModelState, start: Digest) -> Digest {
        match model.purpose {
            Purpose::Turn | Purpose::Closing => self.fingerprint(start, 0, &[]),
            Purpose::Compaction => fingerprint(start, self.items.iter(), model.summarised()),
        }
    }
}
