//! Requests that real clients sent, written again by the codec.
//!
//! They come out equal, but for what this codec chooses to do in one way where clients do it in several:
//! who speaks stands before a person's text; texts are strings, not lists of one; an assistant's message without text has
//! a null content; a stream always asks for its usage; fields that say nothing (`stream: false`, `prefix: false`, a call's
//! `index`, an empty `annotations`, a null `refusal`) are left out.

use folkmoot_core::border::ForgedRequest;
use folkmoot_core::port::Files;
use folkmoot_core::request::{Item, Layer, LayerKind, Parameters, ToolDeclaration};
use folkmoot_core::response::{CallPart, Part};
use folkmoot_providers::codec::openai_chat::OutputLimit;
use folkmoot_providers::codec::{Codec as _, Mode, OpenAiChat, Wire};
use serde_json::{Map, Value, json};

use crate::recording::exchanges;

/// How many of the recorded requests have only what a `ModelRequest` can say. More may become so, none fewer.
const EXPRESSIBLE_MIN: usize = 749;

#[test]
fn a_recorded_request_that_can_be_expressed_is_written_as_it_was_sent() {
    let requests: Vec<Value> = exchanges(Wire::OpenaiChat).into_iter().map(|exchange| exchange.request).collect();
    let mut count = 0;
    for recorded in &requests {
        let Some(request) = expressed(recorded) else { continue };
        let output_limit =
            if recorded["max_tokens"].is_null() { OutputLimit::MaxCompletionTokens } else { OutputLimit::MaxTokens };
        let mode = if recorded["stream"] == true { Mode::Stream } else { Mode::Whole };
        let written =
            OpenAiChat { output_limit, ..OpenAiChat::default() }.encode(&request.into_request(), &Files::new(), mode);
        assert_eq!(written.warnings, Vec::<String>::new(), "{recorded}");
        assert_eq!(written.body, chosen(recorded), "{recorded}");
        count += 1;
    }
    println!("{count} of {} recorded requests written again", requests.len());
    assert!(requests.is_empty() || count >= EXPRESSIBLE_MIN, "only {count} can be expressed");
}

/// The request, if it holds nothing that a `ModelRequest` cannot say.
fn expressed(recorded: &Value) -> Option<ForgedRequest> {
    const KNOWN: [&str; 8] = [
        "messages",
        "model",
        "max_tokens",
        "max_completion_tokens",
        "tools",
        "stream",
        "stream_options",
        "temperature",
    ];
    let fields = recorded.as_object()?;
    let is_known = fields.keys().all(|field| KNOWN.contains(&field.as_str()));
    let is_known = is_known && !recorded["temperature"].is_string();
    let temperature = recorded["temperature"].as_f64().map(|temperature| format!("{:.0}", temperature * 1000.0));
    let limit = [&recorded["max_tokens"], &recorded["max_completion_tokens"]].into_iter().find_map(Value::as_u64);
    let (system, rest) = match recorded["messages"].as_array()?.as_slice() {
        [first, rest @ ..] if first["role"] == "system" => {
            (vec![Layer { kind: LayerKind::Role, text: text(&first["content"])? }], rest)
        }
        rest => (vec![], rest),
    };
    let tools = recorded["tools"].as_array().map_or(&[][..], Vec::as_slice);
    is_known.then_some(())?;
    Some(ForgedRequest {
        model: recorded["model"].as_str()?.to_owned(),
        parameters: Parameters {
            temperature_milli: temperature.map(|milli| milli.parse().unwrap()),
            output_tokens_max: limit.map(|limit| limit.try_into().unwrap()),
            ..Parameters::default()
        },
        system,
        tools: tools.iter().map(tool).collect::<Option<_>>()?,
        items: rest.iter().map(item).collect::<Option<_>>()?,
    })
}

fn tool(recorded: &Value) -> Option<ToolDeclaration<String>> {
    let function = recorded["function"].as_object()?;
    (function.len() == 3).then_some(())?;
    let text = |field: &str| function.get(field)?.as_str().map(str::to_owned);
    Some(ToolDeclaration {
        name: text("name")?,
        description: text("description")?,
        schema: function.get("parameters")?.clone(),
    })
}

fn item(message: &Value) -> Option<Item<String>> {
    let content = text(&message["content"]);
    match message["role"].as_str()? {
        "user" => Some(Item::Heard { from: "Ada".into(), text: content?, attachments: Vec::new() }),
        "tool" => {
            let label = message["tool_call_id"].as_str()?.to_owned();
            Some(Item::Result { label, text: content?, failed: false })
        }
        "assistant" => Some(Item::Said { parts: parts(message, content.unwrap_or_default()) }),
        _ => None,
    }
}

fn parts(message: &Value, content: String) -> Vec<Part> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut parts = vec![Part::Text(content)];
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let (tool, arguments) = (text(&call["function"]["name"]), text(&call["function"]["arguments"]));
        parts.push(Part::Call(CallPart { label: text(&call["id"]), tool, arguments }));
    }
    if let Some(reasoning) = message["reasoning_content"].as_str() {
        parts.push(Part::Reasoning(reasoning.to_owned()));
        parts.push(Part::Opaque(json!({ "openai-chat": { "reasoning_field": "reasoning_content" } })));
    }
    if message["reasoning_details"].is_array() {
        let details = json!({ "reasoning_details": message["reasoning_details"] });
        parts.push(Part::Opaque(json!({ "openai-chat": { "message": details } })));
    }
    parts
}

/// A text, or a list of nothing but one.
fn text(content: &Value) -> Option<String> {
    match content.as_array().map(Vec::as_slice) {
        None => content.as_str().map(str::to_owned),
        Some([item]) if item["type"] == "text" => item["text"].as_str().map(str::to_owned),
        Some(_) => None,
    }
}

/// The recorded request with our choices made.
fn chosen(recorded: &Value) -> Value {
    let mut body = recorded.clone();
    let fields = body.as_object_mut().unwrap();
    if recorded["stream"] == true {
        fields.insert("stream_options".into(), json!({ "include_usage": true }));
    } else {
        fields.remove("stream");
        fields.remove("stream_options");
    }
    if let Some(temperature) = fields.get_mut("temperature") {
        *temperature = json!(temperature.as_f64());
    }
    fields.retain(|field, value| !(field == "tools" && *value == json!([])));
    for message in body["messages"].as_array_mut().unwrap() {
        let message = message.as_object_mut().unwrap();
        let content = message.get("content").and_then(text).unwrap_or_default();
        let has_calls = message.contains_key("tool_calls");
        let role = message["role"].as_str().unwrap().to_owned();
        let content = match role.as_str() {
            "user" => json!(format!("Ada: {content}")),
            "assistant" if has_calls && content.is_empty() => Value::Null,
            _ => json!(content),
        };
        message.insert("content".into(), content);
        message.retain(|field, value| !says_nothing(field, value));
        if !has_calls {
            message.remove("reasoning_content"); // goes back only between a call and its result
        }
        message.get_mut("tool_calls").map(drop_indices);
    }
    body
}

fn says_nothing(field: &str, value: &Value) -> bool {
    matches!(field, "prefix" | "annotations" | "refusal") && (value == false || value.is_null() || *value == json!([]))
}

fn drop_indices(calls: &mut Value) {
    let calls = calls.as_array_mut().unwrap().iter_mut().filter_map(Value::as_object_mut);
    calls.for_each(|call: &mut Map<String, Value>| drop(call.remove("index")));
}
