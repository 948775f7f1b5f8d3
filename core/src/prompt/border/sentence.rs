//! The fixed sentences of calls that gave no words of their own.

use crate::event::{CallStatus, UnansweredCause, UnknownCause};
use crate::tool::{ArgumentFinding, ToolErrorCode};

/// The sentence before the result of a call whose arguments a person changed.
pub(super) const EDITED: &str = "edited: A person changed the arguments of this call before it ran. What follows is \
     the result of the changed call.\n";

/// The sentence for a call that was open where its world was branched off another one.
pub(super) const CLOSED_BY_FORK: &str = "closed_by_fork: This room was branched off while the call was open. It gave no \
     result here. Whether it took effect is not known here. Do not assume either.";

/// The fixed sentence of an end. Holds codes and schema paths, never a value.
pub(super) fn sentence(status: &CallStatus) -> String {
    let (code, text) = match status {
        CallStatus::Done => ("done", "The tool ran."),
        CallStatus::Failed(code) => return failure(*code),
        CallStatus::Invalid(findings) => return invalid(findings),
        CallStatus::Denied => (
            "denied",
            "A person decided that this call may not run. Do not try it again.",
        ),
        CallStatus::DeniedBefore => (
            "denied_before",
            "A person said no to this same call already. It did not run. Do not try it again.",
        ),
        CallStatus::Forbidden => ("forbidden", "The rules of this room forbid this call."),
        CallStatus::QuotaSpent => (
            "quota_spent",
            "This tool was called as often as it may be for now.",
        ),
        CallStatus::NotAllowed => ("not_allowed", "This room allows no tool of that kind."),
        CallStatus::Expired => (
            "expired",
            "Nobody decided about this call in time. It did not run.",
        ),
        CallStatus::Missing => ("missing_tool", "You have no tool of that name."),
        CallStatus::TooMany => (
            "too_many_calls",
            "Too many calls in one answer. This one did not run.",
        ),
        CallStatus::Answered(_) => ("answered", "The agent answered."),
        CallStatus::Unanswered(cause) => return unanswered(*cause),
        CallStatus::NoSuchAgent => ("no_such_agent", "You cannot turn to an agent of that name."),
        CallStatus::WouldDeadlock => (
            "would_deadlock",
            "That agent waits for you already. Answer without it.",
        ),
        CallStatus::TooDeep => (
            "too_deep",
            "Too many agents wait for one another already. Answer without asking.",
        ),
        CallStatus::HopBudget => (
            "hop_budget",
            "The agents have talked to each other enough. Answer by yourself.",
        ),
        CallStatus::NotAlone => (
            "not_alone",
            "Handing over must be the only call of an answer. It did not happen.",
        ),
        CallStatus::HandedOff => ("handed_off", "The other agent goes on from here."),
        CallStatus::ToolsDisabled => (
            "tools_disabled",
            "No tool may be called now. Answer in words.",
        ),
        CallStatus::Cancelled => ("cancelled", "The call was stopped. It gave no result."),
        CallStatus::Superseded => (
            "superseded",
            "What this call was for was taken back, or replaced. It gave no result.",
        ),
        CallStatus::Unknown(cause) => return unknown(*cause),
        CallStatus::SettledRan => ("settled_ran", "A person found that the call took effect."),
        CallStatus::SettledNotRun => (
            "settled_not_run",
            "A person found that the call did not take effect.",
        ),
    };
    format!("{code}: {text}")
}

fn failure(code: ToolErrorCode) -> String {
    let (code, text) = match code {
        ToolErrorCode::NotFound => ("not_found", "What the arguments name is not there."),
        ToolErrorCode::NotAllowed => ("not_allowed", "That is not allowed here."),
        ToolErrorCode::BadArguments => ("bad_arguments", "The tool cannot use these arguments."),
        ToolErrorCode::TooLarge => (
            "too_large",
            "The input or output is larger than the tool's limit.",
        ),
        ToolErrorCode::TimedOut => (
            "timed_out",
            "The tool took longer than its limit and was stopped.",
        ),
        ToolErrorCode::ExitedWithFailure => (
            "exited_with_failure",
            "The program ran and reported failure.",
        ),
        ToolErrorCode::Lost => (
            "lost",
            "What ran the tool was lost before it reported. It may be called again.",
        ),
        ToolErrorCode::DryRun => ("dry_run", "The tool did not run: this room is a dry run."),
        ToolErrorCode::Failed => ("failed", "The tool failed."),
    };
    format!("{code}: {text}")
}

fn invalid(findings: &[ArgumentFinding]) -> String {
    let at = |finding: &ArgumentFinding| match finding.path.as_str() {
        "" => finding.code.clone(),
        path => format!("{path}: {}", finding.code),
    };
    let findings: Vec<String> = findings.iter().map(at).collect();
    format!(
        "invalid_arguments: The arguments do not fit the tool's schema ({}).",
        findings.join("; ")
    )
}

fn unknown(cause: UnknownCause) -> String {
    let cause = match cause {
        UnknownCause::Crash => "the process that ran it died",
        UnknownCause::Stopped => "it was stopped",
        UnknownCause::TimedOut => "it took too long",
        UnknownCause::Lost => "what ran it was lost",
        UnknownCause::Superseded => "what it was for was taken back, or replaced",
    };
    format!(
        "outcome_unknown: Whether the call took effect is not known: {cause}. It may have. Do not assume either."
    )
}

fn unanswered(cause: UnansweredCause) -> String {
    let why = match cause {
        UnansweredCause::Passed => "It had nothing to say.",
        UnansweredCause::Failed => "It failed.",
        UnansweredCause::Limit => "It may not go on in this episode.",
        UnansweredCause::Stopped => "It was stopped.",
        UnansweredCause::InboxFull => "Too many messages wait for it.",
        UnansweredCause::Expired => "It took too long.",
    };
    format!("unanswered: The agent gave no answer. {why}")
}
