//! The end of an answer: which kind it is, and its parts.

use folkmoot_core::response::{LLMResponse, Part, Reply};
use serde_json::Value;

use super::super::note::Note;
use super::Answer;
use super::item::{Body, Item};
use crate::codec::DecodeError;
use crate::codec::warning;

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// By itself.
    Done,
    /// At the token limit.
    Cut,
    /// By a content filter.
    Filtered,
}

impl Answer {
    /// The response. Its parts are in the order of the items.
    pub(in super::super) fn into_response(mut self) -> Result<LLMResponse, DecodeError> {
        let has_begun_only = matches!(self.status.as_str(), "queued" | "in_progress") && self.items.is_empty();
        if !self.is_there() || has_begun_only {
            return Err(DecodeError::Empty);
        }
        let ending = self.ending();
        let mut parts: Vec<Part> =
            self.reasoning.take().filter(|text| !text.is_empty()).map(Part::Reasoning).into_iter().collect();
        self.add_items(ending, &mut parts);
        let has_calls = parts.iter().any(|part| matches!(part, Part::Call(_)));
        let has_refusal = parts.iter().any(|part| matches!(part, Part::Refusal(_)));
        let reply = self.into_reply(parts);
        Ok(match ending {
            Ending::Filtered => LLMResponse::Filtered(reply),
            Ending::Cut => LLMResponse::Truncated(reply),
            Ending::Done if has_calls => LLMResponse::Calls(reply),
            Ending::Done if has_refusal => LLMResponse::Refused(reply),
            Ending::Done => LLMResponse::Text(reply),
        })
    }

    fn ending(&mut self) -> Ending {
        match (self.status.as_str(), self.reason.as_str()) {
            ("completed", _) => Ending::Done,
            ("incomplete", "content_filter") => Ending::Filtered,
            ("incomplete", "max_output_tokens" | "max_messages" | "steered") => Ending::Cut,
            ("incomplete", _) => {
                self.remarks.warn(warning::FINISH_UNKNOWN);
                Ending::Cut
            }
            ("", _) => {
                self.remarks.warn(warning::FINISH_MISSING);
                Ending::Done
            }
            _ => {
                self.remarks.warn(warning::FINISH_UNKNOWN);
                Ending::Done
            }
        }
    }

    /// Adds the parts of the items; in a cut answer only those calls that are whole.
    fn add_items(&mut self, ending: Ending, parts: &mut Vec<Part>) {
        let mut incomplete = Vec::new();
        for item in std::mem::take(&mut self.items).into_items() {
            match &item {
                Item { body: Body::Call(call), .. }
                    if !call.has_name() || (ending != Ending::Done && !call.is_complete()) =>
                {
                    incomplete.push(call.to_json());
                }
                Item { .. } => {
                    if item.into_parts(parts) {
                        self.remarks.warn(warning::CALL_TYPE_UNKNOWN);
                    }
                }
            }
        }
        if !incomplete.is_empty() {
            self.remarks.warn(warning::CALLS_INCOMPLETE);
            self.remarks.keep("incomplete_calls", Value::Array(incomplete));
        }
    }

    fn into_reply(mut self, mut parts: Vec<Part>) -> Reply {
        let said: String = parts
            .iter()
            .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
            .collect();
        if let Some(text) = self.output_text.take().filter(|text| *text != said) {
            self.remarks.keep("output_text", Value::String(text));
        }
        parts.extend(Note::Kept(self.remarks.kept.into_fields()).into_part());
        let warnings = self.remarks.warnings.into_iter().map(str::to_owned).collect();
        let finish = [self.reason, self.status].into_iter().find(|word| !word.is_empty());
        Reply { parts, usage: self.usage, warnings, model: self.model, finish, played: None, body: None }
    }
}
