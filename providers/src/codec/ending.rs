//! The end of an answer: which kind it is.

use folkmoot_core::model::response::{LLMResponse, Part, Reply};

use super::{DecodeError, warning};

/// The ending of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerEnding {
    /// By itself.
    Done,
    /// At a limit, or at a pause of the provider.
    Cut,
    /// By a content filter.
    Filtered,
    /// The model, or a classifier of the provider, declined.
    Refused,
}

/// Warnings of what nobody reads.
const UNREAD: [&str; 5] = [
    warning::CALLS_INCOMPLETE,
    warning::CALLS_MISSING,
    warning::CALL_TYPE_UNKNOWN,
    warning::CONTENT_UNKNOWN,
    warning::DELTA_NOT_TAKEN,
];

impl AnswerEnding {
    /// The response of which `reply` is the content.
    ///
    /// # Errors
    /// [`DecodeError::Unread`] if it would pass for an answer that says nothing, although there was
    /// something.
    pub(super) fn response(self, reply: Reply) -> Result<LLMResponse, DecodeError> {
        let has = |is_it: fn(&Part) -> bool| reply.parts.iter().any(is_it);
        let has_calls = has(|part| matches!(part, Part::Call(_)));
        let has_refusal = has(|part| matches!(part, Part::Refusal(_)));
        let says_nothing = !has_refusal && !has(|part| matches!(part, Part::Text(_)));
        let is_unread = reply
            .warnings
            .iter()
            .any(|code| UNREAD.contains(&code.as_str()));
        Ok(match self {
            Self::Filtered => LLMResponse::Filtered(reply),
            Self::Cut => LLMResponse::Truncated(reply),
            Self::Refused => LLMResponse::Refused(reply),
            Self::Done if has_calls => LLMResponse::Calls(reply),
            Self::Done if has_refusal => LLMResponse::Refused(reply),
            Self::Done if says_nothing && is_unread => return Err(DecodeError::Unread),
            Self::Done => LLMResponse::Text(reply),
        })
    }
}
