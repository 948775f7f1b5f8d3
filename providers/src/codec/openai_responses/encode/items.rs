//! The agent's own answers.

use std::collections::BTreeSet;

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::note::{MessageNote, ResponsesNote};
use super::super::{AnswerStorage, ItemEcho, OpenAiResponses};
use crate::codec::json::{Fields, is_blank, text_of};
use crate::codec::{arguments, warning};

/// An answer as items.
#[derive(Debug, Default)]
pub(super) struct AnswerItems {
    pub(super) items: Vec<Value>,
    /// The codes of the parts that the items could not carry.
    pub(super) warnings: Vec<&'static str>,
    /// The texts of a message whose end has not come.
    texts: Vec<MessageText>,
    /// True if there is reasoning whose item has not come.
    has_reasoning: bool,
}

#[derive(Debug)]
struct MessageText {
    kind: &'static str,
    field: &'static str,
    text: String,
}

/// Writes an answer whose calls have these `ids`.
pub(super) fn items(codec: OpenAiResponses, parts: &[Part], ids: Vec<String>) -> AnswerItems {
    let mut said = AnswerItems::default();
    let mut ids = ids.into_iter();
    for part in parts {
        if !matches!(part, Part::Reasoning(_) | Part::Opaque(_)) {
            said.drop_reasoning();
        }
        match part {
            Part::Text(text) => said.add_text("output_text", "text", text),
            Part::Refusal(text) => said.add_text("refusal", "refusal", text),
            Part::Reasoning(_) => said.has_reasoning = true, // its item carries it
            Part::Call(call) => {
                said.end_message(MessageNote::default());
                said.add_call(call, ids.next());
            }
            Part::Opaque(opaque) => match ResponsesNote::read(opaque) {
                Some(note) if codec.item_echo == ItemEcho::AsReceived => {
                    said.echo(note, codec.store)
                }
                Some(note) => said.leave_out(&note),
                None => said.warnings.push(warning::OPAQUE_NOT_CARRIED),
            },
        }
    }
    said.end_message(MessageNote::default());
    said.drop_reasoning();
    said.drop_last_reasoning();
    said
}

impl AnswerItems {
    fn add_text(&mut self, kind: &'static str, field: &'static str, text: &str) {
        self.texts.push(MessageText {
            kind,
            field,
            text: text.to_owned(),
        });
    }

    fn add_call(&mut self, call: &CallPart, id: Option<String>) {
        let mut warnings = BTreeSet::new();
        let arguments = arguments::text_of(&call.arguments, &mut warnings);
        self.warnings.extend(warnings);
        let item = |id| json!({ "type": "function_call", "call_id": id, "name": call.tool, "arguments": arguments });
        self.items.extend(id.map(item));
    }

    /// Reasoning without an item is of another wire, or of a server that gave none.
    fn drop_reasoning(&mut self) {
        if std::mem::take(&mut self.has_reasoning) {
            self.warnings.push(warning::REASONING_NOT_CARRIED);
        }
    }

    /// The wire refuses reasoning without what it led to, as that of an answer that was cut behind
    /// it.
    fn drop_last_reasoning(&mut self) {
        while self
            .items
            .last()
            .is_some_and(|item| text_of(item.get("type")) == "reasoning")
        {
            self.items.pop();
            self.warnings.push(warning::REASONING_NOT_CARRIED);
        }
    }

    /// Tells of an item that by choice does not go back. Ids and the like say nothing without it.
    fn leave_out(&mut self, note: &ResponsesNote) {
        match note {
            ResponsesNote::Item(item) if text_of(item.get("type")) == "reasoning" => {
                self.has_reasoning = false;
                self.warnings.push(warning::REASONING_NOT_CARRIED);
            }
            ResponsesNote::Item(_) => self.warnings.push(warning::OPAQUE_NOT_CARRIED),
            ResponsesNote::Message(_) | ResponsesNote::Call(_) | ResponsesNote::Kept(_) => {}
        }
    }

    fn echo(&mut self, note: ResponsesNote, store: AnswerStorage) {
        match note {
            ResponsesNote::Item(item) => {
                if text_of(item.get("type")) == "reasoning" {
                    self.has_reasoning = false;
                }
                self.end_message(MessageNote::default());
                if store == AnswerStorage::Never && is_reference(&item) {
                    self.warnings.push(warning::REASONING_NOT_CARRIED);
                } else {
                    self.items.push(Value::Object(item));
                }
            }
            ResponsesNote::Message(note) => self.end_message(note),
            ResponsesNote::Call(fields) => self.extend_call(fields),
            ResponsesNote::Kept(_) => {}
        }
    }

    /// Gives the last call further fields. It keeps its own: its result names it by them.
    fn extend_call(&mut self, fields: Fields) {
        let last = self
            .items
            .last_mut()
            .filter(|item| text_of(item.get("type")) == "function_call");
        let Some(Value::Object(call)) = last else {
            return self.warnings.push(warning::OPAQUE_NOT_CARRIED);
        };
        for (field, value) in fields {
            match call.get(&field) {
                None => drop(call.insert(field, value)),
                Some(own) if *own == value => {}
                Some(_) => self.warnings.push(warning::CALL_CONTRADICTED),
            }
        }
    }

    /// Writes the texts as a message. One with an id goes back as it came; without, it is the short
    /// form, which has one text.
    fn end_message(&mut self, note: MessageNote) {
        let texts = std::mem::take(&mut self.texts);
        let MessageNote { fields, content } = note;
        let has_id = !text_of(fields.get("id")).is_empty();
        if texts.is_empty() && (content.is_empty() || !has_id) {
            return;
        }
        let mut message = Fields::from_iter([
            ("type".to_owned(), json!("message")),
            ("role".to_owned(), json!("assistant")),
        ]);
        if has_id {
            message.insert("status".to_owned(), json!("completed"));
            message.extend(fields);
            message.insert("content".to_owned(), pieces(texts, content));
        } else {
            message.extend(fields.into_iter().filter(|(field, _)| field == "phase"));
            message.insert(
                "content".to_owned(),
                texts
                    .into_iter()
                    .map(|text| text.text)
                    .collect::<String>()
                    .into(),
            );
        }
        self.items.push(Value::Object(message));
    }
}

/// The pieces of a message: the texts, each with what it had besides, and between them the pieces
/// of other types.
fn pieces(texts: Vec<MessageText>, content: Vec<Fields>) -> Value {
    let mut texts = texts.into_iter();
    let mut pieces = Vec::new();
    for rest in content {
        if rest.contains_key("type") {
            pieces.push(Value::Object(rest));
        } else if let Some(text) = texts.next() {
            pieces.push(piece(text, rest));
        }
    }
    pieces.extend(texts.map(|text| piece(text, Fields::new())));
    Value::Array(pieces)
}

fn piece(text: MessageText, rest: Fields) -> Value {
    let MessageText { kind, field, text } = text;
    let mut piece = Fields::new();
    if kind == "output_text" {
        piece.insert("annotations".to_owned(), json!([])); // wanted, also where there is none
    }
    piece.extend(rest);
    piece.insert("type".to_owned(), json!(kind));
    piece.insert(field.to_owned(), Value::String(text));
    Value::Object(piece)
}

/// Tells whether an item only names reasoning that the server would have to have stored.
fn is_reference(item: &Fields) -> bool {
    let lacks = |field: &str| item.get(field).is_none_or(is_blank);
    text_of(item.get("type")) == "reasoning" && lacks("encrypted_content") && lacks("content")
}
