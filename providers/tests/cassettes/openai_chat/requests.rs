//! Requests that real clients sent, written again by the codec.
//!
//! They come out equal, but for what this codec chooses to do in one way where clients do it in several:
//! who speaks stands before a person's text; a file is told in a line of that text too, stands behind it, and an image
//! does not ask for the detail that it has anyway; texts are strings, not lists of one; an assistant's message without
//! text has a null content; fields that say nothing (`stream: false`, `tools: []`, `prefix: false`, a call's `index`, an
//! empty `annotations`, a null `refusal` or `tool_choice`) are left out; reasoning goes back only between a call and its
//! result.

use std::collections::BTreeMap;

use folkmoot_core::model::response::{CallPart, Part};
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Item, Layer, LayerKind, ToolDeclaration};
use folkmoot_providers::codec::openai_chat::{FileParts, ReasoningEcho, SystemRole};
use folkmoot_providers::codec::{AnswerMode, Codec as _, OpenAiChat, Wire};
use serde_json::{Map, Value, json};

use crate::recording::exchanges;

mod parameters;
mod words;

use parameters::parameters;
use words::{Words, text};

/// How many of the recorded requests have only what a `ModelRequest` can say. More may become so, none fewer.
const EXPRESSIBLE_MIN: usize = 1_648;

/// The same without fields that it carries by the server's own names.
const PLAIN_MIN: usize = 1_308;

#[test]
fn a_recorded_request_that_can_be_expressed_is_written_as_it_was_sent() {
    let requests: Vec<Value> = exchanges(Wire::OpenaiChat)
        .into_iter()
        .map(|exchange| exchange.request)
        .collect();
    let (mut count, mut plain_count) = (0, 0);
    let mut extra = BTreeMap::<String, usize>::new();
    for recorded in &requests {
        let Some((request, words, codec)) = expressed(recorded) else {
            continue;
        };
        let files = words
            .into_iter()
            .flat_map(|words| words.files)
            .map(|file| (file.digest(), file.bytes.into()));
        plain_count += usize::from(request.parameters.extra.is_empty());
        request
            .parameters
            .extra
            .keys()
            .for_each(|field| *extra.entry(field.clone()).or_default() += 1);
        let mode = if recorded["stream"] == true {
            AnswerMode::Stream
        } else {
            AnswerMode::Whole
        };
        let written = codec.encode(&request.into_request(), &files.collect(), mode);
        assert_eq!(written.warnings, Vec::<String>::new(), "{recorded}");
        assert_eq!(written.body, chosen(recorded), "{recorded}");
        count += 1;
    }
    let percent = |part: usize| 100.0 * part as f64 / requests.len().max(1) as f64;
    println!(
        "{count} of {} recorded requests written again: {:.1} %",
        requests.len(),
        percent(count)
    );
    println!(
        "{plain_count} of them without `extra`: {:.1} %; in `extra`: {extra:?}",
        percent(plain_count)
    );
    assert!(
        requests.is_empty() || count >= EXPRESSIBLE_MIN,
        "only {count} can be expressed"
    );
    assert!(
        requests.is_empty() || plain_count >= PLAIN_MIN,
        "only {plain_count} can be expressed without `extra`"
    );
}

