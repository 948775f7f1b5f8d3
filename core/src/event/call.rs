//! Tool calls and what people say about them.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::ids::{AgentName, Attempt, CallId, Digest, Incarnation, Position, RequestId, Time, ToolName, TurnId};
use crate::principal::{Person, Principal};
use crate::tool::{EffectClass, Question, Reconciliation, Repeat, ToolErrorCode, ToolOutcome};

/// An answer's tool calls were taken up. Their arguments stand in the answer and are not stored again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallsAdmitted {
    /// The agent that asks.
    pub agent: AgentName,
    /// The turn.
    pub turn: TurnId,
    /// The `ModelAnswered` or `AgentReacted` that asks.
    pub answer: Position,
    /// The calls, in the answer's order.
    pub calls: Vec<AdmittedCall>,
}

/// One admitted call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdmittedCall {
    /// Its id.
    pub call: CallId,
    /// Its number among the answer's calls, from 0.
    pub ordinal: u32,
    /// The label under which the model is answered.
    pub label: String,
    /// The tool; `None` if the agent has none of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// The digest of its arguments, byte for byte.
    pub arguments: Digest,
    /// The call that this one replaces and whose provider label it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<CallId>,
}

/// A call waits for a person's permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRequested {
    /// The call.
    pub call: CallId,
    /// The agent that asks.
    pub agent: AgentName,
    /// The tool.
    pub tool: ToolName,
    /// What it may do.
    pub effect: EffectClass,
    /// The digest of its arguments.
    pub arguments: Digest,
    /// The digest of the tool's schema.
    pub schema: Digest,
    /// The digest of exactly what people are shown.
    pub shown: Digest,
    /// When it expires, by recorded time.
    pub expires_at: Time,
}

/// A person decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalDecided {
    /// The request.
    pub request: RequestId,
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// Yes or no.
    pub verdict: Verdict,
    /// How far it reaches.
    pub scope: Scope,
    /// The first eight digits of the digest of what the person saw; `None`: unconfirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Who decided.
    pub by: Person,
    /// Why, if the person said so.
    #[serde(skip)]
    pub reason: Content<Option<String>>,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The call may run.
    Allow,
    /// It may not.
    Deny,
}

/// How far a decision reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This request only.
    Once,
}

/// Nobody decided in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalExpired {
    /// The request.
    pub request: RequestId,
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
}

/// A tool asks a person something before it does anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionAsked {
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The attempt that asked.
    pub attempt: Attempt,
    /// How many options there are; 0 means free text.
    pub options: u32,
    /// The question.
    #[serde(skip)]
    pub question: Content<Question>,
}

/// A person answered a tool's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionAnswered {
    /// The request.
    pub request: RequestId,
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The number of the chosen option, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<u32>,
    /// Who answered.
    pub by: Person,
    /// What was typed; `None` with an option.
    #[serde(skip)]
    pub text: Content<Option<String>>,
}

/// A tool is about to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolStarted {
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// Which attempt it is.
    pub attempt: Attempt,
    /// Who runs it.
    pub incarnation: Incarnation,
    /// What the tool may do, at this start.
    pub effect: EffectClass,
    /// Whether it may run again, at this start.
    pub repeat: Repeat,
    /// Whether it can tell what became of a lost run.
    pub reconciles: bool,
}

/// A call has its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFinished {
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The attempt that gave it; `None` if the tool never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
    /// How it ended.
    pub status: CallStatus,
    /// What the tool gave; `None` if it never ran.
    #[serde(skip)]
    pub outcome: Content<Option<ToolOutcome>>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The tool ran.
    Done,
    /// The tool failed.
    Failed(ToolErrorCode),
    /// A person said no.
    Denied,
    /// The room's mode allows no such tool.
    NotAllowed,
    /// Nobody decided in time.
    Expired,
    /// The arguments are not JSON, or do not fit the schema.
    Invalid(Vec<Finding>),
    /// The agent has no such tool.
    Missing,
    /// The answer had more calls than allowed.
    TooMany,
    /// The call was made where tools were disabled.
    ToolsDisabled,
    /// It was stopped before it started.
    Cancelled,
    /// A newer message took its turn's place before it started.
    Superseded,
    /// It was stopped, or timed out, after it started: it may have taken effect.
    Unknown(UnknownCause),
    /// A person said that it took effect.
    SettledRan,
    /// A person said that it did not take effect.
    SettledNotRun,
    /// The agent that was asked answered, in the message there.
    Answered(Position),
    /// The agent that was asked did not answer.
    Unanswered(UnansweredCause),
    /// The room has no such agent, or this one may not turn to it.
    NoSuchAgent,
    /// The agent that would be asked waits for the one that asks.
    WouldDeadlock,
    /// Too many agents wait for one another already.
    TooDeep,
    /// The episode has used up its messages from agent to agent.
    HopBudget,
    /// A handoff must be the only call of its answer.
    NotAlone,
    /// The episode was handed over.
    HandedOff,
}

/// Why an agent that was asked did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnansweredCause {
    /// It had nothing to say.
    Passed,
    /// It failed.
    Failed,
    /// It had no model call left.
    Limit,
    /// It was stopped, or the question was taken back.
    Stopped,
    /// Its inbox is full.
    InboxFull,
    /// It took longer than `ask_ttl`.
    Expired,
}

/// An agent asked another, and its call waits for the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentAsked {
    /// The call.
    pub call: CallId,
    /// The agent that asks.
    pub agent: AgentName,
    /// The agent that is asked.
    pub asked: AgentName,
    /// The message that asks.
    pub message: Position,
    /// How many agents wait for one another with it: 1 if the agent itself is not asked by another.
    pub depth: u32,
    /// When the waiting ends, by recorded time.
    pub expires_at: Time,
}

/// What is wrong with arguments: where and which rule, never the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// JSON pointer into the arguments; empty is the whole.
    pub path: String,
    /// The schema keyword that is not met, or `not_json`, `not_an_object`.
    pub code: String,
}

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

/// Why an outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownCause {
    /// The process that ran it died.
    Crash,
    /// It was stopped.
    Stopped,
    /// It took too long.
    TimedOut,
    /// What ran it was lost: its helper was killed, or it panicked.
    Lost,
    /// A newer message took its turn's place.
    Superseded,
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
