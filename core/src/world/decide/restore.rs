//! The first opening for writing in a copy of a store. The store that it was copied from may still be there and act.

use super::Draft;
use super::admission::Asking;
use crate::event::{Event, Finding, OutcomeUnknown, Restored, StreamCut, UnknownCause};
use crate::ids::{AgentName, Attempt, CallId, CopyId, RequestId};
use crate::memory::{CallState, OpenCall};
use crate::world::{Request, RequestKind};

impl<'w> Draft<'w> {
    /// Notes the copy that the world begins in.
    pub(super) fn begin_in(&mut self, copy: Option<CopyId>) {
        if let Some(copy) = copy {
            self.push(Event::Restored(Restored { copy }));
        }
    }

    /// Asks people anew, if the world was never opened in this copy: what they were asked, and about every call that was
    /// allowed and must not run twice.
    pub(super) fn restore(&mut self, copy: Option<CopyId>) {
        let Some(copy) = copy.filter(|copy| self.world.copy != Some(*copy)) else { return };
        self.push(Event::Restored(Restored { copy }));
        let world = self.world;
        for agent in &world.busy {
            let Some(memory) = world.memories.get(agent) else { continue };
            for slot in memory.turn.iter().flat_map(|turn| &turn.slots) {
                if let Some(open) = memory.open_calls.get(&slot.call) {
                    self.restore_call(agent, slot.call, open);
                }
            }
        }
        for request in world.pending.values() {
            if matches!(request.kind, RequestKind::Outcome { is_open: false, .. }) {
                self.ask_outcome(&request.agent, request.call, UnknownCause::Lost);
            }
        }
    }

    fn restore_call(&mut self, agent: &AgentName, call: CallId, open: &'w OpenCall) {
        match &open.state {
            CallState::AwaitsApproval { request, .. } | CallState::AwaitsAnswer { request, .. } => {
                if let Some(request) = self.world.pending.get(request).filter(|request| is_whole(request)) {
                    self.ask_again(agent, call, request, further(open));
                }
            }
            CallState::Ready { .. } => self.ask_about_ready(agent, call, open),
            CallState::Running(run) | CallState::InDoubt { run, .. } => {
                if !run.may_repeat(self.now()) {
                    self.ask_outcome(agent, call, UnknownCause::Crash);
                }
            }
            CallState::AwaitsSettlement { .. } => self.ask_outcome(agent, call, UnknownCause::Crash),
            CallState::AwaitsAgent { .. } => {}
        }
    }

    /// A call that was allowed: it runs under the key that it has in the other store, which is enough if its tool knows keys.
    fn ask_about_ready(&mut self, agent: &AgentName, call: CallId, open: &OpenCall) {
        let rules = self.rules_of(agent);
        let tool = open.tool.as_ref().and_then(|tool| rules.spec().tools.get(tool));
        let Some((tool, arguments)) = tool.zip(open.arguments.present()) else { return };
        let effect = open.effect.unwrap_or(tool.effect);
        if tool.repeat.allows(effect, self.now(), self.now()) {
            return;
        }
        let mut warnings = rules.findings(&tool.name, arguments);
        warnings.retain(|finding| !finding.severity.is_error());
        warnings.push(Finding::restored());
        let attempt = further(open);
        self.request_approval(
            &Asking { agent, call, tool, effect, arguments, warnings, attempt },
            open.arguments_digest,
        );
    }

    fn ask_outcome(&mut self, agent: &AgentName, call: CallId, cause: UnknownCause) {
        let request = RequestId(self.push(Event::OutcomeUnknown(OutcomeUnknown { call, agent: agent.clone(), cause })));
        self.tell_unknown(agent, request);
    }

    /// Ends the streams of the model calls that are given up: nothing more of them will be shown.
    pub(super) fn cut_streams(&mut self) {
        let world = self.world;
        for agent in &world.busy {
            let model = world.memories.get(agent).and_then(|memory| memory.turn.as_ref()?.model.as_ref());
            if let Some((model, stream)) = model.and_then(|model| Some((model, model.stream?))) {
                let (agent, call, attempt) = (agent.clone(), model.call, model.attempt);
                self.push(Event::StreamCut(StreamCut { agent, call, attempt, stream }));
            }
        }
    }
}

/// The attempt that is next, if it is a further one.
fn further(open: &OpenCall) -> Option<Attempt> {
    Some(open.next()).filter(|next| *next != Attempt(1))
}

/// True if nothing of what is asked was erased.
fn is_whole(request: &Request) -> bool {
    match &request.kind {
        RequestKind::Approval { .. } => request.tool.is_some(),
        RequestKind::Question { question, .. } => question.present().is_some(),
        RequestKind::Outcome { .. } => false,
    }
}
