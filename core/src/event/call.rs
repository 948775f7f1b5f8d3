//! Tool calls and what people say about them.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::{UnknownCause, Wider};
use crate::ids::principal::Party;
use crate::ids::{
    AgentName, Attempt, CallId, Digest, Incarnation, Position, RequestId, Time, ToolName, TurnId,
};
use crate::tool::{
    ArgumentFinding, Choose, EffectClass, Question, Repeat, ToolErrorCode, ToolOutcome, View,
};

/// An answer's tool calls were taken up. Their arguments stand in the answer and are not stored
/// again.
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

/// A call that was taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdmittedCall {
    /// The call's id.
    pub call: CallId,
    /// The call's number among those of the answer, from 0.
    pub ordinal: u32,
    /// The label under which the model is answered.
    pub label: String,
    /// The tool; `None` if the agent has none of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// The digest of its arguments in their [canonical form](crate::content::canonical); of their
    /// bytes, if they are not JSON.
    pub arguments: Digest,
    /// The effect that the call may have, where that depends on its arguments; `None`: the tool's
    /// effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectClass>,
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
    /// The effect that the call may have.
    pub effect: EffectClass,
    /// The digest of its arguments.
    pub arguments: Digest,
    /// The digest of the tool's schema.
    pub schema: Digest,
    /// The tool's folder: its path without links, relative to the world's base. `None`: it has
    /// none, or was recorded before that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Oddities of the arguments, shown with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<ArgumentFinding>,
    /// The digest of exactly what people are shown.
    pub shown: Digest,
    /// The time at which the request expires, by recorded time.
    pub expires_at: Time,
    /// The attempt that was about to start when rules that had come since wanted it to be asked.
    /// `None`: the call was just taken up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
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
    /// The reach of the decision.
    pub scope: Scope,
    /// The width that a grant was wanted to have beyond the call's arguments.
    #[serde(default, skip_serializing_if = "Wider::is_same")]
    pub wider: Wider,
    /// True if the call is to run with other arguments: those of the text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_edited: bool,
    /// True if the agent may read the reason.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_reason: bool,
    /// The first eight digits of the digest of what the person saw; `None`: unconfirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// The person or the service who decided.
    pub by: Party,
    /// The words of the person.
    #[serde(skip)]
    pub text: Content<DecisionText>,
}

/// The words of a person who decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionText {
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The arguments that the call is to run with, if they were edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The call may run.
    Allow,
    /// The call may not run.
    Deny,
}

/// The reach of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The decision is about this request only.
    Once,
    /// Calls like it until the turn is over.
    Turn,
    /// Calls like it in this world, until the grant expires.
    World,
    /// So many calls like it, this one among them.
    Uses(u32),
}

/// An approval ran out of time undecided.
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
    /// The number of options; 0 means free text.
    pub options: u32,
    /// The number of options that may be chosen; `None`: exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choose: Option<Choose>,
    /// JSON Schema (2020-12) of a free answer; `None`: any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<serde_json::Value>,
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
    /// The numbers of the chosen options, from 0, ascending; empty for free text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<u32>,
    /// The person or the service who answered.
    pub by: Party,
    /// The text that was typed; `None` with options.
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
    /// The number of the attempt.
    pub attempt: Attempt,
    /// The process that runs it.
    pub incarnation: Incarnation,
    /// The effect that the tool may have, at this start.
    pub effect: EffectClass,
    /// The rule of running it again, at this start.
    pub repeat: Repeat,
    /// True if the tool can tell what became of a lost run.
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
    /// The end of the call.
    pub status: CallStatus,
    /// The earlier `ToolFinished` whose outcome this is; nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memo: Option<Position>,
    /// The reports of the tool while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The views of the outcome that nobody sees, by number, ascending: artifacts of a kind that
    /// the tool does not declare, or that do not fit it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<u32>,
    /// The whole outcome of the tool; `None` if it never ran.
    #[serde(skip)]
    pub outcome: Content<Option<ToolOutcome>>,
}

impl ToolFinished {
    /// The end of a call: `outcome` is what `attempt` gave, if it ran and gave anything.
    #[must_use]
    pub const fn new(
        call: CallId,
        agent: AgentName,
        attempt: Option<Attempt>,
        status: CallStatus,
        outcome: Option<ToolOutcome>,
    ) -> Self {
        let outcome = Content::Present(outcome);
        Self {
            call,
            agent,
            attempt,
            status,
            memo: None,
            progress: None,
            dropped: Vec::new(),
            outcome,
        }
    }

    /// Returns what people see of the outcome, in order; nothing if the call did not end well, or
    /// if that was erased.
    pub fn views(&self) -> impl Iterator<Item = &View> {
        let outcome = self
            .outcome
            .present()
            .and_then(Option::as_ref)
            .filter(|_| self.status == CallStatus::Done);
        let views = if let Some(ToolOutcome::Done(output)) = outcome {
            output.views.as_slice()
        } else {
            &[]
        };
        (0..)
            .zip(views)
            .filter(|(number, _)| !self.dropped.contains(number))
            .map(|(_, view)| view)
    }
}

/// The end of a call.
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
    /// A person said no to the same call in this turn.
    DeniedBefore,
    /// The room's rules forbid a call with such arguments.
    Forbidden,
    /// The tool was called as often in this episode as it may be.
    QuotaSpent,
    /// The request ran out of time undecided.
    Expired,
    /// The arguments are not JSON, or do not fit the schema.
    Invalid(Vec<ArgumentFinding>),
    /// The agent has no such tool.
    Missing,
    /// The answer had more calls than allowed.
    TooMany,
    /// The call was made where tools were disabled.
    ToolsDisabled,
    /// The call was stopped before it started.
    Cancelled,
    /// A newer message took its turn's place before it started.
    Superseded,
    /// The call was stopped, or timed out, after it started: it may have taken effect.
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

/// The reason that an agent that was asked gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnansweredCause {
    /// The agent had nothing to say.
    Passed,
    /// The agent failed.
    Failed,
    /// The agent had no model call left.
    Limit,
    /// The agent was stopped, or the question was taken back.
    Stopped,
    /// The agent's inbox is full.
    InboxFull,
    /// The answer took longer than `ask_ttl`.
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
    /// The number of agents that wait for one another with it: 1 if the agent itself is not asked
    /// by another.
    pub depth: u32,
    /// The time at which the waiting ends, by recorded time.
    pub expires_at: Time,
}

/// The reports of a run, as the log keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The number of reports.
    pub reports: u32,
    /// The digest of all of them, chained in order.
    pub digest: Digest,
}
