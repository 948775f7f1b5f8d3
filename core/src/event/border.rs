//! Facts at the borders of a world: what crossed, and what was stopped there.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::Content;
use crate::ids::principal::Principal;
use crate::ids::{AgentName, MessageId, Position, StateName, TurnId};
use crate::text::firewall::Withheld;

/// Parts of what an agent said were kept from people: they are how models call tools, or claim to
/// be what only tools give. The text stands in the answer; an operator can read it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactWithheld {
    /// The agent.
    pub agent: AgentName,
    /// The agent's turn.
    pub turn: TurnId,
    /// The `ModelAnswered` or `AgentReacted` that holds the text.
    pub answer: Position,
    /// The message that people read instead; `None` if nothing was left of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The spans of the spoken text, in order.
    pub spans: Vec<Withheld>,
}

/// Somebody looks at text that was kept from people. It is shown once this is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldViewed {
    /// The [`ArtifactWithheld`] that says which text it is.
    pub withheld: Position,
    /// The principal who looks.
    pub by: Principal,
}

/// A client told what its user sees: data for the agents, never instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateObserved {
    /// The state's name in the spec.
    pub name: StateName,
    /// The principal who told it.
    pub by: Principal,
    /// The places of ids that the room does not know: they are dropped from what agents see. The
    /// first 64 places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// The state as the client told it. Agents see it without those ids, and with the others
    /// resolved as the definition said then.
    #[serde(skip)]
    pub state: Content<Value>,
}
