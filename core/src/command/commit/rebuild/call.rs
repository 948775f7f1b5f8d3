//! Commands about runs of tools.

use super::{RebuildError, RebuildSource};
use crate::command::{Action, ShellAction};
use crate::event::{
    ApprovalRequested, OutcomeSettled, OutcomeUnknown, QuestionAsked, Reconciled, ToolFinished,
    ToolStarted,
};
use crate::ids::Attempt;
use crate::tool::ToolOutcome;

impl RebuildSource<'_> {
    pub(super) fn start_tool(&self) -> Result<Action, RebuildError> {
        if let Ok(started) = self.find("no ToolStarted", ToolStarted::of_event) {
            let agent = started.agent.clone();
            let call = started.call;
            let attempt = started.attempt;
            return Ok(Action::Shell(ShellAction::StartTool {
                agent,
                call,
                attempt,
            }));
        }
        if let Ok(asked) = self.find("no ApprovalRequested", ApprovalRequested::of_event)
            && let Some(attempt) = asked.attempt
        {
            return Ok(Action::Shell(ShellAction::StartTool {
                agent: asked.agent.clone(),
                call: asked.call,
                attempt,
            }));
        }
        let finished = self.find("no ToolFinished", ToolFinished::of_event)?;
        if self
            .find("no OutcomeUnknown", OutcomeUnknown::of_event)
            .is_ok()
        {
            // The lost run stands there, and another one was about to start.
            let agent = finished.agent.clone();
            let call = finished.call;
            let attempt = self.attempt(finished)?.next();
            return Ok(Action::Shell(ShellAction::StartTool {
                agent,
                call,
                attempt,
            }));
        }
        Ok(Action::Shell(ShellAction::StartTool {
            agent: finished.agent.clone(),
            call: finished.call,
            attempt: self.attempt(finished)?,
        }))
    }

    /// A result, a question, or the settlement of a run whose call was closed before it ended.
    pub(super) fn finish_tool(&self) -> Result<Action, RebuildError> {
        if let Ok(asked) = self.find("no QuestionAsked", QuestionAsked::of_event) {
            let outcome = ToolOutcome::NeedsInput(self.text(&asked.question)?);
            let agent = asked.agent.clone();
            let call = asked.call;
            return Ok(Action::Shell(ShellAction::FinishTool {
                agent,
                call,
                attempt: asked.attempt,
                outcome,
                progress: None,
            }));
        }
        if let Ok(settled) = self.find("no OutcomeSettled", OutcomeSettled::of_event) {
            let late = self.text(&settled.text)?.late;
            let (attempt, outcome) = late.map_or_else(|| self.misfit("no late outcome"), Ok)?;
            let agent = settled.agent.clone();
            let call = settled.call;
            return Ok(Action::Shell(ShellAction::FinishTool {
                agent,
                call,
                attempt,
                outcome,
                progress: None,
            }));
        }
        let finished = self.find("no ToolFinished", ToolFinished::of_event)?;
        let agent = finished.agent.clone();
        let call = finished.call;
        let attempt = self.attempt(finished)?;
        let outcome = self
            .text(&finished.outcome)?
            .map_or_else(|| self.misfit("no outcome"), Ok)?;
        Ok(Action::Shell(ShellAction::FinishTool {
            agent,
            call,
            attempt,
            outcome,
            progress: finished.progress,
        }))
    }

    pub(super) fn time_out_tool(&self) -> Result<Action, RebuildError> {
        let finished = self.find("no ToolFinished", ToolFinished::of_event)?;
        Ok(Action::Shell(ShellAction::TimeOutTool {
            agent: finished.agent.clone(),
            call: finished.call,
            attempt: self.attempt(finished)?,
        }))
    }

    fn attempt(&self, finished: &ToolFinished) -> Result<Attempt, RebuildError> {
        finished
            .attempt
            .map_or_else(|| self.misfit("a result without an attempt"), Ok)
    }

    pub(super) fn record_reconcile(&self) -> Result<Action, RebuildError> {
        let reconciled = self.find("no Reconciled", Reconciled::of_event)?;
        let agent = reconciled.agent.clone();
        let call = reconciled.call;
        Ok(Action::Shell(ShellAction::RecordReconcile {
            agent,
            call,
            result: self.text(&reconciled.outcome)?,
        }))
    }

    pub(super) fn declare_unknown(&self) -> Result<Action, RebuildError> {
        let unknown = self.find("no OutcomeUnknown", OutcomeUnknown::of_event)?;
        Ok(Action::Shell(ShellAction::DeclareUnknown {
            agent: unknown.agent.clone(),
            call: unknown.call,
        }))
    }
}
