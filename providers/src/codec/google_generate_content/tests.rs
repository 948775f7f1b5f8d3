use folkmoot_core::model::response::{CallPart, LLMResponse, ModelErrorKind, Part, Reply, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::codec::Delta;

mod decode;
mod encode;
mod errors;
mod generated;
mod parameters;
mod twins;

fn codec() -> GoogleGenerateContent {
    GoogleGenerateContent::default()
}

fn decode(body: &Value) -> LLMResponse {
    codec().decode(body.to_string().as_bytes()).unwrap()
}

/// A document with one candidate, which ended in `finish`.
fn document(parts: &Value, finish: &str) -> Value {
    json!({ "candidates": [{ "content": { "parts": parts, "role": "model" }, "finishReason": finish, "index": 0 }] })
}

/// The parts of an answer that ended by itself.
fn parts(parts: &Value) -> Vec<Part> {
    decode(&document(parts, "STOP")).reply().parts.clone()
}

fn stream(pieces: &[&[u8]]) -> Result<LLMResponse, DecodeError> {
    let mut decoder = codec().stream_decoder();
    for piece in pieces {
        decoder.push(piece)?;
    }
    decoder.finish()
}

fn events(documents: &[Value]) -> String {
    documents
        .iter()
        .map(|document| format!("data: {document}\r\n\r\n"))
        .collect()
}

fn call(label: &str, tool: &str, arguments: &str) -> Part {
    Part::Call(CallPart {
        label: label.into(),
        tool: tool.into(),
        arguments: arguments.into(),
    })
}

fn opaque(note: &Value) -> Part {
    Part::Opaque(json!({ "google-generate-content": note }))
}

fn with(part: &str, fields: &Value) -> Part {
    opaque(&json!({ "with": { "part": part, "fields": fields } }))
}