/// The request with its users' words and the server's dialect, if it holds nothing that a `ModelRequest` cannot say.
fn expressed(recorded: &Value) -> Option<(ForgedRequest, Vec<Words>, OpenAiChat)> {
    let messages = recorded["messages"].as_array()?;
    let systems = messages
        .iter()
        .take_while(|message| is_system(message))
        .count();
    let (systems, rest) = messages.split_at(systems);
    let system = systems.iter().map(|message| {
        Some(Layer {
            kind: LayerKind::Role,
            text: text(&message["content"])?,
        })
    });
    let users = rest.iter().filter(|message| message["role"] == "user");
    let (parameters, mut codec) = parameters(recorded);
    if systems.iter().any(|message| message["role"] == "developer") {
        codec.system_role = SystemRole::Developer;
    }
    let has_echo = |message: &Value| {
        ["reasoning_content", "reasoning_details"]
            .iter()
            .any(|f| !message[*f].is_null())
    };
    if rest.iter().any(has_echo) {
        codec.reasoning_echo = ReasoningEcho::AsReceived;
    }
    if recorded.to_string().contains("\"document_url\"") || rest.iter().any(words::has_bare_audio) {
        codec.file_parts = FileParts::DocumentUrl;
    }
    let request = ForgedRequest {
        model: recorded["model"].as_str()?.to_owned(),
        parameters,
        system: system.collect::<Option<_>>()?,
        tools: recorded["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(tool)
            .collect::<Option<_>>()?,
        items: rest.iter().map(item).collect::<Option<_>>()?,
    };
    Some((request, users.map(Words::of).collect::<Option<_>>()?, codec))
}

fn is_system(message: &Value) -> bool {
    matches!(message["role"].as_str(), Some("system" | "developer"))
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
        "user" => {
            let Words { text, files } = Words::of(message)?;
            let attachments = files.iter().map(words::File::attached).collect();
            Some(Item::Heard {
                from: "Ada".into(),
                text,
                attachments,
            })
        }
        "tool" => {
            let label = message["tool_call_id"].as_str()?.to_owned();
            Some(Item::Result {
                label,
                text: content?,
                failed: false,
            })
        }
        "assistant" => Some(Item::Said {
            parts: parts(message, content.unwrap_or_default()),
        }),
        _ => None,
    }
}

fn parts(message: &Value, content: String) -> Vec<Part> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut parts = vec![Part::Text(content)];
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let (tool, arguments) = (
            text(&call["function"]["name"]),
            text(&call["function"]["arguments"]),
        );
        parts.push(Part::Call(CallPart {
            label: text(&call["id"]),
            tool,
            arguments,
        }));
    }
    if let Some(reasoning) = message["reasoning_content"].as_str() {
        parts.push(Part::Reasoning(reasoning.to_owned()));
        parts.push(Part::Opaque(
            json!({ "openai-chat": { "reasoning_field": "reasoning_content" } }),
        ));
    }
    if message["reasoning_details"].is_array() {
        let details = json!({ "reasoning_details": message["reasoning_details"] });
        parts.push(Part::Opaque(
            json!({ "openai-chat": { "message": details } }),
        ));
    }
    parts
}

/// The recorded request with our choices made.
fn chosen(recorded: &Value) -> Value {
    let mut body = recorded.clone();
    let fields = body.as_object_mut().unwrap();
    if recorded["stream"] != true {
        fields.remove("stream");
        fields.remove("stream_options");
    }
    for field in ["temperature", "top_p"] {
        if let Some(number) = fields.get_mut(field).filter(|value| value.is_number()) {
            *number = json!(number.as_f64());
        }
    }
    fields.retain(|field, value| !(field == "tools" && *value == json!([])));
    fields.retain(|field, value| !(field == "tool_choice" && value.is_null()));
    for message in body["messages"].as_array_mut().unwrap() {
        let content = match message["role"].as_str().unwrap() {
            "user" => Words::of(message).unwrap().chosen(message),
            "assistant"
                if message["tool_calls"].is_array()
                    && text(&message["content"]).is_none_or(|t| t.is_empty()) =>
            {
                Value::Null
            }
            _ => json!(text(&message["content"]).unwrap_or_default()),
        };
        let message = message.as_object_mut().unwrap();
        message.insert("content".into(), content);
        message.retain(|field, value| !says_nothing(field, value));
        if !message.contains_key("tool_calls") {
            message.remove("reasoning_content");
        }
        message.get_mut("tool_calls").map(drop_indices);
    }
    body
}

fn says_nothing(field: &str, value: &Value) -> bool {
    matches!(field, "prefix" | "annotations" | "refusal")
        && (value == false || value.is_null() || *value == json!([]))
}

fn drop_indices(calls: &mut Value) {
    let calls = calls
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .filter_map(Value::as_object_mut);
    calls.for_each(|call: &mut Map<String, Value>| drop(call.remove("index")));
}
