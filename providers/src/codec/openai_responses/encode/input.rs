//! The conversation as a list of items.

use std::collections::BTreeSet;

use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde_json::{Value, json};

use super::super::OpenAiResponses;
use super::{files, items};
use crate::codec::conversation::{Conversation, HeardTurn, WireResult, WireTurn, any_id, marked};

/// The most bytes of a call's id that OpenAI takes.
const ID_BYTES_MAX: usize = 64;

/// The items, and what could not be carried.
pub(super) struct RequestInput {
    pub(super) items: Vec<Value>,
    pub(super) warnings: BTreeSet<&'static str>,
}

/// Writes the conversation.
pub(super) fn input(codec: OpenAiResponses, request: &ModelRequest, files: &Files) -> RequestInput {
    let Conversation {
        turns,
        mut warnings,
    } = Conversation::of(request, files, &codec, short_id);
    let mut items = Vec::new();
    for turn in turns {
        match turn {
            WireTurn::Heard(heard) => items.push(user(&heard)),
            WireTurn::Said { parts, ids } => {
                let said = items::items(codec, parts, ids);
                warnings.extend(said.warnings);
                items.extend(said.items);
            }
            WireTurn::Results(results) => items.extend(results.iter().map(output)),
        }
    }
    RequestInput { items, warnings }
}

fn short_id(label: &str, call: usize) -> String {
    any_id(
        if label.len() > ID_BYTES_MAX {
            ""
        } else {
            label
        },
        call,
    )
}

fn user(heard: &HeardTurn<'_>) -> Value {
    let text = json!({ "type": "input_text", "text": heard.text });
    let content: Vec<Value> = std::iter::once(text)
        .chain(heard.files.iter().map(files::part))
        .collect();
    json!({ "type": "message", "role": "user", "content": content })
}

fn output(result: &WireResult) -> Value {
    let WireResult {
        id, text, failed, ..
    } = result;
    json!({ "type": "function_call_output", "call_id": id, "output": marked(text, *failed) })
}
