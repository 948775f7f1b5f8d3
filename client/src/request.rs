//! Requests that wait for people, and decisions about them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::command::Key;

/// A request that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Request {
    /// The name that people use for it: `WORLD#POSITION`.
    pub name: String,
    /// The number of the request in its room.
    pub request: u64,
    /// The agent whose call it is about.
    pub agent: String,
    /// The tool, if it is known.
    #[serde(default)]
    pub tool: Option<String>,
    /// The call's arguments, byte for byte; `None` if they were erased.
    #[serde(default)]
    pub arguments: Option<String>,
    /// The question: whether a call may run, a tool's question, or the outcome of a lost run.
    pub asks: Value,
    /// Further members: the words that people are shown, who may decide, and what a decision can
    /// allow.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Request {
    /// The text that people are shown before they allow a call; `None` unless it asks whether one
    /// may run.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.asks.get("text")?.as_str()
    }

    /// The digest of that text: a decision names it, so that nobody decides about what they did not
    /// see.
    #[must_use]
    pub fn shown(&self) -> Option<&str> {
        self.asks.get("shown")?.as_str()
    }
}

/// The answer to whether a call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// The calls to come that a decision allows beside its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// None.
    Once,
    /// Those of the same turn.
    Turn,
    /// Those in the same room, until the grant ends.
    World,
    /// So many, this call among them.
    Uses(u32),
}

/// The arguments that calls to come may have.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Any.
    Any,
    /// Those that fit these constraints, each a JSON object with the `path` of a place.
    #[serde(untagged)]
    Where(Vec<Value>),
}

/// A decision of a person about a call.
#[derive(Debug, Clone, Serialize)]
pub struct Decision {
    #[serde(skip)]
    pub(crate) request: u64,
    verdict: Verdict,
    shown: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<Scope>,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    reach: Option<Reach>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    share_reason: bool,
    #[serde(skip)]
    pub(crate) key: Key,
}

impl Decision {
    /// Lets the call run, once.
    #[must_use]
    pub fn allow(request: &Request) -> Self {
        Self::of(request, Verdict::Allow)
    }

    /// Refuses the call.
    #[must_use]
    pub fn deny(request: &Request) -> Self {
        Self::of(request, Verdict::Deny)
    }

    fn of(request: &Request, verdict: Verdict) -> Self {
        // A request that shows nothing is no approval: the server refuses an empty digest.
        let shown = request.shown().unwrap_or_default();
        Self::about(request.request, verdict, shown)
    }

    /// Decides the request with this number by somebody who saw a text with the digest `shown`, or
    /// with one that begins with these 8 digits.
    pub fn about(request: u64, verdict: Verdict, shown: impl Into<String>) -> Self {
        Self {
            request,
            verdict,
            shown: shown.into(),
            scope: None,
            reach: None,
            arguments: None,
            reason: None,
            share_reason: false,
            key: Key::new(),
        }
    }

    /// The same, that also allows calls to come. Without it the decision is about one call.
    #[must_use]
    pub const fn within(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// The same, whose calls to come may differ from this one. Without it they have its arguments.
    #[must_use]
    pub fn reaching(mut self, reach: Reach) -> Self {
        self.reach = Some(reach);
        self
    }

    /// The same, that lets the call run with other arguments: a JSON object, as text.
    #[must_use]
    pub fn with_arguments(mut self, arguments: impl Into<String>) -> Self {
        self.arguments = Some(arguments.into());
        self
    }

    /// The same, with a reason that people read in the log.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// The same, with a reason that the agent reads as well.
    #[must_use]
    pub fn telling(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self.share_reason = true;
        self
    }

    /// The same, under a key of the caller's own.
    #[must_use]
    pub fn under(mut self, key: Key) -> Self {
        self.key = key;
        self
    }
}

/// An answer of a person to the question of a tool.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    #[serde(skip)]
    pub(crate) request: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<u32>>,
    #[serde(skip)]
    pub(crate) key: Key,
}

impl Answer {
    /// Answers the request with this number in words; in JSON, where it asks for that.
    pub fn text(request: u64, text: impl Into<String>) -> Self {
        Self::new(request, Some(text.into()), None)
    }

    /// Answers it with options, by their numbers from 0.
    #[must_use]
    pub fn options(request: u64, options: Vec<u32>) -> Self {
        Self::new(request, None, Some(options))
    }

    fn new(request: u64, text: Option<String>, options: Option<Vec<u32>>) -> Self {
        Self {
            request,
            text,
            options,
            key: Key::new(),
        }
    }

    /// The same, under a key of the caller's own.
    #[must_use]
    pub fn under(mut self, key: Key) -> Self {
        self.key = key;
        self
    }
}

/// The word of a person on a call whose outcome is not known.
#[derive(Debug, Clone, Serialize)]
pub struct Settlement {
    #[serde(skip)]
    pub(crate) request: u64,
    how: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(skip)]
    pub(crate) key: Key,
}

impl Settlement {
    /// The call of the request with this number took effect, with this result if it is known.
    #[must_use]
    pub fn ran(request: u64, result: Option<String>) -> Self {
        Self::of(request, "ran", result)
    }

    /// The call took no effect.
    #[must_use]
    pub fn not_run(request: u64) -> Self {
        Self::of(request, "not_run", None)
    }

    /// The call is to run again, whatever became of the first time.
    #[must_use]
    pub fn run_again(request: u64) -> Self {
        Self::of(request, "run_again", None)
    }

    fn of(request: u64, how: &'static str, result: Option<String>) -> Self {
        Self {
            request,
            how,
            result,
            key: Key::new(),
        }
    }

    /// The same, under a key of the caller's own.
    #[must_use]
    pub fn under(mut self, key: Key) -> Self {
        self.key = key;
        self
    }
}
