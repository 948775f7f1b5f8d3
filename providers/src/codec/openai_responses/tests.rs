use folkmoot_core::model::response::{
    CallPart, LLMResponse, ModelErrorKind, Part, Reached, Reply, Usage,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::codec::Delta;

mod decode;
mod encode;
mod errors;
mod said;
mod splits;
mod streams;
mod twins;

fn decode(body: &Value) -> LLMResponse {
    OpenAiResponses::default()
        .decode(body.to_string().as_bytes())
        .unwrap()
}

/// A finished response with these items.
fn answer(output: &Value) -> Value {
    json!({ "object": "response", "status": "completed", "output": output })
}

/// A finished message with one text.
fn message(text: &str) -> Value {
    json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }] })
}

/// A finished call.
fn function_call(label: &str, tool: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "call_id": label, "name": tool, "arguments": arguments })
}

/// Decodes a stream that comes in these pieces: the answer, and what was shown.
fn shown(pieces: &[&[u8]]) -> (Result<LLMResponse, DecodeError>, Vec<Delta>) {
    let mut decoder = OpenAiResponses::default().stream_decoder();
    let mut deltas = Vec::new();
    for piece in pieces {
        match decoder.push(piece) {
            Ok(more) => deltas.extend(more),
            Err(error) => return (Err(error), deltas),
        }
    }
    (decoder.finish(), deltas)
}

fn stream(pieces: &[&[u8]]) -> Result<LLMResponse, DecodeError> {
    shown(pieces).0
}

/// Decodes events, and holds what was shown against what was said.
fn stream_of(all: &[Value]) -> LLMResponse {
    let (response, deltas) = shown(&[events(all).as_bytes()]);
    let response = response.unwrap();
    assert_eq!(
        text_of(&deltas),
        response.spoken(),
        "what was shown is what was said"
    );
    response
}

/// What deltas show to the room.
fn text_of(deltas: &[Delta]) -> String {
    let text = |delta: &Delta| match delta {
        Delta::Text(text) | Delta::Refusal(text) => Some(text.clone()),
        Delta::Reasoning(_) => None,
    };
    deltas.iter().filter_map(text).collect()
}

fn events(all: &[Value]) -> String {
    let event = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    };
    all.iter().map(event).collect()
}

fn added(number: u64, item: &Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": number, "item": item })
}

fn done(number: u64, item: &Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": number, "item": item })
}

fn text_delta(number: u64, text: &str) -> Value {
    json!({ "type": "response.output_text.delta", "output_index": number, "content_index": 0, "delta": text })
}

fn completed(output: &Value) -> Value {
    json!({ "type": "response.completed", "response": answer(output) })
}

fn call(label: &str, tool: &str, arguments: &str) -> Part {
    Part::Call(CallPart {
        label: label.into(),
        tool: tool.into(),
        arguments: arguments.into(),
    })
}

fn text(text: &str) -> Part {
    Part::Text(text.into())
}

fn opaque(note: &Value) -> Part {
    Part::Opaque(json!({ "openai-responses": note }))
}
