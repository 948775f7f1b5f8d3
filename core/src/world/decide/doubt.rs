//! Runs that were lost with the process that ran them.

use super::{Draft, No};
use crate::event::{OutcomeUnknown, Reconciled, ReconciledHow, UnknownCause};
use crate::ids::{AgentName, CallId, RequestId};
use crate::tool::Reconciliation;
use crate::world::memory::{CallState, Run};

impl Draft<'_> {
    /// The lost run that is to be cleared up, and whether its tool was asked.
    fn doubt(&mut self, agent: &AgentName, call: CallId) -> Result<(Run, bool), No> {
        let open = self.open_call(agent, call)?;
        match &open.state {
            CallState::InDoubt { run, was_asked } if !run.may_repeat(self.world.time) => {
                self.cause = Some(open.moved_by);
                Ok((run.clone(), *was_asked))
            }
            CallState::InDoubt { .. }
            | CallState::Ready { .. }
            | CallState::AwaitsApproval { .. }
            | CallState::AwaitsAnswer { .. }
            | CallState::AwaitsAgent { .. }
            | CallState::Running(_)
            | CallState::AwaitsSettlement { .. } => Err(No::STALE),
        }
    }

    pub(super) fn record_reconcile(
        &mut self,
        agent: &AgentName,
        call: CallId,
        result: &Reconciliation,
    ) -> Result<(), No> {
        let (run, was_asked) = self.doubt(agent, call)?;
        if was_asked || !run.reconciles {
            return Err(No::STALE);
        }
        let how = match result {
            Reconciliation::Landed(_) => ReconciledHow::Landed,
            Reconciliation::DidNot => ReconciledHow::DidNot,
            Reconciliation::CannotTell => ReconciledHow::CannotTell,
        };
        self.push(Reconciled {
            call,
            agent: agent.clone(),
            how,
            outcome: result.clone().into(),
        });
        if let Reconciliation::Landed(outcome) = result {
            self.end_run(agent, call, run.attempt, outcome);
        }
        Ok(())
    }

    pub(super) fn declare_unknown(&mut self, agent: &AgentName, call: CallId) -> Result<(), No> {
        let (run, was_asked) = self.doubt(agent, call)?;
        if run.reconciles && !was_asked {
            return Err(No::STALE);
        }
        let cause = UnknownCause::Crash;
        let request = RequestId(self.push(OutcomeUnknown {
            call,
            agent: agent.clone(),
            cause,
        }));
        self.tell_unknown(agent, request);
        Ok(())
    }
}
