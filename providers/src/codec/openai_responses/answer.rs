//! An answer, put together from one whole document or from many events.

use std::collections::BTreeSet;

use folkmoot_core::model::response::Usage;
use serde_json::{Value, json};

use super::usage::usage;
use crate::codec::json::{Fields, is_blank, text_of};
use crate::codec::kept_fields::KeptFields;
use crate::codec::{DecodeError, Delta, failure, warning};

mod call;
mod item;
mod items;
mod message;
mod parts;
mod reasoning;

pub(super) use items::Items;
pub(super) use message::Form;
pub(super) use reasoning::ReasoningSource;

/// Facts about a response that say nothing about the answer: most repeat the request. They are left
/// out.
const METADATA: &[&str] = &[
    "access_programs",
    "background",
    "billing",
    "completed_at",
    "context_management",
    "conversation",
    "copilot_usage",
    "created_at",
    "frequency_penalty",
    "id",
    "image",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "moderation",
    "object",
    "parallel_tool_calls",
    "presence_penalty",
    "previous_response_id",
    "prompt",
    "prompt_cache_diagnostics",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "service_tier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tool_usage",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

/// The remarks on an answer, made on the way.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// The codes of warnings.
    pub(super) warnings: BTreeSet<&'static str>,
    /// The fields that the codec does not understand.
    kept: KeptFields,
}

impl Remarks {
    /// Adds a warning's code.
    pub(super) fn warn(&mut self, code: &'static str) {
        self.warnings.insert(code);
    }

    /// Keeps what is not understood.
    pub(super) fn keep(&mut self, field: &str, value: Value) {
        self.kept.add(field, value);
    }
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct ResponsesAnswer {
    /// The items so far.
    pub(super) items: Items,
    /// The warnings and unknown fields so far.
    pub(super) remarks: Remarks,
    /// True once the whole document has come.
    has_document: bool,
    /// The model that says it made the answer.
    model: Option<String>,
    /// The status of the document; empty until it has come.
    status: String,
    /// The reason why the answer is not complete; empty if there is none.
    reason: String,
    /// The tokens that the server counted.
    usage: Usage,
    /// Reasoning that a server put beside the items.
    reasoning: Option<String>,
    /// The text that some servers put beside the items.
    output_text: Option<String>,
}

impl ResponsesAnswer {
    /// Takes what a stream begins with: the same document, still empty.
    pub(super) fn take_beginning(&mut self, document: &Value) {
        self.name_model(text_of(document.get("model")));
    }

    /// Takes the whole document, and adds what of it was not shown yet.
    pub(super) fn take_document(
        &mut self,
        document: Fields,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        if let Some(error) = failure::reported(&document) {
            let error = DecodeError::Reported(error);
            return Err(if document.contains_key("output") {
                error.in_answer()
            } else {
                error
            });
        }
        for (name, value) in document {
            match (name.as_str(), value) {
                ("output", Value::Array(items)) => {
                    self.has_document = true;
                    self.items.fill(items, &mut self.remarks, deltas);
                }
                ("status", Value::String(status)) => self.status = status,
                ("model", Value::String(model)) => self.name_model(&model),
                ("usage", value @ Value::Object(_)) => self.usage = usage(&value),
                ("incomplete_details", Value::Object(details)) => self.take_incomplete(details),
                ("reasoning", Value::String(text)) => self.reasoning = Some(text),
                ("reasoning", Value::Object(_)) => {} // as it was asked for
                ("output_text", Value::String(text)) => self.output_text = Some(text),
                (field, _) if METADATA.contains(&field) => {}
                (field, value) => self.remarks.keep(field, value),
            }
        }
        self.take_output_text(deltas);
        self.take_end(deltas);
        if let status @ ("failed" | "cancelled") = self.status.as_str() {
            return Err(DecodeError::Reported(failure::interrupted(status)));
        }
        Ok(())
    }

    /// Some servers tell all that is said in one field, and nowhere else.
    fn take_output_text(&mut self, deltas: &mut Vec<Delta>) {
        if let Some(text) = self.output_text.take_if(|_| !self.items.has_words()) {
            self.remarks.warn(warning::CONTENT_UNKNOWN);
            let message = json!({ "type": "message", "role": "assistant", "content": text });
            self.items.fill(vec![message], &mut self.remarks, deltas);
        }
    }

    /// Takes the end of a stream: what waited for more is shown.
    pub(super) fn take_end(&mut self, deltas: &mut Vec<Delta>) {
        self.items.show_rest(deltas);
    }

    /// Tells whether anything of the answer has come.
    fn is_there(&self) -> bool {
        self.has_document || !self.items.is_empty()
    }

    fn take_incomplete(&mut self, mut details: Fields) {
        if let Some(Value::String(reason)) = details.remove("reason") {
            self.reason = reason;
        }
        details
            .into_iter()
            .for_each(|(field, value)| self.remarks.keep(&field, value));
    }

    fn name_model(&mut self, model: &str) {
        if !model.is_empty() {
            self.model = Some(model.to_owned());
        }
    }
}

/// Leaves out what says nothing.
pub(super) fn without_blanks(fields: Fields) -> Fields {
    fields
        .into_iter()
        .filter(|(_, value)| !is_blank(value))
        .collect()
}
