//! Requests to people.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::Content;
use crate::event::refusal::{Decided, RefusalReason};
use crate::ids::{AgentName, Attempt, CallId, Digest, Position, Time, ToolName};
use crate::tool::{ArgumentFinding, Choose, EffectClass, Question};

/// A request that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The agent whose call it is about.
    pub agent: AgentName,
    /// The call.
    pub call: CallId,
    /// The call's tool.
    pub tool: Option<ToolName>,
    /// The call's arguments, byte for byte.
    pub arguments: Content<String>,
    /// The question of the request.
    pub kind: RequestKind,
}

/// The question of a request to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// A call wants to run.
    Approval {
        /// The effect that the call may have.
        effect: EffectClass,
        /// The digest of the arguments.
        arguments: Digest,
        /// The digest of the tool's schema.
        schema: Digest,
        /// The tool's folder, if that was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
        /// Oddities of the arguments, shown with them.
        warnings: Vec<ArgumentFinding>,
        /// The digest of exactly what is shown.
        shown: Digest,
        /// The time at which it expires, by recorded time.
        expires_at: Time,
    },
    /// A tool's question.
    Question {
        /// The number of options; 0 means free text.
        options: u32,
        /// The number of options that may be chosen; `None`: exactly one.
        choose: Option<Choose>,
        /// JSON Schema of a free answer; `None`: any text.
        schema: Option<Value>,
        /// The question.
        question: Content<Question>,
    },
    /// The outcome of a call is unknown.
    Outcome {
        /// The lost run.
        attempt: Attempt,
        /// True if the call waits for the answer. If not, it was closed with the result *unknown*,
        /// and the answer is only told.
        is_open: bool,
    },
}

impl RequestKind {
    /// Returns the effect of the call that permission is asked for.
    pub(in crate::world) const fn effect(&self) -> Option<EffectClass> {
        match self {
            Self::Approval { effect, .. } => Some(*effect),
            Self::Question { .. } | Self::Outcome { .. } => None,
        }
    }

    /// Tells whether it asks what became of a call.
    pub(super) const fn is_of_outcome(&self) -> bool {
        match self {
            Self::Outcome { .. } => true,
            Self::Approval { .. } | Self::Question { .. } => false,
        }
    }
}

/// A request that no longer waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// The agent whose call it was about.
    pub agent: AgentName,
    /// The call.
    pub call: CallId,
    /// The call's tool.
    pub tool: Option<ToolName>,
    /// The event that settled it.
    pub at: Position,
    /// The reason for which a further decision is refused.
    pub reason: RefusalReason,
    /// The decision: by whom, and how.
    pub decided: Decided,
}
