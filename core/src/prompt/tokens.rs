//! How many tokens a request is taken to have: an estimate that is the same on every machine, so
//! that a decision made by it can be made again.

use crate::model::response::Part;
use crate::prompt::{Attached, Item, Layer, ToolDeclaration};

#[cfg(test)]
mod tests;

/// A way of counting, as data. No vendor's tokenizer is asked: each has another, and most change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCounter {
    /// The bytes of UTF-8 that make one token; what is left over makes one more.
    pub bytes_per_token: u32,
    /// The tokens that each item costs beside its text.
    pub item_tokens: u32,
    /// The tokens that each layer costs beside its text.
    pub layer_tokens: u32,
    /// The tokens that each tool costs beside its name, description and schema.
    pub tool_tokens: u32,
}

impl TokenCounter {
    /// The one that worlds count by: four bytes a token, and a little for what a wire puts around
    /// each piece.
    // Data, not a vendor's table: whoever replays this in ten years must count the same
    // (decision 0012).
    pub const ESTIMATE: Self = Self {
        bytes_per_token: 4,
        item_tokens: 8,
        layer_tokens: 4,
        tool_tokens: 16,
    };

    /// The tokens of an item.
    #[must_use]
    pub fn item(self, item: &Item) -> u32 {
        let bytes = match item {
            Item::Heard {
                from,
                text,
                attachments,
            } => {
                let shown = attachments
                    .iter()
                    .map(|attached| attached.to_string().len())
                    .sum::<usize>();
                from.len() + text.len() + shown
            }
            Item::Said { parts } => parts.iter().map(part_bytes).sum::<usize>(),
            Item::Result { label, text, .. } => label.len() + text.len(),
            Item::Notice { text } | Item::State { text } | Item::Summary { text } => text.len(),
        };
        self.bytes(bytes).saturating_add(self.item_tokens)
    }

    /// The tokens of a layer.
    #[must_use]
    pub fn layer(self, layer: &Layer) -> u32 {
        self.bytes(layer.text.len())
            .saturating_add(self.layer_tokens)
    }

    /// The tokens of a tool's declaration.
    #[must_use]
    pub fn tool(self, tool: &ToolDeclaration) -> u32 {
        let schema = tool.schema.to_string().len();
        let bytes = tool.name.len() + tool.description.len() + schema;
        self.bytes(bytes).saturating_add(self.tool_tokens)
    }

    fn bytes(self, bytes: usize) -> u32 {
        u32::try_from(bytes)
            .unwrap_or(u32::MAX)
            .div_ceil(self.bytes_per_token.max(1))
    }
}

fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text(text) | Part::Reasoning(text) | Part::Refusal(text) => text.len(),
        Part::Call(call) => call.label.len() + call.tool.len() + call.arguments.len(),
        Part::Opaque(value) => value.to_string().len(),
    }
}

/// The most bytes of all files of one request together: what is beyond it is not sent.
pub const FILES_BYTES_MAX: u64 = 20 * 1024 * 1024;
/// What an image is taken to have: a little more than providers count for one of the largest size
/// that they do not scale down. The bytes say nothing of that.
const IMAGE_TOKENS: u64 = 5_000;
/// The bytes of a document that make one token: each page is read as a text, which is packed in the
/// file, and as an image.
const DOCUMENT_BYTES_PER_TOKEN: u64 = 2;
/// The most tokens of one document: providers take about a hundred pages, of some thousand tokens
/// each.
const DOCUMENT_TOKENS_MAX: u64 = 500_000;
/// The most tokens of all files of one request.
const FILES_TOKENS_MAX: u64 = FILES_BYTES_MAX / DOCUMENT_BYTES_PER_TOKEN;

/// The tokens that the files attached to `items` may have in one request: an allowance, for money
/// only. Whether a model reads a file is its adapter's to say; here each counts as if it were read.
pub(crate) fn of_files<'i>(items: impl Iterator<Item = &'i Item>) -> u64 {
    items
        .map(files_of)
        .fold(0, u64::saturating_add)
        .min(FILES_TOKENS_MAX)
}

fn files_of(item: &Item) -> u64 {
    match item {
        Item::Heard { attachments, .. } => {
            attachments.iter().map(file).fold(0, u64::saturating_add)
        }
        Item::Said { .. }
        | Item::Result { .. }
        | Item::Notice { .. }
        | Item::State { .. }
        | Item::Summary { .. } => 0,
    }
}

fn file(file: &Attached) -> u64 {
    let media_type = file.media_type.to_ascii_lowercase();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let is_text = essence.starts_with("text/")
        || ["json", "xml", "yaml"]
            .iter()
            .any(|kind| essence.ends_with(kind));
    if file.bytes > FILES_BYTES_MAX {
        0 // never sent
    } else if essence.starts_with("image/") {
        IMAGE_TOKENS
    } else if is_text {
        file.bytes
            .div_ceil(u64::from(TokenCounter::ESTIMATE.bytes_per_token))
    } else {
        file.bytes
            .div_ceil(DOCUMENT_BYTES_PER_TOKEN)
            .min(DOCUMENT_TOKENS_MAX)
    }
}

/// The shares of the tokens of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The most tokens of a request and its answer.
    pub context_tokens_max: u32,
}

impl Share {
    /// Returns the tokens that are kept free for an answer whose length nobody set: a quarter, at
    /// most 4,096.
    #[must_use]
    pub fn answer(self) -> u32 {
        (self.context_tokens_max / 4).min(4_096)
    }

    /// The most tokens of a summary: an eighth, at most 1,024.
    #[must_use]
    pub fn summary(self) -> u32 {
        (self.context_tokens_max / 8).clamp(1, 1_024)
    }
}
