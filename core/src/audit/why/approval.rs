//! Requests for permission, and the base of their decisions.

use serde::{Deserialize, Serialize};

use crate::command::commit::Commit;
use crate::event::{ApprovalDecided, ApprovalRequested, CallEvent, Event, Verdict};
use crate::ids::principal::Party;
use crate::ids::{AgentName, CallId, Digest, Position, RequestId, Time, ToolName};
use crate::tool::EffectClass;
use crate::world::approval_text;

/// A request for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The request.
    pub request: RequestId,
    /// The call.
    pub call: CallId,
    /// The agent that asks.
    pub agent: AgentName,
    /// The tool.
    pub tool: ToolName,
    /// The effect that the call may have: the reason that it asks.
    pub effect: EffectClass,
    /// The text that people were shown; `None` if the arguments were erased.
    pub text: Option<String>,
    /// The digest of that.
    pub shown: Digest,
    /// The digest of the tool's schema.
    pub schema: Digest,
    /// The time at which it expires, by recorded time.
    pub expires_at: Time,
}

/// The decision of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonDecision {
    /// The position of its record.
    pub at: Position,
    /// Yes or no.
    pub verdict: Verdict,
    /// The person or the service who decided.
    pub by: Party,
    /// True if the person confirmed the digest of what was shown.
    pub is_confirmed: bool,
    /// The reason, if the person gave one.
    pub reason: Option<String>,
}

/// The request that an event opens, decides or lets expire.
#[must_use]
pub fn request_of(at: Position, event: &Event) -> Option<RequestId> {
    if let Event::Call(CallEvent::ApprovalRequested(_)) = event {
        return Some(RequestId(at));
    }
    if let Event::Call(CallEvent::ApprovalDecided(decided)) = event {
        return Some(decided.request);
    }
    if let Event::Call(CallEvent::ApprovalExpired(expired)) = event {
        Some(expired.request)
    } else {
        None
    }
}

impl Asked {
    /// Reads what `request` asked; `None` if `commit` did not open it.
    #[must_use]
    pub fn of(commit: &Commit, request: RequestId) -> Option<Self> {
        let (_, event) = commit.numbered().find(|(at, _)| *at == request.0)?;
        let Event::Call(CallEvent::ApprovalRequested(asked)) = event else {
            return None;
        };
        let ApprovalRequested {
            call,
            agent,
            tool,
            effect,
            warnings,
            shown,
            schema,
            expires_at,
            ..
        } = asked.clone();
        let text = arguments(commit, call)
            .map(|arguments| approval_text(&agent, &tool, effect, &arguments, &warnings));
        Some(Self {
            request,
            call,
            agent,
            tool,
            effect,
            text,
            shown,
            schema,
            expires_at,
        })
    }
}

impl From<(Position, &ApprovalDecided)> for PersonDecision {
    fn from((at, decided): (Position, &ApprovalDecided)) -> Self {
        Self {
            at,
            verdict: decided.verdict,
            by: decided.by.clone(),
            is_confirmed: decided.shown.is_some(),
            reason: decided.text.present().and_then(|text| text.reason.clone()),
        }
    }
}

/// The arguments of `call`, which stand in the answer beside it.
fn arguments(commit: &Commit, call: CallId) -> Option<String> {
    let admitted = commit.events.iter().find_map(|event| {
        let Event::Call(CallEvent::CallsAdmitted(admitted)) = event else {
            return None;
        };
        admitted.calls.iter().find(|admitted| admitted.call == call)
    })?;
    let response = commit.events.iter().find_map(Event::response)?;
    let ordinal = usize::try_from(admitted.ordinal).ok()?;
    response
        .reply()
        .calls()
        .nth(ordinal)
        .map(|part| part.arguments.clone())
}
