//! The end of an answer: which kind it is, and its parts.

use folkmoot_core::model::response::{LLMResponse, Part, Reply};
use serde_json::Value;

use super::super::note::ResponsesNote;
use super::ResponsesAnswer;
use super::item::ItemBody;
use crate::codec::DecodeError;
use crate::codec::ending::AnswerEnding;
use crate::codec::warning;

impl ResponsesAnswer {
    /// The response. Its parts are in the order of the items.
    pub(in super::super) fn into_response(mut self) -> Result<LLMResponse, DecodeError> {
        let has_begun_only =
            matches!(self.status.as_str(), "queued" | "in_progress") && self.items.is_empty();
        if !self.is_there() || has_begun_only {
            return Err(DecodeError::Empty);
        }
        let ending = self.ending();
        let mut parts: Vec<Part> = self
            .reasoning
            .take()
            .filter(|text| !text.is_empty())
            .map(Part::Reasoning)
            .into_iter()
            .collect();
        self.add_items(ending, &mut parts);
        ending.response(self.into_reply(parts))
    }

    fn ending(&mut self) -> AnswerEnding {
        match (self.status.as_str(), self.reason.as_str()) {
            ("completed", _) => AnswerEnding::Done,
            ("incomplete", "content_filter") => AnswerEnding::Filtered,
            ("incomplete", "max_output_tokens" | "max_messages" | "steered") => AnswerEnding::Cut,
            ("incomplete", _) => {
                self.remarks.warn(warning::FINISH_UNKNOWN);
                AnswerEnding::Cut
            }
            ("", _) => {
                self.remarks.warn(warning::FINISH_MISSING);
                AnswerEnding::Done
            }
            _ => {
                self.remarks.warn(warning::FINISH_UNKNOWN);
                AnswerEnding::Done
            }
        }
    }

    /// Adds the parts of the items; in a filtered answer only those calls that are whole.
    fn add_items(&mut self, ending: AnswerEnding, parts: &mut Vec<Part>) {
        let mut incomplete = Vec::new();
        for mut item in std::mem::take(&mut self.items).into_items() {
            if let ItemBody::Call(call) = &mut item.body {
                let is_cut = ending != AnswerEnding::Done && !call.is_complete();
                if !call.has_name() || (is_cut && ending == AnswerEnding::Filtered) {
                    incomplete.push(call.to_json());
                    continue;
                }
                if is_cut {
                    call.cut(&mut self.remarks);
                }
            }
            if let Some(code) = item.into_parts(parts) {
                self.remarks.warn(code);
            }
        }
        if !incomplete.is_empty() {
            self.remarks.warn(warning::CALLS_INCOMPLETE);
            self.remarks
                .keep("incomplete_calls", Value::Array(incomplete));
        }
    }

    fn into_reply(mut self, mut parts: Vec<Part>) -> Reply {
        let said: String = parts
            .iter()
            .filter_map(|part| {
                if let Part::Text(text) = part {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect();
        if let Some(text) = self.output_text.take().filter(|text| *text != said) {
            self.remarks.keep("output_text", Value::String(text));
        }
        parts.extend(ResponsesNote::Kept(self.remarks.kept.into_fields()).into_part());
        let warnings = self
            .remarks
            .warnings
            .into_iter()
            .map(str::to_owned)
            .collect();
        let finish = [self.reason, self.status]
            .into_iter()
            .find(|word| !word.is_empty());
        Reply {
            parts,
            usage: self.usage,
            warnings,
            model: self.model,
            finish,
            played: None,
            body: None,
        }
    }
}
