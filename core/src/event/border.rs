//! What crosses the borders of a world, and what was stopped there.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::Content;
use crate::ids::{AgentName, MessageId, Position, StateName, TurnId};
use crate::principal::Principal;

/// Parts of what an agent said were kept from people: they are how models call tools, or claim to be what only tools
/// give. The text stands in the answer; an operator can read it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactWithheld {
    /// The agent.
    pub agent: AgentName,
    /// Its turn.
    pub turn: TurnId,
    /// The `ModelAnswered` or `AgentReacted` that holds the text.
    pub answer: Position,
    /// The message that people read instead; `None` if nothing was left of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The spans of the spoken text, in order.
    pub spans: Vec<Withheld>,
}

/// A span of an agent's spoken text that people do not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Its first byte.
    pub from: u32,
    /// The byte behind its last.
    pub to: u32,
    /// What it is.
    pub family: ArtifactFamily,
}

/// The families of what is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactFamily {
    /// ReAct: `{"action": …, "action_input": …}`.
    ReactJson,
    /// ReAct: `Action:` and `Action Input:` lines.
    ReactText,
    /// The call JSON of OpenAI's wires, and of those that copy them.
    OpenaiCall,
    /// The call JSON and the tags of Anthropic's models.
    AnthropicCall,
    /// The call forms of Llama models.
    LlamaCall,
    /// The call JSON and the code fences of Gemini models.
    GeminiCall,
    /// Call tags of other open models.
    CallTag,
    /// What claims to be a tool's result.
    ToolResult,
    /// What claims to be a person's approval.
    Approval,
    /// What claims to be a domain artifact of a tool.
    DomainArtifact,
}

/// A client told what its user sees: data for the agents, never instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateObserved {
    /// Which state it is, by its name in the spec.
    pub name: StateName,
    /// Who told.
    pub by: Principal,
    /// Where ids stand that the room does not know: they are dropped from what agents see. The first 64 places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// What the client told. Agents see it without those ids, and with the others resolved as the definition said then.
    #[serde(skip)]
    pub state: Content<Value>,
}
