//! An answer, put together from one document or from many.

use folkmoot_core::model::response::{Part, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::document::{Candidate, GoogleCounts, GoogleDocument};
use super::errors;
use super::note::PartKind;
use super::shape::{Expected, List};
use crate::codec::json::{Fields, is_blank, text_of};
use crate::codec::kept_fields::KeptFields;
use crate::codec::warning;
use crate::codec::{DecodeError, Delta};

mod ending;
mod open_call;
mod pieces;

use self::open_call::PartialCall;

/// The finish message of every answer with calls. It says nothing that the calls do not.
const CALLS_MESSAGE: &str = "Model generated function call(s).";

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct GoogleAnswer {
    /// True once a candidate has come.
    has_candidate: bool,
    /// True if the provider blocked the prompt, though a candidate had come.
    is_blocked: bool,
    /// The finish reason as the provider wrote it; `None` until it has come.
    finish: Option<String>,
    /// The provider's words on the finish; empty if it gave none.
    finish_message: String,
    /// The model that says it made the answer.
    model: Option<String>,
    /// The tokens counted so far: the last count of each kind.
    usage: Usage,
    /// The parts so far, in order.
    parts: Vec<Part>,
    /// A call whose arguments come in pieces, as far as they have come.
    open_call: Option<PartialCall>,
    /// True if such a call has ended.
    has_closed: bool,
    /// The fields that the codec does not understand.
    kept: KeptFields,
    /// The codes of warnings so far.
    warnings: Vec<&'static str>,
}

impl GoogleAnswer {
    /// The answer in a whole body: one document, or the list of documents that a stream without
    /// events is.
    pub(super) fn of_body(body: &[u8]) -> Result<Self, DecodeError> {
        let mut answer = Self::default();
        if body.trim_ascii_start().starts_with(b"[") {
            let documents: Vec<&RawValue> = serde_json::from_slice(body).map_err(not_json)?;
            for document in documents {
                answer.take(document.get().as_bytes(), &mut Vec::new())?;
            }
        } else {
            answer.take(body, &mut Vec::new())?;
        }
        Ok(answer)
    }

    /// Takes one document, and adds what can be shown.
    pub(super) fn take(&mut self, json: &[u8], deltas: &mut Vec<Delta>) -> Result<(), DecodeError> {
        let document =
            match serde_json::from_slice::<Expected<GoogleDocument<'_>>>(json).map_err(not_json)? {
                Expected::As(document) => document,
                Expected::Other(value) => {
                    return Err(DecodeError::Json(format!(
                        "expected an object, got {}",
                        name_of(&value)
                    )));
                }
            };
        let GoogleDocument {
            candidates,
            usage,
            model,
            mut rest,
        } = document;
        if let Some(error) = errors::reported(&mut rest) {
            return Err(DecodeError::Reported(error));
        }
        if let Some(usage) = usage.and_then(|usage| self.known("usageMetadata", usage)) {
            self.take_usage(&usage);
        }
        let model = model.and_then(|model| self.known("modelVersion", model));
        if let Some(model) =
            model.filter(|model| !model.is_empty() && self.model.as_deref() != Some(model))
        {
            self.model = Some(model.into_owned());
        }
        if let Some(candidates) = candidates {
            self.take_candidates(candidates, deltas);
        }
        let block = text_of(
            rest.get("promptFeedback")
                .and_then(|feedback| feedback.get("blockReason")),
        );
        if !block.is_empty() {
            self.is_blocked = true;
            if !self.has_candidate {
                return Err(DecodeError::Reported(errors::blocked(block)));
            }
        }
        rest.into_iter()
            .for_each(|(field, value)| self.kept.add(&field, value));
        Ok(())
    }

    /// Tells whether a finish reason has come. More may follow: the provider's own tools run behind
    /// one.
    pub(super) const fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// The last word counts, except that a document in the midst may leave the counts of the answer
    /// out.
    fn take_usage(&mut self, counts: &GoogleCounts) {
        let now = counts.usage();
        self.usage = Usage {
            input: now.input.or(self.usage.input),
            output: now
                .output
                // Documents in the midst of a stream may count none; the answer has no fewer for
                // that.
                .filter(|output| *output > 0)
                .or(self.usage.output)
                .or(now.output),
            cached: now.cached.or(self.usage.cached),
            cache_written: None,
            reasoning: now.reasoning.or(self.usage.reasoning),
        };
    }

    fn take_candidates(&mut self, candidates: List<Candidate<'_>>, deltas: &mut Vec<Delta>) {
        let Some(candidates) = self.said("candidates", candidates, deltas) else {
            return;
        };
        for (at, candidate) in candidates.into_iter().enumerate() {
            let Some(candidate) = self.said("candidates", candidate, deltas) else {
                continue;
            };
            // A first one may leave its index out.
            let index = candidate
                .index
                .unwrap_or_else(|| u64::try_from(at).unwrap_or(u64::MAX));
            if index == 0 {
                self.take_candidate(candidate, deltas);
            } else {
                self.warn(warning::SEVERAL_ANSWERS);
                self.kept.add("candidates", candidate.into_value());
            }
        }
    }

    fn take_candidate(&mut self, candidate: Candidate<'_>, deltas: &mut Vec<Delta>) {
        self.has_candidate = true;
        let Candidate {
            content,
            finish,
            rest,
            index: _,
        } = candidate;
        if let Some(content) = content.and_then(|content| self.said("content", content, deltas)) {
            for piece in content
                .parts
                .and_then(|parts| self.said("parts", parts, deltas))
                .into_iter()
                .flatten()
            {
                if let Some(piece) = self.said("parts", piece, deltas) {
                    self.take_piece(piece, deltas);
                }
            }
            content
                .rest
                .into_iter()
                .for_each(|(field, value)| self.kept.add(&field, value));
        }
        if let Some(finish) = finish
            .and_then(|finish| self.known("finishReason", finish))
            .filter(|f| !f.is_empty())
        {
            self.finish = Some(finish.into_owned());
        }
        for (field, value) in rest {
            if field == "finishMessage" {
                text_of(Some(&value)).clone_into(&mut self.finish_message);
            }
            if field == "output" {
                self.take_stranger(&field, value, deltas); // as older models said it
                continue;
            }
            // It comes with every call, and would make a note of every answer.
            if value != CALLS_MESSAGE {
                self.kept.add(&field, value);
            }
        }
    }

    /// The value if it is what it should be; else it is kept.
    fn known<T>(&mut self, field: &str, value: Expected<T>) -> Option<T> {
        value.or_keep(|stranger| self.kept.add(field, stranger))
    }

    /// The same of what is said; else a text in it is said, and it is kept.
    fn said<T>(&mut self, field: &str, value: Expected<T>, deltas: &mut Vec<Delta>) -> Option<T> {
        value.or_keep(|stranger| self.take_stranger(field, stranger, deltas))
    }

    fn take_stranger(&mut self, field: &str, stranger: Value, deltas: &mut Vec<Delta>) {
        if is_blank(&stranger) {
            return;
        }
        self.warn(warning::CONTENT_UNKNOWN);
        let text = stranger
            .as_str()
            .or_else(|| stranger.get("text")?.as_str())
            .unwrap_or_default()
            .to_owned();
        self.take_text(PartKind::Text, text.into(), Fields::new(), deltas);
        self.kept.add(field, stranger);
    }

    fn warn(&mut self, code: &'static str) {
        if !self.warnings.contains(&code) {
            self.warnings.push(code);
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the form that `map_err` wants"
)]
fn not_json(error: serde_json::Error) -> DecodeError {
    DecodeError::Json(error.to_string())
}

const fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
