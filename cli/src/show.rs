//! The display for people: chat lines, requests, faults, progress.

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::run::refused_because;

pub(crate) mod blocks;
pub(crate) mod chat;
mod fault;
pub(crate) mod grant;
pub(crate) mod gutter;
pub(crate) mod item;
mod page;
mod paint;
mod parameters;
mod progress;
pub(crate) mod prompt;
pub(crate) mod request;
pub(crate) mod sim;
pub(crate) mod stage;
pub(crate) mod state_diff;
pub(crate) mod style;
pub(crate) mod table;
mod text;
pub(crate) mod transcript;
pub(crate) mod usage;
pub(crate) mod verify;
pub(crate) mod why;
pub(crate) mod withholding;
pub(crate) mod words;

pub(crate) use fault::{complain, faults, remark, unmet};
pub(crate) use text::{clean, clip, is_obeyed, masked, one_line, time};

/// Says why a command was refused, as a sentence.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Stale => "refused: the world has moved on".to_owned(),
        Refusal::Right { reason, decided } => {
            let by = |by: &Option<folkmoot::core::ids::principal::Person>| {
                by.as_ref()
                    .map(|person| format!(" by {}", person.display))
                    .unwrap_or_default()
            };
            let first = decided
                .as_ref()
                .map(|decided| format!(" ({}{})", decided.how, by(&decided.by)));
            // A peer of the control socket is not told more, but that it came too late it is.
            let is_late = *reason == RefusalReason::NotOpen && decided.is_some();
            let reason = if is_late {
                RefusalReason::AlreadyDecided
            } else {
                *reason
            };
            format!("refused: {}{}", sentence(reason), first.unwrap_or_default())
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

const fn sentence(reason: RefusalReason) -> &'static str {
    if let RefusalReason::ShownDiffers = reason {
        return "what you saw (--shown) is not what is asked; look at it again";
    }
    refused_because(reason)
}
