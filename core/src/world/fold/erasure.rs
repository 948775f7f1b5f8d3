//! Erasures: asked for, and done.

use crate::event::{Erased, ErasureRequested, PrefixCause, Span};
use crate::ids::Position;
use crate::world::World;

impl World {
    /// From here on nothing is told to anybody until it is done. What models were told so far is given up: they are asked
    /// again, without what is gone.
    pub(super) fn request_erasure(&mut self, event: &ErasureRequested) {
        self.erasures.insert(self.head, event.events.clone());
        self.lose_model_calls();
    }

    /// Which memories had any of it is known to those only who had them whole: all requests begin anew.
    pub(super) fn note_erased(&mut self, event: &Erased) {
        self.erasures.remove(&event.request);
        for memory in self.memories.values_mut() {
            if memory.chain.take().is_some() {
                memory.broken = Some(PrefixCause::Erasure);
            }
        }
    }

    /// Whether content is still to be erased. Until then nothing else is owed, and no fold is to be saved.
    #[must_use]
    pub fn is_erasing(&self) -> bool {
        !self.erasures.is_empty()
    }

    /// What a request wants erased, in order; nothing if it is done, or if there is no such request.
    #[must_use]
    pub fn to_be_erased(&self, request: Position) -> &[Span] {
        self.erasures.get(&request).map_or(&[], Vec::as_slice)
    }
}
