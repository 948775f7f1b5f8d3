//! Sentences of entries.

use folkmoot_core::event::{ApprovalDecided, CloseReason, Scope, SettledHow, Verdict};
use folkmoot_core::ids::RequestId;

use crate::text::counted;

/// Returns what a decision says, and what else is to be known of it.
pub(super) fn decided(decided: &ApprovalDecided) -> (String, Vec<String>) {
    let word = match decided.verdict {
        Verdict::Allow => "allows",
        Verdict::Deny => "denies",
    };
    let deed = format!("{word} #{}", decided.request);
    (deed, how(decided))
}

/// Returns how somebody decided: how far it reaches, what of it was changed or confirmed, and why.
pub(in crate::export) fn how(decided: &ApprovalDecided) -> Vec<String> {
    let scope = (decided.scope != Scope::Once).then(|| format!("for {}", decided.scope));
    let edited = decided.is_edited.then(|| "with other arguments".to_owned());
    let seen = match &decided.shown {
        Some(digits) => format!("confirmed what was shown ({digits})"),
        None => "did not confirm what was shown".to_owned(),
    };
    let reason = match decided.text.present() {
        Some(text) => text
            .reason
            .as_ref()
            .map(|reason| format!("because: {reason}")),
        None => Some("its reason was erased".to_owned()),
    };
    scope
        .into_iter()
        .chain(edited)
        .chain([seen])
        .chain(reason)
        .collect()
}

/// Returns how a turn ended, if people would not see it.
pub(super) fn ended(reason: CloseReason) -> Option<String> {
    match reason {
        CloseReason::Answered
        | CloseReason::Limit
        | CloseReason::Failed
        | CloseReason::HandedOff => None,
        CloseReason::Passed => Some("has nothing to say".to_owned()),
        CloseReason::Stopped => Some("was stopped".to_owned()),
        CloseReason::Superseded => {
            Some("leaves off: what it worked on was taken back, or replaced".to_owned())
        }
    }
}

pub(super) fn settled(how: SettledHow, request: RequestId) -> String {
    let what = match how {
        SettledHow::Ran => "it took effect",
        SettledHow::NotRun => "it did not take effect",
        SettledHow::RunAgain => "it is to run again",
        SettledHow::Late => "its result arrived after all",
    };
    format!("settles #{request}: {what}")
}

/// Returns how many went along with a message that is gone.
pub(super) fn more(gone: usize) -> String {
    match gone.saturating_sub(1) {
        0 => String::new(),
        more => format!(", and {} that answered it", counted(more, "message")),
    }
}
