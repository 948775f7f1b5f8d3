//! Everything caused by one message of a person, across all agents.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::World;
use crate::event::Purpose;
use crate::ids::{AgentName, EpisodeId, PersonName};
use crate::rules::Rules;

/// What an episode has spent, and whether anybody still works on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// The person whose message began it.
    pub author: Option<PersonName>,
    /// Model calls per agent. Further attempts of a call are not counted.
    pub calls: BTreeMap<AgentName, u32>,
    /// Model calls of all agents.
    pub calls_total: u32,
    /// Agents about whose limit people were told.
    pub told: BTreeSet<AgentName>,
    /// Messages in inboxes and open turns that belong to it. At 0 it is over.
    pub open: u32,
}

impl World {
    /// What the next model call of `agent` in `episode` may be; `None` if it can afford none.
    ///
    /// Each open turn holds a reservation of one closing call, so that people always get an answer: a call with tools
    /// is affordable only if a closing call stays affordable behind it.
    pub(super) fn affords(&self, rules: &Rules, agent: &AgentName, episode: EpisodeId) -> Option<Purpose> {
        let limits = &rules.spec().limits;
        let spent = self.episodes.get(&episode);
        let own = spent.and_then(|spent| spent.calls.get(agent)).copied().unwrap_or_default();
        let all = spent.map_or(0, |spent| spent.calls_total).saturating_add(self.reserved(agent, episode));
        let fits = |calls: u32| {
            own.saturating_add(calls) <= limits.model_calls_per_agent
                && all.saturating_add(calls) <= limits.model_calls_per_episode
        };
        match (fits(2), fits(1)) {
            (true, _) => Some(Purpose::Turn),
            (false, true) => Some(Purpose::Closing),
            (false, false) => None,
        }
    }

    /// The closing calls that other agents' open turns of the episode hold in reserve.
    fn reserved(&self, agent: &AgentName, episode: EpisodeId) -> u32 {
        let holds = |name: &&AgentName| {
            let turn = self.memories.get(*name).and_then(|memory| memory.turn.as_ref());
            *name != agent
                && turn.is_some_and(|turn| {
                    turn.episode == episode && turn.model.as_ref().is_none_or(|model| model.purpose == Purpose::Turn)
                })
        };
        u32::try_from(self.busy.iter().filter(holds).count()).unwrap_or(u32::MAX)
    }

    pub(super) fn spend(&mut self, agent: &AgentName, episode: EpisodeId) {
        let spent = self.episodes.entry(episode).or_default();
        spent.calls_total = spent.calls_total.saturating_add(1);
        let own = spent.calls.entry(agent.clone()).or_default();
        *own = own.saturating_add(1);
    }

    pub(super) fn hold(&mut self, episode: EpisodeId) {
        let spent = self.episodes.entry(episode).or_default();
        spent.open = spent.open.saturating_add(1);
    }

    pub(super) fn release(&mut self, episode: EpisodeId, count: usize) {
        let Some(spent) = self.episodes.get_mut(&episode) else { return };
        spent.open = spent.open.saturating_sub(u32::try_from(count).unwrap_or(u32::MAX));
        if spent.open == 0 {
            self.episodes.remove(&episode);
        }
    }
}
