//! The end of an answer: which kind it is, and its parts in their one order.

use folkmoot_core::model::response::{LLMResponse, Part, Reply};
use serde_json::Value;

use super::super::note::ChatNote;
use super::{ChatAnswer, REASONING};
use crate::codec::ending::AnswerEnding;
use crate::codec::json::Fields;
use crate::codec::kept_fields::KeptFields;
use crate::codec::warning;
use crate::codec::{DecodeError, failure};

/// Reasons of an answer that met a limit.
const CUT: &[&str] = &[
    "length",
    "model_length",
    "max_tokens",
    "max_output_tokens",
    "MAX_TOKENS",
    "token_limit",
    "model_context_window_exceeded",
];

/// Reasons of an answer that broke off on the server.
const BROKEN: &[&str] = &[
    "error",
    "abort",
    "network_error",
    "insufficient_system_resource",
    "function_call_filter: MALFORMED_FUNCTION_CALL",
];

impl ChatAnswer {
    /// The response. The wire gives no order between text and calls, so it is: reasoning, text and
    /// refusal, calls, notes.
    pub(in super::super) fn into_response(mut self) -> Result<LLMResponse, DecodeError> {
        if !self.has_choice {
            return Err(DecodeError::Empty);
        }
        let ending = self.ending()?;
        self.settle_legacy();
        let mut parts = self.reasoning_parts();
        parts.append(&mut self.content);
        let has_calls = self.add_calls(ending, &mut parts);
        self.add_notes(&mut parts);
        if self.finish.as_deref() == Some("tool_calls") && !has_calls {
            self.warn(warning::CALLS_MISSING);
        }
        ending.response(self.into_reply(parts))
    }

    fn ending(&mut self) -> Result<AnswerEnding, DecodeError> {
        Ok(match self.finish.as_deref() {
            Some("stop" | "tool_calls" | "function_call") => AnswerEnding::Done,
            Some(reason) if CUT.contains(&reason) => AnswerEnding::Cut,
            Some(reason) if reason.starts_with("content_filter") || reason == "sensitive" => {
                AnswerEnding::Filtered
            }
            // Such an answer is half of one, though its stream ended well.
            Some(reason) if BROKEN.contains(&reason) => {
                return Err(DecodeError::Reported(failure::interrupted(reason)));
            }
            Some(_) => {
                self.warn(warning::FINISH_UNKNOWN);
                AnswerEnding::Done
            }
            None => {
                self.warn(warning::FINISH_MISSING);
                AnswerEnding::Done
            }
        })
    }

    /// The old field counts only where the new one is not used.
    fn settle_legacy(&mut self) {
        let legacy = std::mem::take(&mut self.legacy);
        if self.calls.is_empty() {
            self.calls.adopt(legacy);
        } else if !self.calls.repeats(&legacy) {
            self.warn(warning::SECOND_FUNCTION_CALL);
            legacy
                .into_calls()
                .for_each(|call| self.kept.add("function_call", call.to_json()));
        }
    }

    fn reasoning_parts(&mut self) -> Vec<Part> {
        // Some servers fill both fields with one text, under the old name and the new one.
        let [plain, content] = std::mem::take(&mut self.reasoning);
        if plain == content {
            self.reasoning = [plain, String::new()];
        } else {
            self.reasoning = [plain, content];
        }
        self.reasoning
            .iter()
            .filter(|text| !text.is_empty())
            .cloned()
            .map(Part::Reasoning)
            .collect()
    }

    /// Adds the calls; in a filtered answer only those that are whole. True if there is one.
    fn add_calls(&mut self, ending: AnswerEnding, parts: &mut Vec<Part>) -> bool {
        let calls = std::mem::take(&mut self.calls);
        if calls.has_loose_arguments {
            self.warn(warning::ARGUMENTS_NOT_TEXT);
        }
        if !calls.strangers.is_empty() {
            self.warn(warning::CALL_TYPE_UNKNOWN);
            calls
                .strangers
                .iter()
                .for_each(|item| self.kept.add("tool_calls", item.clone()));
        }
        let (whole, incomplete): (Vec<_>, Vec<_>) = calls.into_calls().partition(|call| {
            // A filter cuts in mid-call, and half of the arguments may mean something else. A call
            // that a limit cut goes on to the core, which tells the model (ADR 0027).
            call.has_name() && (ending != AnswerEnding::Filtered || call.is_complete())
        });
        if ending == AnswerEnding::Cut && whole.iter().any(|call| !call.is_complete()) {
            self.warn(warning::CALL_CUT);
        }
        if !incomplete.is_empty() {
            self.warn(warning::CALLS_INCOMPLETE);
            self.kept.add(
                "incomplete_calls",
                incomplete
                    .iter()
                    .map(super::super::calls::ChatCall::to_json)
                    .collect(),
            );
        }
        let has_calls = !whole.is_empty();
        for (ordinal, call) in whole.into_iter().enumerate() {
            let (call, notes) = call.into_part(ordinal);
            parts.push(Part::Call(call));
            parts.extend(notes.into_iter().filter_map(ChatNote::into_part));
        }
        has_calls
    }

    fn add_notes(&mut self, parts: &mut Vec<Part>) {
        let mut echoed = std::mem::take(&mut self.echoed).into_fields();
        if !self.details.is_empty() {
            echoed.insert(
                "reasoning_details".to_owned(),
                Value::Array(std::mem::take(&mut self.details)),
            );
        } else {
            let fields = self
                .reasoning
                .iter()
                .zip(REASONING)
                .filter(|(text, _)| !text.is_empty());
            parts.extend(
                fields.filter_map(|(_, field)| {
                    ChatNote::ReasoningField(field.to_owned()).into_part()
                }),
            );
        }
        let kept: Fields = std::mem::take::<KeptFields>(&mut self.kept).into_fields();
        parts.extend(ChatNote::Message(echoed).into_part());
        parts.extend(ChatNote::Kept(kept).into_part());
    }

    fn into_reply(self, parts: Vec<Part>) -> Reply {
        let mut warnings: Vec<String> = self.warnings.into_iter().map(str::to_owned).collect();
        warnings.sort_unstable(); // the order in which a stream met them means nothing
        Reply {
            parts,
            usage: self.usage,
            warnings,
            model: self.model,
            finish: self.finish,
            played: None,
            body: None,
        }
    }
}
