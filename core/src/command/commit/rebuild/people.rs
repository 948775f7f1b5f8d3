//! Commands of people about requests, and stop.

use super::{RebuildError, Source, event};
use crate::command::{Action, Judgement, Reply, Settlement};
use crate::content::canonical::canonical_text;
use crate::event::{ApprovalDecided, DecisionText, RightsChanged, SettledHow};

impl Source<'_> {
    pub(super) fn decide(&self) -> Result<Action, RebuildError> {
        let decided = event!(self, ApprovalDecided)?;
        Ok(Action::Decide {
            agent: decided.agent.clone(),
            request: decided.request,
            judgement: self.judgement(decided)?,
        })
    }

    fn judgement(&self, decided: &ApprovalDecided) -> Result<Judgement, RebuildError> {
        // Other arguments are decided about, a reason is not.
        let text = if decided.is_edited {
            self.text(&decided.text)?
        } else {
            self.remark(&decided.text)?
        };
        let DecisionText { reason, arguments } = text;
        Ok(Judgement {
            verdict: decided.verdict,
            scope: decided.scope,
            wider: decided.wider.clone(),
            arguments,
            shown: decided.shown.clone(),
            world: None,
            reason,
            shares_reason: decided.shares_reason,
        })
    }

    pub(super) fn revoke(&self) -> Result<Action, RebuildError> {
        Ok(Action::Revoke {
            grant: event!(self, GrantRevoked)?.grant,
        })
    }

    pub(super) fn set_rights(&self) -> Result<Action, RebuildError> {
        let RightsChanged {
            method,
            subject,
            rights,
        } = event!(self, RightsChanged)?.clone();
        Ok(Action::SetRights {
            method,
            subject,
            rights,
        })
    }

    pub(super) fn observe(&self) -> Result<Action, RebuildError> {
        let observed = event!(self, StateObserved)?;
        Ok(Action::Observe {
            name: observed.name.clone(),
            state: canonical_text(&self.text(&observed.state)?),
        })
    }

    pub(super) fn answer(&self) -> Result<Action, RebuildError> {
        let answered = event!(self, QuestionAnswered)?;
        let text = if answered.options.is_empty() {
            self.text(&answered.text)?
        } else {
            self.remark(&answered.text)?
        };
        let reply = match text {
            None => Reply::Options(answered.options.clone()),
            Some(text) => Reply::Text(text),
        };
        Ok(Action::Answer {
            request: answered.request,
            reply,
        })
    }

    pub(super) fn settle(&self) -> Result<Action, RebuildError> {
        let settled = event!(self, OutcomeSettled)?;
        let settlement = match settled.how {
            SettledHow::Ran => Settlement::Ran(self.remark(&settled.text)?.result),
            SettledHow::NotRun => Settlement::NotRun,
            SettledHow::RunAgain => Settlement::RunAgain,
            SettledHow::Late => return self.misfit("a person settles, and it arrived late"),
        };
        Ok(Action::Settle {
            request: settled.request,
            settlement,
        })
    }

    pub(super) fn stop(&self) -> Result<Action, RebuildError> {
        Ok(Action::Stop {
            episode: event!(self, Stopped)?.episode,
        })
    }
}
