//! The answer of a model: the one type that every provider adapter returns.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::Digest;

/// A model's whole answer. Only a native tool call of the wire becomes [`Part::Call`]; prose never
/// does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LLMResponse {
    /// The model said something, or nothing, and is done.
    Text(Reply),
    /// The model asks for at least one tool call.
    Calls(Reply),
    /// The model declines to answer.
    Refused(Reply),
    /// The model hit its output limit: text may end in mid-word, and so may the arguments of its
    /// last call, which are then no JSON.
    Truncated(Reply),
    /// A content filter of the provider cut it.
    Filtered(Reply),
}

impl LLMResponse {
    /// The reply in it, whatever the kind.
    #[must_use]
    pub const fn reply(&self) -> &Reply {
        match self {
            Self::Text(reply)
            | Self::Calls(reply)
            | Self::Refused(reply)
            | Self::Truncated(reply)
            | Self::Filtered(reply) => reply,
        }
    }

    /// Returns its words to the room: its text and refusal parts, joined.
    #[must_use]
    pub fn spoken(&self) -> String {
        let said = |part: &Part| match part {
            Part::Text(text) | Part::Refusal(text) => Some(text.clone()),
            Part::Call(_) | Part::Reasoning(_) | Part::Opaque(_) => None,
        };
        self.reply().parts.iter().filter_map(said).collect()
    }

    /// Returns its words to the room, without the byte ranges `cut` (ascending). A range that is
    /// none is left in.
    #[must_use]
    pub fn spoken_without(&self, cut: &[(u32, u32)]) -> String {
        let mut text = self.spoken();
        for (from, to) in cut.iter().rev() {
            let range = usize::try_from(*from).unwrap_or(usize::MAX)
                ..usize::try_from(*to).unwrap_or(usize::MAX);
            if text.get(range.clone()).is_some() {
                text.replace_range(range, "");
            }
        }
        text
    }

    /// Makes a plain text answer.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Reply {
            parts: vec![Part::Text(text.into())],
            ..Reply::default()
        })
    }

    /// Makes an answer that asks for one call of `tool`.
    #[must_use]
    pub fn call(tool: impl Into<String>, arguments: &Value) -> Self {
        let call = CallPart {
            label: String::new(),
            tool: tool.into(),
            arguments: arguments.to_string(),
        };
        Self::Calls(Reply {
            parts: vec![Part::Call(call)],
            ..Reply::default()
        })
    }
}

/// The parts of an answer, in the order in which the model gave them, and what came with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Text, calls and the rest, in order.
    pub parts: Vec<Part>,
    /// Tokens, as the provider counted them.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// The codes of what the wire could not carry, and of what the adapter did not understand.
    /// Never prose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The model that answered, by the provider's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's own finish reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// The scripted or recorded reply that this was, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<u32>,
    /// The SHA-256 of the body that it was read from, so that a kept copy can be told to be the
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Digest>,
}

impl Reply {
    /// All text parts, joined.
    #[must_use]
    pub fn text(&self) -> String {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Call(_) | Part::Reasoning(_) | Part::Refusal(_) | Part::Opaque(_) => None,
        };
        self.parts.iter().filter_map(text).collect()
    }

    /// The tool calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CallPart> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) | Part::Reasoning(_) | Part::Refusal(_) | Part::Opaque(_) => None,
        })
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Prose for the room.
    Text(String),
    /// A native tool call.
    Call(CallPart),
    /// Reasoning that the provider showed. Kept for audit, not shown in the room.
    Reasoning(String),
    /// The provider's refusal text.
    Refusal(String),
    /// Something of the wire that is kept and echoed as it was.
    Opaque(Value),
}

/// A tool call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallPart {
    /// The provider's id: a label, echoed and never looked up. Empty if the provider gave none.
    pub label: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The arguments, byte for byte. Meant to be a JSON object; never repaired.
    pub arguments: String,
}

impl CallPart {
    /// The provider's label, or the next of ours: `call_<n>`, where `unlabelled` is the last one
    /// taken. A provider's label that looks like our next one takes that number.
    pub(crate) fn label_or_next(&self, unlabelled: &mut u32) -> String {
        let next = unlabelled.saturating_add(1);
        let own = format!("call_{next}");
        if !self.label.is_empty() && self.label != own {
            return self.label.clone();
        }
        *unlabelled = next;
        own
    }
}

