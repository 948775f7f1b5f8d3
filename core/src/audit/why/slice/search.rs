//! Causes whose place in the log is not recorded: they are the next older event of their kind.

use std::collections::BTreeMap;

use super::SliceNode;
use crate::command::commit::Commit;
use crate::event::{
    Author, CallEvent, CallsAdmitted, Event, MessageRouted, ModelCalled, ModelFailed,
    ReplyRegenerated, SettledHow, TalkEvent, TurnEvent, UnknownCause, WorldEvent,
};
use crate::ids::{AgentName, CallId, ModelCallId, Position};

/// Something older that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Search {
    /// All results of the calls of an agent's last answer, and settlements that are results.
    Results(AgentName, BTreeMap<CallId, SliceNode>),
    /// The attempt of a model call before this one, or how it failed; and the opening of the world
    /// that lost it.
    Attempt(ModelCallId, Option<SliceNode>),
    /// The first opening of the world behind the event there, if that is the beginning of something
    /// that was lost with it.
    Loss(Position, Option<SliceNode>),
    /// An agent's question that a call is.
    Asked(CallId),
    /// The last event about a call.
    Call(CallId),
    /// The end of an agent's wait for others, if there is one behind the event there.
    Elapsed(AgentName, Position),
    /// The last words of an agent.
    Spoke(AgentName),
    /// The verdicts that last woke an agent.
    Woken(AgentName),
}

/// The bearing of an event on a search.
#[derive(Debug, Default)]
pub(super) struct Bearing {
    /// True if it is what was looked for.
    pub(super) is_it: bool,
    /// True if nothing older is.
    pub(super) is_over: bool,
    /// A newer event turns out to be one as well.
    pub(super) newer: Option<PassedEvent>,
}

/// An event that was passed before it was known to be a cause.
#[derive(Debug)]
pub(super) struct PassedEvent {
    /// The event.
    pub(super) node: SliceNode,
    /// True if the event at hand is its cause; else it has none.
    pub(super) is_because_of_this: bool,
}

impl Bearing {
    const OVER: Self = Self {
        is_it: false,
        is_over: true,
        newer: None,
    };
    const LAST: Self = Self {
        is_it: true,
        is_over: true,
        newer: None,
    };
    const ONE: Self = Self {
        is_it: true,
        is_over: false,
        newer: None,
    };

    fn last_if(is_it: bool) -> Self {
        if is_it { Self::LAST } else { Self::default() }
    }

    /// Over, with the opening of the world behind it.
    fn over_with(is_it: bool, opening: Option<SliceNode>) -> Self {
        let newer = opening.map(|node| PassedEvent {
            node,
            is_because_of_this: false,
        });
        Self {
            is_it,
            is_over: true,
            newer,
        }
    }
}

impl Search {
    /// Tells whether anything at `at` or before it can be what is looked for.
    pub(super) fn reaches(&self, at: Position) -> bool {
        match self {
            Self::Loss(since, _) | Self::Elapsed(_, since) => at >= *since,
            Self::Results(..)
            | Self::Attempt(..)
            | Self::Asked(_)
            | Self::Call(_)
            | Self::Spoke(_)
            | Self::Woken(_) => true,
        }
    }

    /// Meets the next older event.
    pub(super) fn meet(&mut self, commit: &Commit, at: Position, event: &Event) -> Bearing {
        match self {
            Self::Results(agent, settled) => results(agent, settled, commit, at, event),
            Self::Attempt(call, lost) => attempt(*call, lost, commit, at, event),
            Self::Loss(since, lost) => loss(*since, lost, commit, at, event),
            Self::Asked(call) => Bearing::last_if(
                matches!(event, Event::Call(CallEvent::AgentAsked(asked)) if asked.call == *call),
            ),
            Self::Call(call) => Bearing::last_if(moves(event, *call)),
            Self::Elapsed(agent, since) if at > *since => Bearing::last_if(
                matches!(event, Event::Turn(TurnEvent::JoinElapsed(elapsed)) if elapsed.agent == *agent),
            ),
            Self::Elapsed(..) => Bearing::OVER,
            Self::Spoke(agent) => Bearing::last_if(is_said_by(event, agent)),
            Self::Woken(agent) => Bearing::last_if(wakes(event, agent)),
        }
    }
}

