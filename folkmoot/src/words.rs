//! Sentences for what happens beside the talk: the same on a terminal and in a report.

use folkmoot_core::event::{CallStatus, Named, Notice, SpentLimit, ToolFinished, UnknownCause};
use folkmoot_core::ids::{AgentName, PersonName, RequestId};
use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use serde::Serialize;

use crate::text::{clip, one_line};

mod command;
mod constraint;
mod item;
mod reach;
mod routing;
mod warning;

pub use command::{about, tried};
pub use constraint::constraint;
pub use item::item;
pub use reach::reach;
pub use routing::{answering, routing_rule, silent_because};
pub use warning::{effect_warning, warning};

/// The longest result that is shown in a line, in characters.
const RESULT_MAX: usize = 100;

/// Returns what a call gave, in a line.
#[must_use]
pub fn result(finished: &ToolFinished) -> String {
    let outcome = finished.outcome.present().and_then(Option::as_ref);
    match (&finished.status, outcome) {
        (CallStatus::Done, Some(ToolOutcome::Done(output))) => shortened(&output.text),
        (CallStatus::Done, _) if finished.memo.is_some() => {
            "the same as before, it did not run again".to_owned()
        }
        (CallStatus::Done, _) => "[erased]".to_owned(),
        (CallStatus::Failed(code), Some(ToolOutcome::Failed(failure))) => {
            format!(
                "failed ({}): {}",
                failure_word(*code),
                clip(&one_line(&failure.detail), RESULT_MAX)
            )
        }
        (CallStatus::Failed(code), _) => format!("failed ({})", failure_word(*code)),
        (status, _) => status_word(status).to_owned(),
    }
}

/// Returns what people are shown of a call's end, in a line: the words of a result in whose place
/// they see no views. The detail of a failure is for operators.
#[must_use]
pub fn shown_result(finished: &ToolFinished) -> String {
    if let CallStatus::Failed(code) = finished.status {
        return format!("failed ({})", failure_word(code));
    }
    let outcome = finished.outcome.present().and_then(Option::as_ref);
    if let Some(ToolOutcome::Done(output)) = outcome
        && !output.views.is_empty()
    {
        return status_word(&finished.status).to_owned();
    }
    result(finished)
}

/// A result's beginning, and how much there is of it.
#[must_use]
pub fn shortened(text: &str) -> String {
    let lines = text.lines().count();
    let gist = clip(&one_line(text), RESULT_MAX);
    if lines > 1 {
        format!("{gist} ({lines} lines)")
    } else {
        gist
    }
}

/// The serialised name of a variant without fields; empty if the value is anything else.
#[must_use]
pub fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Returns how a call ended, in words.
#[must_use]
pub const fn status_word(status: &CallStatus) -> &'static str {
    match status {
        CallStatus::Done => "done",
        CallStatus::Failed(_) => "failed",
        CallStatus::Denied => "denied, did not run",
        CallStatus::DeniedBefore => "a person denied the same call before, did not run",
        CallStatus::Forbidden => "the room's rules forbid it, did not run",
        CallStatus::QuotaSpent => "the tool was called as often as the room allows, did not run",
        CallStatus::NotAllowed => "not allowed in this room, did not run",
        CallStatus::Expired => "nobody decided in time, did not run",
        CallStatus::Invalid(_) => "the arguments do not fit, did not run",
        CallStatus::Missing => "there is no such tool",
        CallStatus::TooMany => "too many calls in one answer, did not run",
        CallStatus::ToolsDisabled => "no tool may be called in the closing answer",
        CallStatus::Cancelled => "stopped before it started",
        CallStatus::Superseded => "the message it was for was taken back or replaced",
        CallStatus::Unknown(_) => "nobody knows whether it took effect",
        CallStatus::SettledRan => "it took effect, as a person found",
        CallStatus::SettledNotRun => "it did not take effect, as a person found",
        CallStatus::Answered(_) => "answered",
        CallStatus::Unanswered(_) => "the agent that was asked gave no answer",
        CallStatus::NoSuchAgent => "there is no such agent to turn to",
        CallStatus::WouldDeadlock => "the agents would wait for each other",
        CallStatus::TooDeep => "too many agents wait for one another",
        CallStatus::HopBudget => {
            "the agents have sent each other as many messages as an episode allows"
        }
        CallStatus::NotAlone => {
            "a handoff must be the only call of an answer, nothing was handed over"
        }
        CallStatus::HandedOff => "handed over",
    }
}

const fn failure_word(code: ToolErrorCode) -> &'static str {
    match code {
        ToolErrorCode::NotFound => "not found",
        ToolErrorCode::NotAllowed => "not allowed",
        ToolErrorCode::BadArguments => "bad arguments",
        ToolErrorCode::TooLarge => "too large",
        ToolErrorCode::TimedOut => "timed out",
        ToolErrorCode::ExitedWithFailure => "exited with failure",
        ToolErrorCode::DryRun => "not run: this room is a dry run",
        ToolErrorCode::Lost => "lost",
        ToolErrorCode::Failed => "failed",
    }
}

