//! The artifacts that people do not read: where one stands, and of which family it is.

use serde::{Deserialize, Serialize};

/// A span of an agent's spoken text that people do not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// The first byte.
    pub from: u32,
    /// The byte behind its last.
    pub to: u32,
    /// The kind of artifact.
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
    /// A text that claims to be a tool's result.
    ToolResult,
    /// A text that claims to be a person's approval.
    Approval,
    /// A text that claims to be a domain artifact of a tool.
    DomainArtifact,
}
