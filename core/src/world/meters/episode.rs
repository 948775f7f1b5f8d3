//! Episodes: everything caused by one message of a person, across all agents.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::event::{CallStatus, Notice, Purpose};
use crate::ids::principal::Person;
use crate::ids::{AgentName, CallId, EpisodeId, PersonName, ToolName};
use crate::spec::rules::Rules;
use crate::world::{Spent, World};

/// An episode: what it has spent, and whether anybody still works on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// The person whose message began it.
    pub author: Option<PersonName>,
    /// Model calls per agent. Further attempts of a call are not counted.
    pub calls: BTreeMap<AgentName, u32>,
    /// Model calls of all agents, those for summaries included.
    pub calls_total: u32,
    /// Calls per tool. Those that ended before anything could become of them are not counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_calls: BTreeMap<ToolName, u32>,
    /// Messages from agent to agent that woke somebody.
    pub hops: u32,
    /// The cost of its model calls.
    #[serde(default)]
    pub spent: Spent,
    /// The two agents that woke only each other last.
    pub pair: Option<Pair>,
    /// The notices that people were told about it: each once.
    pub told: BTreeSet<Told>,
    /// Messages in inboxes and open turns that belong to it. At 0 it is over.
    pub open: u32,
}

/// The episodes that somebody works on or is to work on. What nobody holds is over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::world) struct Episodes(BTreeMap<EpisodeId, Episode>);

impl Episodes {
    pub(in crate::world) const fn all(&self) -> &BTreeMap<EpisodeId, Episode> {
        &self.0
    }

    pub(in crate::world) fn get(&self, id: &EpisodeId) -> Option<&Episode> {
        self.0.get(id)
    }

    pub(in crate::world) fn get_mut(&mut self, id: &EpisodeId) -> Option<&mut Episode> {
        self.0.get_mut(id)
    }

    /// The episode `id`, which begins here if it was not there.
    pub(in crate::world) fn begun(&mut self, id: EpisodeId) -> &mut Episode {
        self.0.entry(id).or_default()
    }

    /// Charges a model call. A summary counts for the episode only.
    pub(in crate::world) fn spend(&mut self, agent: &AgentName, id: EpisodeId, purpose: Purpose) {
        let spent = self.begun(id);
        spent.calls_total = spent.calls_total.saturating_add(1);
        if purpose == Purpose::Compaction {
            return;
        }
        let own = spent.calls.entry(agent.clone()).or_default();
        *own = own.saturating_add(1);
    }

    /// Another message or turn belongs to the episode.
    pub(in crate::world) fn hold(&mut self, id: EpisodeId) {
        let spent = self.begun(id);
        spent.open = spent.open.saturating_add(1);
    }

    /// `count` messages and turns belong to it no longer. It is over with the last one.
    pub(in crate::world) fn release(&mut self, id: EpisodeId, count: usize) {
        let Some(spent) = self.0.get_mut(&id) else {
            return;
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        spent.open = spent.open.saturating_sub(count);
        if spent.open == 0 {
            self.0.remove(&id);
        }
    }

    /// Lets go of all episodes, and keeps those of `held` until [`Self::end_unheld`].
    pub(in crate::world) fn release_all(&mut self, held: &[EpisodeId]) {
        self.0.retain(|id, episode| {
            episode.open = 0;
            held.contains(id)
        });
    }

    /// Ends the episodes that nobody holds.
    pub(in crate::world) fn end_unheld(&mut self) {
        self.0.retain(|_, episode| episode.open > 0);
    }
}

/// Two agents that wake only each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Both, in the order of their names.
    pub agents: (AgentName, AgentName),
    /// The number of messages in a row.
    pub messages: u32,
}

/// A notice that people are told once in an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// An agent can ask no model any more.
    Limit,
    /// The messages from agent to agent are used up.
    HopBudget,
    /// Two agents only answered each other.
    Pair,
}

impl Told {
    /// Returns the part of `notice` that is told once.
    pub(in crate::world) const fn of(notice: &Notice) -> Option<Self> {
        match notice {
            Notice::LimitReached { .. } => Some(Self::Limit),
            Notice::HopBudgetSpent { .. } => Some(Self::HopBudget),
            Notice::PairDamped { .. } => Some(Self::Pair),
            Notice::Undeliverable { .. }
            | Notice::NobodyAnswers { .. }
            | Notice::OnlyNamed { .. }
            | Notice::AgentWaits { .. }
            | Notice::InboxFull { .. }
            | Notice::ServiceEpisodesSpent { .. }
            | Notice::TurnFailed { .. }
            | Notice::RequestExpired { .. }
            | Notice::OutcomeUnknown { .. } => None,
        }
    }
}

impl Episode {
    /// Returns the number of messages in a row that `one` and `other` have woken each other and
    /// nobody else with.
    #[must_use]
    pub fn in_a_row(&self, one: &AgentName, other: &AgentName) -> u32 {
        let is_it = |pair: &&Pair| pair.agents == in_order(one, other);
        self.pair
            .as_ref()
            .filter(is_it)
            .map_or(0, |pair| pair.messages)
    }

