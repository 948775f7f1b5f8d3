//! The parts of an answer, as the AI SDK's UI message stream writes them.

use serde::Serialize;
use serde_json::Value;

/// A part of the stream. Its names are the protocol's, version 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Part {
    /// The answer begins. An answer with this id that the client has already goes on.
    Start { message_id: String },
    /// Agents begin to work.
    StartStep,
    /// All that was told of the step that the client has last is told anew.
    ResetStep,
    /// An agent begins to speak.
    TextStart { id: String },
    /// The next piece of what it says.
    TextDelta { id: String, delta: String },
    /// It said all, or will say no more.
    TextEnd {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// An agent calls a tool.
    ToolInputStart {
        tool_call_id: String,
        tool_name: String,
        dynamic: bool,
        provider_executed: bool,
    },
    /// The arguments as text.
    ToolInputDelta {
        tool_call_id: String,
        input_text_delta: String,
    },
    /// The arguments as the call has them now.
    ToolInputAvailable {
        tool_call_id: String,
        tool_name: String,
        input: Value,
        dynamic: bool,
        provider_executed: bool,
    },
    /// The call waits for the reader.
    ToolApprovalRequest {
        approval_id: String,
        tool_call_id: String,
        reason: String,
    },
    /// A person decided about the call.
    ToolApprovalResponse {
        approval_id: String,
        approved: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The call has a result.
    ToolOutputAvailable { tool_call_id: String, output: Value },
    /// The call has no result.
    ToolOutputError {
        tool_call_id: String,
        error_text: String,
    },
    /// A person said no to the call.
    ToolOutputDenied { tool_call_id: String },
    /// The agent whose parts follow.
    DataAgent { data: Value },
    /// The world told people something.
    DataNotice { id: String, data: Value },
    /// A request that the reader cannot answer through this protocol.
    DataRequest { id: String, data: Value },
    /// The end of a request.
    DataDecision { id: String, data: Value },
    /// A typed artifact of a tool.
    DataArtifact { id: String, data: Value },
    /// The words of somebody who is no agent.
    DataMessage { id: String, data: Value },
    /// Messages left the room.
    DataRevised { id: String, data: Value },
    /// Content was erased.
    DataErased { id: String, data: Value },
    /// A decision that the client claimed, and the room refused.
    DataRefused { id: String, data: Value },
    /// The agents of the step are done.
    FinishStep,
    /// The answer is whole, or waits for people.
    Finish { finish_reason: FinishReason },
    /// Somebody stopped the answer.
    Abort { reason: String },
    /// The answer cannot go on.
    Error { error_text: String },
}

/// The reason that an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FinishReason {
    /// Nobody works on it any more.
    Stop,
    /// Its calls wait for people.
    ToolCalls,
}

impl Part {
    /// Tells whether nothing comes behind it.
    pub(crate) const fn is_last(&self) -> bool {
        matches!(
            self,
            Self::Finish { .. } | Self::Abort { .. } | Self::Error { .. }
        )
    }
}
