//! The conversation as a list of items.

use std::collections::BTreeSet;

use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde_json::{Value, json};

use super::super::OpenAiResponses;
use super::{files, items};
use crate::codec::conversation::{CallResult, Conversation, Heard, Turn, any_id, marked};

/// The most bytes of a call's id that OpenAI takes.
const ID_BYTES_MAX: usize = 64;

/// The items, and what could not be carried.
pub(super) struct Input {
    pub(super) items: Vec<Value>,
    pub(super) warnings: BTreeSet<&'static str>,
}

/// Writes the conversation.
pub(super) fn input(codec: OpenAiResponses, request: &ModelRequest, files: &Files) -> Input {
    let Conversation {
        turns,
        mut warnings,
    } = Conversation::of(request, files, &codec, short_id);
    let mut items = Vec::new();
    for turn in turns {
        match turn {
            Turn::Heard(heard) => items.push(user(&heard)),
            Turn::Said { parts, ids } => {
                let said = items::items(codec, parts, ids);
                warnings.extend(said.warnings);
                items.extend(said.items);
            }
            Turn::Results(results) => items.extend(results.iter().map(output)),
        }
    }
    Input { items, warnings }
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

fn user(heard: &Heard<'_>) -> Value {
    let text = json!({ "type": "input_text", "text": heard.text });
    let content: Vec<Value> = std::iter::once(text)
        .chain(heard.files.iter().map(files::part))
        .collect();
    json!({ "type": "message", "role": "user", "content": content })
}

fn output(result: &CallResult) -> Value {
    let CallResult {
        id, text, failed, ..
    } = result;
    json!({ "type": "function_call_output", "call_id": id, "output": marked(text, *failed) })
}
