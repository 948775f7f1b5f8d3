//! The agent's own answers.

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::note::{GoogleNote, PartKind};
use super::Warnings;
use crate::codec::arguments::object_of;
use crate::codec::json::{Fields, fields_of as fields};
use crate::codec::warning;

/// The key under which the model finds arguments that are no object: what it wrote, as it wrote it.
const MALFORMED: &str = "malformed_arguments";

/// The field in which a signature goes back.
const SIGNATURE: &str = "thoughtSignature";

/// The text that Google takes for the signature of a call that none of its models made.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// An answer as parts.
#[derive(Debug, Default)]
pub(super) struct AnswerParts {
    pub(super) parts: Vec<Value>,
    /// The id of each call, where the model gave one. Labels of ours and of other providers are not
    /// sent.
    pub(super) ids: Vec<Option<String>>,
}

/// Writes an answer.
pub(super) fn parts(model: &str, parts: &[Part], warnings: &mut Warnings) -> AnswerParts {
    let notes = |part: &Part| {
        if let Part::Opaque(opaque) = part {
            GoogleNote::read(opaque)
        } else {
            None
        }
    };
    let has_thoughts = parts
        .iter()
        .filter_map(notes)
        .any(|note| note == GoogleNote::Thoughts);
    let mut written: Vec<(Option<PartKind>, Fields)> = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) | Part::Refusal(text) => {
                written.push((Some(PartKind::Text), fields(json!({ "text": text }))))
            }
            Part::Reasoning(text) if has_thoughts => {
                written.push((
                    Some(PartKind::Thought),
                    fields(json!({ "text": text, "thought": true })),
                ));
            }
            Part::Reasoning(_) => drop(warnings.insert(warning::REASONING_NOT_CARRIED)),
            Part::Call(call) => {
                written.push((Some(PartKind::Call), fields(call_json(call, warnings))))
            }
            Part::Opaque(opaque) => match GoogleNote::read(opaque) {
                Some(GoogleNote::With { part, fields }) => match written.last_mut() {
                    Some((kind, last)) if *kind == Some(part) => join(last, fields),
                    _ => drop(warnings.insert(warning::OPAQUE_NOT_CARRIED)),
                },
                Some(GoogleNote::Part(fields)) => written.push((None, fields)),
                Some(GoogleNote::Thoughts | GoogleNote::Kept(_)) => {}
                None => drop(warnings.insert(warning::OPAQUE_NOT_CARRIED)),
            },
        }
    }
    written.retain(|(_, fields)| !says_nothing(fields));
    if wants_signatures(model) {
        sign_first_call(&mut written, warnings);
    }
    let ids = written
        .iter()
        .filter(|(kind, _)| *kind == Some(PartKind::Call))
        .map(|(_, call)| id_of(call))
        .collect();
    AnswerParts {
        parts: written
            .into_iter()
            .map(|(_, fields)| Value::Object(fields))
            .collect(),
        ids,
    }
}

fn call_json(call: &CallPart, warnings: &mut Warnings) -> Value {
    json!({ "functionCall": { "name": call.tool, "args": object_of(&call.arguments, MALFORMED, warnings) } })
}

/// Tells whether a model refuses calls without its signature, as Gemini does from version 3 on.
fn wants_signatures(model: &str) -> bool {
    let name = model.strip_prefix("models/").unwrap_or(model);
    let version = name
        .strip_prefix("gemini-")
        .map(|rest| rest.split(['.', '-']).next().unwrap_or_default());
    // Names without a number are those of the newest.
    version.is_some_and(|version| version.parse::<u32>().map_or(true, |version| version >= 3))
}

/// An answer of another provider, or of an older model, has no signature. Of the calls in an answer
/// only the first is looked at.
fn sign_first_call(written: &mut [(Option<PartKind>, Fields)], warnings: &mut Warnings) {
    let first = written
        .iter_mut()
        .find(|(kind, _)| *kind == Some(PartKind::Call));
    if let Some((_, call)) = first.filter(|(_, call)| !call.contains_key(SIGNATURE)) {
        call.insert(SIGNATURE.to_owned(), json!(NO_SIGNATURE));
        warnings.insert(warning::SIGNATURE_NOT_KNOWN);
    }
}

/// Adds what came with a part; the fields of a call go into the call.
fn join(part: &mut Fields, more: Fields) {
    for (name, value) in more {
        match (part.get_mut(&name), value) {
            (Some(Value::Object(own)), Value::Object(more)) if name == "functionCall" => {
                own.extend(more)
            }
            (_, value) => drop(part.insert(name, value)),
        }
    }
}

fn says_nothing(part: &Fields) -> bool {
    part.is_empty() || (part.len() == 1 && part.get("text").is_some_and(|text| text == ""))
}

fn id_of(part: &Fields) -> Option<String> {
    part.get("functionCall")?
        .get("id")?
        .as_str()
        .map(str::to_owned)
}