/// A settlement is a result if the call was open: if a crash is what made its outcome unknown, and
/// nothing closed it since.
fn results(
    agent: &AgentName,
    settled: &mut BTreeMap<CallId, SliceNode>,
    commit: &Commit,
    at: Position,
    event: &Event,
) -> Bearing {
    if let Event::Call(CallEvent::ToolFinished(finished)) = event {
        settled.remove(&finished.call);
        return if finished.agent == *agent {
            Bearing::ONE
        } else {
            Bearing::default()
        };
    }
    if let Event::Call(CallEvent::OutcomeSettled(outcome)) = event
        && outcome.agent == *agent
        && matches!(outcome.how, SettledHow::Ran | SettledHow::NotRun)
    {
        settled.insert(outcome.call, SliceNode::of(commit, at, event));
    }
    if let Event::Call(CallEvent::OutcomeUnknown(unknown)) = event
        && let Some(node) = settled.remove(&unknown.call)
        && unknown.cause == UnknownCause::Crash
    {
        return Bearing {
            newer: Some(PassedEvent {
                node,
                is_because_of_this: true,
            }),
            ..Bearing::default()
        };
    }
    if let Event::Turn(TurnEvent::TurnOpened(opened)) = event
        && opened.agent == *agent
    {
        return Bearing::LAST;
    }
    if is_answer_of(event, agent) {
        Bearing::OVER
    } else {
        Bearing::default()
    }
}

fn attempt(
    call: ModelCallId,
    lost: &mut Option<SliceNode>,
    commit: &Commit,
    at: Position,
    event: &Event,
) -> Bearing {
    if ModelFailed::of_event(event).is_some_and(|failed| failed.call == call) {
        Bearing::LAST
    } else if ModelCalled::of_event(event).is_some_and(|called| called.call == call) {
        Bearing::over_with(true, lost.take())
    } else {
        note_opening(lost, commit, at, event)
    }
}

fn loss(
    since: Position,
    lost: &mut Option<SliceNode>,
    commit: &Commit,
    at: Position,
    event: &Event,
) -> Bearing {
    if at > since {
        return note_opening(lost, commit, at, event);
    }
    let begins = matches!(
        event,
        Event::Call(CallEvent::ToolStarted(_)) | Event::Turn(TurnEvent::ModelCalled(_))
    );
    Bearing::over_with(false, lost.take().filter(|_| begins && at == since))
}

/// Notes an opening of the world; an older one takes its place.
fn note_opening(
    lost: &mut Option<SliceNode>,
    commit: &Commit,
    at: Position,
    event: &Event,
) -> Bearing {
    if matches!(event, Event::World(WorldEvent::Opened(_))) {
        *lost = Some(SliceNode::of(commit, at, event));
    }
    Bearing::default()
}

/// Tells whether it takes up calls of an answer of `agent`, and not such as stand for others.
fn is_answer_of(event: &Event, agent: &AgentName) -> bool {
    let Event::Call(CallEvent::CallsAdmitted(admitted)) = event else {
        return false;
    };
    admitted.agent == *agent && admitted.calls.iter().any(|call| call.origin.is_none())
}

pub(super) fn admits(admitted: &CallsAdmitted, call: CallId) -> bool {
    admitted.calls.iter().any(|admitted| admitted.call == call)
}

fn is_said_by(event: &Event, agent: &AgentName) -> bool {
    matches!(event, Event::Talk(TalkEvent::MessagePosted(posted)) if posted.author == Author::Agent(agent.clone()))
}

fn wakes(event: &Event, agent: &AgentName) -> bool {
    let is_woken = |routed: &MessageRouted| routed.respond.iter().any(|(name, _)| name == agent);
    MessageRouted::of_event(event).is_some_and(is_woken)
        || ReplyRegenerated::of_event(event).is_some_and(|made| made.agent == *agent)
}

/// Tells whether the event is about `call` and moved it on.
fn moves(event: &Event, call: CallId) -> bool {
    let Event::Call(event) = event else {
        return false;
    };
    match event {
        CallEvent::CallsAdmitted(admitted) => admits(admitted, call),
        CallEvent::ApprovalRequested(asked) => asked.call == call,
        CallEvent::ApprovalDecided(decided) => decided.call == call,
        CallEvent::GrantUsed(used) => used.call == call,
        CallEvent::QuestionAsked(asked) => asked.call == call,
        CallEvent::QuestionAnswered(answered) => answered.call == call,
        CallEvent::ToolStarted(started) => started.call == call,
        CallEvent::OutcomeUnknown(unknown) => unknown.call == call,
        CallEvent::Reconciled(reconciled) => reconciled.call == call,
        CallEvent::AgentAsked(asked) => asked.call == call,
        // Ends of calls, and grants that are about no single call.
        CallEvent::ApprovalExpired(_)
        | CallEvent::ToolFinished(_)
        | CallEvent::OutcomeSettled(_)
        | CallEvent::CallReplaced(_)
        | CallEvent::GrantGiven(_)
        | CallEvent::GrantRevoked(_) => false,
    }
}
