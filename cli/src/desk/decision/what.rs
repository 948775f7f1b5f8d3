//! What people decide, as a command line or a key says it.

use folkmoot::core::command::{Action, ConsentAction, Judgement, Reply, Settlement};
use folkmoot::core::event::{Scope, Verdict, Wider};
use folkmoot::core::ids::{AgentName, GrantId, Position, RequestId};
use serde::{Deserialize, Serialize};

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// A call may run.
    Approve(Approval),
    /// A call may not run.
    Deny {
        /// The beginning of the digest of what the person saw.
        shown: Option<String>,
        /// Why.
        reason: Option<String>,
        /// Whether the agent may read why.
        shares_reason: bool,
    },
    /// The options of a question, from 0, ascending.
    Options(Vec<u32>),
    /// A question's answer.
    Text(String),
    /// A call took effect.
    Ran(Option<String>),
    /// It did not.
    NotRun,
    /// It is to run again.
    RunAgain,
    /// A grant is over.
    Revoke,
}

/// A yes, and how far it reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Approval {
    /// The beginning of the digest of what the person saw.
    pub(crate) shown: Option<String>,
    /// How far it reaches.
    pub(crate) scope: Scope,
    /// How much wider than the call's own arguments a grant is to be.
    pub(crate) wider: Wider,
    /// Other arguments for the call, as JSON.
    pub(crate) arguments: Option<String>,
}

impl Approval {
    /// A yes to this one call.
    pub(crate) const fn once(shown: Option<String>) -> Self {
        Self {
            shown,
            scope: Scope::Once,
            wider: Wider::Same,
            arguments: None,
        }
    }
}

impl What {
    /// The command that decides so about what stands at `at`.
    pub(super) fn action(self, agent: Option<AgentName>, at: Position) -> Action {
        let request = RequestId(at);
        let decide = |judgement| {
            Action::Consent(ConsentAction::Decide {
                agent,
                request,
                judgement,
            })
        };
        match self {
            Self::Approve(Approval {
                shown,
                scope,
                wider,
                arguments,
            }) => {
                let yes = Judgement::new(Verdict::Allow)
                    .having_seen(shown)
                    .within(scope);
                decide(Judgement {
                    wider,
                    arguments,
                    ..yes
                })
            }
            Self::Deny {
                shown,
                reason,
                shares_reason,
            } => {
                let no = Judgement::new(Verdict::Deny)
                    .having_seen(shown)
                    .because(reason);
                decide(Judgement {
                    shares_reason,
                    ..no
                })
            }
            Self::Options(options) => Action::Consent(ConsentAction::Answer {
                request,
                reply: Reply::Options(options),
            }),
            Self::Text(text) => Action::Consent(ConsentAction::Answer {
                request,
                reply: Reply::Text(text),
            }),
            Self::Ran(text) => Action::Consent(ConsentAction::Settle {
                request,
                settlement: Settlement::Ran(text),
            }),
            Self::NotRun => Action::Consent(ConsentAction::Settle {
                request,
                settlement: Settlement::NotRun,
            }),
            Self::RunAgain => Action::Consent(ConsentAction::Settle {
                request,
                settlement: Settlement::RunAgain,
            }),
            Self::Revoke => Action::Consent(ConsentAction::Revoke { grant: GrantId(at) }),
        }
    }

    /// The arguments that a call is to run with instead of its own.
    pub(super) fn edited(&self) -> Option<String> {
        if let Self::Approve(approval) = self {
            approval.arguments.clone()
        } else {
            None
        }
    }

    /// What it does to the request or grant, in a word.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Approve(_) => "allowed",
            Self::Deny { .. } => "denied",
            Self::Options(_) | Self::Text(_) => "answered",
            Self::Ran(_) | Self::NotRun | Self::RunAgain => "settled",
            Self::Revoke => "revoked",
        }
    }
}
