//! An answer, put together from one whole document or from many chunks.

use std::borrow::Cow;

use folkmoot_core::model::response::{Part, Usage};
use serde_json::Value;

use crate::codec::json::{Fields, is_blank, text_of};
use crate::codec::kept_fields::KeptFields;
use crate::codec::warning;
use crate::codec::{DecodeError, Delta, failure};

use super::calls::{ChatCalls, FragmentSource};
use super::usage::usage;

mod details;
mod parts;
mod plain;

/// Facts about a completion that say nothing about the answer. They are left out.
const METADATA: &[&str] = &[
    "id",
    "object",
    "created",
    "service_tier",
    "system_fingerprint",
    "provider",
    "obfuscation",
    "p",
    "x_groq",
    "timings",
    "cost",
    "copilot_usage",
    "prompt_filter_results",
    "venice_parameters",
    "kv_transfer_params",
    "prompt_token_ids",
    "prompt_logprobs",
    "usage_breakdown",
];

/// The same of a choice.
const CHOICE_METADATA: &[&str] = &[
    "index",
    "native_finish_reason",
    "stop_reason",
    "token_ids",
    "content_filter_results",
];

/// The same of a message. `padding` is random text that hides the length from listeners.
const MESSAGE_METADATA: &[&str] = &["role", "padding", "reasoning_encrypted"];

/// The kinds of content that are no text and are known.
const MEDIA: &[&str] = &[
    "image_url",
    "image",
    "output_image",
    "audio",
    "input_audio",
    "output_audio",
    "video_url",
    "file",
    "document_url",
];

/// Fields of a message that a server wants back with it.
const ECHOED: &[&str] = &[
    "reasoning_opaque",
    "reasoning_text",
    "extra_content",
    "thought_signature",
];

/// The fields in which reasoning text comes.
const REASONING: [&str; 2] = ["reasoning", "reasoning_content"];

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct ChatAnswer {
    /// True once a choice has come.
    has_choice: bool,
    /// True if a message, or a delta of one, has come.
    has_message: bool,
    /// The finish reason as the server wrote it; `None` until it has come.
    finish: Option<String>,
    /// The model that says it made the answer.
    model: Option<String>,
    /// The tokens that the server counted.
    usage: Usage,
    /// The texts of the two fields of [`REASONING`], which some servers fill alike.
    reasoning: [String; 2],
    /// Text, refusal, and reasoning between them, in the order in which they came.
    content: Vec<Part>,
    /// The calls of `tool_calls`.
    calls: ChatCalls,
    /// The call of the old field `function_call`.
    legacy: ChatCalls,
    /// The items of reasoning that a server gives beside its text.
    details: Vec<Value>,
    /// The fields of the message that the server wants back.
    echoed: KeptFields,
    /// The fields that the codec does not understand.
    kept: KeptFields,
    /// The codes of warnings so far.
    warnings: Vec<&'static str>,
}

impl ChatAnswer {
    /// Takes a whole document: its first choice is the answer.
    pub(super) fn take_document(&mut self, document: Fields) -> Result<(), DecodeError> {
        self.take(document, FragmentSource::Whole, &mut Vec::new())
    }

    /// Takes one chunk of a stream, and adds what can be shown.
    pub(super) fn take_chunk(
        &mut self,
        chunk: Fields,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        self.take(chunk, FragmentSource::Delta, deltas)
    }

