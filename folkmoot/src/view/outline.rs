//! The outline of a log: each event in short, without its content, so that a long log can be drawn.

use std::fmt;
use std::str::FromStr;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{
    Author, CallEvent, CallStatus, CloseReason, Event, EventKind, TalkEvent, TurnEvent, Verdict,
    WorldEvent,
};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{AgentName, CallId, ModelCallId, Position, RequestId, Time};
use serde::{Deserialize, Serialize, Serializer};

#[cfg(test)]
mod tests;

/// An event in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutlineEntry {
    /// The number of the event in the world's log.
    pub position: Position,
    /// The time at which it was recorded, in milliseconds since 1970.
    pub time: Time,
    /// The kind of event, by name.
    pub kind: &'static str,
    /// Whose doing it is.
    pub lane: Lane,
    /// The call that it is about; `None` if it is about none, or about several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallKey>,
    /// The request that it opens or decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// Why it stands out, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

/// Whose doing an event is. Written `agent:NAME`, `person:PROOF`, `service:PROOF` or `room`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lane {
    /// An agent's.
    Agent(AgentName),
    /// A person's, by the key of their rights.
    Person(String),
    /// A service's, by the key of its rights.
    Service(String),
    /// The room's own.
    Room,
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Person(proof) => write!(f, "person:{proof}"),
            Self::Service(proof) => write!(f, "service:{proof}"),
            Self::Room => f.write_str("room"),
        }
    }
}

impl Serialize for Lane {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The reason that an event stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A person, the rules or the room said no.
    Refusal,
    /// A model, a tool, an agent or a turn failed, or nobody knows how a call ended.
    Error,
    /// A person is asked.
    Request,
}

/// A call: a tool's, by its id, or a model's, by the position of its first attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CallKey {
    /// A model's.
    Model(ModelCallId),
    /// A tool's.
    Tool(CallId),
}

/// A text that names no call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no call: write the id of a tool's call, or the position of a model's")]
pub struct NoCall;

impl FromStr for CallKey {
    type Err = NoCall;

    fn from_str(text: &str) -> Result<Self, NoCall> {
        // An id of digits alone is longer than any position.
        if let Ok(call) = CallId::try_from(text.to_owned()) {
            return Ok(Self::Tool(call));
        }
        let position = text.parse().map_err(|_| NoCall)?;
        Ok(Self::Model(ModelCallId(Position::new(position))))
    }
}

impl OutlineEntry {
    /// The event at `position` of `commit` in short.
    #[must_use]
    pub fn of(commit: &Commit, position: Position, event: &Event) -> Self {
        Self {
            position,
            time: commit.header.stamp.time,
            kind: event.kind().name(),
            lane: lane(&commit.header.principal, event),
            call: call(event),
            request: request(position, event),
            mark: mark(event),
        }
    }
}

/// Tells whether an event is about a call.
pub(super) fn is_about(event: &Event, wanted: CallKey) -> bool {
    if let Event::Call(CallEvent::CallsAdmitted(admitted)) = event {
        let mut calls = admitted.calls.iter();
        return calls.any(|admitted| CallKey::Tool(admitted.call) == wanted);
    }
    call(event) == Some(wanted)
}

/// The kinds of events that are the doing of whoever gave the command, if that is somebody from
/// outside: an agent that they name is only whom it is about.
const OWN_ACTS: &[EventKind] = &[
    EventKind::WorldOpened,
    EventKind::SpecRevised,
    EventKind::PersonJoined,
    EventKind::PersonLeft,
    EventKind::Labelled,
    EventKind::RightsChanged,
    EventKind::Forked,
    EventKind::ErasureRequested,
    EventKind::WithheldViewed,
    EventKind::MessageEdited,
    EventKind::MessageRetracted,
    EventKind::ReplyRegenerated,
    EventKind::StateObserved,
    EventKind::Stopped,
    EventKind::ApprovalDecided,
    EventKind::QuestionAnswered,
    EventKind::OutcomeSettled,
    EventKind::GrantGiven,
    EventKind::GrantRevoked,
    EventKind::Refused,
];

