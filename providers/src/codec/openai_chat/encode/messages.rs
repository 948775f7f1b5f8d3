//! The conversation as a list of messages.

use folkmoot_core::port::Files;
use folkmoot_core::request::ModelRequest;
use serde_json::{Value, json};

use super::super::OpenAiChat;
use super::said;
use crate::codec::conversation::{CallResult, Conversation, Heard, Turn, any_id, marked};

/// The messages, and what could not be carried.
pub(super) fn messages(codec: OpenAiChat, request: &ModelRequest, files: &Files) -> (Vec<Value>, Vec<String>) {
    let Conversation { turns, mut warnings } = Conversation::of(request, files, &codec, any_id);
    let mut messages = Vec::new();
    if !request.system().is_empty() {
        // One message: several chat templates accept a system message only as the first.
        let system: Vec<&str> = request.system().iter().map(|layer| &*layer.text).collect();
        messages.push(json!({ "role": "system", "content": system.join("\n\n") }));
    }
    for turn in turns {
        match turn {
            Turn::Heard(heard) => messages.push(user(&heard)),
            Turn::Said { parts, ids } => {
                let said = said::message(codec.reasoning_echo, parts, ids);
                warnings.extend(said.warnings);
                messages.extend(said.message);
            }
            Turn::Results(results) => messages.extend(results.iter().map(tool)),
        }
    }
    (messages, warnings.into_iter().map(str::to_owned).collect())
}

fn user(heard: &Heard<'_>) -> Value {
    json!({ "role": "user", "content": heard.text })
}

fn tool(result: &CallResult) -> Value {
    let CallResult { id, text, failed, .. } = result;
    json!({ "role": "tool", "tool_call_id": id, "content": marked(text, *failed) })
}
