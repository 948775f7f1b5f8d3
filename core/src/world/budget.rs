//! Whether another attempt stays within what models may cost.

use super::World;
use crate::event::SpentLimit;
use crate::ids::{AgentName, EpisodeId};
use crate::money::Money;
use crate::rules::Rules;

impl World {
    /// Whether `agent` may set `wanted` aside in `episode`: for an attempt, and for the closing call behind it.
    ///
    /// What is held against a limit is all that was spent or may have been, the worst case of what is under way, and the
    /// closing call of every other open turn.
    pub(super) fn fits_cost(
        &self,
        rules: &Rules,
        agent: &AgentName,
        episode: EpisodeId,
        wanted: Money,
    ) -> Result<(), SpentLimit> {
        let limits = &rules.spec().limits;
        let in_all = self.meters.total.spent.total().plus(self.held(agent, |_| true));
        let in_episode = self.episodes.get(&episode).map(|spent| spent.spent.total()).unwrap_or_default();
        let in_episode = in_episode.plus(self.held(agent, |other| other == episode));
        let is_within = |used: Money, most: Option<Money>| most.is_none_or(|most| used.plus(wanted) <= most);
        if !is_within(in_all, limits.cost) {
            Err(SpentLimit::Cost)
        } else if !is_within(in_episode, limits.cost_per_episode) {
            Err(SpentLimit::CostPerEpisode)
        } else {
            Ok(())
        }
    }

    /// What other agents' open turns hold for their closing calls.
    fn held(&self, agent: &AgentName, is_meant: impl Fn(EpisodeId) -> bool) -> Money {
        let others = self.busy.iter().filter(|name| *name != agent);
        let turns = others.filter_map(|name| self.memories.get(name)?.turn.as_ref());
        turns.filter(|turn| is_meant(turn.episode)).map(|turn| turn.held).sum()
    }
}