fn lane(principal: &Principal, event: &Event) -> Lane {
    let agent = agent(event);
    let is_own_act = OWN_ACTS.contains(&event.kind())
        || event.kind() == EventKind::MessagePosted && agent.is_none();
    let outside = match principal {
        Principal::Person(person) if is_own_act => Some(Lane::Person(person.proof())),
        Principal::Service(service) if is_own_act => Some(Lane::Service(service.proof())),
        Principal::Person(_)
        | Principal::Service(_)
        | Principal::Agent(_)
        | Principal::Tool(_)
        | Principal::World
        | Principal::Runtime => None,
    };
    outside
        .or_else(|| agent.cloned().map(Lane::Agent))
        .unwrap_or(Lane::Room)
}

/// The agent that an event is about, or that speaks in it.
pub(super) fn agent(event: &Event) -> Option<&AgentName> {
    match event {
        Event::World(event) => world_agent(event),
        Event::Talk(event) => talk_agent(event),
        Event::Turn(event) => turn_agent(event),
        Event::Call(event) => call_agent(event),
        Event::Refused(_) => None,
    }
}

const fn world_agent(event: &WorldEvent) -> Option<&AgentName> {
    if let WorldEvent::WarningRecorded(warning) = event {
        warning.agent.as_ref()
    } else {
        None
    }
}

const fn talk_agent(event: &TalkEvent) -> Option<&AgentName> {
    let author = match event {
        TalkEvent::MessagePosted(posted) => &posted.author,
        TalkEvent::MessageEdited(edited) => &edited.author,
        TalkEvent::ArtifactWithheld(kept) => return Some(&kept.agent),
        TalkEvent::ReplyRegenerated(made) => return Some(&made.agent),
        TalkEvent::MessageRouted(_)
        | TalkEvent::NoticePosted(_)
        | TalkEvent::MessageRetracted(_)
        | TalkEvent::StateObserved(_) => return None,
    };
    match author {
        Author::Agent(agent) => Some(agent),
        Author::Person(_) | Author::Service(_) | Author::World => None,
    }
}

const fn turn_agent(event: &TurnEvent) -> Option<&AgentName> {
    Some(match event {
        TurnEvent::TurnOpened(event) => &event.agent,
        TurnEvent::TurnDeclined(event) => &event.agent,
        TurnEvent::ModelCalled(event) => &event.agent,
        TurnEvent::StreamStarted(event) => &event.agent,
        TurnEvent::StreamCut(event) => &event.agent,
        TurnEvent::ModelAnswered(event) => &event.agent,
        TurnEvent::ModelFailed(event) => &event.agent,
        TurnEvent::AgentReacted(event) => &event.agent,
        TurnEvent::AgentFailed(event) => &event.agent,
        TurnEvent::PrefixBroken(event) => &event.agent,
        TurnEvent::TurnClosed(event) => &event.agent,
        TurnEvent::JoinElapsed(event) => &event.agent,
        TurnEvent::HandedOff(event) => &event.agent,
        TurnEvent::MemoryCompacted(event) => &event.agent,
        TurnEvent::Stopped(_) => return None,
    })
}

const fn call_agent(event: &CallEvent) -> Option<&AgentName> {
    Some(match event {
        CallEvent::CallsAdmitted(event) => &event.agent,
        CallEvent::ApprovalRequested(event) => &event.agent,
        CallEvent::ApprovalDecided(event) => &event.agent,
        CallEvent::ApprovalExpired(event) => &event.agent,
        CallEvent::QuestionAsked(event) => &event.agent,
        CallEvent::QuestionAnswered(event) => &event.agent,
        CallEvent::ToolStarted(event) => &event.agent,
        CallEvent::ToolFinished(event) => &event.agent,
        CallEvent::OutcomeUnknown(event) => &event.agent,
        CallEvent::OutcomeSettled(event) => &event.agent,
        CallEvent::Reconciled(event) => &event.agent,
        CallEvent::CallReplaced(event) => &event.agent,
        CallEvent::AgentAsked(event) => &event.agent,
        CallEvent::GrantGiven(event) => &event.agent,
        CallEvent::GrantUsed(event) => &event.agent,
        CallEvent::GrantRevoked(_) => return None,
    })
}

