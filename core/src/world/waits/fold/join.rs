//! Agents that wait until all whom they addressed are done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::event::{Author, CloseReason, JoinElapsed};
use crate::ids::{AgentName, EpisodeId, Position, TurnId};
use crate::world::World;
use crate::world::memory::{JoinEnd, Joining, Message};

/// The way in which an agent is done with messages.
#[derive(Debug, Clone, Copy)]
pub(in crate::world) struct Ending {
    how: JoinEnd,
    /// The turn in which.
    turn: Option<TurnId>,
}

impl Ending {
    /// Returns the end of messages that the agent never took up.
    pub(in crate::world) const fn unheard(how: JoinEnd) -> Self {
        Self { how, turn: None }
    }

    /// Returns the end of messages whose turn was closed.
    pub(in crate::world) const fn closed(turn: TurnId, reason: CloseReason) -> Self {
        let how = match reason {
            CloseReason::Answered => JoinEnd::Answered,
            CloseReason::Passed => JoinEnd::Passed,
            CloseReason::Failed => JoinEnd::Failed,
            CloseReason::Limit => JoinEnd::Limit,
            CloseReason::Stopped | CloseReason::Superseded => JoinEnd::Stopped,
            CloseReason::HandedOff => JoinEnd::HandedOff,
        };
        Self {
            how,
            turn: Some(turn),
        }
    }
}

/// Begins the waiting of an agent whose reply wakes agents that its definition joins. A question
/// waits as a call, and a handoff for nobody.
pub(in crate::world) fn begin_join(
    world: &mut World,
    agent: &AgentName,
    message: &Message,
    tells: bool,
) {
    let is_reply = !message.is_handoff && message.asks.iter().all(|(asker, _)| asker != agent);
    let now = world.time;
    let Some(memory) = world.agents.memory_mut(agent).filter(|_| is_reply) else {
        return;
    };
    let rules = memory
        .turn
        .as_ref()
        .map_or(&world.rules, |turn| &turn.rules);
    let Some(join) = rules.agent(agent).and_then(|spec| spec.join.as_ref()) else {
        return;
    };
    let of: BTreeSet<AgentName> = message
        .respond
        .iter()
        .filter(|name| join.all_of.contains(name))
        .cloned()
        .collect();
    if !of.is_empty() {
        let until = now.after(Duration::from_millis(join.or_after_ms));
        let ended = BTreeMap::new();
        let began_by = message.began_by.clone();
        let (message, episode) = (message.at, message.episode);
        memory.joining = Some(Joining {
            message,
            episode,
            of,
            ended,
            tells,
            began_by,
            until,
        });
        world.agents.wake(agent.clone());
        // Whoever is told of the end goes on in the same episode, with what is left of its budget.
        if tells {
            world.episodes.hold(episode);
        }
    }
}

/// `agent` is done with `messages` so: their authors wait for it no longer, unless it is to take
/// them up once more.
pub(in crate::world) fn end_waits_for<'m>(
    world: &mut World,
    agent: &AgentName,
    messages: impl IntoIterator<Item = &'m Arc<Message>>,
    end: Ending,
) {
    for message in messages {
        let Author::Agent(author) = &message.author else {
            continue;
        };
        let inbox = world.agents.memory(agent).map(|memory| &memory.inbox);
        if inbox
            .into_iter()
            .flatten()
            .any(|other| other.at == message.at)
        {
            continue;
        }
        let Some(memory) = world.agents.memory_mut(author) else {
            continue;
        };
        let Some(joining) = memory
            .joining
            .as_mut()
            .filter(|joining| joining.message == message.at)
        else {
            continue;
        };
        if joining.of.remove(agent) {
            let is_answer = |other: &&Arc<Message>| {
                other.author == Author::Agent(agent.clone())
                    && other.turn.is_some()
                    && other.turn == end.turn
            };
            let is_answered = memory.inbox.iter().any(|other| is_answer(&other));
            let end = if end.how == JoinEnd::Answered && !is_answered {
                JoinEnd::Elsewhere
            } else {
                end.how
            };
            joining.ended.insert(agent.clone(), end);
        }
        if joining.is_over() && !joining.has_silent() {
            drop_join_if(world, author, |_| true);
            world.agents.rest(author);
        }
    }
}

/// Ends the waiting of `agent`, which is being told what became of it. Its episode is still to be
/// let go.
pub(in crate::world) fn take_join(world: &mut World, agent: &AgentName) -> Option<Joining> {
    let joining = world.agents.memory_mut(agent)?.joining.take();
    world.agents.rest(agent);
    joining
}

pub(in crate::world) fn elapse_join(world: &mut World, event: &JoinElapsed) {
    drop_join_if(world, &event.agent, |_| true);
    world.agents.rest(&event.agent);
}

/// Drops the wait of an agent for answers to what is taken back.
pub(in crate::world) fn drop_join(world: &mut World, agent: &AgentName, gone: &[Position]) {
    drop_join_if(world, agent, |joining| {
        gone.binary_search(&joining.message).is_ok()
    });
}

/// Stopping an episode ends the waits in it.
pub(in crate::world) fn stop_join(
    world: &mut World,
    agent: &AgentName,
    is_meant: impl Fn(EpisodeId) -> bool,
) {
    drop_join_if(world, agent, |joining| is_meant(joining.episode));
}

fn drop_join_if(world: &mut World, agent: &AgentName, is_over: impl Fn(&Joining) -> bool) {
    let Some(memory) = world.agents.memory_mut(agent) else {
        return;
    };
    if let Some(joining) = memory.joining.take_if(|joining| is_over(joining))
        && joining.tells
    {
        world.episodes.release(joining.episode, 1);
    }
}
