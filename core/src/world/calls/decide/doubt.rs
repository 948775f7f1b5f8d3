//! Runs that were lost with the process that ran them.

use crate::event::{OutcomeUnknown, Reconciled, ReconciledHow, UnknownCause};
use crate::ids::{AgentName, CallId, RequestId};
use crate::tool::Reconciliation;
use crate::world::calls::decide::call;
use crate::world::decide::{Draft, No};
use crate::world::memory::{CallState, Run};

/// The lost run that is to be cleared up, and whether its tool was asked.
fn doubt(draft: &mut Draft<'_>, agent: &AgentName, call: CallId) -> Result<(Run, bool), No> {
    let open = call::open_call(draft, agent, call)?;
    match &open.state {
        CallState::InDoubt { run, was_asked } if !run.may_repeat(draft.world.time) => {
            draft.cause = Some(open.moved_by);
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

pub(in crate::world) fn record_reconcile(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    result: &Reconciliation,
) -> Result<(), No> {
    let (run, was_asked) = doubt(draft, agent, call)?;
    if was_asked || !run.reconciles {
        return Err(No::STALE);
    }
    let how = match result {
        Reconciliation::Landed(_) => ReconciledHow::Landed,
        Reconciliation::DidNot => ReconciledHow::DidNot,
        Reconciliation::CannotTell => ReconciledHow::CannotTell,
    };
    draft.push(Reconciled {
        call,
        agent: agent.clone(),
        how,
        outcome: result.clone().into(),
    });
    if let Reconciliation::Landed(outcome) = result {
        call::end_run(draft, agent, call, run.attempt, outcome);
    }
    Ok(())
}

pub(in crate::world) fn declare_unknown(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
) -> Result<(), No> {
    let (run, was_asked) = doubt(draft, agent, call)?;
    if run.reconciles && !was_asked {
        return Err(No::STALE);
    }
    let cause = UnknownCause::Crash;
    let request = RequestId(draft.push(OutcomeUnknown {
        call,
        agent: agent.clone(),
        cause,
    }));
    call::tell_unknown(draft, agent, request);
    Ok(())
}
