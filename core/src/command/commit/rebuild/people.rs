//! Commands of people about requests, and stop.

use super::{RebuildError, RebuildSource};
use crate::command::{
    Action, ConsentAction, Judgement, Reply, Settlement, TalkAction, WorldAction,
};
use crate::content::canonical::canonical_text;
use crate::event::{
    ApprovalDecided, DecisionText, GrantRevoked, OutcomeSettled, QuestionAnswered, RightsChanged,
    SettledHow, StateObserved, Stopped,
};

impl RebuildSource<'_> {
    pub(super) fn decide(&self) -> Result<Action, RebuildError> {
        let decided = self.find("no ApprovalDecided", ApprovalDecided::of_event)?;
        Ok(Action::Consent(ConsentAction::Decide {
            agent: Some(decided.agent.clone()),
            request: decided.request,
            judgement: self.judgement(decided)?,
        }))
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
        Ok(Action::Consent(ConsentAction::Revoke {
            grant: self.find("no GrantRevoked", GrantRevoked::of_event)?.grant,
        }))
    }

    pub(super) fn set_rights(&self) -> Result<Action, RebuildError> {
        let RightsChanged {
            holder,
            method,
            subject,
            rights,
        } = self
            .find("no RightsChanged", RightsChanged::of_event)?
            .clone();
        Ok(Action::World(WorldAction::SetRights {
            holder,
            method,
            subject,
            rights,
        }))
    }

    pub(super) fn observe(&self) -> Result<Action, RebuildError> {
        let observed = self.find("no StateObserved", StateObserved::of_event)?;
        Ok(Action::Talk(TalkAction::Observe {
            name: observed.name.clone(),
            state: canonical_text(&self.text(&observed.state)?),
        }))
    }

    pub(super) fn answer(&self) -> Result<Action, RebuildError> {
        let answered = self.find("no QuestionAnswered", QuestionAnswered::of_event)?;
        let text = if answered.options.is_empty() {
            self.text(&answered.text)?
        } else {
            self.remark(&answered.text)?
        };
        let reply = match text {
            None => Reply::Options(answered.options.clone()),
            Some(text) => Reply::Text(text),
        };
        Ok(Action::Consent(ConsentAction::Answer {
            request: answered.request,
            reply,
        }))
    }

    pub(super) fn settle(&self) -> Result<Action, RebuildError> {
        let settled = self.find("no OutcomeSettled", OutcomeSettled::of_event)?;
        let settlement = match settled.how {
            SettledHow::Ran => Settlement::Ran(self.remark(&settled.text)?.result),
            SettledHow::NotRun => Settlement::NotRun,
            SettledHow::RunAgain => Settlement::RunAgain,
            SettledHow::Late => return self.misfit("a person settles, and it arrived late"),
        };
        Ok(Action::Consent(ConsentAction::Settle {
            request: settled.request,
            settlement,
        }))
    }

    pub(super) fn stop(&self) -> Result<Action, RebuildError> {
        Ok(Action::Talk(TalkAction::Stop {
            episode: self.find("no Stopped", Stopped::of_event)?.episode,
        }))
    }
}
