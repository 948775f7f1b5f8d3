//! What ends a conversation that agents would go on with for ever.

use crate::event::DampReason;
use crate::world::World;
use crate::world::routing::{Route, Said};

/// Takes those off whom `said` may not wake any more: all of them once the episode's hop budget is
/// spent, and the other one of a pair that has only answered each other for too long.
pub(super) fn damp(world: &World, said: &Said<'_>, route: &mut Route) {
    let limits = &world.rules().spec().limits;
    let (hops, in_a_row) = match (
        world.episodes().get(&said.episode),
        route.respond.as_slice(),
    ) {
        (Some(episode), [(only, _)]) => (episode.hops, episode.in_a_row(said.agent, only)),
        (Some(episode), _) => (episode.hops, 0),
        (None, _) => (0, 0),
    };
    let reason = if hops >= limits.hop_budget {
        DampReason::HopBudget
    } else if in_a_row >= limits.pair_messages_max {
        DampReason::Pair
    } else {
        return;
    };
    route.damped = route
        .respond
        .drain(..)
        .map(|(agent, _)| (agent, reason))
        .collect();
}
