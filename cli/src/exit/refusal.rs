//! Refusals, in sentences.

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::ids::principal::Party;
use folkmoot::run::refused_because;

#[cfg(test)]
mod tests;

/// Says why a command was refused, as a sentence.
pub(crate) fn sentence(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Stale => "refused: the world has moved on".to_owned(),
        Refusal::Right { reason, decided } => {
            let by = |by: &Option<Party>| by.as_ref().map(|party| format!(" by {party}"));
            let first = decided.as_ref().map(|decided| {
                format!(" ({}{})", decided.how, by(&decided.by).unwrap_or_default())
            });
            // A peer of the control socket is not told more, but that it came too late it is.
            let is_late = *reason == RefusalReason::NotOpen && decided.is_some();
            let reason = if is_late {
                RefusalReason::AlreadyDecided
            } else {
                *reason
            };
            let first = first.unwrap_or_default();
            format!("refused: {}{first}{}", cause(reason), way_out(reason))
        }
        Refusal::BadMessage { why } => format!("refused: {why}"),
        Refusal::NoSuchMessage { message } => {
            format!("refused: there is no message {message} in this room's memory")
        }
        Refusal::BadLabels { why } => format!("refused: the labels cannot be kept: {why}"),
        Refusal::BadRights { why } => format!("refused: the rights cannot be kept: {why}"),
        Refusal::BadErasure { why } => format!("refused: nothing is erased: {why}"),
        Refusal::BadFork { why } => format!("refused: the room cannot be branched off: {why}"),
        Refusal::TooLarge { why } => format!("refused: it is too large: {why}"),
        Refusal::BadDefinition { why } => format!("refused: the definition cannot be used: {why}"),
    }
}

const fn cause(reason: RefusalReason) -> &'static str {
    if let RefusalReason::ShownDiffers = reason {
        return "what you saw (--shown) is not what is asked; look at it again";
    }
    refused_because(reason)
}

/// The way out on this machine, if there is one: over HTTP it is another.
const fn way_out(reason: RefusalReason) -> &'static str {
    if let RefusalReason::SamePerson = reason {
        return "; on this machine that is another user";
    }
    ""
}
