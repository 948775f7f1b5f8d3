//! The conversation as a list of contents.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde_json::{Value, json};

use super::super::GoogleGenerateContent;
use super::{Warnings, parts};
use crate::codec::conversation::{Conversation, HeardTurn, SentFile, WireResult, WireTurn, any_id};
use crate::codec::json::Fields;

/// The text in a user's place where the conversation begins with the model, or is empty: the wire
/// refuses both.
const BEGINNING: &str = "[the conversation begins]";

/// The contents. The first is a user's, and the model's answers in a row are one content, since
/// calls may stand only right behind a user's content.
pub(super) fn contents(
    codec: &GoogleGenerateContent,
    request: &ModelRequest,
    files: &Files,
    warnings: &mut Warnings,
) -> Value {
    let Conversation {
        turns,
        warnings: more,
    } = Conversation::of(request, files, codec, any_id);
    warnings.extend(more);
    let mut writer = ContentsWriter::default();
    for turn in turns {
        match turn {
            WireTurn::Heard(heard) => writer.add("user", heard_parts(&heard)),
            WireTurn::Said { parts, ids: _ } => {
                let said = parts::parts(request.model(), parts, warnings);
                writer.add("model", said.parts);
                writer.ids = said.ids;
            }
            WireTurn::Results(results) => {
                let ids = std::mem::take(&mut writer.ids)
                    .into_iter()
                    // Older models give their calls no ids; results are matched by their order
                    // then.
                    .chain(std::iter::repeat(None));
                writer.add(
                    "user",
                    results
                        .iter()
                        .zip(ids)
                        .map(|(result, id)| result_part(result, id))
                        .collect(),
                );
            }
        }
    }
    writer.into_contents()
}

#[derive(Debug, Default)]
struct ContentsWriter {
    contents: Vec<(&'static str, Vec<Value>)>,
    /// The ids that the model gave to the calls of its last answer, in their order.
    ids: Vec<Option<String>>,
}

impl ContentsWriter {
    fn add(&mut self, role: &'static str, parts: Vec<Value>) {
        match self.contents.last_mut() {
            _ if parts.is_empty() => {}
            Some(("model", before)) if role == "model" => before.extend(parts),
            None if role == "model" => {
                self.contents
                    .extend([("user", vec![json!({ "text": BEGINNING })]), (role, parts)]);
            }
            _ => self.contents.push((role, parts)),
        }
    }

    fn into_contents(mut self) -> Value {
        if self.contents.is_empty() {
            self.add("user", vec![json!({ "text": BEGINNING })]);
        }
        self.contents
            .into_iter()
            .map(|(role, parts)| json!({ "role": role, "parts": parts }))
            .collect()
    }
}

fn heard_parts(heard: &HeardTurn<'_>) -> Vec<Value> {
    let file = |SentFile {
                    media_type,
                    bytes,
                    name: _,
                }: &SentFile<'_>| json!({ "inlineData": { "mimeType": media_type, "data": STANDARD.encode(bytes) } });
    std::iter::once(json!({ "text": heard.text }))
        .chain(heard.files.iter().map(file))
        .collect()
}

/// The name `error` is Google's own mark of a failure.
fn result_part(result: &WireResult, id: Option<String>) -> Value {
    let WireResult {
        tool,
        text,
        failed,
        id: _,
    } = result;
    let key = if *failed { "error" } else { "result" };
    let mut fields = Fields::from_iter([
        ("name".to_owned(), json!(tool)),
        ("response".to_owned(), json!({ key: text })),
    ]);
    fields.extend(id.map(|id| ("id".to_owned(), Value::from(id))));
    json!({ "functionResponse": fields })
}
