//! The layers that an agent works by.

use std::borrow::Cow;

use crate::ids::AgentName;
use crate::prompt::Layer;
use crate::prompt::border::written;
use crate::world::World;

/// Returns the words of people that `agent` works by: those of its open turn, else what is in
/// force.
pub(in crate::world) fn layers_of<'w>(world: &'w World, agent: &AgentName) -> Cow<'w, [Layer]> {
    match world.agents.turn(agent) {
        Some(turn) => Cow::Borrowed(&turn.layers),
        None => Cow::Owned(
            world
                .spec_text
                .present()
                .map(|text| written(text, agent))
                .unwrap_or_default(),
        ),
    }
}
