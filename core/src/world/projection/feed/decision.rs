//! The item about a request that waits no longer.

use crate::event::refusal::Decided;
use crate::event::{
    ApprovalDecided, CallEvent, DecisionText, Event, OutcomeSettled, QuestionAnswered, Scope,
    SettledHow, SettledText, Verdict,
};
use crate::ids::principal::Party;
use crate::ids::{CallId, RequestId};
use crate::world::consent::Settled;
use crate::world::projection::feed::FeedBody;

/// The end of the request `id`, as the state remembers it, with the words of the event that brought it. The state forgets the
/// oldest of very many.
pub(super) fn decision(
    id: RequestId,
    call: CallId,
    settled: Option<&Settled>,
    event: Option<&Event>,
) -> FeedBody {
    let said = Said::of(id, event);
    let decided = settled.map(|settled| settled.decided.clone());
    let decided = decided.unwrap_or(Decided {
        by: said.by,
        how: "closed".to_owned(),
    });
    FeedBody::Decision {
        request: id,
        call,
        how: said.how.map_or(decided.how, str::to_owned),
        by: decided.by,
        scope: said.scope,
        text: said.text,
        options: said.options,
        arguments: said.arguments,
    }
}

/// The words of a decision.
#[derive(Debug, Default)]
struct Said {
    /// The decision in one word, where the event is plainer than the state.
    how: Option<&'static str>,
    by: Option<Party>,
    scope: Option<Scope>,
    text: Option<String>,
    options: Vec<u32>,
    arguments: Option<String>,
}

impl Said {
    /// The words of `event` about the request `id`; none if it is about another one.
    fn of(id: RequestId, event: Option<&Event>) -> Self {
        let Some(Event::Call(event)) = event else {
            return Self::default();
        };
        if let CallEvent::ApprovalDecided(decided) = event {
            Self::of_approval(decided).filter(decided.request == id)
        } else if let CallEvent::QuestionAnswered(answered) = event {
            Self::of_answer(answered).filter(answered.request == id)
        } else if let CallEvent::OutcomeSettled(settled) = event {
            Self::of_settlement(settled).filter(settled.request == id)
        } else {
            Self::default()
        }
    }

    fn filter(self, is_it: bool) -> Self {
        if is_it { self } else { Self::default() }
    }

    fn of_approval(decided: &ApprovalDecided) -> Self {
        let DecisionText { reason, arguments } =
            decided.text.present().cloned().unwrap_or_default();
        Self {
            how: Some(match decided.verdict {
                Verdict::Allow => "allow",
                Verdict::Deny => "deny",
            }),
            by: Some(decided.by.clone()),
            scope: Some(decided.scope),
            text: reason,
            arguments,
            ..Self::default()
        }
    }

    fn of_answer(answered: &QuestionAnswered) -> Self {
        Self {
            how: Some("answered"),
            by: Some(answered.by.clone()),
            text: answered.text.present().cloned().flatten(),
            options: answered.options.clone(),
            ..Self::default()
        }
    }

    fn of_settlement(settled: &OutcomeSettled) -> Self {
        let SettledText { result, .. } = settled.text.present().cloned().unwrap_or_default();
        Self {
            how: Some(match settled.how {
                SettledHow::Ran => "ran",
                SettledHow::NotRun => "not_run",
                SettledHow::RunAgain => "run_again",
                SettledHow::Late => "late",
            }),
            by: settled.by.party(),
            text: result,
            ..Self::default()
        }
    }
}
