//! Ending what is open: stop, supersession, expiry.

use crate::event::refusal::RefusalReason;
use crate::event::{ApprovalExpired, CallStatus, CloseReason, Notice, Stopped, UnknownCause};
use crate::ids::principal::Principal;
use crate::ids::{AgentName, CallId, EpisodeId, RequestId};
use crate::world::calls::decide::{admission, call};
use crate::world::decide::{Draft, No};
use crate::world::memory::{CallState, OpenCall};
use crate::world::talk::decide::message;
use crate::world::turns::decide::turn;
use crate::world::waits::decide::{asking, join};
use crate::world::{Request, RequestKind};

/// The most requests that one tick ends: all that expired while nobody had the world open may be
/// more than one commit can have.
const EXPIRIES_MAX: usize = 100;

/// Stops one episode, or everything. What has started and cannot be repeated may have taken effect,
/// and says so.
pub(in crate::world) fn stop(draft: &mut Draft<'_>, episode: Option<EpisodeId>) -> Result<(), No> {
    match draft.principal {
        Principal::Person(_) | Principal::Service(_) | Principal::World => {}
        Principal::Agent(_) | Principal::Tool(_) | Principal::Runtime => {
            return Err(No::right(RefusalReason::NotAPerson));
        }
    }
    let is_meant = |other: EpisodeId| episode.is_none_or(|only| only == other);
    let world = draft.world;
    let stopped: Vec<&AgentName> = world
        .agents
        .busy()
        .iter()
        .filter(|agent| {
            let turn = world.agents.turn(agent);
            turn.is_some_and(|turn| turn.is_about(is_meant))
        })
        .collect();
    let waits = |agent: &AgentName| {
        let Some(memory) = world.agents.memory(agent) else {
            return false;
        };
        let queued = memory.inbox.iter().map(|message| message.episode);
        queued
            .chain(memory.joining.as_ref().map(|joining| joining.episode))
            .any(is_meant)
    };
    if stopped.is_empty() && !world.agents.busy().iter().any(waits) {
        return Err(No::right(RefusalReason::NothingToStop));
    }
    draft.push(Stopped {
        by: draft.principal.clone(),
        episode,
    });
    asking::end_asks_of(draft, &stopped, &CallStatus::Cancelled, |message| {
        is_meant(message.episode)
    });
    stopped
        .into_iter()
        .for_each(|agent| close_turn_of(draft, agent, CloseReason::Stopped));
    Ok(())
}

/// Closes an agent's turn with everything that is open in it.
pub(in crate::world) fn close_turn_of(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    reason: CloseReason,
) {
    let Some(turn) = turn::memory(draft, agent).and_then(|memory| memory.turn.as_ref()) else {
        return;
    };
    cut_calls_of(draft, agent, reason);
    turn::close(draft, agent, turn.id, reason);
}

/// Ends the calls that are open in an agent's turn.
pub(in crate::world) fn cut_calls_of(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    reason: CloseReason,
) {
    let world = draft.world;
    let Some(memory) = world.agents.memory(agent) else {
        return;
    };
    for slot in memory.turn.iter().flat_map(|turn| &turn.slots) {
        if let Some(call) = memory
            .open_calls
            .get(&slot.call)
            .filter(|_| !asking::has_ended(draft, slot.call))
        {
            cut_call(draft, agent, slot.call, call, reason);
        }
    }
}

fn cut_call(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    id: CallId,
    call: &OpenCall,
    reason: CloseReason,
) {
    let (unrun, unknown) = if reason == CloseReason::Superseded {
        (CallStatus::Superseded, UnknownCause::Superseded)
    } else {
        (CallStatus::Cancelled, UnknownCause::Stopped)
    };
    match &call.state {
        CallState::Ready { .. }
        | CallState::AwaitsApproval { .. }
        | CallState::AwaitsAnswer { .. }
        | CallState::AwaitsAgent { .. } => admission::end(draft, agent, id, None, unrun),
        CallState::AwaitsSettlement { attempt, .. } => {
            admission::end(
                draft,
                agent,
                id,
                Some(*attempt),
                CallStatus::Unknown(unknown),
            );
        }
        CallState::Running(run) | CallState::InDoubt { run, .. } => {
            if run.may_repeat(draft.now()) {
                admission::end(draft, agent, id, Some(run.attempt), unrun);
            } else {
                call::end_unknown(draft, agent, id, run.attempt, unknown, None);
            }
        }
    }
}

/// Records what became due: requests that nobody decided, and questions that no agent answered in
/// time.
pub(in crate::world) fn tick(draft: &mut Draft<'_>) -> Result<(), No> {
    let world = draft.world;
    let now = draft.now();
    let is_over = |request: &Request| matches!(&request.kind, RequestKind::Approval { expires_at, .. } if *expires_at <= now);
    // What is left over makes the next tick due at once.
    for (id, request) in world
        .consent
        .pending()
        .iter()
        .filter(|(_, request)| is_over(request))
        .take(EXPIRIES_MAX)
    {
        expire(draft, *id, request);
    }
    asking::expire_asks(draft);
    join::end_joins(draft);
    Ok(())
}

pub(in crate::world) fn expire(draft: &mut Draft<'_>, id: RequestId, request: &Request) {
    let agent = &request.agent;
    let call = request.call;
    draft.push(ApprovalExpired {
        request: id,
        call,
        agent: agent.clone(),
    });
    admission::end(draft, agent, call, None, CallStatus::Expired);
    let turn = turn::memory(draft, agent).and_then(|memory| memory.turn.as_ref());
    let episode = turn.map_or(EpisodeId(id.0), |turn| turn.episode);
    message::tell(draft, Notice::RequestExpired { request: id }, None, episode);
}