    /// Counts a message of `from` that wakes `woken`.
    pub(in crate::world) fn hop<'a>(
        &mut self,
        from: &AgentName,
        mut woken: impl Iterator<Item = &'a AgentName>,
    ) {
        let Some(first) = woken.next() else { return };
        self.hops = self.hops.saturating_add(1);
        self.pair = woken.next().is_none().then(|| Pair {
            messages: self.in_a_row(from, first).saturating_add(1),
            agents: in_order(from, first),
        });
    }
}

fn in_order(one: &AgentName, other: &AgentName) -> (AgentName, AgentName) {
    if one < other {
        (one.clone(), other.clone())
    } else {
        (other.clone(), one.clone())
    }
}

/// Returns the next model call of `agent` in `episode`; `None` if it can afford none.
///
/// Each open turn holds a reservation of one closing call, so that people always get an answer: a
/// call with tools is affordable only if a closing call stays affordable behind it.
pub(in crate::world) fn affords(
    world: &World,
    rules: &Rules,
    agent: &AgentName,
    episode: EpisodeId,
) -> Option<Purpose> {
    let limits = &rules.spec().limits;
    let spent = world.episodes.get(&episode);
    let own = spent
        .and_then(|spent| spent.calls.get(agent))
        .copied()
        .unwrap_or_default();
    let all = spent
        .map_or(0, |spent| spent.calls_total)
        .saturating_add(reserved(world, agent, episode));
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

/// Tells whether the episode can pay for a summary and for the call `wanted` behind it, with its
/// closing call in reserve.
pub(in crate::world) fn affords_summary(
    world: &World,
    rules: &Rules,
    agent: &AgentName,
    episode: EpisodeId,
    wanted: Purpose,
) -> bool {
    let spent = world
        .episodes
        .get(&episode)
        .map_or(0, |spent| spent.calls_total);
    let needed = match wanted {
        Purpose::Turn => 3,
        Purpose::Closing => 2,
        Purpose::Compaction => return false,
    };
    let all = spent
        .saturating_add(reserved(world, agent, episode))
        .saturating_add(needed);
    all <= rules.spec().limits.model_calls_per_episode
}

/// The closing calls that other agents' open turns of the episode hold in reserve.
fn reserved(world: &World, agent: &AgentName, episode: EpisodeId) -> u32 {
    let holds = |name: &&AgentName| {
        let turn = world.agents.turn(name);
        *name != agent
            && turn.is_some_and(|turn| {
                turn.episode == episode
                    && turn
                        .model
                        .as_ref()
                        .is_none_or(|model| model.purpose != Purpose::Closing)
            })
    };
    u32::try_from(world.agents.busy().iter().filter(holds).count()).unwrap_or(u32::MAX)
}

/// The people who led to the `count` oldest messages that wait for `agent`.
pub(in crate::world) fn began_by<'w>(
    world: &'w World,
    agent: &AgentName,
    count: usize,
) -> impl Iterator<Item = &'w Person> {
    let inbox = world
        .agents
        .memory(agent)
        .into_iter()
        .flat_map(|memory| &memory.inbox);
    inbox.take(count).flat_map(|message| &message.began_by)
}

/// Counts a call of `tool` in the episode of `agent`'s open turn.
pub(in crate::world) fn count_call(world: &mut World, agent: &AgentName, tool: &ToolName) {
    let turn = world.agents.turn(agent);
    let Some(episode) = turn.map(|turn| turn.episode) else {
        return;
    };
    let count = world
        .episodes
        .begun(episode)
        .tool_calls
        .entry(tool.clone())
        .or_default();
    *count = count.saturating_add(1);
}

/// Takes an open call that is about to end as `status` out of the count again, if it never could do
/// anything.
pub(in crate::world) fn discount_call(
    world: &mut World,
    agent: &AgentName,
    call: CallId,
    status: &CallStatus,
) {
    if !ends_unmade(status) {
        return;
    }
    let Some(memory) = world.agents.memory(agent) else {
        return;
    };
    let Some(tool) = memory
        .open_calls
        .get(&call)
        .and_then(|open| open.tool.as_ref())
    else {
        return;
    };
    let spent = memory
        .turn
        .as_ref()
        .and_then(|turn| world.episodes.get_mut(&turn.episode));
    if let Some(count) = spent.and_then(|spent| spent.tool_calls.get_mut(tool)) {
        *count = count.saturating_sub(1);
    }
}

/// Tells whether a call that ended so was turned away when it was taken up, before it was held
/// against a quota.
const fn ends_unmade(status: &CallStatus) -> bool {
    match status {
        CallStatus::ToolsDisabled
        | CallStatus::TooMany
        | CallStatus::Missing
        | CallStatus::Invalid(_)
        | CallStatus::Forbidden
        | CallStatus::QuotaSpent => true,
        CallStatus::Done
        | CallStatus::Failed(_)
        | CallStatus::Denied
        | CallStatus::NotAllowed
        | CallStatus::DeniedBefore
        | CallStatus::Expired
        | CallStatus::Cancelled
        | CallStatus::Superseded
        | CallStatus::Unknown(_)
        | CallStatus::SettledRan
        | CallStatus::SettledNotRun
        | CallStatus::Answered(_)
        | CallStatus::Unanswered(_)
        | CallStatus::NoSuchAgent
        | CallStatus::WouldDeadlock
        | CallStatus::TooDeep
        | CallStatus::HopBudget
        | CallStatus::NotAlone
        | CallStatus::HandedOff => false,
    }
}
