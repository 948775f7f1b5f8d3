//! Which agent waits for which.

use std::collections::BTreeSet;

use crate::event::Author;
use crate::ids::{AgentName, CallId, Time};
use crate::world::World;
use crate::world::memory::CallState;

pub(super) mod decide;
pub(super) mod fold;

/// A question from one agent to another that has no answer yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenAsk<'w> {
    /// The agent that asks.
    pub(super) agent: &'w AgentName,
    /// The call that waits.
    pub(super) call: CallId,
    /// The agent that is to answer.
    pub(super) asked: &'w AgentName,
    /// When the waiting ends.
    pub(super) expires_at: Time,
}

/// Why an agent may not wait for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoWait {
    /// The other one waits for it.
    Deadlock,
    /// Too many would wait for one another.
    TooDeep,
}

impl World {
    /// Tells whether `call` of `asker` waits for the answer of `agent`. What another agent took
    /// over does not any more.
    #[must_use]
    pub fn owes_answer(&self, agent: &AgentName, asker: &AgentName, call: CallId) -> bool {
        let is_for = |state: &CallState| {
            if let CallState::AwaitsAgent { asked, .. } = state {
                asked == agent
            } else {
                false
            }
        };
        self.agents
            .open_call(asker, call)
            .is_some_and(|open| is_for(&open.state))
    }

    /// The agents that read the next reply of `agent`'s open turn as the result of their calls: it
    /// wakes none of them besides.
    #[must_use]
    pub fn answers(&self, agent: &AgentName) -> BTreeSet<AgentName> {
        let turn = self.agents.turn(agent);
        let asks = turn.into_iter().flat_map(|turn| &turn.asks);
        asks.filter(|(asker, call)| self.owes_answer(agent, asker, *call))
            .map(|(asker, _)| asker.clone())
            .collect()
    }
}

/// The questions between agents that have no answer yet, by agent and call.
pub(super) fn asks(world: &World) -> impl Iterator<Item = OpenAsk<'_>> {
    world
        .agents
        .busy()
        .iter()
        .flat_map(|agent| asks_of(world, agent))
}

/// Those of `agent`.
fn asks_of<'w>(world: &'w World, agent: &'w AgentName) -> impl Iterator<Item = OpenAsk<'w>> {
    let open = world
        .agents
        .memory(agent)
        .into_iter()
        .flat_map(|memory| &memory.open_calls);
    open.filter_map(move |(call, open)| {
        if let CallState::AwaitsAgent {
            asked, expires_at, ..
        } = &open.state
        {
            Some(OpenAsk {
                agent,
                call: *call,
                asked,
                expires_at: *expires_at,
            })
        } else {
            None
        }
    })
}

/// Tells whether `call` of `asker` waits for another agent.
pub(super) fn awaits_agent(world: &World, asker: &AgentName, call: CallId) -> bool {
    world
        .agents
        .open_call(asker, call)
        .is_some_and(|open| matches!(open.state, CallState::AwaitsAgent { .. }))
}

/// Returns whom `agent` waits for: those that it asked. Whoever waits for agents in any other way
/// belongs here as well.
fn waits_for(world: &World, agent: &AgentName) -> BTreeSet<AgentName> {
    let joining = world
        .agents
        .memory(agent)
        .and_then(|memory| memory.joining.as_ref());
    let joined = joining
        .into_iter()
        .flat_map(|joining| joining.of.iter().cloned());
    asks_of(world, agent)
        .map(|ask| ask.asked.clone())
        .chain(joined)
        .collect()
}

/// Returns who waits for `agent`: whoever asked it, whether or not it has taken the question up.
/// The other way round of [`World::waits_for`].
fn waited_for_by(world: &World, agent: &AgentName) -> BTreeSet<AgentName> {
    let memory = world.agents.memory(agent);
    let queued = memory
        .into_iter()
        .flat_map(|memory| memory.inbox.iter().flat_map(|message| &message.asks));
    let queued = queued
        .filter(|(asker, call)| world.owes_answer(agent, asker, *call))
        .map(|(asker, _)| asker.clone());
    queued
        .chain(world.answers(agent))
        .chain(joined_by(world, agent))
        .collect()
}

/// The authors that wait until `agent` is done with what they said.
fn joined_by(world: &World, agent: &AgentName) -> impl Iterator<Item = AgentName> {
    let memory = world.agents.memory(agent);
    let queued = memory.into_iter().flat_map(|memory| &memory.inbox);
    let news = memory
        .and_then(|memory| memory.turn.as_ref())
        .into_iter()
        .flat_map(|turn| &turn.news);
    queued.chain(news).filter_map(|message| {
        let Author::Agent(author) = &message.author else {
            return None;
        };
        let joining = world.agents.memory(author)?.joining.as_ref()?;
        (joining.message == message.at && joining.of.contains(agent)).then(|| author.clone())
    })
}

/// Returns how many agents would wait for one another in a row, if `agent` waited for `other`.
pub(super) fn depth_of_wait(
    world: &World,
    agent: &AgentName,
    other: &AgentName,
    max: u32,
) -> Result<u32, NoWait> {
    if is_waiting_for(world, other, agent) {
        return Err(NoWait::Deadlock);
    }
    let before = steps(agent, max, |one| waited_for_by(world, one));
    let behind = steps(other, max, |one| waits_for(world, one));
    let depth = before.saturating_add(1).saturating_add(behind);
    if depth > max {
        Err(NoWait::TooDeep)
    } else {
        Ok(depth)
    }
}

/// Tells whether `agent` is `other` or waits for it, directly or by way of others.
fn is_waiting_for(world: &World, agent: &AgentName, other: &AgentName) -> bool {
    behind(world, agent).contains(other)
}

/// `agent` and whom it waits for, directly or by way of others.
pub(super) fn behind(world: &World, agent: &AgentName) -> BTreeSet<AgentName> {
    let mut known = BTreeSet::from([agent.clone()]);
    let mut next = vec![agent.clone()];
    while let Some(one) = next.pop() {
        next.extend(
            waits_for(world, &one)
                .into_iter()
                .filter(|more| known.insert(more.clone())),
        );
    }
    known
}

/// Returns how many steps lead away from `from` at most; more than `max` are not counted.
fn steps(from: &AgentName, max: u32, next: impl Fn(&AgentName) -> BTreeSet<AgentName>) -> u32 {
    let mut front = next(from);
    let mut count = 0;
    while !front.is_empty() && count <= max {
        count += 1;
        front = front.iter().flat_map(&next).collect();
    }
    count
}
