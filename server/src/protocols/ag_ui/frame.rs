//! The frames of AG-UI: its events, and the messages in a snapshot.

use serde::Serialize;
use serde_json::Value;

/// The version of the protocol that the server speaks.
pub(super) const VERSION: &str = "1.0";

/// An event as a client gets it. No member is `null`: one that says nothing is left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Frame {
    /// The first event of a run.
    RunStarted {
        thread_id: String,
        run_id: String,
        protocol_version: &'static str,
    },
    /// All messages that the room still shows, in place of those that the client has.
    MessagesSnapshot { messages: Vec<Message> },
    /// The client state that the room took.
    StateSnapshot { snapshot: Value },
    /// A message begins.
    TextMessageStart {
        message_id: String,
        role: Role,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A piece of a message that has begun.
    TextMessageContent { message_id: String, delta: String },
    /// A message ends, whole or not.
    TextMessageEnd { message_id: String },
    /// A call of a tool, which runs or waits for people.
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
    },
    /// The arguments of a call, byte for byte.
    ToolCallArgs { tool_call_id: String, delta: String },
    /// All of a call was told, but for its result.
    ToolCallEnd { tool_call_id: String },
    /// The result of a call, as people are shown it.
    ToolCallResult {
        message_id: String,
        tool_call_id: String,
        content: String,
        role: Role,
    },
    /// An agent's turn begins.
    StepStarted { step_name: String },
    /// An agent's turn is over, or the run is.
    StepFinished { step_name: String },
    /// Something for which AG-UI has no word.
    Custom { name: String, value: Value },
    /// The last event of a run that did not fail.
    RunFinished {
        thread_id: String,
        run_id: String,
        outcome: Outcome,
    },
    /// The last event of a run that failed.
    RunError {
        message: String,
        code: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<Value>,
    },
}

/// The way in which a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// All work is done, or waits for others than the caller.
    Success,
    /// The caller is asked.
    Interrupt { interrupts: Vec<Interrupt> },
    /// Somebody stopped it.
    Cancelled,
}

/// A request that the caller may decide.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Interrupt {
    pub(super) id: String,
    pub(super) reason: &'static str,
    pub(super) message: String,
    pub(super) tool_call_id: String,
    pub(super) response_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<String>,
    pub(super) metadata: Value,
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// An agent.
    Assistant,
    /// A person or a program.
    User,
    /// The room itself.
    System,
    /// A tool.
    Tool,
}

/// A message of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(super) id: String,
    pub(super) role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<ToolCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<String>,
}

/// A call in a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ToolCall {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: Function,
}

/// The tool of a call and its arguments, byte for byte.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Function {
    pub(super) name: String,
    pub(super) arguments: String,
}
