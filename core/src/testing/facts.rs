//! Events as tests expect them.

use super::{agent, model, person};
use crate::content::Content;
use crate::event::refusal::RefusalReason;
use crate::event::*;
use crate::ids::principal::Principal;
use crate::ids::{
    Attempt, CallId, Digest, EpisodeId, Incarnation, MessageId, ModelCallId, Position, RequestId,
    TurnId,
};
use crate::model::Parameters;
use crate::tool::ToolOutcome;

pub(crate) fn at(position: u64) -> Position {
    Position::new(position)
}

pub(crate) fn episode(position: u64) -> EpisodeId {
    EpisodeId(at(position))
}

pub(crate) fn decided(request: RequestId, call: CallId, verdict: Verdict) -> Event {
    Event::Call(CallEvent::ApprovalDecided(ApprovalDecided {
        request,
        call,
        agent: agent("bob"),
        verdict,
        scope: Scope::Once,
        wider: Wider::Same,
        is_edited: false,
        shares_reason: false,
        shown: None,
        by: person("ada").into(),
        text: DecisionText::default().into(),
    }))
}

/// The end of a call of bob's that never ran.
pub(crate) fn ended(call: CallId, status: CallStatus) -> Event {
    tool_finished(call, None, status, None)
}

/// The end of a run of bob's that was cut off.
pub(crate) fn cut(call: CallId, attempt: u32, status: CallStatus) -> Event {
    tool_finished(call, Some(Attempt(attempt)), status, None)
}

pub(crate) fn tool_finished(
    call: CallId,
    attempt: Option<Attempt>,
    status: CallStatus,
    outcome: Option<ToolOutcome>,
) -> Event {
    Event::Call(CallEvent::ToolFinished(ToolFinished::new(
        call,
        agent("bob"),
        attempt,
        status,
        outcome,
    )))
}

pub(crate) fn notice(notice: Notice, of: u64) -> Event {
    Event::Talk(TalkEvent::NoticePosted(NoticePosted {
        notice,
        to: None,
        episode: Some(episode(of)),
    }))
}

pub(crate) fn notice_to_ada(notice: Notice, of: u64) -> Event {
    let to = Some(person("ada").display);
    Event::Talk(TalkEvent::NoticePosted(NoticePosted {
        notice,
        to,
        episode: Some(episode(of)),
    }))
}

pub(crate) fn closed(name: &str, turn: TurnId, reason: CloseReason) -> Event {
    Event::Turn(TurnEvent::TurnClosed(TurnClosed {
        agent: agent(name),
        turn,
        reason,
        unasked: None,
    }))
}

pub(crate) fn refused(
    command: &crate::command::Command,
    reason: RefusalReason,
    request: Option<RequestId>,
) -> Event {
    let (principal, digest) = (command.principal.clone(), command.digest());
    let request = request.map(|request| request.0);
    Event::Refused(Refused {
        reason,
        principal,
        command: digest,
        request,
        repeated: false,
    })
}

pub(crate) fn unknown(call: CallId, cause: UnknownCause) -> Event {
    Event::Call(CallEvent::OutcomeUnknown(OutcomeUnknown {
        call,
        agent: agent("bob"),
        cause,
    }))
}

pub(crate) fn settled(
    request: RequestId,
    call: CallId,
    how: SettledHow,
    by: Principal,
    text: SettledText,
) -> Event {
    Event::Call(CallEvent::OutcomeSettled(OutcomeSettled {
        request,
        call,
        agent: agent("bob"),
        how,
        by,
        text: text.into(),
    }))
}

pub(crate) fn turn_opened(name: &str, of: u64, horizon: u64, news: &[u64]) -> Event {
    let news = news.iter().copied().map(at).collect();
    Event::Turn(TurnEvent::TurnOpened(TurnOpened {
        agent: agent(name),
        episode: episode(of),
        horizon: at(horizon),
        news,
        resumes: None,
        redoes: Vec::new(),
    }))
}

/// What ada says at `position`.
pub(crate) fn posted(position: u64, said: &str) -> Event {
    let author = Author::Person(person("ada").display);
    Event::Talk(TalkEvent::MessagePosted(MessagePosted::said(
        MessageId(at(position)),
        author,
        None,
        MessageBody::text(said),
    )))
}

/// The verdicts about the message at `message`, which begins its episode.
pub(crate) fn route(
    message: u64,
    rule: RoutingRule,
    respond: &[(&str, RoutingReason)],
) -> MessageRouted {
    MessageRouted {
        message: at(message),
        episode: episode(message),
        rule,
        respond: respond
            .iter()
            .map(|(name, reason)| (agent(name), *reason))
            .collect(),
        people: Vec::new(),
        others: Others::Store,
        tag: None,
        damped: Vec::new(),
        tells_join: false,
        undeliverable: 0,
        unknown: Content::Present(Vec::new()),
    }
}

pub(crate) fn routed(
    message: u64,
    rule: RoutingRule,
    respond: &[(&str, RoutingReason)],
    unknown: &[&str],
) -> Event {
    let unknown: Vec<String> = unknown.iter().map(|name| (*name).to_owned()).collect();
    Event::Talk(TalkEvent::MessageRouted(MessageRouted {
        undeliverable: u32::try_from(unknown.len()).unwrap(),
        unknown: Content::Present(unknown),
        ..route(message, rule, respond)
    }))
}

/// Bob's model is asked at `call`, `items` being what it reads.
pub(crate) fn model_called(
    call: u64,
    attempt: u32,
    turn: TurnId,
    purpose: Purpose,
    items: u32,
    link: Digest,
) -> Event {
    Event::Turn(TurnEvent::ModelCalled(ModelCalled {
        agent: agent("bob"),
        turn,
        call: ModelCallId(at(call)),
        attempt: Attempt(attempt),
        incarnation: Incarnation(1),
        purpose,
        model: model(),
        parameters: Parameters::default(),
        items,
        fingerprint: link,
        reserved: None,
    }))
}