/// Returns why nobody knows whether a call took effect.
#[must_use]
pub const fn unknown_because(cause: UnknownCause) -> &'static str {
    match cause {
        UnknownCause::Crash => "the process that ran it died",
        UnknownCause::Stopped => "it was stopped",
        UnknownCause::TimedOut => "it took too long",
        UnknownCause::Lost => "the helper that ran it was lost",
        UnknownCause::Superseded => "the message it was for was taken back or replaced",
    }
}

/// That nobody has these names, as they were written, whose names are near, and who else is only named.
#[must_use]
pub fn undeliverable(names: &[String], nearest: &[AgentName], named: &Named) -> String {
    let written: Vec<String> = names
        .iter()
        .map(|name| format!("@{}", clip(&one_line(name), RESULT_MAX)))
        .collect();
    let what = if written.is_empty() {
        "a name in this message".to_owned()
    } else {
        written.join(" or ")
    };
    format!(
        "nobody here is called {what}{}{}",
        meant(nearest),
        only(named)
    )
}

fn meant(nearest: &[AgentName]) -> String {
    let nearest: Vec<String> = nearest.iter().map(|name| format!("@{name}")).collect();
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", nearest.join(" or "))
    }
}

fn only(named: &Named) -> String {
    if named.is_empty() {
        String::new()
    } else {
        format!("; {}", to_address(&named.agents, &named.people))
    }
}

/// Returns how those are addressed who were only named.
fn to_address(agents: &[AgentName], people: &[PersonName]) -> String {
    let agents = agents.iter().map(|name| format!("@{name}"));
    let names: Vec<String> = agents
        .chain(people.iter().map(|name| format!("@{name}")))
        .collect();
    format!(
        "to address {}, put the name at the start of a line",
        names.join(" or ")
    )
}

/// A notice as a sentence. `name` gives a request's.
#[must_use]
pub fn told(notice: &Notice, name: impl Fn(RequestId) -> String) -> String {
    match notice {
        Notice::Undeliverable { nearest, named, .. } => undeliverable(&[], nearest, named),
        Notice::NobodyAnswers { nearest, named, .. } => {
            let how = "nobody will answer this message; to ask somebody, put @name at the start of a line";
            format!("{how}{}{}", meant(nearest), only(named))
        }
        Notice::OnlyNamed { agents, people, .. } => to_address(agents, people),
        Notice::HopBudgetSpent { agent } => {
            format!(
                "the agents have sent each other as many messages as an episode allows; nobody answers {agent}"
            )
        }
        Notice::PairDamped { agent, other } => {
            format!(
                "{agent} and {other} only answered each other, so {other} does not answer any more"
            )
        }
        Notice::ServiceEpisodesSpent { max } => {
            format!(
                "services have begun {max} episodes within the hour, as many as they may; nobody answers their messages until one of these is an hour old"
            )
        }
        Notice::AgentWaits { agent, request } => {
            format!(
                "{agent} waits for a person to decide {}; it reads this message after that",
                name(*request)
            )
        }
        Notice::InboxFull { agent } => {
            format!("too many messages wait for {agent}; it will not answer this one")
        }
        Notice::LimitReached {
            agent,
            limit: SpentLimit::ModelCalls,
        } => {
            format!("{agent} has no model calls left in this episode")
        }
        Notice::LimitReached {
            agent,
            limit: SpentLimit::Cost,
        } => {
            format!(
                "{agent} cannot ask a model: that could cost more than the room may spend (limits.cost)"
            )
        }
        Notice::LimitReached {
            agent,
            limit: SpentLimit::CostPerEpisode,
        } => {
            format!(
                "{agent} cannot ask a model: that could cost more than an episode may (limits.cost_per_episode)"
            )
        }
        Notice::TurnFailed { agent, code } => format!("{agent} could not answer ({code})"),
        Notice::RequestExpired { request } => format!("nobody decided {} in time", name(*request)),
        Notice::OutcomeUnknown { agent, request } => {
            format!(
                "nobody knows whether a call of {agent} took effect: {} asks a person",
                name(*request)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use folkmoot_core::event::{CallStatus, ToolFinished};
    use folkmoot_core::ids::{AgentName, CallId, Position, Seed, Stamp, Time, WorldId};

    use super::result;

    #[test]
    fn result_that_stands_for_an_earlier_one_is_not_called_erased() {
        let world = WorldId::from_stamp(&Stamp {
            time: Time(1),
            seed: Seed::new([1; 16]),
        });
        let call = CallId::of(world, Position::new(3), 0);
        let finished = ToolFinished::new(
            call,
            AgentName::new("bob").unwrap(),
            None,
            CallStatus::Done,
            None,
        );
        assert_eq!(result(&finished), "[erased]");
        let again = ToolFinished {
            memo: Some(Position::new(2)),
            ..finished
        };
        assert_eq!(result(&again), "the same as before, it did not run again");
    }
}
