//! The meaning of a line while a request waits: a key, or a talk.

use folkmoot::core::command::{Judgement, Reply, Resolution, Settlement};
use folkmoot::core::event::{Scope, Verdict};
use folkmoot::core::ids::Digest;
use folkmoot::core::tool::Question;

use super::dialog::Dialog;
use folkmoot::run::{Asks, Waiting};

/// The wish that a typed line expresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Something is said to the room.
    Say(String),
    /// The request is decided.
    Decide(Resolution),
    /// The request is shown once more.
    Details,
    /// The request is decided by further lines.
    Ask(Dialog),
    /// A `/` command, without the slash.
    Command(String),
    /// An empty line.
    Nothing,
}

impl Meaning {
    /// Reads `line` while `waiting`, the oldest request, waits; `None` if there is no request.
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
        let resolution = match (&request.asks, line) {
            (Asks::Approval { shown, .. }, "o") => reaching(Scope::Once, *shown),
            (Asks::Approval { shown, .. }, "t") => reaching(Scope::Turn, *shown),
            (Asks::Approval { shown, .. }, "w") => reaching(Scope::World, *shown),
            (Asks::Approval { shown, .. }, "e") => return Self::Ask(Dialog::edit(request, *shown)),
            (Asks::Approval { shown, .. }, "d") => return Self::Ask(Dialog::deny(request, *shown)),
            (
                Asks::Question {
                    question: Some(question),
                },
                line,
            ) if !question.options.is_empty() => match options(line, question) {
                Some(options) => Resolution::Answer(Reply::Options(options)),
                None => return Self::Say(line.to_owned()),
            },
            (Asks::Question { .. }, line) => Resolution::Answer(Reply::Text(line.to_owned())),
            (Asks::Outcome { .. }, "r") => Resolution::Settle(Settlement::Ran(None)),
            (Asks::Outcome { .. }, "n") => Resolution::Settle(Settlement::NotRun),
            (Asks::Outcome { is_open: true }, "a") => Resolution::Settle(Settlement::RunAgain),
            (Asks::Approval { .. } | Asks::Outcome { .. }, _) => return Self::Say(line.to_owned()),
        };
        Self::Decide(resolution)
    }
}

/// True if the key alone answers `request`, without the end of a line.
pub(super) fn acts_at_once(key: char, request: &Waiting) -> bool {
    let is_whole = match &request.asks {
        Asks::Approval { .. } | Asks::Outcome { .. } => true,
        Asks::Question {
            question: Some(question),
        } => question.choose.is_none() && (1..10).contains(&question.options.len()),
        Asks::Question { question: None } => false,
    };
    is_whole
        && match Meaning::of(&key.to_string(), Some(request)) {
            Meaning::Decide(_) | Meaning::Details | Meaning::Ask(_) => true,
            Meaning::Say(_) | Meaning::Command(_) | Meaning::Nothing => false,
        }
}

/// A yes to what was shown, which reaches so far.
fn reaching(scope: Scope, shown: Digest) -> Resolution {
    let yes = Judgement::new(Verdict::Allow);
    Resolution::Judge(yes.having_seen(Some(shown.short())).within(scope))
}

/// The options that `line` names, from 0: one number, or several where several may be chosen, `-`
/// for none of them.
fn options(line: &str, question: &Question) -> Option<Vec<u32>> {
    let many = question.choose.is_some();
    if many && line == "-" {
        return Some(Vec::new());
    }
    let is_option =
        |number: &u32| usize::try_from(*number).is_ok_and(|at| at < question.options.len());
    let number = |word: &str| word.parse::<u32>().ok()?.checked_sub(1).filter(is_option);
    let words = line.split([' ', ',']).filter(|word| !word.is_empty());
    let mut numbers: Vec<u32> = words.map(number).collect::<Option<_>>()?;
    numbers.sort_unstable();
    (many || numbers.len() == 1).then_some(numbers)
}

#[cfg(test)]
mod tests;
