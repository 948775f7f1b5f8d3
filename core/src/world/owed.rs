//! The work that a world owes: a function of its state, the same after a replay as before a crash.

use crate::ids::{AgentName, CallId, Time};
use crate::world::calls::starting;
use crate::world::effect::{Due, Effect};
use crate::world::memory::{CallState, Memory, ModelState, OpenCall, Run, Turn};
use crate::world::turns::activity;
use crate::world::{RequestKind, World, waits};

impl World {
    /// Work owed by the shell, agent by agent in name order and call by call in admission order.
    /// Reads no clock: effects that wait for a time say so. Of the tools that are to run, those
    /// that may start together. While content is to be erased, nothing that could tell it to
    /// anybody.
    pub fn owed(&self) -> impl Iterator<Item = Effect> + '_ {
        let erasures = self
            .upkeep
            .next_erasure()
            .map(|request| Effect::Erase { request });
        // Expiries still come due: they tell nobody any content (decision 0020).
        let may_start =
            |effect: &Effect| !self.upkeep.is_erasing() || matches!(effect, Effect::TickAt { .. });
        // Whether the room goes on is asked only where somebody signs: it looks at every agent.
        let signature = self.upkeep.signer().and_then(|_| {
            self.upkeep
                .owed_signature(!activity::goes_on(self), self.time)
        });
        owed_work(self)
            .filter(may_start)
            .chain(erasures)
            .chain(signature)
    }
}

/// All that is owed but what looks after the log itself.
pub(super) fn owed_work(world: &World) -> impl Iterator<Item = Effect> + '_ {
    let startable = starting::startable(world);
    let is_its_turn = move |effect: &Effect| match effect {
        Effect::RunTool { call, .. } => startable.contains(call),
        Effect::Wake { .. }
        | Effect::Continue { .. }
        | Effect::CallModel { .. }
        | Effect::RetryModel { .. }
        | Effect::Reconcile { .. }
        | Effect::DeclareUnknown { .. }
        | Effect::Sign { .. }
        | Effect::Erase { .. }
        | Effect::TickAt { .. } => true,
    };
    let of_agents = world.agents.busy_memories();
    let expires_at = |kind: &RequestKind| match kind {
        RequestKind::Approval { expires_at, .. } => Some(*expires_at),
        RequestKind::Question { .. } | RequestKind::Outcome { .. } => None,
    };
    let requests = world
        .consent
        .pending()
        .values()
        .filter_map(|request| expires_at(&request.kind));
    let tick = requests
        .chain(waits::asks(world).map(|ask| ask.expires_at))
        .min();
    let joins = world
        .agents
        .busy_memories()
        .filter_map(|(_, memory)| memory.joining.as_ref());
    let join = joins
        .map(|joining| {
            if joining.is_over() {
                world.time
            } else {
                joining.until
            }
        })
        .min();
    let ticks = [(tick, Due::Expiry), (join, Due::Join)].into_iter();
    let ticks = ticks.filter_map(|(time, due)| Some(Effect::TickAt { time: time?, due }));
    of_agents
        .flat_map(|(name, memory)| owed_to(world, name, memory))
        .filter(is_its_turn)
        .chain(ticks)
}

fn owed_to(world: &World, agent: &AgentName, memory: &Memory) -> Vec<Effect> {
    match &memory.turn {
        None if memory.inbox.is_empty() || memory.joining.is_some() => Vec::new(),
        None => vec![Effect::Wake {
            agent: agent.clone(),
            not_before: memory.retry_at,
        }],
        Some(Turn {
            model: Some(model), ..
        }) => vec![model_effect(world, agent, model)],
        Some(turn) if turn.is_ready_to_continue() => vec![Effect::Continue {
            agent: agent.clone(),
            turn: turn.id,
            after: turn.moved_by,
            not_before: memory.retry_at,
        }],
        Some(turn) => {
            let open = |call: CallId| Some((call, memory.open_calls.get(&call)?));
            let calls = turn.slots.iter().filter_map(|slot| open(slot.call));
            calls
                .filter_map(|(id, call)| call_effect(world, agent, id, call))
                .collect()
        }
    }
}

fn model_effect(world: &World, agent: &AgentName, model: &ModelState) -> Effect {
    let agent = agent.clone();
    let call = model.call;
    let is_lost = model.incarnation != world.incarnation;
    if model.retry_at.is_none() && !is_lost {
        Effect::CallModel {
            agent,
            call,
            attempt: model.attempt,
        }
    } else {
        Effect::RetryModel {
            agent,
            call,
            after: model.attempt,
            not_before: model.retry_at,
        }
    }
}

fn call_effect(world: &World, agent: &AgentName, id: CallId, call: &OpenCall) -> Option<Effect> {
    let run = |attempt| {
        Some(Effect::RunTool {
            agent: agent.clone(),
            call: id,
            attempt,
        })
    };
    match &call.state {
        CallState::Ready { next } => run(*next),
        CallState::InDoubt {
            run: lost,
            was_asked,
        } => Some(doubt_effect(world, agent, id, lost, *was_asked)),
        CallState::Running(_)
        | CallState::AwaitsApproval { .. }
        | CallState::AwaitsAnswer { .. }
        | CallState::AwaitsAgent { .. }
        | CallState::AwaitsSettlement { .. } => None,
    }
}

fn doubt_effect(
    world: &World,
    agent: &AgentName,
    call: CallId,
    lost: &Run,
    was_asked: bool,
) -> Effect {
    let agent = agent.clone();
    // The key makes a second run harmless for as long as the tool knows it.
    if lost.may_repeat(world.time) {
        Effect::RunTool {
            agent,
            call,
            attempt: lost.attempt.next(),
        }
    } else if lost.reconciles && !was_asked {
        Effect::Reconcile {
            agent,
            call,
            attempt: lost.attempt,
        }
    } else {
        // A tool that could not tell is not asked for ever: a person is.
        Effect::DeclareUnknown { agent, call }
    }
}

/// Tells whether an agent in code is being told something at `now`, as far as the log knows.
pub(super) fn is_delivered(world: &World, agent: &AgentName, memory: &Memory, now: Time) -> bool {
    let is_due = memory.retry_at.is_none_or(|at| at <= now);
    memory.is_owed_delivery() && is_due && !has_model(world, agent)
}

/// Tells whether `agent` has a model under the rules that it works by now: those of its open turn,
/// if there is one.
pub(super) fn has_model(world: &World, agent: &AgentName) -> bool {
    let turn = world.agents.turn(agent);
    let rules = turn.map_or(&world.rules, |turn| &turn.rules);
    rules.agent(agent).is_some_and(|spec| spec.model.is_some())
}
