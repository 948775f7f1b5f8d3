//! A person's word on a request that waits for them.

use serde::{Deserialize, Serialize};

use super::{Action, ConsentAction};
use crate::event::{Scope, Verdict, Wider};
use crate::ids::{AgentName, RequestId, WorldId};

/// A person's word on a request that waits for them: the one form of it between whoever they say it
/// to and the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// A pending call may run, or may not.
    Judge(Judgement),
    /// A tool's question is answered.
    Answer(Reply),
    /// The person says what became of a call whose outcome is unknown.
    Settle(Settlement),
}

impl Resolution {
    /// Returns the verb for it: `approve`, `deny`, `answer` or `settle`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Judge(Judgement {
                verdict: Verdict::Allow,
                ..
            }) => "approve",
            Self::Judge(Judgement {
                verdict: Verdict::Deny,
                ..
            }) => "deny",
            Self::Answer(_) => "answer",
            Self::Settle(_) => "settle",
        }
    }

    /// Returns the command that resolves `request` so. `seen` is the agent whose call the person
    /// saw; `None` if they named the request alone.
    #[must_use]
    pub fn of(self, request: RequestId, seen: Option<AgentName>) -> Action {
        let action = match self {
            Self::Judge(judgement) => ConsentAction::Decide {
                agent: seen,
                request,
                judgement,
            },
            Self::Answer(reply) => ConsentAction::Answer { request, reply },
            Self::Settle(settlement) => ConsentAction::Settle {
                request,
                settlement,
            },
        };
        action.into()
    }
}

/// A person's decision about a call that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Yes or no.
    pub verdict: Verdict,
    /// The reach of the decision.
    pub scope: Scope,
    /// The width that a grant is to have beyond the call's own arguments.
    pub wider: Wider,
    /// Other arguments for the call, as JSON.
    pub arguments: Option<String>,
    /// The first digits, at least eight, of the digest of what the person saw; `None`: not
    /// confirmed.
    pub shown: Option<String>,
    /// The world in which the person saw it; `None`: not said.
    pub world: Option<WorldId>,
    /// The reason.
    pub reason: Option<String>,
    /// True if the agent may read the reason.
    pub shares_reason: bool,
}

impl Judgement {
    /// A bare yes or no about this one request.
    #[must_use]
    pub const fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            scope: Scope::Once,
            wider: Wider::Same,
            arguments: None,
            shown: None,
            world: None,
            reason: None,
            shares_reason: false,
        }
    }

    /// The same, for a reason.
    #[must_use]
    pub fn because(self, reason: Option<String>) -> Self {
        Self { reason, ..self }
    }

    /// The same, confirmed by the first digits of the digest of what the person saw.
    #[must_use]
    pub fn having_seen(self, shown: Option<String>) -> Self {
        Self { shown, ..self }
    }

    /// The same, reaching so far.
    #[must_use]
    pub fn within(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }
}

/// A person's answer to a tool's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The numbers of the chosen options, from 0.
    Options(Vec<u32>),
    /// Free text.
    Text(String),
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u32>> for Reply {
    fn from(options: Vec<u32>) -> Self {
        Self::Options(options)
    }
}

/// A person's word on what became of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// The call took effect, with this result if that is known.
    Ran(Option<String>),
    /// The call took no effect.
    NotRun,
    /// The call is to run again.
    RunAgain,
}
