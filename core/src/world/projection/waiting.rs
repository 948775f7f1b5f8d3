//! What waits for people, as they name it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentName, Digest, RequestId, Time, ToolName, WorldName};
use crate::tool::Question;
use crate::world::{Request, RequestKind, World, approval_text};

/// A request that waits for a person, with all that people are shown before they decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Its name: `WORLD#POSITION`.
    pub name: String,
    /// Its position.
    pub request: RequestId,
    /// The agent whose call it is about.
    pub agent: AgentName,
    /// The tool, if it is known.
    pub tool: Option<ToolName>,
    /// The call's arguments, byte for byte; `None` if they were erased.
    pub arguments: Option<String>,
    /// The question.
    pub asks: Asks,
}

impl Waiting {
    /// The digest of what is shown; `None` unless it asks whether a call may run.
    #[must_use]
    pub const fn digest(&self) -> Option<Digest> {
        match &self.asks {
            Asks::Approval { shown, .. } => Some(*shown),
            Asks::Question { .. } | Asks::Outcome { .. } => None,
        }
    }
}

/// The request in the words that people are shown.
impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = self.tool.as_ref().map_or("a tool", ToolName::as_str);
        match &self.asks {
            Asks::Approval { text, .. } => f.write_str(text),
            Asks::Question { question } => {
                let question = question.as_ref().map_or("[erased]", |asked| &asked.text);
                write!(f, "{tool}, which {} called, asks: {question}", self.agent)
            }
            Asks::Outcome { .. } => {
                write!(
                    f,
                    "{} called {tool}: nobody knows whether it took effect",
                    self.agent
                )
            }
        }
    }
}

/// The question of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Asks {
    /// Whether a call may run.
    Approval {
        /// The text that is shown, exactly.
        text: String,
        /// Its digest.
        shown: Digest,
        /// When it expires, in milliseconds since 1970.
        expires_at: Time,
        /// The most that a decision can allow beyond this call.
        offers: Offers,
    },
    /// A tool's question.
    Question {
        /// The question; `None` if it was erased.
        question: Option<Question>,
    },
    /// The outcome of a call.
    Outcome {
        /// True if the call waits for the answer.
        is_open: bool,
    },
}

/// The most that a decision about a call can allow beyond it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offers {
    /// True if calls to come may have any arguments.
    pub any_args: bool,
    /// How long a grant lasts at most, in milliseconds.
    pub lasts_ms: u64,
}

/// All that waits in `world`, oldest first.
#[must_use]
pub fn waiting(world: &World) -> Vec<Waiting> {
    let pending = world.consent().pending().iter();
    pending
        .map(|(id, request)| Waiting::of(world, *id, request))
        .collect()
}

impl Waiting {
    /// The request `id` of `world`, as people are shown it.
    pub(super) fn of(world: &World, id: RequestId, request: &Request) -> Self {
        let name = world.name().map(WorldName::to_string).unwrap_or_default();
        let arguments = request.arguments.present().cloned();
        let asks = match &request.kind {
            RequestKind::Approval {
                effect,
                shown,
                warnings,
                expires_at,
                ..
            } => {
                let text = |tool: &ToolName| {
                    approval_text(
                        &request.agent,
                        tool,
                        *effect,
                        arguments.as_deref().unwrap_or("[erased]"),
                        warnings,
                    )
                };
                let text = request.tool.as_ref().map(text).unwrap_or_default();
                let offers = offers(world, request.tool.as_ref());
                Asks::Approval {
                    text,
                    shown: *shown,
                    expires_at: *expires_at,
                    offers,
                }
            }
            RequestKind::Question { question, .. } => Asks::Question {
                question: question.present().cloned(),
            },
            RequestKind::Outcome { is_open, .. } => Asks::Outcome { is_open: *is_open },
        };
        Self {
            name: format!("{name}#{id}"),
            request: id,
            agent: request.agent.clone(),
            tool: request.tool.clone(),
            arguments,
            asks,
        }
    }
}

fn offers(world: &World, tool: Option<&ToolName>) -> Offers {
    let spec = world.rules().spec();
    let any_args = tool
        .and_then(|tool| spec.tools.get(tool))
        .is_some_and(|tool| tool.grants_any);
    Offers {
        any_args,
        lasts_ms: spec.limits.grant_ttl_ms,
    }
}
