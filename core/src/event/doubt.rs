//! Calls whose outcome is in doubt, and calls that others take the place of.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::ids::principal::Principal;
use crate::ids::{AgentName, Attempt, CallId, RequestId};
use crate::tool::{Reconciliation, ToolOutcome};

pub use crate::tool::UnknownCause;

/// The outcome of a call is unknown. A request to people is open from here on, which never expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeUnknown {
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The reason that the outcome is not known.
    pub cause: UnknownCause,
}

/// The fate of a call whose outcome was unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeSettled {
    /// The request.
    pub request: RequestId,
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The fate of the call.
    pub how: SettledHow,
    /// The principal who says so: a person, or the runtime for a result that arrived late.
    pub by: Principal,
    /// The result by the word of the person, or the late outcome.
    #[serde(skip)]
    pub text: Content<SettledText>,
}

/// The fate of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledHow {
    /// The call took effect.
    Ran,
    /// The call took no effect.
    NotRun,
    /// The call is to run again, as a new one.
    RunAgain,
    /// The result arrived after all.
    Late,
}

/// The text of a settlement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledText {
    /// The result by the word of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The outcome that arrived late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<(Attempt, ToolOutcome)>,
}

/// The tool told what became of a lost run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reconciled {
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The tool's answer, without the outcome.
    pub how: ReconciledHow,
    /// The outcome that the tool told.
    #[serde(skip)]
    pub outcome: Content<Reconciliation>,
}

/// A tool's answer about a lost run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReconciledHow {
    /// The run took effect.
    Landed,
    /// The run took no effect.
    DidNot,
    /// The tool cannot tell.
    CannotTell,
}

/// A call was closed in favour of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallReplaced {
    /// The closed call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The call that runs in its place.
    pub by: CallId,
}