    /// Tells whether a finish reason has come.
    pub(super) const fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn take(
        &mut self,
        fields: Fields,
        source: FragmentSource,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        if let Some(error) = failure::reported(&fields) {
            return Err(DecodeError::Reported(error));
        }
        // Groq tells the usage of a stream in a field of its own.
        if let Some(of_gateway) = fields
            .get("x_groq")
            .and_then(|gateway| gateway.get("usage"))
        {
            self.usage = usage(of_gateway);
        }
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("choices", Value::Array(choices)) => self.take_choices(choices, source, deltas)?,
                ("model", Value::String(model)) if !model.is_empty() => self.model = Some(model),
                ("usage", value @ Value::Object(_)) => self.usage = usage(&value),
                (field, _) if METADATA.contains(&field) => {}
                (field, value) => self.kept.add(field, value),
            }
        }
        Ok(())
    }

    fn take_choices(
        &mut self,
        choices: Vec<Value>,
        source: FragmentSource,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        for (at, choice) in choices.into_iter().enumerate() {
            let Value::Object(choice) = choice else {
                self.kept.add("choices", choice);
                continue;
            };
            let index = choice
                .get("index")
                .and_then(Value::as_u64)
                .unwrap_or_default();
            // A document has its choices in order. Chunks of several choices come mixed, and only
            // the index tells them apart.
            let is_first = match source {
                FragmentSource::Whole => at == 0,
                FragmentSource::Delta => index == 0,
            };
            if is_first {
                self.take_choice(choice, source, deltas)?;
            } else {
                self.warn(warning::SEVERAL_ANSWERS);
            }
        }
        Ok(())
    }

    fn take_choice(
        &mut self,
        mut choice: Fields,
        source: FragmentSource,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        if let Some(error) = failure::reported(&choice) {
            return Err(DecodeError::Reported(error).in_answer());
        }
        let message = choice.remove("message").unwrap_or_default();
        let delta = choice.remove("delta").unwrap_or_default();
        let text = choice.remove("text").unwrap_or_default();
        // A whole answer in which nothing is said in any way is none.
        self.has_choice |= source == FragmentSource::Delta
            || [&message, &delta, &text]
                .into_iter()
                .any(|told| !told.is_null());
        let has_message = message.is_object() || delta.is_object();
        match (source, message, delta) {
            // One server repeats in each of the two what the other has.
            (FragmentSource::Whole, Value::Object(fields), _)
            | (FragmentSource::Delta, _, Value::Object(fields)) => {
                self.take_message(fields, source, deltas);
            }
            (FragmentSource::Delta, Value::Object(fields), _) if !self.has_message => {
                self.take_message(fields, FragmentSource::Whole, deltas);
            }
            (FragmentSource::Whole, Value::Null, Value::Object(fields)) => {
                self.take_message(fields, source, deltas)
            }
            (FragmentSource::Delta, again @ Value::Object(_), _) => self.kept.add("message", again),
            (_, message, delta) => {
                self.take_stranger("message", message, deltas);
                self.take_stranger("delta", delta, deltas);
            }
        }
        // Servers of the older completions say it here.
        if has_message {
            self.kept.add("text", text);
        } else {
            self.take_stranger("text", text, deltas);
        }
        for (name, value) in choice {
            match (name.as_str(), value) {
                // Each chunk but the last may carry an empty one or null.
                ("finish_reason", Value::String(reason)) if !reason.is_empty() => {
                    self.finish = Some(reason)
                }
                ("finish_reason", Value::Null | Value::String(_)) => {}
                ("logprobs", value) if !has_no_logprobs(&value) => {
                    self.warn(warning::LOGPROBS_NOT_KEPT)
                }
                ("logprobs", _) => {}
                ("usage", value @ Value::Object(_)) => self.usage = usage(&value),
                (field, _) if CHOICE_METADATA.contains(&field) => {}
                (field, value) => self.kept.add(field, value),
            }
        }
        Ok(())
    }

    fn take_message(&mut self, fields: Fields, source: FragmentSource, deltas: &mut Vec<Delta>) {
        self.has_message = true;
        let has_words = fields
            .get("content")
            .is_some_and(|content| !is_blank(content));
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("content", content) => self.take_content(content, deltas),
                ("refusal", Value::String(text)) => self.take_refusal(text.into(), deltas),
                ("tool_calls", Value::Array(items)) => items
                    .into_iter()
                    .for_each(|item| self.calls.take(item, source)),
                ("function_call", call @ Value::Object(_)) => self.legacy.take_legacy(call),
                ("reasoning_details", Value::Array(items)) => {
                    details::merge(&mut self.details, items)
                }
                ("reasoning", Value::String(text)) => self.take_reasoning(0, text.into(), deltas),
                ("reasoning_content", Value::String(text)) => {
                    self.take_reasoning(1, text.into(), deltas)
                }
                // Words of the content are not said once more from the transcript of a sound.
                ("audio", Value::Object(audio)) if !has_words => self.take_audio(audio, deltas),
                ("images", Value::Array(images)) => {
                    images
                        .into_iter()
                        .for_each(|image| self.take_media("images", image));
                }
                (field @ ("refusal" | "tool_calls" | "function_call"), value) => {
                    self.keep_unknown(field, value)
                }
                (field, _) if MESSAGE_METADATA.contains(&field) => {}
                (field, value) if ECHOED.contains(&field) => self.echoed.add(field, value),
                (field, value) => self.kept.add(field, value),
            }
        }
    }

    fn take_reasoning(&mut self, field: usize, text: Cow<'_, str>, deltas: &mut Vec<Delta>) {
        let others: usize = self
            .reasoning
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != field)
            .map(|(_, t)| t.len())
            .sum();
        if let Some(so_far) = self.reasoning.get_mut(field) {
            so_far.push_str(&text);
        }
        // Some servers write the same reasoning into both fields, and people should see it once.
        if others == 0 && !text.is_empty() {
            deltas.push(Delta::Reasoning(text.into_owned()));
        }
    }

    fn take_refusal(&mut self, text: Cow<'_, str>, deltas: &mut Vec<Delta>) {
        if text.is_empty() {
            return;
        }
        if let Some(Part::Refusal(so_far)) = self.content.last_mut() {
            so_far.push_str(&text);
        } else {
            self.content.push(Part::Refusal(text.clone().into_owned()));
        }
        deltas.push(Delta::Refusal(text.into_owned()));
    }

    fn take_content(&mut self, content: Value, deltas: &mut Vec<Delta>) {
        match content {
            Value::String(text) => self.add_text(text.into(), deltas),
            Value::Array(items) => items
                .into_iter()
                .for_each(|item| self.take_content_item(item, deltas)),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                self.take_stranger("content", other, deltas);
            }
        }
    }

    /// Takes content of a shape that the wire does not have: a text in it is said, and it is kept.
    fn take_stranger(&mut self, field: &str, stranger: Value, deltas: &mut Vec<Delta>) {
        let text = stranger
            .as_str()
            .or_else(|| stranger.get("text")?.as_str())
            .unwrap_or_default()
            .to_owned();
        self.add_text(text.into(), deltas);
        self.keep_unknown(field, stranger);
    }

    fn keep_unknown(&mut self, field: &str, value: Value) {
        if !is_blank(&value) {
            self.warn(warning::CONTENT_UNKNOWN);
        }
        self.kept.add(field, value);
    }

    fn take_media(&mut self, field: &str, media: Value) {
        self.warn(warning::CONTENT_NOT_SHOWN);
        self.kept.add(field, media);
    }

    /// Of a sound the words are said.
    fn take_audio(&mut self, mut audio: Fields, deltas: &mut Vec<Delta>) {
        if let Some(Value::String(words)) = audio.remove("transcript") {
            self.add_text(words.into(), deltas);
        }
        if !audio.is_empty() {
            self.take_media("audio", Value::Object(audio));
        }
    }

    fn take_content_item(&mut self, item: Value, deltas: &mut Vec<Delta>) {
        match text_of(item.get("type")) {
            "text" if has_only(&item, &["type", "text"]) => {
                self.add_text(text_of(item.get("text")).into(), deltas);
            }
            "refusal" if has_only(&item, &["type", "refusal"]) => {
                self.take_refusal(text_of(item.get("refusal")).into(), deltas);
            }
            "thinking" if is_plain_thinking(&item) => self.add_thinking(&item, deltas),
            // It is kept whole, and a text in it is shown all the same.
            "text" if item.get("text").is_some_and(Value::is_string) => {
                self.add_text(text_of(item.get("text")).into(), deltas);
                self.kept.add("content", item);
            }
            "text" if item.get("text").is_none_or(Value::is_null) => self.kept.add("content", item),
            "thinking" | "reference" => self.kept.add("content", item),
            kind if MEDIA.contains(&kind) => self.take_media("content", item),
            _ => self.take_stranger("content", item, deltas),
        }
    }

    /// Mistral's reasoning: a list of texts between the texts of the content.
    fn add_thinking(&mut self, item: &Value, deltas: &mut Vec<Delta>) {
        let pieces = item.get("thinking").and_then(Value::as_array);
        let text: String = pieces
            .into_iter()
            .flatten()
            .map(|piece| text_of(piece.get("text")))
            .collect();
        if text.is_empty() {
            return;
        }
        if let Some(Part::Reasoning(so_far)) = self.content.last_mut() {
            so_far.push_str(&text);
        } else {
            self.content.push(Part::Reasoning(text.clone()));
        }
        deltas.push(Delta::Reasoning(text));
    }

    fn add_text(&mut self, text: Cow<'_, str>, deltas: &mut Vec<Delta>) {
        if text.is_empty() {
            return;
        }
        if let Some(Part::Text(so_far)) = self.content.last_mut() {
            so_far.push_str(&text);
        } else {
            self.content.push(Part::Text(text.clone().into_owned()));
        }
        deltas.push(Delta::Text(text.into_owned()));
    }

    fn warn(&mut self, code: &'static str) {
        if !self.warnings.contains(&code) {
            self.warnings.push(code);
        }
    }
}

/// Tells whether `item` has these fields as texts, and no other that says something.
fn has_only(item: &Value, fields: &[&str]) -> bool {
    let fits = |(field, value): (&String, &Value)| {
        if fields.contains(&field.as_str()) {
            value.is_string()
        } else {
            is_blank(value)
        }
    };
    item.as_object().is_some_and(|item| item.iter().all(fits))
}

fn is_plain_thinking(item: &Value) -> bool {
    let is_known =
        |(field, _): (&String, &Value)| matches!(field.as_str(), "type" | "thinking" | "closed");
    let is_text = |piece: &Value| has_only(piece, &["type", "text"]);
    item.as_object()
        .is_some_and(|item| item.iter().all(is_known))
        && item
            .get("thinking")
            .and_then(Value::as_array)
            .is_some_and(|pieces| pieces.iter().all(is_text))
}

fn has_no_logprobs(value: &Value) -> bool {
    is_blank(value)
        || value
            .as_object()
            .is_some_and(|fields| fields.values().all(is_blank))
}