/// Token counts; `None` where the provider said nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request, those of the cache included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Tokens of the answer, reasoning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Tokens of the request that came from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Tokens of the request that the provider's cache took in; they may cost more than others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<u64>,
    /// Tokens of the answer that were reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Tells whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// The reason that a model call gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct ModelError {
    /// The kind: what the caller can do about it.
    pub kind: ModelErrorKind,
    /// The wait that the provider asks for, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The stage that the attempt reached, where that is known; `None`: as the kind tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// For operators only: status, message, cause.
    pub detail: String,
    /// The scripted reply that was played, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<u32>,
}

impl ModelError {
    /// An error of `kind`, with a detail for operators.
    #[must_use]
    pub fn new(kind: ModelErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            retry_after_ms: None,
            reached: None,
            detail: detail.into(),
            played: None,
        }
    }

    /// The same error of an attempt that came so far.
    #[must_use]
    pub const fn after(mut self, reached: Reached) -> Self {
        self.reached = Some(reached);
        self
    }

    /// The same error, with the wait that the provider asked for.
    #[must_use]
    pub fn retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after_ms = wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }
}

/// The stage that a failed attempt reached: what may be charged for it, whatever its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// No server was reached: nothing was sent, and it costs nothing.
    Nobody,
    /// The answer had begun: the provider may charge for what it made of it.
    Answer,
}

impl Reached {
    /// Tells whether the provider may charge for an attempt that failed with `kind` and `reached`
    /// so far.
    #[must_use]
    pub const fn may_cost(reached: Option<Self>, kind: ModelErrorKind) -> bool {
        match reached {
            Some(Self::Nobody) => false,
            Some(Self::Answer) => true,
            None => kind.may_cost(),
        }
    }
}

/// The kinds of model errors. [`ModelErrorKind::is_transient`] says which are worth another
/// attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// The request itself is bad; the same request will be refused again.
    RefusesRequest,
    /// The key is missing or wrong, or quota or billing ended.
    RefusesAccount,
    /// Too many requests; wait.
    Rate,
    /// The provider is busy; wait.
    Overload,
    /// The provider or the network is down, or the stream broke off.
    Outage,
    /// No answer in time.
    Timeout,
    /// The request is longer than the model's context.
    ContextTooLong,
    /// A content filter refused the request.
    ContentFilter,
    /// A reply that is not what the wire promises.
    BadReply,
    /// A reply that is larger than can be recorded, or has more calls than one reply may.
    AnswerTooLarge,
    /// No recorded reply fits the request.
    NotRecorded,
    /// No model was asked: the world performs nothing by itself, and the request is not in its
    /// record.
    DryRun,
}

impl ModelErrorKind {
    /// Tells whether another attempt may succeed.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        match self {
            Self::Rate | Self::Overload | Self::Outage | Self::Timeout | Self::BadReply => true,
            Self::RefusesRequest
            | Self::RefusesAccount
            | Self::ContextTooLong
            | Self::ContentFilter
            | Self::AnswerTooLarge
            | Self::NotRecorded
            | Self::DryRun => false,
        }
    }

    /// Tells whether the provider may charge for an attempt that failed so, if nobody knows how far
    /// it came: see [`Reached::may_cost`]. What is turned away at the door costs nothing.
    #[must_use]
    pub const fn may_cost(self) -> bool {
        match self {
            Self::Outage
            | Self::Timeout
            | Self::ContextTooLong
            | Self::ContentFilter
            | Self::BadReply
            | Self::AnswerTooLarge => true,
            Self::RefusesRequest
            | Self::RefusesAccount
            | Self::Rate
            | Self::Overload
            | Self::NotRecorded
            | Self::DryRun => false,
        }
    }

    /// Tells whether another model may be asked in the place of one that failed so. A recording
    /// that is not there is not the model's failure: a replay that went on with another one would
    /// be none.
    #[must_use]
    pub const fn may_fall_back(self) -> bool {
        match self {
            Self::RefusesRequest
            | Self::RefusesAccount
            | Self::Rate
            | Self::Overload
            | Self::Outage
            | Self::Timeout
            | Self::ContextTooLong
            | Self::ContentFilter
            | Self::BadReply
            | Self::AnswerTooLarge => true,
            Self::NotRecorded | Self::DryRun => false,
        }
    }

    /// The word for it in logs and scripts.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::RefusesRequest => "refuses_request",
            Self::RefusesAccount => "refuses_account",
            Self::Rate => "rate",
            Self::Overload => "overload",
            Self::Outage => "outage",
            Self::Timeout => "timeout",
            Self::ContextTooLong => "context_too_long",
            Self::ContentFilter => "content_filter",
            Self::BadReply => "bad_reply",
            Self::AnswerTooLarge => "answer_too_large",
            Self::NotRecorded => "not_recorded",
            Self::DryRun => "dry_run",
        }
    }
}

impl std::fmt::Display for ModelErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}
