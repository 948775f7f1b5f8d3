//! The end of an answer: which kind it is.

use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind, Part, Reply};

use super::super::note::GoogleNote;
use super::GoogleAnswer;
use super::open_call::Close;
use crate::codec::DecodeError;
use crate::codec::ending::AnswerEnding;
use crate::codec::warning;

/// Finish reasons of an answer that a filter cut.
const FILTERED: &[&str] = &[
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "ESCALATION",
    "MODEL_ARMOR",
];

/// Finish reasons in place of an answer.
const FAILED: &[(&str, ModelErrorKind)] = &[
    ("MALFORMED_FUNCTION_CALL", ModelErrorKind::BadReply),
    ("UNEXPECTED_TOOL_CALL", ModelErrorKind::BadReply),
    ("TOO_MANY_TOOL_CALLS", ModelErrorKind::BadReply),
    ("MALFORMED_RESPONSE", ModelErrorKind::BadReply),
    ("MISSING_THOUGHT_SIGNATURE", ModelErrorKind::RefusesRequest),
    ("PUP_LIMITED_DISABLED", ModelErrorKind::RefusesAccount),
];

impl GoogleAnswer {
    /// The response: the parts in the order in which they came, then what was kept.
    pub(in super::super) fn into_response(mut self) -> Result<LLMResponse, DecodeError> {
        if !self.has_candidate {
            return Err(DecodeError::Empty);
        }
        let ending = self.ending()?;
        self.close_call(Close::BrokenOff);
        let mut parts = std::mem::take(&mut self.parts);
        if parts.iter().any(|part| matches!(part, Part::Reasoning(_))) {
            parts.extend(GoogleNote::Thoughts.into_part());
        }
        parts.extend(GoogleNote::Kept(std::mem::take(&mut self.kept).into_fields()).into_part());
        ending.response(self.into_reply(parts))
    }

    fn ending(&mut self) -> Result<AnswerEnding, DecodeError> {
        let ending = match self.finish.as_deref() {
            Some("STOP") => AnswerEnding::Done,
            Some("MAX_TOKENS" | "CONTINUATION") => AnswerEnding::Cut,
            Some(reason) if FILTERED.contains(&reason) => AnswerEnding::Filtered,
            Some(reason) => {
                if let Some((_, kind)) = FAILED.iter().find(|(failed, _)| *failed == reason) {
                    return Err(self.failed(*kind, reason));
                }
                self.warn(warning::FINISH_UNKNOWN);
                AnswerEnding::Done
            }
            None => {
                self.warn(warning::FINISH_MISSING);
                AnswerEnding::Done
            }
        };
        Ok(if self.is_blocked {
            AnswerEnding::Filtered
        } else {
            ending
        })
    }

    /// The provider tells why there is no answer.
    fn failed(&self, kind: ModelErrorKind, reason: &str) -> DecodeError {
        let message: String = self
            .finish_message
            .chars()
            .filter(|c| !c.is_control())
            .take(500)
            .collect();
        let detail = format!("the answer ended with the finish reason {reason}");
        let detail = if message.is_empty() {
            detail
        } else {
            format!("{detail}: {message}")
        };
        DecodeError::Reported(ModelError::new(kind, detail))
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
