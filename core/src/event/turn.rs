//! Turns and model calls.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::reaction::Reaction;
use crate::event::{Event, TurnEvent};
use crate::ids::principal::Principal;
use crate::ids::{
    AgentName, Attempt, CallId, Digest, EpisodeId, Incarnation, ModelCallId, ModelName, Position,
    Time, TurnId,
};
use crate::model::Parameters;
use crate::model::money::Money;
use crate::model::response::{LLMResponse, ModelErrorKind, Reached, Usage};

/// An agent took up its news: all addressed messages up to the horizon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnOpened {
    /// The agent.
    pub agent: AgentName,
    /// The episode of its oldest news.
    pub episode: EpisodeId,
    /// The turn sees nothing behind this position.
    pub horizon: Position,
    /// The messages that it takes from the inbox, oldest first.
    pub news: Vec<Position>,
    /// The turn of the world that this one was branched off, which it goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<TurnId>,
    /// The calls that ran in the turns whose place this one takes, as far as they did more than
    /// read: what they did stands in its requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redoes: Vec<CallId>,
}

/// An agent's news were set aside unanswered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnDeclined {
    /// The agent.
    pub agent: AgentName,
    /// The episode of its oldest news.
    pub episode: EpisodeId,
    /// The horizon of the command.
    pub horizon: Position,
    /// The messages, oldest first.
    pub news: Vec<Position>,
    /// The reason.
    pub reason: CloseReason,
    /// The parameters that the agent wanted.
    pub parameters: Parameters,
}

/// A model is about to be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCalled {
    /// The agent.
    pub agent: AgentName,
    /// The turn.
    pub turn: TurnId,
    /// The call: this event's own position at attempt 1.
    pub call: ModelCallId,
    /// The number of the attempt.
    pub attempt: Attempt,
    /// The process that makes it.
    pub incarnation: Incarnation,
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The model, by its name in the spec.
    pub model: ModelName,
    /// The parameters that the agent wants beside its spec.
    pub parameters: Parameters,
    /// The number of items of the request.
    pub items: u32,
    /// The request's fingerprint.
    pub fingerprint: Digest,
    /// The amount that is set aside for it; `None` if the model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
}

/// Money that is set aside when a model is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// The worst case of the attempt: its tokens as they are estimated, and the longest answer.
    pub attempt: Money,
    /// The worst case of the turn's closing call, which has to stay affordable behind it.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    pub closing: Money,
}

/// The purpose of a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// An answer with whatever tools the agent has.
    Turn,
    /// The last affordable answer, without tools.
    Closing,
    /// A summary of the oldest items, which takes their place. Counts for the episode only.
    Compaction,
}

/// The first words of a streaming reply are about to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamStarted {
    /// The agent.
    pub agent: AgentName,
    /// The call.
    pub call: ModelCallId,
    /// The attempt.
    pub attempt: Attempt,
    /// The process that shows it.
    pub incarnation: Incarnation,
    /// The stream of a lost attempt that this one stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<Position>,
}

/// The process that showed a streaming reply ended, or gave it up: nothing more of it comes. The
/// call goes on with another attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamCut {
    /// The agent.
    pub agent: AgentName,
    /// The call.
    pub call: ModelCallId,
    /// The attempt that was shown.
    pub attempt: Attempt,
    /// The position of its `StreamStarted`.
    pub stream: Position,
}

/// A model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelAnswered {
    /// The agent.
    pub agent: AgentName,
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: ModelCallId,
    /// The attempt.
    pub attempt: Attempt,
    /// The kind of answer.
    pub kind: AnswerKind,
    /// The number of tool calls that it asks for.
    pub calls: u32,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// The scripted or recorded reply that was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<u32>,
    /// The answer.
    #[serde(skip)]
    pub response: Content<LLMResponse>,
}

/// The kinds of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// Text.
    Text,
    /// Tool calls.
    Calls,
    /// A refusal.
    Refused,
    /// Cut at the output limit.
    Truncated,
    /// Cut by a content filter.
    Filtered,
}

impl AnswerKind {
    /// The kind of `response`.
    #[must_use]
    pub const fn of(response: &LLMResponse) -> Self {
        match response {
            LLMResponse::Text(_) => Self::Text,
            LLMResponse::Calls(_) => Self::Calls,
            LLMResponse::Refused(_) => Self::Refused,
            LLMResponse::Truncated(_) => Self::Truncated,
            LLMResponse::Filtered(_) => Self::Filtered,
        }
    }
}

