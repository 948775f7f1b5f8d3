//! Requests.

use std::collections::BTreeSet;

use folkmoot_core::model::{CachePlace, CacheTtl, Parameters};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::{ModelRequest, ToolDeclaration};
use serde_json::{Value, json};

use super::super::{AnswerMode, WireRequest};
use super::AnthropicMessages;
use crate::codec::json::Fields;
use crate::codec::provider_tools::{self, provider_tools};
use crate::codec::warning;

mod blocks;
mod files;
mod messages;
mod parameters;

pub(super) use files::takes_file;

/// Fields that are the codec's own, also where it does not write them: it has to know how the
/// answer comes.
const RESERVED: &[&str] = &["stream"];

/// A body as far as it is written.
#[derive(Debug, Default)]
struct AnthropicBody {
    fields: Fields,
    warnings: BTreeSet<&'static str>,
}

impl AnthropicBody {
    fn put(&mut self, field: &str, value: Value) {
        self.fields.insert(field.to_owned(), value);
    }

    fn warn_if(&mut self, is_so: bool, code: &'static str) {
        if is_so {
            self.warnings.insert(code);
        }
    }
}

/// Writes a request.
pub(super) fn encode(
    codec: &AnthropicMessages,
    request: &ModelRequest,
    files: &Files,
    mode: AnswerMode,
) -> WireRequest {
    let parameters = request.parameters();
    let mut body = AnthropicBody::default();
    body.put("model", json!(request.model()));
    let (messages, warnings) = messages::messages(codec, request, files);
    let may_think = messages::may_think(&messages);
    body.put("messages", Value::Array(messages));
    body.warnings.extend(warnings);
    put_system(&mut body, request);
    put_tools(&mut body, request);
    parameters::put(&mut body, *codec, parameters, may_think);
    if let Some(mark) = mark(parameters, CachePlace::Auto) {
        body.put("cache_control", mark);
    }
    if mode == AnswerMode::Stream {
        body.put("stream", json!(true));
    }
    put_extra(&mut body, parameters);
    WireRequest {
        path: "/v1/messages".to_owned(),
        headers: vec![("anthropic-version", codec.api_version.name().to_owned())],
        body: Value::Object(body.fields),
        warnings: body.warnings.into_iter().map(str::to_owned).collect(),
    }
}

/// A block for each layer, so that the provider's cache can end between them. The wire refuses
/// blank ones.
fn put_system(body: &mut AnthropicBody, request: &ModelRequest) {
    let layers = request
        .system()
        .iter()
        .filter(|layer| !layer.text.trim().is_empty());
    let mut blocks: Vec<Value> = layers
        .map(|layer| json!({ "type": "text", "text": layer.text }))
        .collect();
    mark_last(&mut blocks, request.parameters(), CachePlace::System);
    if !blocks.is_empty() {
        body.put("system", Value::Array(blocks));
    }
}

fn put_tools(body: &mut AnthropicBody, request: &ModelRequest) {
    let strict = request.parameters().strict_tools;
    let mut tools: Vec<Value> = request
        .tools()
        .iter()
        .map(|declaration| tool(declaration, strict))
        .collect();
    tools.extend(provider_tools(request, &mut body.warnings));
    mark_last(&mut tools, request.parameters(), CachePlace::Tools);
    if tools.is_empty() {
        body.warnings.extend(provider_tools::asked_in_vain(request));
    } else {
        body.put("tools", Value::Array(tools));
        parameters::put_tool_choice(body, request.parameters());
    }
}

fn tool(tool: &ToolDeclaration, strict: Option<bool>) -> Value {
    let ToolDeclaration {
        name,
        description,
        schema,
    } = tool;
    let mut tool = json!({ "name": name, "description": description, "input_schema": schema });
    if let (Some(strict), Some(fields)) = (strict, tool.as_object_mut()) {
        fields.insert("strict".to_owned(), json!(strict));
    }
    tool
}

/// Adds the fields of the user's own, where the codec has not written them itself.
fn put_extra(body: &mut AnthropicBody, parameters: &Parameters) {
    for (field, value) in provider_tools::without(&parameters.extra) {
        if body.fields.contains_key(field) || RESERVED.contains(&field.as_str()) {
            body.warnings.insert(warning::EXTRA_NOT_CARRIED);
        } else {
            body.put(field, value.clone());
        }
    }
}

/// Marks the last of `blocks` as a place up to which the provider is to keep the request.
fn mark_last(blocks: &mut [Value], parameters: &Parameters, place: CachePlace) {
    if let (Some(Value::Object(block)), Some(mark)) = (blocks.last_mut(), mark(parameters, place)) {
        block.insert("cache_control".to_owned(), mark);
    }
}

fn mark(parameters: &Parameters, place: CachePlace) -> Option<Value> {
    Some(match parameters.cache.get(&place)? {
        CacheTtl::Default => json!({ "type": "ephemeral" }),
        CacheTtl::FiveMinutes => json!({ "type": "ephemeral", "ttl": "5m" }),
        CacheTtl::OneHour => json!({ "type": "ephemeral", "ttl": "1h" }),
    })
}
