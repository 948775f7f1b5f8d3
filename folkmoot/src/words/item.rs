//! Items of a feed, as sentences.

use folkmoot_core::event::{CallStatus, CloseReason, Scope};
use folkmoot_core::ids::AgentName;
use folkmoot_core::world::projection::{FeedActivity, FeedBody};

use super::{failure_word, status_word, told};
use crate::text::{clip, one_line};

#[cfg(test)]
mod tests;

/// The longest name of a tool or of a decision that is repeated, in characters.
const NAME_MAX: usize = 100;

/// A notice, a decision, the end of a call of `agent`, or its turn that ended without a reply it
/// owed, as a sentence; `None` for other items. It holds no word of a message, a reason or a result.
#[must_use]
pub fn item(body: &FeedBody, agent: Option<&AgentName>) -> Option<String> {
    match body {
        FeedBody::Notice { notice, .. } => Some(told(notice, |at| format!("request {at}"))),
        FeedBody::Decision {
            request,
            how,
            by,
            scope,
            ..
        } => {
            let by = by.as_ref().map(ToString::to_string);
            Some(decided(&format!("request {request}"), how, by, *scope))
        }
        FeedBody::CallFinished {
            tool,
            status,
            same_as,
            ..
        } => {
            let of = agent.map(|agent| format!(" of {agent}"));
            let tool = clip(&one_line(tool), NAME_MAX);
            let end = ended(status, same_as.is_some());
            Some(format!("{tool}{}: {end}", of.unwrap_or_default()))
        }
        FeedBody::Activity { activity } => fell_silent(*activity, agent?),
        FeedBody::Message { .. }
        | FeedBody::Request { .. }
        | FeedBody::CallStarted { .. }
        | FeedBody::CallReplaced { .. }
        | FeedBody::Revised { .. }
        | FeedBody::Branched {}
        | FeedBody::Erased { .. } => None,
    }
}

/// Says that a turn ended without a reply for a reason that nobody in the room brought about.
fn fell_silent(activity: FeedActivity, agent: &AgentName) -> Option<String> {
    let FeedActivity::TurnClosed(reason) = activity else {
        return None;
    };
    match reason {
        CloseReason::Failed => Some(format!("{agent} could not answer")),
        CloseReason::Limit => Some(format!(
            "{agent} may ask its model no more for this message"
        )),
        CloseReason::Answered
        | CloseReason::Passed
        | CloseReason::Stopped
        | CloseReason::Superseded
        | CloseReason::HandedOff => None,
    }
}

fn decided(request: &str, how: &str, by: Option<String>, scope: Option<Scope>) -> String {
    let Some(by) = by else {
        return format!("{request} waits no longer: {}", ending(how));
    };
    let reach = match scope {
        None | Some(Scope::Once) => String::new(),
        Some(Scope::Turn) => ", and calls like it in this turn".to_owned(),
        Some(Scope::World) => ", and calls like it to come".to_owned(),
        Some(Scope::Uses(uses)) => format!(", {uses} times in all"),
    };
    match how {
        "allow" => format!("{by} allowed {request}{reach}"),
        "deny" => format!("{by} denied {request}"),
        "answered" => format!("{by} answered {request}"),
        "ran" => format!("{by} says of {request} that the call took effect"),
        "not_run" => format!("{by} says of {request} that the call took no effect"),
        "run_again" => format!("{by} lets the call of {request} run again"),
        other => format!(
            "{by} closed {request}: {}",
            clip(&one_line(other), NAME_MAX)
        ),
    }
}

/// The reason that a request waits no longer though no person decided it.
fn ending(how: &str) -> String {
    match how {
        "expired" => "nobody decided it in time".to_owned(),
        "closed" => "its call is over".to_owned(),
        "late" => "the result came after all".to_owned(),
        other => clip(&one_line(other), NAME_MAX),
    }
}

fn ended(status: &CallStatus, is_same: bool) -> String {
    if let CallStatus::Failed(code) = status {
        format!("failed ({})", failure_word(*code))
    } else if is_same {
        "the same as before, it did not run again".to_owned()
    } else {
        status_word(status).to_owned()
    }
}