/// An attempt of a model call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailed {
    /// The agent.
    pub agent: AgentName,
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: ModelCallId,
    /// The attempt.
    pub attempt: Attempt,
    /// The kind of failure.
    pub kind: ModelErrorKind,
    /// The wait that the provider asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The time at which the next attempt is due; `None` if there will be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Time>,
    /// The model that the next attempt asks; `None`: the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<ModelName>,
    /// The scripted reply that was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<u32>,
    /// The stage that the attempt reached, by its adapter's word; `None`: as the kind tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// For operators.
    #[serde(skip)]
    pub detail: Content<String>,
}

/// An agent in code reacted: an input like a model's answer, never recomputed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentReacted {
    /// The agent.
    pub agent: AgentName,
    /// The turn.
    pub turn: TurnId,
    /// True if it answered or passed.
    pub has_answered: bool,
    /// The number of tool calls that it asks for.
    pub calls: u32,
    /// The reaction, and its note.
    #[serde(skip)]
    pub reaction: Content<Reaction>,
}

/// An agent in code failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentFailed {
    /// The agent.
    pub agent: AgentName,
    /// The turn, if it was open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The number of failures on this news.
    pub attempt: Attempt,
    /// The failure's name.
    pub code: String,
    /// The time at which it is told again; `None` if never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Time>,
    /// For operators.
    #[serde(skip)]
    pub detail: Content<String>,
}

/// The agent's next request does not extend its last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixBroken {
    /// The agent.
    pub agent: AgentName,
    /// The reason.
    pub cause: PrefixCause,
    /// The number of its oldest items that are dropped.
    pub dropped: u32,
}

/// The reason that a request does not extend the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrefixCause {
    /// The definition changed.
    SpecRevised,
    /// The closing call has no tools, or the call after it has them again.
    Tools,
    /// The agent wants other sampling or length.
    Parameters,
    /// Another model stands in, or the agent's own is asked again.
    Model,
    /// The memory reached its limit.
    MemoryFull,
    /// A summary took the place of the oldest items.
    Compaction,
    /// A message was edited or taken back.
    Retraction,
    /// Content was erased.
    Erasure,
}

/// A turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnClosed {
    /// The agent.
    pub agent: AgentName,
    /// The turn.
    pub turn: TurnId,
    /// The end of the turn.
    pub reason: CloseReason,
    /// The attempt that could not be made, if that ended it, and only its cost stood in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unasked: Option<Unasked>,
}

/// An attempt that was not made because of what it could have cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unasked {
    /// A new call, with these parameters.
    Call(Parameters),
    /// A further attempt of this call.
    Attempt(ModelCallId),
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// The agent answered.
    Answered,
    /// The agent had nothing to say.
    Passed,
    /// A model or an agent failed for good.
    Failed,
    /// No model call was left, or no money for one.
    Limit,
    /// A person or the world stopped it.
    Stopped,
    /// A newer message took its place, or its news were taken back.
    Superseded,
    /// The agent handed the episode to another.
    HandedOff,
}

/// A person or the world stopped what was going on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// The principal who stopped it.
    pub by: Principal,
    /// The episode that was stopped; `None` is all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeId>,
}

/// An agent waited long enough for those whom it had asked to answer; it is woken with what there
/// is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinElapsed {
    /// The agent that waited.
    pub agent: AgentName,
    /// The agents that have not answered.
    pub missing: Vec<AgentName>,
}

/// An agent handed the episode to another, with whatever it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedOff {
    /// The agent.
    pub agent: AgentName,
    /// The agent's turn, which is over.
    pub turn: TurnId,
    /// The call that says so.
    pub call: CallId,
    /// The agent that goes on.
    pub to: AgentName,
}

/// A summary took the place of an agent's oldest items. They are known from the log alone from here
/// on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryCompacted {
    /// The agent.
    pub agent: AgentName,
    /// The turn that needed room.
    pub turn: TurnId,
    /// The `ModelAnswered` that holds the summary.
    pub answer: Position,
    /// The number of the oldest items that it stands for.
    pub items: u32,
}

impl Event {
    /// The answer that it holds, of a model or of an agent in code; `None` if it holds none, or it
    /// is erased.
    #[must_use]
    pub fn response(&self) -> Option<&LLMResponse> {
        if let Self::Turn(TurnEvent::ModelAnswered(answered)) = self {
            return answered.response.present();
        }
        let Self::Turn(TurnEvent::AgentReacted(reacted)) = self else {
            return None;
        };
        if let Reaction::Answer { response, .. } = reacted.reaction.present()? {
            Some(response)
        } else {
            None
        }
    }
}