fn call(event: &Event) -> Option<CallKey> {
    match event {
        Event::Call(event) => tool_call(event).map(CallKey::Tool),
        Event::Turn(event) => model_call(event),
        Event::Talk(TalkEvent::MessagePosted(posted)) => posted.call.map(CallKey::Tool),
        Event::World(_) | Event::Talk(_) | Event::Refused(_) => None,
    }
}

fn tool_call(event: &CallEvent) -> Option<CallId> {
    Some(match event {
        CallEvent::CallsAdmitted(event) => match event.calls.as_slice() {
            [one] => one.call,
            [] | [_, _, ..] => return None,
        },
        CallEvent::ApprovalRequested(event) => event.call,
        CallEvent::ApprovalDecided(event) => event.call,
        CallEvent::ApprovalExpired(event) => event.call,
        CallEvent::QuestionAsked(event) => event.call,
        CallEvent::QuestionAnswered(event) => event.call,
        CallEvent::ToolStarted(event) => event.call,
        CallEvent::ToolFinished(event) => event.call,
        CallEvent::OutcomeUnknown(event) => event.call,
        CallEvent::OutcomeSettled(event) => event.call,
        CallEvent::Reconciled(event) => event.call,
        CallEvent::CallReplaced(event) => event.call,
        CallEvent::AgentAsked(event) => event.call,
        CallEvent::GrantUsed(event) => event.call,
        CallEvent::GrantGiven(_) | CallEvent::GrantRevoked(_) => return None,
    })
}

const fn model_call(event: &TurnEvent) -> Option<CallKey> {
    Some(CallKey::Model(match event {
        TurnEvent::ModelCalled(event) => event.call,
        TurnEvent::StreamStarted(event) => event.call,
        TurnEvent::StreamCut(event) => event.call,
        TurnEvent::ModelAnswered(event) => event.call,
        TurnEvent::ModelFailed(event) => event.call,
        TurnEvent::HandedOff(event) => return Some(CallKey::Tool(event.call)),
        TurnEvent::TurnOpened(_)
        | TurnEvent::TurnDeclined(_)
        | TurnEvent::AgentReacted(_)
        | TurnEvent::AgentFailed(_)
        | TurnEvent::PrefixBroken(_)
        | TurnEvent::TurnClosed(_)
        | TurnEvent::Stopped(_)
        | TurnEvent::JoinElapsed(_)
        | TurnEvent::MemoryCompacted(_) => return None,
    }))
}

fn request(at: Position, event: &Event) -> Option<RequestId> {
    match event {
        Event::Call(event) => call_request(at, event),
        Event::Refused(refused) => refused.request.map(RequestId),
        Event::World(_) | Event::Talk(_) | Event::Turn(_) => None,
    }
}

const fn call_request(at: Position, event: &CallEvent) -> Option<RequestId> {
    match event {
        CallEvent::ApprovalRequested(_)
        | CallEvent::QuestionAsked(_)
        | CallEvent::OutcomeUnknown(_) => Some(RequestId(at)),
        CallEvent::ApprovalDecided(event) => Some(event.request),
        CallEvent::ApprovalExpired(event) => Some(event.request),
        CallEvent::QuestionAnswered(event) => Some(event.request),
        CallEvent::OutcomeSettled(event) => Some(event.request),
        CallEvent::GrantGiven(event) => Some(event.request),
        CallEvent::GrantUsed(event) => event.request,
        CallEvent::CallsAdmitted(_)
        | CallEvent::ToolStarted(_)
        | CallEvent::ToolFinished(_)
        | CallEvent::Reconciled(_)
        | CallEvent::CallReplaced(_)
        | CallEvent::AgentAsked(_)
        | CallEvent::GrantRevoked(_) => None,
    }
}

