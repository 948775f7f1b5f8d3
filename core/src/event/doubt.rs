//! Calls whose outcome is in doubt, and calls that others take the place of.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::ids::principal::Principal;
use crate::ids::{AgentName, Attempt, CallId, RequestId};
use crate::tool::{Reconciliation, ToolOutcome};

pub use crate::tool::UnknownCause;

/// Nobody knows whether a call took effect. Opens a request to people, which never expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeUnknown {
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// Why it is not known.
    pub cause: UnknownCause,
}

/// What became of a call whose outcome was unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeSettled {
    /// The request.
    pub request: RequestId,
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// What became of it.
    pub how: SettledHow,
    /// Who says so: a person, or the runtime for a result that arrived late.
    pub by: Principal,
    /// What a person says the result was, or the late outcome.
    #[serde(skip)]
    pub text: Content<SettledText>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledHow {
    /// It took effect.
    Ran,
    /// It did not.
    NotRun,
    /// It is to run again, as a new call.
    RunAgain,
    /// Its result arrived after all.
    Late,
}

/// The text of a settlement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledText {
    /// What a person says the result was.
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
    /// What it told, without the outcome.
    pub how: ReconciledHow,
    /// What it told.
    #[serde(skip)]
    pub outcome: Content<Reconciliation>,
}

/// What a tool told about a lost run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReconciledHow {
    /// It took effect.
    Landed,
    /// It did not.
    DidNot,
    /// It cannot tell.
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
