//! Events: the many small ones, which are read without a copy, and the few others.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::codec::json::{Fields, text_of};

/// An event that carries a fragment, and nothing that we do not know: else it is read as an
/// [`OtherEvent`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fragment<'e> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'e, str>,
    #[serde(borrow)]
    pub(super) delta: Cow<'e, str>,
    #[serde(borrow, default)]
    item_id: Cow<'e, str>,
    output_index: Option<u64>,
    content_index: Option<u64>,
    summary_index: Option<u64>,
    /// Counted, not read.
    #[serde(default)]
    logprobs: Vec<IgnoredAny>,
    #[serde(default, rename = "sequence_number")]
    _sequence_number: IgnoredAny,
    /// Random text that hides the length from listeners.
    #[serde(default, rename = "obfuscation")]
    _obfuscation: IgnoredAny,
}

impl Fragment<'_> {
    pub(super) fn place(&self) -> TextPlace<'_> {
        let Self {
            output_index,
            item_id,
            content_index,
            summary_index,
            ..
        } = self;
        TextPlace {
            output: *output_index,
            item: item_id,
            piece: content_index.or(*summary_index).unwrap_or_default(),
        }
    }

    pub(super) const fn has_logprobs(&self) -> bool {
        !self.logprobs.is_empty()
    }
}

/// The place that an event adds to.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPlace<'e> {
    /// The item's number, if it is told.
    pub(super) output: Option<u64>,
    /// The item's id; empty if it is not told. Some servers change it from event to event.
    pub(super) item: &'e str,
    /// The number of the text in the item.
    pub(super) piece: u64,
}

/// Any other event.
#[derive(Debug)]
pub(super) struct OtherEvent {
    pub(super) kind: String,
    pub(super) output: Option<u64>,
    pub(super) item_id: String,
    pub(super) piece: u64,
    /// The fields that are not named above and say something of the answer.
    pub(super) fields: Fields,
}

impl OtherEvent {
    /// The event that `fields` are, which is called `name` where they do not say it.
    pub(super) fn of(name: &str, mut fields: Fields) -> Self {
        let mut number = |field: &str| fields.remove(field).as_ref().and_then(Value::as_u64);
        let output = number("output_index");
        let content = number("content_index");
        let summary = number("summary_index");
        number("sequence_number");
        number("annotation_index");
        let mut text = |field: &str| text_of(fields.remove(field).as_ref()).to_owned();
        let kind = text("type");
        let item_id = text("item_id");
        text("obfuscation");
        let kind = if kind.is_empty() {
            name.to_owned()
        } else {
            kind
        };
        Self {
            kind,
            output,
            item_id,
            piece: content.or(summary).unwrap_or_default(),
            fields,
        }
    }

    pub(super) fn place(&self) -> TextPlace<'_> {
        TextPlace {
            output: self.output,
            item: &self.item_id,
            piece: self.piece,
        }
    }

    /// Takes a field out.
    pub(super) fn take(&mut self, field: &str) -> Value {
        self.fields.remove(field).unwrap_or_default()
    }

    /// Takes a text out; empty if it is none.
    pub(super) fn take_text(&mut self, field: &str) -> String {
        if let Value::String(text) = self.take(field) {
            text
        } else {
            String::new()
        }
    }

    /// Tells whether the event says only that something goes on, or brings a part of what the
    /// finished item holds.
    pub(super) fn is_progress(&self) -> bool {
        let last = self.kind.rsplit('.').next().unwrap_or_default();
        let is_state = matches!(
            last,
            "in_progress"
                | "searching"
                | "generating"
                | "interpreting"
                | "compacting"
                | "completed"
                | "failed"
        );
        let of_item = self.kind.starts_with("response.") && self.kind.matches('.').count() == 2;
        let is_piece = [
            "response.code_interpreter_call_code.",
            "response.mcp_call_arguments.",
            "response.custom_tool_call_input.",
            "response.image_generation_call.partial_image",
            "response.shell_call_",
        ];
        (of_item && is_state) || is_piece.iter().any(|piece| self.kind.starts_with(piece))
    }
}