fn mark(event: &Event) -> Option<Mark> {
    match event {
        Event::Refused(_) => Some(Mark::Refusal),
        Event::Call(event) => call_mark(event),
        Event::Turn(event) => turn_mark(event),
        Event::World(WorldEvent::WarningRecorded(_)) => Some(Mark::Error),
        Event::World(_) | Event::Talk(_) => None,
    }
}

fn call_mark(event: &CallEvent) -> Option<Mark> {
    match event {
        CallEvent::ApprovalRequested(_) | CallEvent::QuestionAsked(_) => Some(Mark::Request),
        CallEvent::ApprovalDecided(event) => {
            (event.verdict == Verdict::Deny).then_some(Mark::Refusal)
        }
        CallEvent::ToolFinished(event) => ended(&event.status),
        CallEvent::OutcomeUnknown(_) => Some(Mark::Error),
        CallEvent::CallsAdmitted(_)
        | CallEvent::ApprovalExpired(_)
        | CallEvent::QuestionAnswered(_)
        | CallEvent::ToolStarted(_)
        | CallEvent::OutcomeSettled(_)
        | CallEvent::Reconciled(_)
        | CallEvent::CallReplaced(_)
        | CallEvent::AgentAsked(_)
        | CallEvent::GrantGiven(_)
        | CallEvent::GrantUsed(_)
        | CallEvent::GrantRevoked(_) => None,
    }
}

/// The mark of a call that ended so.
const fn ended(status: &CallStatus) -> Option<Mark> {
    match status {
        CallStatus::Denied
        | CallStatus::NotAllowed
        | CallStatus::DeniedBefore
        | CallStatus::Forbidden
        | CallStatus::QuotaSpent
        | CallStatus::TooMany
        | CallStatus::ToolsDisabled
        | CallStatus::WouldDeadlock
        | CallStatus::TooDeep
        | CallStatus::HopBudget
        | CallStatus::NotAlone => Some(Mark::Refusal),
        CallStatus::Failed(_)
        | CallStatus::Invalid(_)
        | CallStatus::Missing
        | CallStatus::NoSuchAgent
        | CallStatus::Unknown(_) => Some(Mark::Error),
        CallStatus::Done
        | CallStatus::Expired
        | CallStatus::Cancelled
        | CallStatus::Superseded
        | CallStatus::SettledRan
        | CallStatus::SettledNotRun
        | CallStatus::Answered(_)
        | CallStatus::Unanswered(_)
        | CallStatus::HandedOff => None,
    }
}

fn turn_mark(event: &TurnEvent) -> Option<Mark> {
    let is_error = match event {
        TurnEvent::ModelFailed(_) | TurnEvent::AgentFailed(_) => true,
        TurnEvent::TurnClosed(closed) => {
            matches!(closed.reason, CloseReason::Failed | CloseReason::Limit)
        }
        TurnEvent::TurnDeclined(declined) => {
            matches!(declined.reason, CloseReason::Failed | CloseReason::Limit)
        }
        TurnEvent::TurnOpened(_)
        | TurnEvent::ModelCalled(_)
        | TurnEvent::StreamStarted(_)
        | TurnEvent::StreamCut(_)
        | TurnEvent::ModelAnswered(_)
        | TurnEvent::AgentReacted(_)
        | TurnEvent::PrefixBroken(_)
        | TurnEvent::Stopped(_)
        | TurnEvent::JoinElapsed(_)
        | TurnEvent::HandedOff(_)
        | TurnEvent::MemoryCompacted(_) => false,
    };
    is_error.then_some(Mark::Error)
}
