//! Commands about turns and model calls.

use super::{RebuildError, Source, event};
use crate::command::Action;
use crate::event::Unasked;
use crate::event::reaction::Reaction;
use crate::model::Parameters;
use crate::model::response::ModelError;

impl Source<'_> {
    pub(super) fn open_turn(&self) -> Result<Action, RebuildError> {
        if let Ok(declined) = event!(self, TurnDeclined) {
            let (agent, reaction) = (
                declined.agent.clone(),
                Reaction::AskModel(declined.parameters.clone()),
            );
            return Ok(Action::OpenTurn {
                agent,
                horizon: declined.horizon,
                reaction,
            });
        }
        let opened = event!(self, TurnOpened)?;
        let reaction = match event!(self, ModelCalled) {
            Ok(called) => Reaction::AskModel(called.parameters.clone()),
            Err(_) => self.text(&event!(self, AgentReacted)?.reaction)?,
        };
        Ok(Action::OpenTurn {
            agent: opened.agent.clone(),
            horizon: opened.horizon,
            reaction,
        })
    }

    pub(super) fn continue_turn(&self) -> Result<Action, RebuildError> {
        let (agent, turn, reaction) = if let Ok(called) = event!(self, ModelCalled) {
            (
                &called.agent,
                called.turn,
                Reaction::AskModel(called.parameters.clone()),
            )
        } else if let Ok(reacted) = event!(self, AgentReacted) {
            (&reacted.agent, reacted.turn, self.text(&reacted.reaction)?)
        } else {
            // No model could be asked. What was wanted of it is recorded only where its cost depends on that.
            let closed = event!(self, TurnClosed)?;
            let wanted = match &closed.unasked {
                Some(Unasked::Call(parameters)) => parameters.clone(),
                Some(Unasked::Attempt(_)) | None => Parameters::default(),
            };
            (&closed.agent, closed.turn, Reaction::AskModel(wanted))
        };
        Ok(Action::ContinueTurn {
            agent: agent.clone(),
            turn,
            reaction,
        })
    }

    pub(super) fn fail_agent(&self) -> Result<Action, RebuildError> {
        let failed = event!(self, AgentFailed)?;
        let (agent, code) = (failed.agent.clone(), failed.code.clone());
        Ok(Action::FailAgent {
            agent,
            turn: failed.turn,
            code,
            detail: self.remark(&failed.detail)?,
        })
    }

    pub(super) fn retry_model(&self) -> Result<Action, RebuildError> {
        if let Ok(called) = event!(self, ModelCalled) {
            return Ok(Action::RetryModel {
                agent: called.agent.clone(),
                call: called.call,
            });
        }
        if let Ok(failed) = event!(self, ModelFailed) {
            return Ok(Action::RetryModel {
                agent: failed.agent.clone(),
                call: failed.call,
            });
        }
        let closed = event!(self, TurnClosed)?;
        match closed.unasked {
            Some(Unasked::Attempt(call)) => Ok(Action::RetryModel {
                agent: closed.agent.clone(),
                call,
            }),
            Some(Unasked::Call(_)) | None => self.misfit("no attempt"),
        }
    }

    pub(super) fn start_stream(&self) -> Result<Action, RebuildError> {
        let started = event!(self, StreamStarted)?;
        Ok(Action::StartStream {
            agent: started.agent.clone(),
            call: started.call,
            attempt: started.attempt,
        })
    }

    pub(super) fn record_answer(&self) -> Result<Action, RebuildError> {
        let answered = event!(self, ModelAnswered)?;
        Ok(Action::RecordAnswer {
            agent: answered.agent.clone(),
            call: answered.call,
            attempt: answered.attempt,
            response: self.text(&answered.response)?,
        })
    }

    pub(super) fn record_failure(&self) -> Result<Action, RebuildError> {
        let failed = event!(self, ModelFailed)?;
        Ok(Action::RecordFailure {
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
        })
    }
}
