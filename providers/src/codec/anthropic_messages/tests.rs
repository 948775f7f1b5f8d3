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
mod files;
mod parameters;
mod thinking;
mod twins;

fn codec() -> AnthropicMessages {
    AnthropicMessages::default()
}

fn decode(body: &Value) -> LLMResponse {
    codec().decode(body.to_string().as_bytes()).unwrap()
}

/// An answer of these blocks, which stopped for `reason`.
fn answer(blocks: &Value, reason: &str) -> Value {
    json!({ "type": "message", "content": blocks, "stop_reason": reason })
}

fn stream(pieces: &[&[u8]]) -> Result<LLMResponse, DecodeError> {
    let mut decoder = codec().stream_decoder();
    for piece in pieces {
        decoder.push(piece)?;
    }
    decoder.finish()
}

fn events(events: &[Value]) -> String {
    let event = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    };
    events.iter().map(event).collect()
}

fn begin() -> Value {
    json!({ "type": "message_start", "message": { "type": "message", "role": "assistant", "content": [] } })
}

fn start(index: u64, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn text_start(index: u64) -> Value {
    start(index, &json!({ "type": "text", "text": "" }))
}

fn delta(index: u64, kind: &str, field: &str, text: &str) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": { "type": kind, field: text } })
}

fn text_delta(index: u64, text: &str) -> Value {
    delta(index, "text_delta", "text", text)
}

fn finish(reason: &str) -> Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 1 } })
}

fn stop() -> Value {
    json!({ "type": "message_stop" })
}

fn call(label: &str, tool: &str, arguments: &str) -> Part {
    Part::Call(CallPart {
        label: label.into(),
        tool: tool.into(),
        arguments: arguments.into(),
    })
}

fn opaque(note: &Value) -> Part {
    Part::Opaque(json!({ "anthropic-messages": note }))
}
