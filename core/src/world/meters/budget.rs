//! Budgets: whether another attempt stays within what models may cost.

use crate::event::SpentLimit;
use crate::ids::{AgentName, EpisodeId};
use crate::model::money::Money;
use crate::spec::Limits;
use crate::world::meters::meter::Settlement;
use crate::world::{Spent, World};

/// The amounts that are held against the two limits of cost.
#[derive(Debug, Clone, Copy)]
pub(in crate::world) struct Used {
    in_all: Money,
    in_episode: Money,
}

impl Used {
    /// Tells whether `wanted` may be set aside beside it: for an attempt, and for the closing call
    /// behind it.
    pub(in crate::world) fn leaves(self, limits: &Limits, wanted: Money) -> Result<(), SpentLimit> {
        let is_within =
            |used: Money, most: Option<Money>| most.is_none_or(|most| used.plus(wanted) <= most);
        if !is_within(self.in_all, limits.cost) {
            Err(SpentLimit::Cost)
        } else if !is_within(self.in_episode, limits.cost_per_episode) {
            Err(SpentLimit::CostPerEpisode)
        } else {
            Ok(())
        }
    }

    /// The limit that leaves least; `None` if there is none.
    pub(in crate::world) fn tightest(self, limits: &Limits) -> Option<SpentLimit> {
        let in_all = limits
            .cost
            .map(|most| (most.minus(self.in_all), SpentLimit::Cost));
        let in_episode = limits
            .cost_per_episode
            .map(|most| (most.minus(self.in_episode), SpentLimit::CostPerEpisode));
        in_all
            .into_iter()
            .chain(in_episode)
            .min_by_key(|(left, _)| *left)
            .map(|(_, limit)| limit)
    }
}

/// Returns what is held against the limits when `agent` wants to spend in `episode`: all that was
/// spent or may have been, the worst case of what is under way, and the closing call of every other
/// open turn. Its own attempt counts as `settled`, where one has ended that is not folded yet.
pub(in crate::world) fn used(
    world: &World,
    agent: &AgentName,
    episode: EpisodeId,
    settled: Option<&Settlement>,
) -> Used {
    let after = |mut spent: Spent| {
        settled
            .into_iter()
            .for_each(|settlement| spent.settle(settlement));
        spent.total()
    };
    let in_episode = world
        .episodes
        .get(&episode)
        .map(|spent| spent.spent)
        .unwrap_or_default();
    Used {
        in_all: after(world.meters.total.spent).plus(held(world, agent, |_| true)),
        in_episode: after(in_episode).plus(held(world, agent, |other| other == episode)),
    }
}

/// Returns the amount that other agents' open turns hold for their closing calls.
fn held(world: &World, agent: &AgentName, is_meant: impl Fn(EpisodeId) -> bool) -> Money {
    // Each of them may still need its closing call, or nobody would hear how it ended
    // (decision 0017).
    let others = world.agents.busy().iter().filter(|name| *name != agent);
    let turns = others.filter_map(|name| world.agents.turn(name));
    turns
        .filter(|turn| is_meant(turn.episode))
        .map(|turn| turn.held)
        .sum()
}
