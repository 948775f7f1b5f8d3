//! What was approved, a person approved; what needed a yes did not run without.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::Verdict;
use folkmoot::core::command::commit::{CommandKey, Commit};
use folkmoot::core::event::{
    ApprovalDecided, ApprovalRequested, CallEvent, Event, GrantGiven, GrantUsed, ToolStarted,
};
use folkmoot::core::ids::{CallId, Position, RequestId};

use super::OutsideFacts;
use crate::law::LawFinding;

/// What the log says of permissions.
#[derive(Debug, Clone, Default)]
pub(super) struct Decisions {
    /// Calls that need a yes and have none.
    unanswered: BTreeMap<CallId, RequestId>,
    requests: BTreeSet<RequestId>,
}

impl Decisions {
    /// Tells whether a person stands behind every yes of a commit, and every run has the yes that
    /// it needs.
    pub(super) fn allow(
        &self,
        commit: &Commit,
        outside: &OutsideFacts,
    ) -> Result<(), (Position, LawFinding)> {
        for (at, event) in commit.numbered() {
            self.allows(commit, event, outside)
                .map_err(|what| (at, what))?;
        }
        Ok(())
    }

    fn allows(
        &self,
        commit: &Commit,
        event: &Event,
        outside: &OutsideFacts,
    ) -> Result<(), LawFinding> {
        if let Event::Call(CallEvent::ApprovalDecided(ApprovalDecided { request, .. })) = event {
            if commit.header.principal.person().is_none() {
                return Err(
                    format!("{request} was decided by {:?}", commit.header.principal).into(),
                );
            }
            if !self.requests.contains(request) {
                return Err(format!("{request} was decided and never asked").into());
            }
            let is_step = matches!(&commit.header.key, Some(keyed) if matches!(keyed.key, CommandKey::Step(_)));
            if !is_step && !outside.decided.contains(request) {
                return Err(
                    format!("{request} was decided, and nobody set out to decide it").into(),
                );
            }
        }
        if let Event::Call(CallEvent::GrantGiven(GrantGiven { .. })) = event
            && commit.header.principal.person().is_none()
        {
            return Err(format!("a grant was given by {:?}", commit.header.principal).into());
        }
        if let Event::Call(CallEvent::ToolStarted(ToolStarted { call, .. })) = event
            && let Some(request) = self.unanswered.get(call)
        {
            return Err(format!("{call} was started, and {request} has no yes").into());
        }
        Ok(())
    }

    pub(super) fn take(&mut self, at: Position, event: &Event) {
        if let Event::Call(CallEvent::ApprovalRequested(ApprovalRequested { call, .. })) = event {
            let request = RequestId(at);
            self.unanswered.insert(*call, request);
            self.requests.insert(request);
        }
        if let Event::Call(CallEvent::ApprovalDecided(ApprovalDecided {
            call,
            verdict: Verdict::Allow,
            ..
        }))
        | Event::Call(CallEvent::GrantUsed(GrantUsed { call, .. })) = event
        {
            self.unanswered.remove(call);
        }
    }
}
