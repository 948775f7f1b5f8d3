//! Requests.

use folkmoot_core::port::Files;
use folkmoot_core::request::{ModelRequest, ToolDeclaration};
use serde_json::{Value, json};

use super::super::{Mode, WireRequest};
use super::OpenAiChat;
use crate::codec::json::Fields;

mod messages;
mod said;

/// Writes a request.
pub(super) fn encode(codec: OpenAiChat, request: &ModelRequest, files: &Files, mode: Mode) -> WireRequest {
    let (messages, warnings) = messages::messages(codec, request, files);
    let mut body = Fields::new();
    let mut put = |field: &str, value: Value| drop(body.insert(field.to_owned(), value));
    put("model", json!(request.model()));
    put("messages", Value::Array(messages));
    if !request.tools().is_empty() {
        put("tools", request.tools().iter().map(tool).collect());
    }
    if let Some(milli) = request.parameters().temperature_milli {
        put("temperature", json!(f64::from(milli) / 1000.0));
    }
    if let Some(tokens) = request.parameters().output_tokens_max {
        put(codec.output_limit.field(), json!(tokens));
    }
    if mode == Mode::Stream {
        put("stream", json!(true));
        put("stream_options", json!({ "include_usage": true }));
    }
    WireRequest { path: "/chat/completions".to_owned(), headers: Vec::new(), body: Value::Object(body), warnings }
}

fn tool(tool: &ToolDeclaration) -> Value {
    let ToolDeclaration { name, description, schema } = tool;
    json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
}
