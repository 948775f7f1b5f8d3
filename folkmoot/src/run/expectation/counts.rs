//! Counting what happened.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{
    CallEvent, CloseReason, Event, ModelCalled, Notice, Purpose, TalkEvent, TurnEvent, WorldEvent,
};
use folkmoot_core::ids::{AgentName, Attempt, CallId, ToolName, TurnId};
use folkmoot_core::model::money::Money;
use folkmoot_core::spec::WorldSpec;
use folkmoot_core::world::World;

use super::{Differs, events, number, same};
use crate::script::{Budget, Calls};

/// Calls that were started, by tool. Further attempts of a call do not count, and neither does a call that runs in the
/// place of one that was started: to the agent that asked, both are one.
pub(super) fn tool_runs(commits: &[Commit]) -> BTreeMap<ToolName, u32> {
    let mut admitted: BTreeMap<CallId, (ToolName, CallId)> = BTreeMap::new();
    let mut started = BTreeSet::new();
    for event in events(commits) {
        if let Event::Call(CallEvent::CallsAdmitted(calls)) = event {
            for call in &calls.calls {
                let Some(tool) = call.tool.clone() else {
                    continue;
                };
                let first = call
                    .origin
                    .map(|origin| admitted.get(&origin).map_or(origin, |(_, first)| *first));
                admitted.insert(call.call, (tool, first.unwrap_or(call.call)));
            }
        }
        if let Event::Call(CallEvent::ToolStarted(start)) = event
            && start.attempt == Attempt(1)
            && let Some(entry) = admitted.get(&start.call)
        {
            started.insert(entry.clone());
        }
    }
    let mut runs = BTreeMap::new();
    for (tool, _) in started {
        let count: &mut u32 = runs.entry(tool).or_default();
        *count += 1;
    }
    runs
}

/// The model calls of `commits`, further attempts left out, with what each was for.
fn calls(commits: &[Commit]) -> impl Iterator<Item = &ModelCalled> {
    events(commits)
        .filter_map(called)
        .filter(|called| called.attempt == Attempt(1))
}

const fn called(event: &Event) -> Option<&ModelCalled> {
    if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
        Some(called)
    } else {
        None
    }
}

/// Calls of each agent. Summaries of memories are the episode's alone.
fn calls_of(commits: &[Commit]) -> BTreeMap<AgentName, u32> {
    let mut all = BTreeMap::new();
    for called in calls(commits).filter(|called| called.purpose != Purpose::Compaction) {
        let count: &mut u32 = all.entry(called.agent.clone()).or_default();
        *count += 1;
    }
    all
}

pub(super) fn model_calls(wanted: &Calls, commits: &[Commit]) -> Result<(), Differs> {
    match wanted {
        Calls::Total(count) => same("model calls", count, &number(calls(commits).count())),
        Calls::Each(wanted) => {
            let came = calls_of(commits);
            let of = |agent| came.get(agent).copied().unwrap_or_default();
            wanted.iter().try_for_each(|(agent, count)| {
                same(&format!("model calls of {agent}"), count, &of(agent))
            })
        }
    }
}

pub(super) fn model_calls_max(wanted: &Calls, commits: &[Commit]) -> Result<(), Differs> {
    let most = |what: &str, max: u32, came: u32| {
        if came <= max {
            Ok(())
        } else {
            Err((format!("at most {max} {what}"), format!("came {came}")))
        }
    };
    match wanted {
        Calls::Total(max) => most("model calls", *max, number(calls(commits).count())),
        Calls::Each(wanted) => {
            let came = calls_of(commits);
            let of = |agent| came.get(agent).copied().unwrap_or_default();
            wanted.iter().try_for_each(|(agent, max)| {
                most(&format!("model calls of {agent}"), *max, of(agent))
            })
        }
    }
}

/// Returns what the model calls of a run cost, as far as their tokens were counted.
fn cost_of(run: &[Commit], spec: &WorldSpec) -> Money {
    let mut asked = BTreeMap::new();
    let mut spent = Money::ZERO;
    for event in events(run) {
        if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
            asked.insert((called.call, called.attempt), &called.model);
        } else if let Event::Turn(TurnEvent::ModelAnswered(answered)) = event
            && let Some(model) = asked.get(&(answered.call, answered.attempt))
            && let Some(price) = spec.models.get(*model).and_then(|model| model.price)
        {
            spent = spent.plus(price.cost(&answered.usage).unwrap_or_default());
        }
    }
    spent
}

