//! Erasures: asked for, and done.

use crate::event::{Erased, ErasureRequested, PrefixCause};
use crate::world::World;
use crate::world::opening::fold::opening;

/// From here on nothing is told to anybody until it is done. What models were told so far is given
/// up: they are asked again, without what is gone.
pub(in crate::world) fn request_erasure(world: &mut World, event: &ErasureRequested) {
    world.upkeep.ask_erasure(world.head, event.events.clone());
    opening::lose_model_calls(world);
}

/// Lets all requests begin anew: which memories had any of it is known to those only who had them
/// whole.
pub(in crate::world) fn note_erased(world: &mut World, event: &Erased) {
    world.upkeep.note_erased(event.request);
    begin_chains_anew(world);
}

/// The work of the other world's upkeep stays there. An erasure that is under way there takes
/// content of this world, too, which will not hear of its end.
pub(in crate::world) fn branch_off(world: &mut World) {
    if world.upkeep.is_erasing() {
        begin_chains_anew(world);
    }
    world.upkeep.disown();
}

/// Lets the next request of every agent begin another chain: the one so far covers words that
/// nobody can read again (decision 0020).
fn begin_chains_anew(world: &mut World) {
    for (_, memory) in world.agents.memories_mut() {
        if memory.chain.take().is_some() {
            memory.broken = Some(PrefixCause::Erasure);
        }
    }
}
