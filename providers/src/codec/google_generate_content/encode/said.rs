//! The agent's own answers.

use folkmoot_core::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::note::{Kind, Note};
use super::Warnings;
use crate::codec::arguments::object_of;
use crate::codec::json::{Fields, fields_of as fields};

/// The key under which the model finds arguments that are no object: what it wrote, as it wrote it.
const MALFORMED: &str = "malformed_arguments";

/// An answer as parts.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) parts: Vec<Value>,
    /// The id of each call, where the model gave one. Labels of ours and of other providers are not sent.
    pub(super) ids: Vec<Option<String>>,
}

/// Writes an answer.
pub(super) fn parts(parts: &[Part], warnings: &mut Warnings) -> Said {
    let notes = |part: &Part| if let Part::Opaque(opaque) = part { Note::read(opaque) } else { None };
    let has_thoughts = parts.iter().filter_map(notes).any(|note| note == Note::Thoughts);
    let mut written: Vec<(Option<Kind>, Fields)> = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) | Part::Refusal(text) => written.push((Some(Kind::Text), fields(json!({ "text": text })))),
            Part::Reasoning(text) if has_thoughts => {
                written.push((Some(Kind::Thought), fields(json!({ "text": text, "thought": true }))));
            }
            Part::Reasoning(_) => drop(warnings.insert("reasoning_not_carried")),
            Part::Call(call) => written.push((Some(Kind::Call), fields(call_json(call, warnings)))),
            Part::Opaque(opaque) => match Note::read(opaque) {
                Some(Note::With { part, fields }) => match written.last_mut() {
                    Some((kind, last)) if *kind == Some(part) => join(last, fields),
                    _ => drop(warnings.insert("opaque_not_carried")),
                },
                Some(Note::Part(fields)) => written.push((None, fields)),
                Some(Note::Thoughts | Note::Kept(_)) => {}
                None => drop(warnings.insert("opaque_not_carried")),
            },
        }
    }
    written.retain(|(_, fields)| !says_nothing(fields));
    let ids = written.iter().filter(|(kind, _)| *kind == Some(Kind::Call)).map(|(_, call)| id_of(call)).collect();
    Said { parts: written.into_iter().map(|(_, fields)| Value::Object(fields)).collect(), ids }
}

fn call_json(call: &CallPart, warnings: &mut Warnings) -> Value {
    json!({ "functionCall": { "name": call.tool, "args": object_of(&call.arguments, MALFORMED, warnings) } })
}

/// Adds what came with a part; the fields of a call go into the call.
fn join(part: &mut Fields, more: Fields) {
    for (name, value) in more {
        match (part.get_mut(&name), value) {
            (Some(Value::Object(own)), Value::Object(more)) if name == "functionCall" => own.extend(more),
            (_, value) => drop(part.insert(name, value)),
        }
    }
}

fn says_nothing(part: &Fields) -> bool {
    part.is_empty() || (part.len() == 1 && part.get("text").is_some_and(|text| text == ""))
}

fn id_of(part: &Fields) -> Option<String> {
    part.get("functionCall")?.get("id")?.as_str().map(str::to_owned)
}
