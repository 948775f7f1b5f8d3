//! Decisions that take more than a key: other arguments, and a reason to say no.

use folkmoot::core::command::{Judgement, Resolution};
use folkmoot::core::content::canonical::read;
use folkmoot::core::event::Verdict;
use folkmoot::core::ids::{AgentName, Digest, RequestId};
use folkmoot::run::Waiting;

use crate::show::clean;

/// A decision that is being put together, line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dialog {
    /// The request that is decided.
    pub(super) request: RequestId,
    /// The agent whose call the person sees.
    pub(super) agent: AgentName,
    /// The request's name.
    pub(super) name: String,
    shown: Digest,
    step: DialogStep,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum DialogStep {
    /// Other arguments for the call, which has these.
    Arguments(String),
    /// The reason for a no.
    Reason,
    /// The leave to tell the agent this reason.
    Sharing(String),
}

/// The outcome of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DialogTurn {
    /// Another line is wanted.
    More(Dialog),
    /// The line is not what was asked for, for this reason. Another one is wanted.
    Again(Dialog, &'static str),
    /// The decision is made.
    Decided(Resolution),
    /// The decision is dropped: the request waits as before.
    Dropped,
}

impl Dialog {
    /// Asks for other arguments.
    pub(super) fn edit(request: &Waiting, shown: Digest) -> Self {
        let arguments = request.arguments.clone().unwrap_or_default();
        Self {
            request: request.request,
            agent: request.agent.clone(),
            name: request.name.clone(),
            shown,
            step: DialogStep::Arguments(arguments),
        }
    }

    /// Asks for a reason.
    pub(super) fn deny(request: &Waiting, shown: Digest) -> Self {
        Self {
            request: request.request,
            agent: request.agent.clone(),
            name: request.name.clone(),
            shown,
            step: DialogStep::Reason,
        }
    }

    /// Returns what the person is asked now, line by line.
    pub(super) fn asks(&self) -> Vec<String> {
        match &self.step {
            DialogStep::Arguments(arguments) => {
                vec![
                    clean(arguments),
                    "type the arguments to run it with, as JSON; an empty line decides nothing"
                        .to_owned(),
                ]
            }
            DialogStep::Reason => vec!["why not? An empty line gives no reason".to_owned()],
            DialogStep::Sharing(_) => vec!["may the agent read that? y or n".to_owned()],
        }
    }

    /// Returns the arguments that are to be changed; `None` if something else is asked.
    pub(super) fn proposal(&self) -> Option<&str> {
        match &self.step {
            DialogStep::Arguments(arguments) => Some(arguments),
            DialogStep::Reason | DialogStep::Sharing(_) => None,
        }
    }

    /// True if the key alone answers what is asked, without the end of a line.
    pub(super) const fn acts_on(&self, key: char) -> bool {
        match &self.step {
            DialogStep::Sharing(_) => matches!(key, 'y' | 'n'),
            DialogStep::Arguments(_) | DialogStep::Reason => false,
        }
    }

    /// Takes a line.
    pub(super) fn take(self, line: &str) -> DialogTurn {
        let line = line.trim();
        match (&self.step, line) {
            (DialogStep::Arguments(_), "") => DialogTurn::Dropped,
            (DialogStep::Arguments(_), line) => self.edited(line),
            (DialogStep::Reason, "") => DialogTurn::Decided(self.denied(None, false)),
            (DialogStep::Reason, line) => DialogTurn::More(Self {
                step: DialogStep::Sharing(line.to_owned()),
                ..self
            }),
            (DialogStep::Sharing(reason), "y" | "yes") => {
                DialogTurn::Decided(self.denied(Some(reason.clone()), true))
            }
            (DialogStep::Sharing(reason), "n" | "no" | "") => {
                DialogTurn::Decided(self.denied(Some(reason.clone()), false))
            }
            (DialogStep::Sharing(_), _) => DialogTurn::More(self),
        }
    }

    /// Arguments that are no JSON object with each key once are asked for again.
    fn edited(self, line: &str) -> DialogTurn {
        if !read(line).is_ok_and(|value| value.is_object()) {
            let why = "this is not a JSON object with each key once";
            return DialogTurn::Again(self, why);
        }
        let yes = Judgement::new(Verdict::Allow).having_seen(Some(self.shown.short()));
        DialogTurn::Decided(Resolution::Judge(Judgement {
            arguments: Some(line.to_owned()),
            ..yes
        }))
    }

    fn denied(&self, reason: Option<String>, shares_reason: bool) -> Resolution {
        let no = Judgement::new(Verdict::Deny).having_seen(Some(self.shown.short()));
        Resolution::Judge(Judgement {
            reason,
            shares_reason,
            ..no
        })
    }
}

#[cfg(test)]
mod tests;