/// Returns what the last episode may still spend. A reaction of an agent in code costs what a model call does.
pub(super) fn budget(wanted: &Budget, run: &[Commit], world: &World) -> Result<(), Differs> {
    let spec = world.rules().spec();
    let spent = world.meters().total.spent;
    if let Some(wanted) = &wanted.spent {
        same(
            "spent",
            &wanted.to_string(),
            &cost_of(run, spec).to_string(),
        )?;
    }
    if let Some(wanted) = &wanted.cost {
        let left = spec
            .limits
            .cost
            .map(|most| most.minus(spent.total()).to_string());
        same(
            "money left",
            &wanted.to_string(),
            &left.unwrap_or_else(|| "no limit".to_owned()),
        )?;
    }
    let EpisodeSpent { agents, all } = EpisodeSpent::of(run);
    let left = |max: u32, spent: u32| max.saturating_sub(spent);
    for (agent, wanted) in wanted.agents.iter().flatten() {
        let spent = agents.get(agent).copied().unwrap_or_default();
        same(
            &format!("model calls left to {agent}"),
            wanted,
            &left(spec.limits.model_calls_per_agent, spent),
        )?;
    }
    match &wanted.episode {
        Some(wanted) => same(
            "model calls left",
            wanted,
            &left(spec.limits.model_calls_per_episode, all),
        ),
        None => Ok(()),
    }
}

/// What the last episode has spent.
#[derive(Default)]
struct EpisodeSpent {
    agents: BTreeMap<AgentName, u32>,
    all: u32,
}

impl EpisodeSpent {
    fn of(run: &[Commit]) -> Self {
        let episode = |event: &Event| {
            if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
                Some(routed.episode)
            } else {
                None
            }
        };
        let last = events(run).rev().find_map(episode);
        let mut turns = BTreeSet::new();
        let mut spent = Self::default();
        for (at, event) in run.iter().flat_map(Commit::numbered) {
            if let Event::Turn(TurnEvent::TurnOpened(opened)) = event {
                turns.extend((Some(opened.episode) == last).then_some(TurnId(at)));
            } else if let Event::Turn(TurnEvent::ModelCalled(called)) = event
                && called.attempt == Attempt(1)
                && turns.contains(&called.turn)
            {
                spent.one((called.purpose != Purpose::Compaction).then_some(&called.agent));
            } else if let Event::Turn(TurnEvent::AgentReacted(reacted)) = event
                && reacted.has_answered
                && turns.contains(&reacted.turn)
            {
                spent.one(Some(&reacted.agent));
            }
        }
        spent
    }

    fn one(&mut self, agent: Option<&AgentName>) {
        self.all += 1;
        if let Some(agent) = agent {
            let own = self.agents.entry(agent.clone()).or_default();
            *own += 1;
        }
    }
}

/// Returns how each agent's turns ended. News that were set aside count as a turn.
pub(super) fn ends(commits: &[Commit]) -> BTreeMap<AgentName, Vec<CloseReason>> {
    let mut all: BTreeMap<AgentName, Vec<CloseReason>> = BTreeMap::new();
    for (agent, reason) in events(commits).filter_map(end) {
        all.entry(agent.clone()).or_default().push(reason);
    }
    all
}

fn end(event: &Event) -> Option<(&AgentName, CloseReason)> {
    if let Event::Turn(TurnEvent::TurnClosed(closed)) = event {
        return Some((&closed.agent, closed.reason));
    }
    if let Event::Turn(TurnEvent::TurnDeclined(declined)) = event {
        Some((&declined.agent, declined.reason))
    } else {
        None
    }
}

/// The words for the notices, in their order.
pub(super) fn notices(commits: &[Commit]) -> Vec<String> {
    let word = |event: &Event| {
        if let Event::Talk(TalkEvent::NoticePosted(posted)) = event {
            Some(word(&posted.notice))
        } else {
            None
        }
    };
    events(commits).filter_map(word).collect()
}

/// The serialised name of a notice.
fn word(notice: &Notice) -> String {
    let value = serde_json::to_value(notice).unwrap_or_default();
    value
        .as_object()
        .and_then(|map| map.keys().next().cloned())
        .unwrap_or_default()
}

pub(super) fn refusals(commits: &[Commit]) -> Vec<String> {
    let reason = |event: &Event| {
        if let Event::Refused(refused) = event {
            Some(refused.reason.code())
        } else {
            None
        }
    };
    events(commits).filter_map(reason).collect()
}

pub(super) fn last_end(commits: &[Commit]) -> Option<CloseReason> {
    events(commits)
        .rev()
        .find_map(end)
        .map(|(_, reason)| reason)
}

pub(super) fn exhausted(commits: &[Commit]) -> Vec<String> {
    let warned = |event: &Event| {
        let Event::World(WorldEvent::WarningRecorded(warning)) = event else {
            return None;
        };
        let agent = warning
            .agent
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        (warning.code == "script_exhausted").then_some(agent)
    };
    events(commits).filter_map(warned).collect()
}
