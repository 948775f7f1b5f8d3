//! Commands about runs of tools.

use super::{RebuildError, Source, event};
use crate::command::Action;
use crate::event::ToolFinished;
use crate::ids::Attempt;
use crate::tool::ToolOutcome;

impl Source<'_> {
    pub(super) fn start_tool(&self) -> Result<Action, RebuildError> {
        if let Ok(started) = event!(self, ToolStarted) {
            let (agent, call, attempt) = (started.agent.clone(), started.call, started.attempt);
            return Ok(Action::StartTool {
                agent,
                call,
                attempt,
            });
        }
        if let Ok(asked) = event!(self, ApprovalRequested)
            && let Some(attempt) = asked.attempt
        {
            return Ok(Action::StartTool {
                agent: asked.agent.clone(),
                call: asked.call,
                attempt,
            });
        }
        let finished = event!(self, ToolFinished)?;
        if event!(self, OutcomeUnknown).is_ok() {
            // The lost run stands there, and another one was about to start.
            let (agent, call, attempt) = (
                finished.agent.clone(),
                finished.call,
                self.attempt(finished)?.next(),
            );
            return Ok(Action::StartTool {
                agent,
                call,
                attempt,
            });
        }
        Ok(Action::StartTool {
            agent: finished.agent.clone(),
            call: finished.call,
            attempt: self.attempt(finished)?,
        })
    }

    /// A result, a question, or the settlement of a run whose call was closed before it ended.
    pub(super) fn finish_tool(&self) -> Result<Action, RebuildError> {
        if let Ok(asked) = event!(self, QuestionAsked) {
            let outcome = ToolOutcome::NeedsInput(self.text(&asked.question)?);
            let (agent, call) = (asked.agent.clone(), asked.call);
            return Ok(Action::FinishTool {
                agent,
                call,
                attempt: asked.attempt,
                outcome,
                progress: None,
            });
        }
        if let Ok(settled) = event!(self, OutcomeSettled) {
            let late = self.text(&settled.text)?.late;
            let (attempt, outcome) = late.map_or_else(|| self.misfit("no late outcome"), Ok)?;
            let (agent, call) = (settled.agent.clone(), settled.call);
            return Ok(Action::FinishTool {
                agent,
                call,
                attempt,
                outcome,
                progress: None,
            });
        }
        let finished = event!(self, ToolFinished)?;
        let (agent, call, attempt) = (
            finished.agent.clone(),
            finished.call,
            self.attempt(finished)?,
        );
        let outcome = self
            .text(&finished.outcome)?
            .map_or_else(|| self.misfit("no outcome"), Ok)?;
        Ok(Action::FinishTool {
            agent,
            call,
            attempt,
            outcome,
            progress: finished.progress,
        })
    }

    pub(super) fn time_out_tool(&self) -> Result<Action, RebuildError> {
        let finished = event!(self, ToolFinished)?;
        Ok(Action::TimeOutTool {
            agent: finished.agent.clone(),
            call: finished.call,
            attempt: self.attempt(finished)?,
        })
    }

    fn attempt(&self, finished: &ToolFinished) -> Result<Attempt, RebuildError> {
        finished
            .attempt
            .map_or_else(|| self.misfit("a result without an attempt"), Ok)
    }

    pub(super) fn record_reconcile(&self) -> Result<Action, RebuildError> {
        let reconciled = event!(self, Reconciled)?;
        let (agent, call) = (reconciled.agent.clone(), reconciled.call);
        Ok(Action::RecordReconcile {
            agent,
            call,
            result: self.text(&reconciled.outcome)?,
        })
    }

    pub(super) fn declare_unknown(&self) -> Result<Action, RebuildError> {
        let unknown = event!(self, OutcomeUnknown)?;
        Ok(Action::DeclareUnknown {
            agent: unknown.agent.clone(),
            call: unknown.call,
        })
    }
}
