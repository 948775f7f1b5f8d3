//! Commands of people about requests, and stop.

use super::{RebuildError, Source, event};
use crate::command::{Action, Reply, Settlement};
use crate::event::SettledHow;

impl Source<'_> {
    pub(super) fn decide(&self) -> Result<Action, RebuildError> {
        let decided = event!(self, ApprovalDecided)?;
        Ok(Action::Decide {
            agent: decided.agent.clone(),
            request: decided.request,
            verdict: decided.verdict,
            scope: decided.scope,
            shown: decided.shown.clone(),
            reason: self.text(&decided.reason)?,
        })
    }

    pub(super) fn answer(&self) -> Result<Action, RebuildError> {
        let answered = event!(self, QuestionAnswered)?;
        let reply = match answered.option {
            Some(option) => Reply::Option(option),
            None => Reply::Text(self.text(&answered.text)?.map_or_else(|| self.misfit("no answer"), Ok)?),
        };
        Ok(Action::Answer { request: answered.request, reply })
    }

    pub(super) fn settle(&self) -> Result<Action, RebuildError> {
        let settled = event!(self, OutcomeSettled)?;
        let settlement = match settled.how {
            SettledHow::Ran => Settlement::Ran(self.text(&settled.text)?.result),
            SettledHow::NotRun => Settlement::NotRun,
            SettledHow::RunAgain => Settlement::RunAgain,
            SettledHow::Late => return self.misfit("a person settles, and it arrived late"),
        };
        Ok(Action::Settle { request: settled.request, settlement })
    }

    pub(super) fn stop(&self) -> Result<Action, RebuildError> {
        Ok(Action::Stop { episode: event!(self, Stopped)?.episode })
    }
}
