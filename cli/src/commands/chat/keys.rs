//! What a line means while a request waits: a key, or a talk.

use crate::control::decision::What;
use folkmoot::run::{Asks, Waiting};

/// What a typed line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Something is said to the room.
    Say(String),
    /// The request is decided.
    Decide(What),
    /// The request is shown once more.
    Details,
    /// A key that this version does not have.
    Later(&'static str),
    /// One of the `/` commands, without the slash.
    Command(String),
    /// Nothing.
    Nothing,
}

impl Meaning {
    /// What `line` means while `waiting`, the oldest request, waits.
    pub(super) fn of(line: &str, waiting: Option<&Waiting>) -> Self {
        let line = line.trim();
        if let Some(command) = line.strip_prefix('/') {
            return Self::Command(command.to_owned());
        }
        match waiting {
            _ if line.is_empty() => Self::Nothing,
            None => Self::Say(line.to_owned()),
            Some(_) if line == "?" => Self::Details,
            Some(request) => Self::answer(line, request),
        }
    }

    fn answer(line: &str, request: &Waiting) -> Self {
        let what = match (&request.asks, line) {
            (Asks::Approval { shown, .. }, "o") => What::Approve { shown: Some(shown.short()) },
            (Asks::Approval { shown, .. }, "d") => What::Deny { shown: Some(shown.short()), reason: None },
            (Asks::Approval { .. }, "t" | "w" | "e") => {
                return Self::Later("grants and edited arguments come with a later version; o allows this call once");
            }
            (Asks::Question { question: Some(question) }, line) if !question.options.is_empty() => {
                let number = line.parse::<u32>().ok().and_then(|number| number.checked_sub(1));
                let is_option = |number: &u32| usize::try_from(*number).is_ok_and(|at| at < question.options.len());
                match number.filter(is_option) {
                    Some(number) => What::Option(number),
                    None => return Self::Say(line.to_owned()),
                }
            }
            (Asks::Question { .. }, line) => What::Text(line.to_owned()),
            (Asks::Outcome { .. }, "r") => What::Ran(None),
            (Asks::Outcome { .. }, "n") => What::NotRun,
            (Asks::Outcome { is_open: true }, "a") => What::RunAgain,
            (Asks::Approval { .. } | Asks::Outcome { .. }, _) => return Self::Say(line.to_owned()),
        };
        Self::Decide(what)
    }
}

#[cfg(test)]
mod tests;
