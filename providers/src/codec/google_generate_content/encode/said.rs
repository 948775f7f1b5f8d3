//! The agent's own answers.

use folkmoot_core::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::note::{Kind, Note};
use super::Warnings;
use crate::codec::json::{Fields, fields_of as fields};

/// The key under which the model finds arguments that are no object: what it wrote, as it wrote it.
const MALFORMED: &str = "malformed_arguments";

/// The most digits that every number keeps.
const DIGITS_MAX: usize = 15;

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

/// A call. Arguments that are no object, which another wire let pass, are not repaired: the wire has no text in their
/// place, so they stand under a name of their own.
fn call_json(call: &CallPart, warnings: &mut Warnings) -> Value {
    let arguments = serde_json::from_str::<Fields>(&call.arguments).map(Value::Object);
    if arguments.is_err() {
        warnings.insert("arguments_not_an_object");
    } else if may_be_rounded(&call.arguments) {
        warnings.insert("arguments_rounded");
    }
    let arguments = arguments.unwrap_or_else(|_| json!({ MALFORMED: call.arguments }));
    json!({ "functionCall": { "name": call.tool, "args": arguments } })
}

/// Whether a number outside of texts has more digits than a number in a body surely keeps. Integers of 64 bits keep all.
fn may_be_rounded(json: &str) -> bool {
    let mut is_escaped = false;
    let mut is_text = false;
    let outside = json.chars().map(|c| {
        let was_text = is_text;
        is_text ^= c == '"' && !is_escaped;
        is_escaped = is_text && c == '\\' && !is_escaped;
        if was_text { ' ' } else { c }
    });
    let outside: String = outside.collect();
    let mut numbers = outside.split(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
    numbers.any(|number| {
        let digits = number.chars().filter(char::is_ascii_digit).count();
        digits > DIGITS_MAX && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
    })
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
