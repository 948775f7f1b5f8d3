//! Each call has one outcome, and ran no more often than it may.

use std::collections::{BTreeMap, BTreeSet};

use crate::law::LawFinding;
use folkmoot::core::event::{
    CallEvent, CallReplaced, CallsAdmitted, Event, OutcomeSettled, OutcomeUnknown,
    QuestionAnswered, Reconciled, ReconciledHow, SettledHow, ToolFinished, ToolStarted, WorldEvent,
};
use folkmoot::core::ids::CallId;
use folkmoot::core::tool::{EffectClass, Repeat};

/// What the log says of calls.
#[derive(Debug, Clone, Default)]
pub(super) struct LoggedCalls {
    admitted: BTreeSet<CallId>,
    closed: BTreeSet<CallId>,
    /// Those whose outcome people are asked about. Some of them are closed, and settled all the
    /// same.
    unknown: BTreeSet<CallId>,
    /// Those that were started, and whether they may take effect again.
    started: BTreeMap<CallId, bool>,
    /// Those of them that may not be started again as things stand.
    once: BTreeSet<CallId>,
}

impl LoggedCalls {
    /// Tells whether an event may follow.
    pub(super) fn check(&self, event: &Event) -> Result<(), LawFinding> {
        if let Event::Call(CallEvent::ToolFinished(ToolFinished { call, .. }))
        | Event::Call(CallEvent::CallReplaced(CallReplaced { call, .. })) = event
        {
            if !self.admitted.contains(call) {
                return Err(format!("{call} has an outcome and was never admitted").into());
            }
            if self.closed.contains(call) {
                return Err(format!("{call} has two outcomes").into());
            }
        }
        if let Event::Call(CallEvent::OutcomeSettled(OutcomeSettled {
            call,
            how: SettledHow::Ran | SettledHow::NotRun,
            ..
        })) = event
            && self.closed.contains(call)
            && !self.unknown.contains(call)
        {
            return Err(format!("{call} has an outcome and was settled").into());
        }
        if let Event::Call(CallEvent::ToolStarted(ToolStarted { call, .. })) = event {
            if self.closed.contains(call) {
                return Err(format!("{call} has an outcome and was started").into());
            }
            if self.once.contains(call) {
                return Err(format!("{call} may not repeat and was started twice").into());
            }
        }
        Ok(())
    }

    pub(super) fn take(&mut self, event: &Event) {
        if let Event::Call(CallEvent::CallsAdmitted(CallsAdmitted { calls, .. })) = event {
            self.admitted.extend(calls.iter().map(|call| call.call));
        }
        if let Event::Call(CallEvent::CallReplaced(CallReplaced { by, .. })) = event {
            self.admitted.insert(*by);
        }
        if let Event::Call(CallEvent::ToolFinished(ToolFinished { call, .. }))
        | Event::Call(CallEvent::CallReplaced(CallReplaced { call, .. })) = event
        {
            self.closed.insert(*call);
        }
        if let Event::Call(CallEvent::OutcomeUnknown(OutcomeUnknown { call, .. })) = event {
            self.unknown.insert(*call);
        }
        if let Event::Call(CallEvent::OutcomeSettled(OutcomeSettled { call, how, .. })) = event {
            self.unknown.remove(call);
            if matches!(how, SettledHow::Ran | SettledHow::NotRun) {
                self.closed.insert(*call);
            }
        }
        if let Event::Call(CallEvent::ToolStarted(ToolStarted {
            call,
            effect,
            repeat,
            ..
        })) = event
        {
            let may_repeat = *effect == EffectClass::Read || *repeat != Repeat::Never;
            self.started.insert(*call, may_repeat);
            if !may_repeat {
                self.once.insert(*call);
            }
        }
        if let Event::Call(CallEvent::QuestionAnswered(QuestionAnswered { call, .. }))
        | Event::Call(CallEvent::Reconciled(Reconciled {
            call,
            how: ReconciledHow::DidNot,
            ..
        })) = event
        {
            self.once.remove(call);
        }
        if let Event::World(WorldEvent::Forked(_)) = event {
            // What was open is closed by it, and asked again under other ids.
            self.closed.extend(&self.admitted);
        }
    }

    pub(super) fn has_started(&self, call: CallId) -> bool {
        self.started.contains_key(&call)
    }

    pub(super) fn may_repeat(&self, call: CallId) -> bool {
        self.started.get(&call).copied().unwrap_or_default()
    }

    pub(super) fn without_outcome(&self) -> impl Iterator<Item = CallId> {
        self.admitted.difference(&self.closed).copied()
    }
}
