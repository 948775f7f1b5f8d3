//! What waits for a person.

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
    /// What is asked.
    pub kind: RequestKind,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// Whether a call may run.
    Approval {
        /// What the tool may do.
        effect: EffectClass,
        /// The digest of the arguments.
        arguments: Digest,
        /// The digest of the tool's schema.
        schema: Digest,
        /// The tool's folder, if that was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
        /// What is odd about the arguments, and shown with them.
        warnings: Vec<ArgumentFinding>,
        /// The digest of exactly what is shown.
        shown: Digest,
        /// When it expires, by recorded time.
        expires_at: Time,
    },
    /// A tool's question.
    Question {
        /// How many options there are; 0 means free text.
        options: u32,
        /// How many of them may be chosen; `None`: exactly one.
        choose: Option<Choose>,
        /// JSON Schema of a free answer; `None`: any text.
        schema: Option<Value>,
        /// The question.
        question: Content<Question>,
    },
    /// What became of a call.
    Outcome {
        /// The lost run.
        attempt: Attempt,
        /// Whether the call waits for the answer. If not, it was closed with the result *unknown*, and the answer is
        /// only told.
        is_open: bool,
    },
}

impl RequestKind {
    /// What the call may do that permission is asked for.
    pub(in crate::world) const fn effect(&self) -> Option<EffectClass> {
        match self {
            Self::Approval { effect, .. } => Some(*effect),
            Self::Question { .. } | Self::Outcome { .. } => None,
        }
    }

    /// Whether it asks what became of a call.
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
    /// Why a further decision is refused.
    pub reason: RefusalReason,
    /// Who decided, and how.
    pub decided: Decided,
}
