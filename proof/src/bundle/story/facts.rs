//! The facts of those events that tell the story of a call, as far as a checker reads them.

use serde::Deserialize;
use serde_json::Value;

use crate::bundle::header::{CommandGiver, NamedParty};

#[derive(Deserialize)]
pub(super) struct CallsAdmitted {
    pub(super) agent: String,
    pub(super) turn: u64,
    pub(super) answer: u64,
    pub(super) calls: Vec<AdmittedCall>,
}

#[derive(Deserialize)]
pub(super) struct AdmittedCall {
    pub(super) call: String,
    pub(super) ordinal: u32,
    #[serde(default)]
    pub(super) tool: Option<String>,
    pub(super) arguments: String,
    #[serde(default)]
    pub(super) origin: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ApprovalRequested {
    pub(super) agent: String,
    pub(super) tool: String,
    pub(super) effect: String,
    pub(super) arguments: String,
    #[serde(default)]
    pub(super) warnings: Vec<Warning>,
    pub(super) shown: String,
    pub(super) expires_at: u64,
}

#[derive(Deserialize)]
pub(super) struct Warning {
    pub(super) path: String,
    pub(super) code: String,
}

#[derive(Deserialize)]
pub(super) struct ApprovalDecided {
    pub(super) request: u64,
    pub(super) verdict: String,
    pub(super) scope: Value,
    #[serde(default)]
    pub(super) is_edited: bool,
    #[serde(default)]
    pub(super) shown: Option<String>,
    pub(super) by: NamedParty,
}

/// The words of a person in a decision.
#[derive(Default, Deserialize)]
pub(super) struct DecisionText {
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) arguments: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct GrantUsed {
    pub(super) grant: u64,
}

#[derive(Deserialize)]
pub(super) struct GrantGiven {
    pub(super) by: NamedParty,
}

#[derive(Deserialize)]
pub(super) struct QuestionAnswered {
    pub(super) by: NamedParty,
}

#[derive(Deserialize)]
pub(super) struct ToolStarted {
    pub(super) attempt: u64,
    pub(super) incarnation: u64,
    pub(super) effect: String,
}

#[derive(Deserialize)]
pub(super) struct ToolFinished {
    pub(super) status: Value,
    #[serde(default)]
    pub(super) attempt: Option<u64>,
    #[serde(default)]
    pub(super) memo: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct OutcomeUnknown {
    pub(super) cause: String,
}

#[derive(Deserialize)]
pub(super) struct OutcomeSettled {
    pub(super) how: String,
    pub(super) by: CommandGiver,
}

#[derive(Deserialize)]
pub(super) struct Reconciled {
    pub(super) how: String,
}

#[derive(Deserialize)]
pub(super) struct CallReplaced {
    pub(super) by: String,
}

/// The fields that all events about one call have.
#[derive(Deserialize)]
pub(super) struct OfCall {
    pub(super) call: String,
    pub(super) agent: String,
}

#[derive(Deserialize)]
pub(super) struct TurnOpened {
    pub(super) news: Vec<u64>,
}

#[derive(Deserialize)]
pub(super) struct MessagePosted {
    pub(super) author: Value,
}
