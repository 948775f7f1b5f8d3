//! The agent's own answers.

use std::collections::{BTreeSet, VecDeque};

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::ReasoningEcho;
use super::super::note::ChatNote;
use crate::codec::json::Fields;
use crate::codec::{arguments, warning};

/// An answer as a message.
#[derive(Debug)]
pub(super) struct AnswerMessage {
    /// The message; `None` if there is nothing in it that the wire carries.
    pub(super) message: Option<Value>,
    /// The codes of the parts that the message could not carry.
    pub(super) warnings: Vec<&'static str>,
}

/// The material of an answer's message, as its parts are gone through.
#[derive(Debug, Default)]
struct MessageWriter<'r> {
    text: String,
    calls: Vec<Value>,
    /// Reasoning that has not found its field, in order.
    reasoning: VecDeque<&'r str>,
    /// The fields of the message besides its text and calls.
    fields: Fields,
    warnings: Vec<&'static str>,
}

/// Writes an answer whose calls have these `ids`.
pub(super) fn message(echo: ReasoningEcho, parts: &[Part], ids: Vec<String>) -> AnswerMessage {
    let mut writer = MessageWriter::default();
    let mut notes = Vec::new();
    let mut ids = ids.into_iter();
    for part in parts {
        match part {
            Part::Text(more) | Part::Refusal(more) => writer.text.push_str(more),
            Part::Reasoning(more) => writer.reasoning.push_back(more),
            Part::Call(call) => writer.add_call(call, ids.next()),
            Part::Opaque(opaque) => match ChatNote::read(opaque) {
                Some(note) => notes.push(note),
                None => writer.warnings.push(warning::OPAQUE_NOT_CARRIED),
            },
        }
    }
    // Behind all parts: the note of a call finds it by its number among the calls that are written.
    for note in notes {
        match echo {
            ReasoningEcho::AsReceived => writer.echo(note),
            ReasoningEcho::Never => writer.leave_out(&note),
        }
    }
    if !writer.reasoning.is_empty() {
        writer.warnings.push(warning::REASONING_NOT_CARRIED);
    }
    writer.into_said()
}

impl MessageWriter<'_> {
    fn add_call(&mut self, call: &CallPart, id: Option<String>) {
        let mut warnings = BTreeSet::new();
        let arguments = arguments::text_of(&call.arguments, &mut warnings);
        self.warnings.extend(warnings);
        let function = json!({ "name": call.tool, "arguments": arguments });
        self.calls
            .extend(id.map(|id| json!({ "id": id, "type": "function", "function": function })));
    }

    fn echo(&mut self, note: ChatNote) {
        match note {
            ChatNote::Message(fields) => {
                // The fields of the message hold the same reasoning, which is not to go back twice.
                if fields.keys().any(|field| is_of_reasoning(field)) {
                    self.reasoning.clear();
                }
                self.fields.extend(fields);
            }
            ChatNote::Call { call, fields } => {
                if let Some(Value::Object(call)) = self.calls.get_mut(call) {
                    call.extend(fields);
                }
            }
            ChatNote::ReasoningField(field) => {
                if !self.fields.contains_key(&field)
                    && let Some(text) = self.reasoning.pop_front()
                    // Wanted only between a call and its result; elsewhere servers throw it away.
                    && !self.calls.is_empty()
                {
                    self.fields.insert(field, Value::from(text));
                }
            }
            ChatNote::Kept(_) => {}
        }
    }

    /// Tells of what would go back to another server.
    fn leave_out(&mut self, note: &ChatNote) {
        match note {
            ChatNote::Message(fields) if fields.keys().all(|field| is_of_reasoning(field)) => {
                self.warnings.push(warning::REASONING_NOT_CARRIED);
            }
            ChatNote::Message(_) | ChatNote::Call { .. } => {
                self.warnings.push(warning::OPAQUE_NOT_CARRIED)
            }
            ChatNote::ReasoningField(_) | ChatNote::Kept(_) => {}
        }
    }

    fn into_said(self) -> AnswerMessage {
        let Self {
            text,
            calls,
            mut fields,
            warnings,
            reasoning: _,
        } = self;
        // A message with nothing in it is refused by many servers.
        if text.is_empty() && calls.is_empty() && fields.is_empty() {
            return AnswerMessage {
                message: None,
                warnings,
            };
        }
        let is_call_only = text.is_empty() && !calls.is_empty();
        fields.insert("role".to_owned(), json!("assistant"));
        fields.insert(
            "content".to_owned(),
            if is_call_only {
                Value::Null
            } else {
                Value::String(text)
            },
        );
        if !calls.is_empty() {
            fields.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        AnswerMessage {
            message: Some(Value::Object(fields)),
            warnings,
        }
    }
}

/// Tells whether a field holds reasoning: all servers name such fields in one way.
fn is_of_reasoning(field: &str) -> bool {
    field.starts_with("reasoning")
}
