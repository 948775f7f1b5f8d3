//! A reply of a script, as it is written down.

use std::time::Duration;

use folkmoot_core::model::response::{CallPart, ModelErrorKind as Kind, Usage};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use folkmoot_core::ids::duration;

/// A reply. Exactly one of `text` or `chunks` with or without `calls`, `calls` alone, `refuse`,
/// `fail`, and `summary`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct ScriptedReply {
    /// The answer that the reply gives.
    pub(super) answer: ScriptedAnswer,
    /// The wait before it, by the room's clock; `None` waits not at all.
    pub(super) pause: Option<Duration>,
    /// The condition under which it fits; `None` fits always.
    pub(super) when: Option<ReplyCondition>,
    /// True if a reply with a condition is played once only.
    pub(super) once: bool,
    /// The tokens that it says it cost.
    pub(super) usage: Usage,
}

/// A reply of a list that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("reply {} cannot be read", index + 1)]
pub struct ReplyError {
    /// The number of the reply, from 0.
    pub index: usize,
    /// The fault that serde found.
    pub source: serde_json::Error,
}

impl ScriptedReply {
    /// Reads the list of one agent's replies.
    ///
    /// # Errors
    /// [`ReplyError`] for the first one that cannot be read, or for a value that is no list.
    pub fn list(value: &Value) -> Result<Vec<Self>, ReplyError> {
        let items = items(value).map_err(|source| ReplyError { index: 0, source })?;
        let read =
            |(index, item)| Self::deserialize(item).map_err(|source| ReplyError { index, source });
        items.iter().enumerate().map(read).collect()
    }

    /// Tells whether playing the reply uses it up.
    pub(super) const fn is_consumed(&self) -> bool {
        self.once || (self.when.is_none() && !self.is_summary())
    }

    /// Tells whether the reply is played when the agent is asked for a summary of its memory, and
    /// never else.
    pub(super) const fn is_summary(&self) -> bool {
        matches!(self.answer, ScriptedAnswer::Summarises(_))
    }

    pub(super) fn is_used_up(&self, index: u32, played: &[u32]) -> bool {
        self.is_consumed() && played.contains(&index)
    }
}

/// The answer that a reply gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScriptedAnswer {
    Says {
        chunks: Vec<String>,
        is_streamed: bool,
        calls: Vec<ScriptedCall>,
    },
    Refuses(String),
    Fails {
        kind: Kind,
        retry_after: Option<Duration>,
    },
    Summarises(String),
}

/// The condition under which a reply fits: all that is given must hold for the last message or tool
/// result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyCondition {
    contains: Option<String>,
    equals: Option<String>,
}

impl ReplyCondition {
    pub(super) fn fits(&self, heard: &str) -> bool {
        self.contains
            .as_ref()
            .is_none_or(|part| heard.contains(part.as_str()))
            && self.equals.as_ref().is_none_or(|whole| heard == whole)
    }
}

/// A call to ask for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedCall {
    tool: String,
    args: Option<Value>,
    /// Arguments that need not be JSON.
    raw_args: Option<String>,
    label: Option<String>,
}

impl ScriptedCall {
    /// The call as the `ordinal`-th one of the reply `index`, which is its label if the script
    /// gives none.
    pub(super) fn part(&self, index: u32, ordinal: u32) -> CallPart {
        let empty = Value::Object(Map::new());
        let arguments = self.raw_args.clone();
        CallPart {
            label: self
                .label
                .clone()
                .unwrap_or_else(|| format!("call_{index}_{ordinal}")),
            tool: self.tool.clone(),
            arguments: arguments
                .unwrap_or_else(|| self.args.as_ref().unwrap_or(&empty).to_string()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    text: Option<String>,
    chunks: Option<Vec<String>>,
    calls: Option<Vec<ScriptedCall>>,
    refuse: Option<String>,
    fail: Option<ScriptedFailure>,
    summary: Option<String>,
    #[serde(default, deserialize_with = "duration::deserialize_some")]
    pause: Option<Duration>,
    when: Option<ReplyCondition>,
    #[serde(default)]
    once: bool,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedFailure {
    #[serde(deserialize_with = "kind")]
    kind: Kind,
    #[serde(default, deserialize_with = "duration::deserialize_some")]
    retry_after: Option<Duration>,
}

impl TryFrom<Written> for ScriptedReply {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, &'static str> {
        let Written {
            text,
            chunks,
            calls,
            refuse,
            fail,
            summary,
            pause,
            when,
            once,
            usage,
        } = written;
        if when
            .as_ref()
            .is_some_and(|when| when.contains.is_none() && when.equals.is_none())
        {
            return Err("has a `when` without `contains` or `equals`");
        }
        if once && when.is_none() {
            return Err("has `once` without `when`: without it a reply is used up anyway");
        }
        if calls
            .iter()
            .flatten()
            .any(|call| call.args.is_some() && call.raw_args.is_some())
        {
            return Err("has a call with both `args` and `raw_args`");
        }
        let answer = match (text, chunks, calls, refuse, fail, summary) {
            (None, None, None, None, Some(ScriptedFailure { kind, retry_after }), None) => {
                ScriptedAnswer::Fails { kind, retry_after }
            }
            (None, None, None, Some(text), None, None) => ScriptedAnswer::Refuses(text),
            (None, None, None, None, None, Some(text)) => ScriptedAnswer::Summarises(text),
            (Some(text), None, calls, None, None, None) => ScriptedAnswer::Says {
                chunks: vec![text],
                is_streamed: false,
                calls: calls.unwrap_or_default(),
            },
            (None, Some(chunks), calls, None, None, None) => ScriptedAnswer::Says {
                chunks,
                is_streamed: true,
                calls: calls.unwrap_or_default(),
            },
            (None, None, Some(calls), None, None, None) if !calls.is_empty() => {
                ScriptedAnswer::Says {
                    chunks: Vec::new(),
                    is_streamed: false,
                    calls,
                }
            }
            _ => {
                return Err(
                    "must have one of `text`, `chunks`, `calls`, `refuse`, `fail`, `summary` (`calls` may stand beside text)",
                );
            }
        };
        if usage.is_some() && matches!(answer, ScriptedAnswer::Fails { .. }) {
            return Err("has `usage` beside `fail`: a failure counts nothing");
        }
        Ok(Self {
            answer,
            pause,
            when,
            once,
            usage: usage.unwrap_or_default(),
        })
    }
}

const KINDS: [Kind; 10] = [
    Kind::RefusesRequest,
    Kind::RefusesAccount,
    Kind::Rate,
    Kind::Overload,
    Kind::Outage,
    Kind::Timeout,
    Kind::ContextTooLong,
    Kind::ContentFilter,
    Kind::BadReply,
    Kind::NotRecorded,
];

/// The codes of the kinds, and the word that people use for [`Kind::Rate`].
fn kind<'de, D: Deserializer<'de>>(from: D) -> Result<Kind, D::Error> {
    let code = String::deserialize(from)?;
    let wanted = if code == "rate_limit" {
        Kind::Rate.code()
    } else {
        &code
    };
    KINDS
        .into_iter()
        .find(|kind| kind.code() == wanted)
        .ok_or_else(|| {
            let known = KINDS.map(Kind::code).join(", ");
            de::Error::custom(format_args!(
                "`{code}` is not a kind of model error; there are {known}"
            ))
        })
}

/// The items of a list, unread.
fn items(value: &Value) -> Result<&[Value], serde_json::Error> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Null => Ok(&[]),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Err(de::Error::custom("is not there: this is not a list"))
        }
    }
}
