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
mod short;
mod twins;

fn decode(body: &Value) -> LLMResponse {
    OpenAiChat::default()
        .decode(body.to_string().as_bytes())
        .unwrap()
}

/// An answer with one choice, which ended in `finish`.
fn answer(message: &Value, finish: &str) -> Value {
    json!({ "choices": [{ "index": 0, "message": message, "finish_reason": finish }] })
}

fn stream(pieces: &[&[u8]]) -> Result<LLMResponse, DecodeError> {
    let mut decoder = OpenAiChat::default().stream_decoder();
    for piece in pieces {
        decoder.push(piece)?;
    }
    decoder.finish()
}

fn events(chunks: &[Value]) -> String {
    chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect()
}

fn delta(delta: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta }] })
}

fn finish(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn call(label: &str, tool: &str, arguments: &str) -> Part {
    Part::Call(CallPart {
        label: label.into(),
        tool: tool.into(),
        arguments: arguments.into(),
    })
}

fn opaque(note: &Value) -> Part {
    Part::Opaque(json!({ "openai-chat": note }))
}
