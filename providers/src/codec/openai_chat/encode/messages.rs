//! The conversation as a list of messages.

use std::collections::BTreeSet;

use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde_json::{Value, json};

use super::super::{CallIds, FileParts, OpenAiChat};
use super::{answer, files};
use crate::codec::conversation::{
    Conversation, HeardTurn, IdOf, WireResult, WireTurn, any_id, marked,
};

/// The most bytes of a call's id that OpenAI takes on this wire.
const ID_BYTES_MAX: usize = 40;

/// The messages, and what could not be carried.
pub(super) fn messages<'r>(
    codec: &'r OpenAiChat,
    request: &'r ModelRequest,
    files: &'r Files,
) -> (Vec<Value>, BTreeSet<&'static str>) {
    let Conversation {
        turns,
        mut warnings,
    } = Conversation::of(request, files, codec, ids(codec.call_ids));
    let mut messages = Vec::new();
    if !request.system().is_empty() {
        // One message: several chat templates accept a system message only as the first.
        let system: Vec<&str> = request.system().iter().map(|layer| &*layer.text).collect();
        messages.push(json!({ "role": codec.system_role.word(), "content": system.join("\n\n") }));
    }
    for turn in turns {
        match turn {
            WireTurn::Heard(heard) => messages.push(user(codec.file_parts, &heard)),
            WireTurn::Said { parts, ids } => {
                let said = answer::message(codec.reasoning_echo, parts, ids);
                warnings.extend(said.warnings);
                messages.extend(said.message);
            }
            WireTurn::Results(results) => messages.extend(results.iter().map(tool)),
        }
    }
    (messages, warnings)
}

/// A text, or a list of parts where files come with it.
fn user(form: FileParts, heard: &HeardTurn<'_>) -> Value {
    if heard.files.is_empty() {
        return json!({ "role": "user", "content": heard.text });
    }
    let text = json!({ "type": "text", "text": heard.text });
    let parts: Vec<Value> = std::iter::once(text)
        .chain(heard.files.iter().map(|file| files::part(form, file)))
        .collect();
    json!({ "role": "user", "content": parts })
}

fn ids(wanted: CallIds) -> IdOf {
    match wanted {
        CallIds::Any => short_id,
        CallIds::Nine => nine_id,
    }
}

/// The label; one that is too long, as some servers give them, becomes `call_<n>`.
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

/// The label, if it is nine letters and digits, as those of such a server are; else nine characters
/// with the number.
fn nine_id(label: &str, call: usize) -> String {
    let fits = label.len() == 9 && label.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if fits {
        label.to_owned()
    } else {
        format!("c{call:08}")
    }
}

fn tool(result: &WireResult) -> Value {
    let WireResult {
        id, text, failed, ..
    } = result;
    json!({ "role": "tool", "tool_call_id": id, "content": marked(text, *failed) })
}
