//! Ending what is open: stop, supersession, expiry.

use super::{Draft, No};
use crate::event::refusal::RefusalReason;
use crate::event::{ApprovalExpired, CallStatus, CloseReason, Notice, Stopped, UnknownCause};
use crate::ids::principal::Principal;
use crate::ids::{AgentName, CallId, EpisodeId, RequestId};
use crate::world::memory::{CallState, OpenCall};
use crate::world::{Request, RequestKind};

/// The most requests that one tick ends: all that expired while nobody had the world open may be more than one commit can have.
const EXPIRIES_MAX: usize = 100;

impl Draft<'_> {
    /// Stops one episode, or everything. What has started and cannot be repeated may have taken effect, and says so.
    pub(super) fn stop(&mut self, episode: Option<EpisodeId>) -> Result<(), No> {
        match self.principal {
            Principal::Person(_) | Principal::World => {}
            Principal::Agent(_) | Principal::Tool(_) | Principal::Runtime => {
                return Err(No::right(RefusalReason::NotAPerson));
            }
        }
        let is_meant = |other: EpisodeId| episode.is_none_or(|only| only == other);
        let world = self.world;
        let stopped: Vec<&AgentName> = world
            .busy
            .iter()
            .filter(|agent| {
                let turn = world
                    .memories
                    .get(*agent)
                    .and_then(|memory| memory.turn.as_ref());
                turn.is_some_and(|turn| turn.is_about(is_meant))
            })
            .collect();
        let waits = |agent: &AgentName| {
            let Some(memory) = world.memories.get(agent) else {
                return false;
            };
            let queued = memory.inbox.iter().map(|message| message.episode);
            queued
                .chain(memory.joining.as_ref().map(|joining| joining.episode))
                .any(is_meant)
        };
        if stopped.is_empty() && !world.busy.iter().any(waits) {
            return Err(No::right(RefusalReason::NothingToStop));
        }
        self.push(Stopped {
            by: self.principal.clone(),
            episode,
        });
        self.end_asks_of(&stopped, &CallStatus::Cancelled, |message| {
            is_meant(message.episode)
        });
        stopped
            .into_iter()
            .for_each(|agent| self.close_turn_of(agent, CloseReason::Stopped));
        Ok(())
    }

    /// Closes an agent's turn with everything that is open in it.
    pub(super) fn close_turn_of(&mut self, agent: &AgentName, reason: CloseReason) {
        let Some(turn) = self.memory(agent).and_then(|memory| memory.turn.as_ref()) else {
            return;
        };
        self.cut_calls_of(agent, reason);
        self.close(agent, turn.id, reason);
    }

    /// Ends the calls that are open in an agent's turn.
    pub(super) fn cut_calls_of(&mut self, agent: &AgentName, reason: CloseReason) {
        let world = self.world;
        let Some(memory) = world.memories.get(agent) else {
            return;
        };
        for slot in memory.turn.iter().flat_map(|turn| &turn.slots) {
            if let Some(call) = memory
                .open_calls
                .get(&slot.call)
                .filter(|_| !self.has_ended(slot.call))
            {
                self.cut_call(agent, slot.call, call, reason);
            }
        }
    }

    fn cut_call(&mut self, agent: &AgentName, id: CallId, call: &OpenCall, reason: CloseReason) {
        let (unrun, unknown) = if reason == CloseReason::Superseded {
            (CallStatus::Superseded, UnknownCause::Superseded)
        } else {
            (CallStatus::Cancelled, UnknownCause::Stopped)
        };
        match &call.state {
            CallState::Ready { .. }
            | CallState::AwaitsApproval { .. }
            | CallState::AwaitsAnswer { .. }
            | CallState::AwaitsAgent { .. } => self.end(agent, id, None, unrun),
            CallState::AwaitsSettlement { attempt, .. } => {
                self.end(agent, id, Some(*attempt), CallStatus::Unknown(unknown));
            }
            CallState::Running(run) | CallState::InDoubt { run, .. } => {
                if run.may_repeat(self.now()) {
                    self.end(agent, id, Some(run.attempt), unrun);
                } else {
                    self.end_unknown(agent, id, run.attempt, unknown, None);
                }
            }
        }
    }

    /// Records what became due: requests that nobody decided, and questions that no agent answered in time.
    pub(super) fn tick(&mut self) -> Result<(), No> {
        let world = self.world;
        let now = self.now();
        let is_over = |request: &Request| matches!(&request.kind, RequestKind::Approval { expires_at, .. } if *expires_at <= now);
        // What is left over makes the next tick due at once.
        for (id, request) in world
            .consent
            .pending()
            .iter()
            .filter(|(_, request)| is_over(request))
            .take(EXPIRIES_MAX)
        {
            self.expire(*id, request);
        }
        self.expire_asks();
        self.end_joins();
        Ok(())
    }

    pub(super) fn expire(&mut self, id: RequestId, request: &Request) {
        let agent = &request.agent;
        let call = request.call;
        self.push(ApprovalExpired {
            request: id,
            call,
            agent: agent.clone(),
        });
        self.end(agent, call, None, CallStatus::Expired);
        let turn = self.memory(agent).and_then(|memory| memory.turn.as_ref());
        let episode = turn.map_or(EpisodeId(id.0), |turn| turn.episode);
        self.tell(Notice::RequestExpired { request: id }, None, episode);
    }
}
