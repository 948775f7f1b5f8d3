//! Commands about turns and model calls.

use super::{RebuildError, RebuildSource};
use crate::command::{Action, ShellAction};
use crate::event::reaction::Reaction;
use crate::event::{
    AgentFailed, AgentReacted, ModelAnswered, ModelCalled, ModelFailed, StreamStarted, TurnClosed,
    TurnDeclined, TurnOpened, Unasked,
};
use crate::model::Parameters;
use crate::model::response::ModelError;

impl RebuildSource<'_> {
    pub(super) fn open_turn(&self) -> Result<Action, RebuildError> {
        if let Ok(declined) = self.find("no TurnDeclined", TurnDeclined::of_event) {
            let agent = declined.agent.clone();
            let reaction = Reaction::AskModel(declined.parameters.clone());
            return Ok(Action::Shell(ShellAction::OpenTurn {
                agent,
                horizon: declined.horizon,
                reaction,
            }));
        }
        let opened = self.find("no TurnOpened", TurnOpened::of_event)?;
        let reaction = match self.find("no ModelCalled", ModelCalled::of_event) {
            Ok(called) => Reaction::AskModel(called.parameters.clone()),
            Err(_) => self.text(
                &self
                    .find("no AgentReacted", AgentReacted::of_event)?
                    .reaction,
            )?,
        };
        Ok(Action::Shell(ShellAction::OpenTurn {
            agent: opened.agent.clone(),
            horizon: opened.horizon,
            reaction,
        }))
    }

    pub(super) fn continue_turn(&self) -> Result<Action, RebuildError> {
        let (agent, turn, reaction) =
            if let Ok(called) = self.find("no ModelCalled", ModelCalled::of_event) {
                (
                    &called.agent,
                    called.turn,
                    Reaction::AskModel(called.parameters.clone()),
                )
            } else if let Ok(reacted) = self.find("no AgentReacted", AgentReacted::of_event) {
                (&reacted.agent, reacted.turn, self.text(&reacted.reaction)?)
            } else {
                // No model could be asked. What was wanted of it is recorded only where its cost
                // depends on that.
                let closed = self.find("no TurnClosed", TurnClosed::of_event)?;
                let wanted = match &closed.unasked {
                    Some(Unasked::Call(parameters)) => parameters.clone(),
                    Some(Unasked::Attempt(_)) | None => Parameters::default(),
                };
                (&closed.agent, closed.turn, Reaction::AskModel(wanted))
            };
        Ok(Action::Shell(ShellAction::ContinueTurn {
            agent: agent.clone(),
            turn,
            reaction,
        }))
    }

    pub(super) fn fail_agent(&self) -> Result<Action, RebuildError> {
        let failed = self.find("no AgentFailed", AgentFailed::of_event)?;
        let agent = failed.agent.clone();
        let code = failed.code.clone();
        Ok(Action::Shell(ShellAction::FailAgent {
            agent,
            turn: failed.turn,
            code,
            detail: self.remark(&failed.detail)?,
        }))
    }

    pub(super) fn retry_model(&self) -> Result<Action, RebuildError> {
        if let Ok(called) = self.find("no ModelCalled", ModelCalled::of_event) {
            return Ok(Action::Shell(ShellAction::RetryModel {
                agent: called.agent.clone(),
                call: called.call,
            }));
        }
        if let Ok(failed) = self.find("no ModelFailed", ModelFailed::of_event) {
            return Ok(Action::Shell(ShellAction::RetryModel {
                agent: failed.agent.clone(),
                call: failed.call,
            }));
        }
        let closed = self.find("no TurnClosed", TurnClosed::of_event)?;
        match closed.unasked {
            Some(Unasked::Attempt(call)) => Ok(Action::Shell(ShellAction::RetryModel {
                agent: closed.agent.clone(),
                call,
            })),
            Some(Unasked::Call(_)) | None => self.misfit("no attempt"),
        }
    }

    pub(super) fn start_stream(&self) -> Result<Action, RebuildError> {
        let started = self.find("no StreamStarted", StreamStarted::of_event)?;
        Ok(Action::Shell(ShellAction::StartStream {
            agent: started.agent.clone(),
            call: started.call,
            attempt: started.attempt,
        }))
    }

    pub(super) fn record_answer(&self) -> Result<Action, RebuildError> {
        let answered = self.find("no ModelAnswered", ModelAnswered::of_event)?;
        Ok(Action::Shell(ShellAction::RecordAnswer {
            agent: answered.agent.clone(),
            call: answered.call,
            attempt: answered.attempt,
            response: self.text(&answered.response)?,
        }))
    }

    pub(super) fn record_failure(&self) -> Result<Action, RebuildError> {
        let failed = self.find("no ModelFailed", ModelFailed::of_event)?;
        Ok(Action::Shell(ShellAction::RecordFailure {
            agent: failed.agent.clone(),
            call: failed.call,
            attempt: failed.attempt,
            error: ModelError {
                kind: failed.kind,
                retry_after_ms: failed.retry_after_ms,
                detail: self.remark(&failed.detail)?,
                played: failed.played,
                reached: failed.reached,
            },
        }))
    }
}
