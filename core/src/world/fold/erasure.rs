//! Erasures: asked for, and done.

use crate::event::{Erased, ErasureRequested, PrefixCause};
use crate::world::World;

impl World {
    /// From here on nothing is told to anybody until it is done. What models were told so far is given up: they are asked
    /// again, without what is gone.
    pub(super) fn request_erasure(&mut self, event: &ErasureRequested) {
        self.upkeep.ask_erasure(self.head, event.events.clone());
        self.lose_model_calls();
    }

    /// Lets all requests begin anew: which memories had any of it is known to those only who had them whole.
    pub(super) fn note_erased(&mut self, event: &Erased) {
        self.upkeep.note_erased(event.request);
        for memory in self.memories.values_mut() {
            if memory.chain.take().is_some() {
                memory.broken = Some(PrefixCause::Erasure);
            }
        }
    }
}
