//! The reach of erasure: the differences that erased content can be the reason of.

use super::compare::{first_difference, is_same};
use crate::command::commit::Commit;
use crate::command::{Action, Command, ConsentAction, ShellAction, TalkAction, WorldAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::{
    CallEvent, CloseReason, Event, EventKind, MessageEdited, ModelCalled, ModelFailed, Notice,
    SpecRevised, TalkEvent, TurnEvent, WorldEvent,
};
use crate::world::{Decision, Request, RequestKind, World};

/// Tells whether content that was erased before `commit` can be why it came out otherwise.
///
/// Facts hold all that decisions need but six things: how the text of a definition differs from the
/// one before, how long a request to a model is and what its fingerprint is, the arguments that an
/// approval is about or that newer rules judge, the attachments of a message that is edited, a
/// result that stands for further calls, and a question that a fork asks again.
pub(super) fn explains(
    world: &World,
    commit: &Commit,
    command: &Command,
    decision: &Decision,
) -> bool {
    if is_about_erased_arguments(world, command, decision)
        || is_start_of_erased(world, command, decision)
        || is_edit_of_erased(world, commit, command, decision)
    {
        return true;
    }
    if decision.events.is_empty() {
        return false;
    }
    if matches!(command.action, Action::World(WorldAction::Fork { .. })) {
        return has_erased_question(world);
    }
    if matches!(
        command.action,
        Action::World(WorldAction::Open { copy: Some(_), .. })
    ) && (has_erased_question(world) || has_erased_call(world))
    {
        return true;
    }
    let header = &commit.header;
    let is_other_command = header.cause != decision.cause
        || header.residual.is_some()
        || header.command != world.meant(command).action.kind();
    if is_other_command || authority(&commit.events) != authority(&decision.events) {
        return false;
    }
    let same = |recorded: &Event, recomputed: &Event| {
        is_same(recorded, recomputed) || is_same_call(recorded, recomputed)
    };
    let Some(at) = first_difference(&commit.events, &decision.events, same) else {
        return true;
    };
    let recorded = commit.events.get(at);
    let recomputed = decision.events.get(at);
    if let (
        Some(Event::Turn(TurnEvent::ModelCalled(recorded))),
        Some(Event::Turn(TurnEvent::ModelCalled(recomputed))),
    ) = (recorded, recomputed)
    {
        return is_same_attempt(recorded, recomputed);
    }
    if let (
        Some(Event::Turn(TurnEvent::ModelFailed(recorded))),
        Some(Event::Turn(TurnEvent::ModelFailed(recomputed))),
    ) = (recorded, recomputed)
    {
        return is_same_failure(recorded, recomputed);
    }
    if let (
        Some(Event::World(WorldEvent::SpecRevised(recorded))),
        Some(Event::World(WorldEvent::SpecRevised(recomputed))),
    ) = (recorded, recomputed)
    {
        let changes = recomputed.changes.clone();
        return world.spec_text().present().is_none()
            && SpecRevised {
                changes,
                ..recorded.clone()
            } == *recomputed;
    }
    match (recorded, recomputed) {
        // What comes in the place of a result that was there to be given again may be anything that
        // a call leads to.
        (Some(Event::Call(CallEvent::ToolFinished(finished))), _) if finished.memo.is_some() => {
            true
        }
        // So may a result be given again that would have been forgotten by then: what is erased
        // takes no room.
        (_, Some(Event::Call(CallEvent::ToolFinished(finished)))) if finished.memo.is_some() => {
            true
        }
        // A memory that is full by its length drops items, or does not.
        (Some(Event::Turn(TurnEvent::PrefixBroken(_))), _)
        | (_, Some(Event::Turn(TurnEvent::PrefixBroken(_)))) => true,
        (
            Some(Event::Turn(TurnEvent::TurnOpened(_))),
            Some(Event::Turn(TurnEvent::TurnDeclined(_))),
        ) => true,
        (
            Some(Event::Turn(TurnEvent::TurnDeclined(_))),
            Some(Event::Turn(TurnEvent::TurnOpened(_))),
        ) => true,
        (_, _) => [recorded, recomputed]
            .into_iter()
            .flatten()
            .all(hangs_on_content),
    }
}

/// The events that no erased text can be the reason of: what people and the house decide, and what
/// begins to run.
fn authority(events: &[Event]) -> Vec<EventKind> {
    const AUTHORITY: [EventKind; 19] = [
        EventKind::WorldOpened,
        EventKind::Opened,
        EventKind::SpecRevised,
        EventKind::EpochOpened,
        EventKind::PersonJoined,
        EventKind::RightsChanged,
        EventKind::HeadSigned,
        EventKind::Forked,
        EventKind::Restored,
        EventKind::ErasureRequested,
        EventKind::Erased,
        EventKind::WithheldViewed,
        EventKind::ApprovalDecided,
        EventKind::GrantGiven,
        EventKind::GrantRevoked,
        EventKind::QuestionAnswered,
        EventKind::OutcomeSettled,
        EventKind::ToolStarted,
        EventKind::Labelled,
    ];
    events
        .iter()
        .map(Event::kind)
        .filter(|kind| AUTHORITY.contains(kind))
        .collect()
}

/// Tells whether people were asked something whose words are gone: a fork cannot ask it again.
fn has_erased_question(world: &World) -> bool {
    let is_erased = |request: &Request| matches!(&request.kind, RequestKind::Question { question, .. } if question.present().is_none());
    world.consent().pending().values().any(is_erased)
}

/// True if a call waits whose arguments are gone: nobody can be asked about it as it was.
fn has_erased_call(world: &World) -> bool {
    let agents = world.rules().spec().agents.iter();
    let memories = agents.filter_map(|agent| world.memory(&agent.name));
    memories
        .flat_map(|memory| memory.open_calls.values())
        .any(|call| call.arguments.present().is_none())
}

/// Two requests that differ in nothing but what they say, and how long that is.
fn is_same_call(recorded: &Event, recomputed: &Event) -> bool {
    let (
        Event::Turn(TurnEvent::ModelCalled(recorded)),
        Event::Turn(TurnEvent::ModelCalled(recomputed)),
    ) = (recorded, recomputed)
    else {
        return false;
    };
    let ModelCalled {
        items,
        fingerprint,
        reserved,
        ..
    } = recomputed.clone();
    ModelCalled {
        items,
        fingerprint,
        reserved,
        ..recorded.clone()
    } == *recomputed
}

/// The same attempt, for a summary or not, with tools or without, of another model that reads as
/// much.
fn is_same_attempt(recorded: &ModelCalled, recomputed: &ModelCalled) -> bool {
    let of = |called: &ModelCalled| {
        (
            called.agent.clone(),
            called.turn,
            called.call,
            called.attempt,
            called.incarnation,
        )
    };
    let is_other = recorded.purpose != recomputed.purpose || recorded.model != recomputed.model;
    is_other && of(recorded) == of(recomputed)
}

/// The same failure, behind which another model stands in, or none: it must be able to read the
/// request.
fn is_same_failure(recorded: &ModelFailed, recomputed: &ModelFailed) -> bool {
    let ModelFailed {
        fallback,
        retry_at,
        detail,
        ..
    } = recomputed.clone();
    recorded.fallback != fallback
        && ModelFailed {
            fallback,
            retry_at,
            detail,
            ..recorded.clone()
        } == *recomputed
}

/// A yes to a call whose arguments are gone: these rules can no longer compare them with what was
/// shown.
fn is_about_erased_arguments(world: &World, command: &Command, decision: &Decision) -> bool {
    let Action::Consent(ConsentAction::Decide { request, .. }) = &command.action else {
        return false;
    };
    let Err(Refusal::Right {
        reason: RefusalReason::ArgumentsDiffer,
        ..
    }) = decision.answer
    else {
        return false;
    };
    let request = world.consent().pending().get(request);
    let open = request.and_then(|request| {
        let memory = world.memory(&request.agent)?;
        memory.open_calls.get(&request.call)
    });
    open.is_some_and(|open| open.arguments.present().is_none())
}

/// A call whose arguments are gone is not started under other rules: with its arguments they may
/// have allowed it.
fn is_start_of_erased(world: &World, command: &Command, decision: &Decision) -> bool {
    let Action::Shell(ShellAction::StartTool { agent, call, .. }) = &command.action else {
        return false;
    };
    let open = world
        .memory(agent)
        .and_then(|memory| memory.open_calls.get(call));
    !decision
        .events
        .iter()
        .any(|event| event.kind() == EventKind::ToolStarted)
        && open.is_some_and(|open| open.arguments.present().is_none())
        && world.is_under_other_rules(agent)
}

/// Other words for a message whose attachments, which stay, are gone.
fn is_edit_of_erased(
    world: &World,
    commit: &Commit,
    command: &Command,
    decision: &Decision,
) -> bool {
    let Action::Talk(TalkAction::Edit { message, .. }) = &command.action else {
        return false;
    };
    let known = world.transcript().iter().find(|known| known.id == *message);
    if known.is_none_or(|known| known.text.present().is_some()) {
        return false;
    }
    match (commit.events.first(), decision.events.first()) {
        (Some(_), None) => matches!(decision.answer, Err(Refusal::BadMessage { .. })),
        (
            Some(Event::Talk(TalkEvent::MessageEdited(recorded))),
            Some(Event::Talk(TalkEvent::MessageEdited(recomputed))),
        ) => {
            MessageEdited {
                body: recomputed.body.clone(),
                ..recorded.clone()
            } == *recomputed
        }
        (_, _) => false,
    }
}

/// Tells whether an event is there, or not, because of the length of a request.
fn hangs_on_content(event: &Event) -> bool {
    match event {
        Event::Turn(TurnEvent::PrefixBroken(_))
        | Event::Turn(TurnEvent::MemoryCompacted(_))
        | Event::Turn(TurnEvent::ModelCalled(_))
        | Event::Turn(TurnEvent::TurnDeclined(_)) => true,
        Event::Turn(TurnEvent::TurnClosed(closed)) => {
            matches!(closed.reason, CloseReason::Limit | CloseReason::Failed)
        }
        Event::Talk(TalkEvent::NoticePosted(posted)) => matches!(
            posted.notice,
            Notice::LimitReached { .. } | Notice::TurnFailed { .. }
        ),
        Event::World(WorldEvent::WorldOpened(_))
        | Event::World(WorldEvent::HeadSigned(_))
        | Event::World(WorldEvent::Restored(_))
        | Event::Turn(TurnEvent::StreamCut(_))
        | Event::World(WorldEvent::Forked(_))
        | Event::World(WorldEvent::ErasureRequested(_))
        | Event::World(WorldEvent::Erased(_))
        | Event::World(WorldEvent::WithheldViewed(_))
        | Event::World(WorldEvent::Opened(_))
        | Event::World(WorldEvent::SpecRevised(_))
        | Event::World(WorldEvent::EpochOpened(_))
        | Event::World(WorldEvent::PersonJoined(_))
        | Event::World(WorldEvent::WarningRecorded(_))
        | Event::World(WorldEvent::StepDone(_))
        | Event::World(WorldEvent::PersonLeft(_))
        | Event::World(WorldEvent::Labelled(_))
        | Event::World(WorldEvent::RightsChanged(_))
        | Event::Talk(TalkEvent::MessagePosted(_))
        | Event::Talk(TalkEvent::MessageRouted(_))
        | Event::Talk(TalkEvent::MessageEdited(_))
        | Event::Talk(TalkEvent::MessageRetracted(_))
        | Event::Talk(TalkEvent::ReplyRegenerated(_))
        | Event::Talk(TalkEvent::ArtifactWithheld(_))
        | Event::Talk(TalkEvent::StateObserved(_))
        | Event::Turn(TurnEvent::TurnOpened(_))
        | Event::Turn(TurnEvent::StreamStarted(_))
        | Event::Turn(TurnEvent::ModelAnswered(_))
        | Event::Turn(TurnEvent::ModelFailed(_))
        | Event::Turn(TurnEvent::AgentReacted(_))
        | Event::Turn(TurnEvent::AgentFailed(_))
        | Event::Turn(TurnEvent::Stopped(_))
        | Event::Turn(TurnEvent::JoinElapsed(_))
        | Event::Turn(TurnEvent::HandedOff(_))
        | Event::Call(CallEvent::CallsAdmitted(_))
        | Event::Call(CallEvent::ApprovalRequested(_))
        | Event::Call(CallEvent::ApprovalDecided(_))
        | Event::Call(CallEvent::ApprovalExpired(_))
        | Event::Call(CallEvent::QuestionAsked(_))
        | Event::Call(CallEvent::QuestionAnswered(_))
        | Event::Call(CallEvent::ToolStarted(_))
        | Event::Call(CallEvent::ToolFinished(_))
        | Event::Call(CallEvent::OutcomeUnknown(_))
        | Event::Call(CallEvent::OutcomeSettled(_))
        | Event::Call(CallEvent::Reconciled(_))
        | Event::Call(CallEvent::CallReplaced(_))
        | Event::Call(CallEvent::AgentAsked(_))
        | Event::Call(CallEvent::GrantGiven(_))
        | Event::Call(CallEvent::GrantUsed(_))
        | Event::Call(CallEvent::GrantRevoked(_))
        | Event::Refused(_) => false,
    }
}
