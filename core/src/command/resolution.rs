//! A person's word on a request that waits for them.

use serde::{Deserialize, Serialize};

use super::{Action, ConsentAction};
use crate::event::{Scope, Verdict, Wider};
use crate::ids::{AgentName, RequestId, WorldId};

/// What a person says about a request that waits for them: the one form of it between whoever they say it to and the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// A pending call may run, or may not.
    Judge(Judgement),
    /// A tool's question is answered.
    Answer(Reply),
    /// It is said what became of a call whose outcome is unknown.
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

    /// Returns the command that resolves `request` so. `seen` is the agent whose call the person saw; `None` if they named the
    /// request alone.
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

/// What a person decides about a call that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Yes or no.
    pub verdict: Verdict,
    /// How far it reaches.
    pub scope: Scope,
    /// How much wider than the call's own arguments a grant is to be.
    pub wider: Wider,
    /// Other arguments for the call, as JSON.
    pub arguments: Option<String>,
    /// The first digits, at least eight, of the digest of what the person saw; `None`: not confirmed.
    pub shown: Option<String>,
    /// The world in which the person saw it; `None`: not said.
    pub world: Option<WorldId>,
    /// Why.
    pub reason: Option<String>,
    /// Whether the agent may read the reason.
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

/// What a person says became of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// It took effect, with this result if that is known.
    Ran(Option<String>),
    /// It did not.
    NotRun,
    /// It is to run again.
    RunAgain,
}
