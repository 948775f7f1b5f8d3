//! The agent's own answers.

use folkmoot_core::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::ReasoningEcho;
use super::super::note::Note;
use crate::codec::json::Fields;

/// An answer as a message.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The message; `None` if there is nothing in it that the wire carries.
    pub(super) message: Option<Value>,
    /// What it could not carry.
    pub(super) warnings: Vec<&'static str>,
}

/// Writes an answer whose calls have these `ids`.
pub(super) fn message(echo: ReasoningEcho, parts: &[Part], ids: Vec<String>) -> Said {
    let mut said = Said::default();
    let (mut text, mut reasoning, mut calls, mut fields) = (String::new(), String::new(), Vec::new(), Fields::new());
    let mut notes = Vec::new();
    let mut ids = ids.into_iter();
    for part in parts {
        match part {
            Part::Text(more) | Part::Refusal(more) => text.push_str(more),
            Part::Reasoning(more) => reasoning.push_str(more),
            Part::Call(call) => calls.extend(ids.next().map(|id| call_json(call, &id))),
            Part::Opaque(opaque) => match Note::read(opaque) {
                Some(note) => notes.push(note),
                None => said.warnings.push("opaque_not_carried"),
            },
        }
    }
    if echo == ReasoningEcho::AsReceived {
        notes.into_iter().for_each(|note| echo_note(note, &mut reasoning, &mut calls, &mut fields));
    }
    if text.is_empty() && calls.is_empty() && fields.is_empty() {
        return said;
    }
    let is_call_only = text.is_empty() && !calls.is_empty();
    fields.insert("role".to_owned(), json!("assistant"));
    fields.insert("content".to_owned(), if is_call_only { Value::Null } else { Value::String(text) });
    if !calls.is_empty() {
        fields.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    said.message = Some(Value::Object(fields));
    said
}

fn echo_note(note: Note, reasoning: &mut String, calls: &mut [Value], message: &mut Fields) {
    match note {
        Note::Message(fields) => message.extend(fields),
        Note::Call { call, fields } => {
            if let Some(Value::Object(call)) = calls.get_mut(call) {
                call.extend(fields);
            }
        }
        // Wanted only between a call and its result; elsewhere servers throw it away.
        Note::ReasoningField(field) if !calls.is_empty() => {
            message.insert(field, Value::String(std::mem::take(reasoning)));
        }
        Note::ReasoningField(_) | Note::Kept(_) => {}
    }
}

fn call_json(call: &CallPart, id: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": call.tool, "arguments": call.arguments } })
}
