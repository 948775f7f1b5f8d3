//! Requests.

use folkmoot_core::port::Files;
use folkmoot_core::prompt::{ModelRequest, ToolDeclaration};
use serde_json::{Value, json};

use super::super::{AnswerMode, WireRequest};
use super::{AnswerStorage, EncryptedReasoning, OpenAiResponses};
use crate::codec::json::Fields;
use crate::codec::provider_tools::provider_tools;

mod files;
mod input;
mod items;
mod parameters;

pub(super) use files::takes_file;

/// Writes a request.
pub(super) fn encode(
    codec: OpenAiResponses,
    request: &ModelRequest,
    files: &Files,
    mode: AnswerMode,
) -> WireRequest {
    let input::RequestInput {
        items,
        mut warnings,
    } = input::input(codec, request, files);
    let mut body = Fields::new();
    let mut put = |field: &str, value: Value| drop(body.insert(field.to_owned(), value));
    put("model", json!(request.model()));
    put("input", Value::Array(items));
    if !request.system().is_empty() {
        let system: Vec<&str> = request.system().iter().map(|layer| &*layer.text).collect();
        put("instructions", json!(system.join("\n\n")));
    }
    let strict = request
        .parameters()
        .strict_tools
        .or(codec.strict_tools.unasked());
    let mut tools: Vec<Value> = request
        .tools()
        .iter()
        .map(|declared| tool(strict, declared))
        .collect();
    tools.extend(provider_tools(request, &mut warnings));
    if !tools.is_empty() {
        put("tools", Value::Array(tools));
    }
    match codec.store {
        AnswerStorage::Never => put("store", json!(false)),
        AnswerStorage::Always => put("store", json!(true)),
        AnswerStorage::Unsaid => {}
    }
    if asks_for_encrypted(codec, request) {
        put("include", json!(["reasoning.encrypted_content"]));
    }
    if mode == AnswerMode::Stream {
        put("stream", json!(true));
    }
    parameters::put_parameters(request, &mut body, &mut warnings);
    let warnings = warnings.into_iter().map(str::to_owned).collect();
    WireRequest {
        path: "/responses".to_owned(),
        headers: Vec::new(),
        body: Value::Object(body),
        warnings,
    }
}

fn tool(strict: Option<bool>, tool: &ToolDeclaration) -> Value {
    let ToolDeclaration {
        name,
        description,
        schema,
    } = tool;
    let mut json = json!({ "type": "function", "name": name, "description": description, "parameters": schema });
    if let (Some(strict), Value::Object(fields)) = (strict, &mut json) {
        fields.insert("strict".to_owned(), json!(strict));
    }
    json
}

fn asks_for_encrypted(codec: OpenAiResponses, request: &ModelRequest) -> bool {
    match codec.encrypted_reasoning {
        EncryptedReasoning::WithReasoning => {
            let parameters = request.parameters();
            parameters.reasoning.is_some() || parameters.extra.contains_key("reasoning")
        }
        EncryptedReasoning::Always => true,
        EncryptedReasoning::Never => false,
    }
}
