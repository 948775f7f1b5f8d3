//! Requests.

use std::collections::BTreeSet;

use folkmoot_core::port::Files;
use folkmoot_core::prompt::{ModelRequest, ToolDeclaration};
use serde_json::{Map, Value, json};

use super::super::{AnswerMode, WireRequest};
use super::{OpenAiChat, StreamUsage};
use crate::codec::json::Fields;
use crate::codec::provider_tools::{self, provider_tools};
use crate::codec::warning;

mod answer;
mod files;
mod messages;
mod parameters;

pub(super) use files::takes_file;

/// Writes a request.
pub(super) fn encode(
    codec: &OpenAiChat,
    request: &ModelRequest,
    files: &Files,
    mode: AnswerMode,
) -> WireRequest {
    let (messages, warnings) = messages::messages(codec, request, files);
    let mut body = ChatBody {
        fields: Fields::new(),
        warnings,
    };
    body.put("model", json!(request.model()));
    body.put("messages", Value::Array(messages));
    let strict = request.parameters().strict_tools;
    let mut tools: Vec<Value> = request
        .tools()
        .iter()
        .map(|declared| tool(strict, declared))
        .collect();
    tools.extend(provider_tools(request, &mut body.warnings));
    if !tools.is_empty() {
        body.put("tools", Value::Array(tools));
    }
    parameters::write(codec, request, &mut body);
    if mode == AnswerMode::Stream {
        body.put("stream", json!(true));
        // Without its usage a call counts with its worst case (ADR 0017).
        if codec.stream_usage == StreamUsage::Asked {
            body.put("stream_options", json!({ "include_usage": true }));
        }
    }
    body.add_extra(&request.parameters().extra);
    let warnings = body.warnings.into_iter().map(str::to_owned).collect();
    WireRequest {
        path: "/chat/completions".to_owned(),
        headers: Vec::new(),
        body: Value::Object(body.fields),
        warnings,
    }
}

/// A body as far as it is written, and what it could not carry.
#[derive(Debug)]
struct ChatBody {
    fields: Fields,
    warnings: BTreeSet<&'static str>,
}

impl ChatBody {
    fn put(&mut self, field: &str, value: Value) {
        self.fields.insert(field.to_owned(), value);
    }

    fn warn(&mut self, code: &'static str) {
        self.warnings.insert(code);
    }

    /// Adds fields by the server's own names. The codec's own stand; so does its choice not to
    /// stream.
    fn add_extra(&mut self, extra: &Map<String, Value>) {
        for (field, value) in provider_tools::without(extra) {
            if field == "stream" || self.fields.contains_key(field) {
                self.warn(warning::EXTRA_NOT_CARRIED);
            } else {
                self.put(field, value.clone());
            }
        }
    }
}

fn tool(strict: Option<bool>, tool: &ToolDeclaration) -> Value {
    let ToolDeclaration {
        name,
        description,
        schema,
    } = tool;
    let mut function = Fields::new();
    function.insert("name".to_owned(), json!(name));
    function.insert("description".to_owned(), json!(description));
    function.insert("parameters".to_owned(), schema.clone());
    // Left out where nothing was said: not every server knows the field.
    if let Some(strict) = strict {
        function.insert("strict".to_owned(), json!(strict));
    }
    json!({ "type": "function", "function": function })
}
