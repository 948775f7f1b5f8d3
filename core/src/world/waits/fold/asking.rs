//! Questions from agent to agent, and handoffs.

use crate::event::{AgentAsked, Author, HandedOff, MessagePosted, MessageRouted, RoutingRule};
use crate::ids::{AgentName, CallId, Position};
use crate::world::World;
use crate::world::memory::CallState;

/// The call that waits for an answer to a message that is a question.
pub(in crate::world) fn asked_by(event: &MessagePosted) -> Vec<(AgentName, CallId)> {
    match (&event.author, event.call) {
        (Author::Agent(agent), Some(call)) => vec![(agent.clone(), call)],
        (Author::Agent(_) | Author::Person(_) | Author::Service(_) | Author::World, _) => {
            Vec::new()
        }
    }
}

pub(in crate::world) fn ask_agent(world: &mut World, event: &AgentAsked) {
    let at = world.head;
    let Some(call) = world.agents.open_call_mut(&event.agent, event.call) else {
        return;
    };
    call.moved_by = at;
    call.state = CallState::AwaitsAgent {
        asked: event.asked.clone(),
        message: event.message,
        depth: event.depth,
        expires_at: event.expires_at,
    };
}

/// The calls that wait for an answer to a handoff: those that its author's turn was to answer.
pub(in crate::world) fn passed_on(
    world: &World,
    event: &MessageRouted,
) -> Vec<(AgentName, CallId)> {
    if event.rule != RoutingRule::HandedOff {
        return Vec::new();
    }
    let Some(Author::Agent(author)) = world.transcript.last().map(|message| &message.author) else {
        return Vec::new();
    };
    let turn = world.agents.turn(author);
    let asks = turn.into_iter().flat_map(|turn| &turn.asks);
    asks.filter(|(asker, call)| world.owes_answer(author, asker, *call))
        .cloned()
        .collect()
}

pub(in crate::world) fn hand_off(world: &mut World, event: &HandedOff) {
    let turn = world.agents.turn_mut(&event.agent);
    let passed = turn
        .map(|turn| std::mem::take(&mut turn.asks))
        .unwrap_or_default();
    for (asker, call) in passed {
        let Some(open) = world.agents.open_call_mut(&asker, call) else {
            continue;
        };
        if let CallState::AwaitsAgent { asked, .. } = &mut open.state
            && *asked == event.agent
        {
            *asked = event.to.clone();
        }
    }
}

/// Returns what `agent`'s call gave: the words of the message at `at`, which it does not hear once
/// more; `None` if they were erased.
pub(in crate::world) fn answer_at(
    world: &mut World,
    at: Position,
    agent: &AgentName,
) -> Option<String> {
    let last = world
        .transcript
        .last_mut()
        .filter(|message| message.at == at)?;
    let message = std::sync::Arc::make_mut(last);
    if !message.told.contains(agent) {
        message.told.push(agent.clone());
    }
    message.text.present().cloned()
}
