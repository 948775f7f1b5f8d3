//! From what a remote tool gave to an outcome.

use folkmoot_core::tool::{ToolErrorCode, ToolOutcome, ToolOutput, View};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use super::words::{DETAIL_MAX, clean, line};
use crate::output::cut;

/// The most bytes of a name, an address or a media type.
const NAME_MAX: usize = 300;
const UNKNOWN: &str = "[a part of an unknown kind: left out]";

/// The outcome of a call that the server answered. Texts have at most `max` bytes.
pub(super) fn outcome(result: CallToolResult, gaps: &[String], max: u64) -> ToolOutcome {
    let mut parts = Parts::default();
    result
        .content
        .into_iter()
        .for_each(|block| parts.add(block));
    let text = parts.texts.join("\n");
    if result.is_error == Some(true) {
        let text = line(&text, DETAIL_MAX);
        return ToolOutcome::failed(
            ToolErrorCode::ExitedWithFailure,
            format!("the server says: {text}"),
        );
    }
    let data = result.structured_content.map(cleaned);
    // Servers of data send the same once more as text, for clients that know no data.
    let is_repeated = data
        .as_ref()
        .is_some_and(|data| serde_json::from_str::<Value>(&text).is_ok_and(|text| text == *data));
    let text = match &data {
        Some(data) if text.is_empty() => data.to_string(),
        Some(_) | None => text,
    };
    let mut output = ToolOutput::text(cut(text, max));
    output.summary = Some(parts.summary(data.is_some()));
    let gaps = gaps.join("; ");
    let fits = |data: &Value| data.to_string().len() as u64 <= max;
    if let Some(data) = data.filter(fits) {
        if !is_repeated && !parts.texts.is_empty() {
            let text = output.text.clone();
            output = output.with(View::Text(text));
        }
        output = output.with(View::Json(data));
    } else if !gaps.is_empty() {
        let text = output.text.clone();
        output = output.with(View::Text(text));
    }
    if !gaps.is_empty() {
        output = output.with(View::Text(format!("[not applied of the sandbox: {gaps}]")));
    }
    ToolOutcome::Done(output)
}

/// The parts of a result.
#[derive(Debug, Default)]
struct Parts {
    /// The texts, and a line for each part that is none.
    texts: Vec<String>,
    /// The bytes of the texts.
    bytes: usize,
    /// The parts that are no text.
    others: usize,
}

impl Parts {
    fn add(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.text(&text.text),
            ContentBlock::Image(image) => self.left_out("image", &image.mime_type, &image.data),
            ContentBlock::Audio(audio) => self.left_out("audio", &audio.mime_type, &audio.data),
            ContentBlock::ResourceLink(link) => {
                let (uri, name) = (line(&link.uri, NAME_MAX), line(&link.name, NAME_MAX));
                self.other(format!("[resource {name}: {uri}]"));
            }
            ContentBlock::Resource(resource) => match resource.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    self.text(&format!("[resource {}]\n{text}", line(&uri, NAME_MAX)));
                }
                ResourceContents::BlobResourceContents {
                    uri,
                    mime_type,
                    blob,
                    ..
                } => {
                    let kind = mime_type.unwrap_or_else(|| line(&uri, NAME_MAX));
                    self.left_out("resource", &kind, &blob);
                }
                _ => self.other(UNKNOWN.to_owned()),
            },
            _ => self.other(UNKNOWN.to_owned()),
        }
    }

    fn text(&mut self, text: &str) {
        let text = clean(text);
        self.bytes += text.len();
        self.texts.push(text);
    }

    fn other(&mut self, text: String) {
        self.others += 1;
        self.texts.push(text);
    }

    /// Bytes that nobody sees here: tools cannot keep pictures.
    fn left_out(&mut self, what: &str, kind: &str, base64: &str) {
        let (kind, bytes) = (line(kind, NAME_MAX), base64.len() / 4 * 3);
        self.other(format!("[{what} {kind}, about {bytes} bytes: left out]"));
    }

    /// Numbers alone: the rest is the server's.
    fn summary(&self, has_data: bool) -> String {
        let (bytes, others) = (self.bytes, self.others);
        let data = if has_data { ", and data" } else { "" };
        format!("{bytes} bytes of text, {others} other parts{data}")
    }
}

/// `value` with all its texts clean.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(entries) => {
            let clean = |(key, value): (String, Value)| (clean(&key), cleaned(value));
            Value::Object(entries.into_iter().map(clean).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}
