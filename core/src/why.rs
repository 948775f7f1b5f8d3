//! Why something happened: read from commits alone, without folding a world.
//!
//! A [`Link`] leads from an event to the one that made it necessary, and so, link by link, back to a person. What a
//! verdict of routing, a turn or an approval was based on is told by [`Verdicts`], [`TurnStory`] and [`Asked`].

use serde::{Deserialize, Serialize};

use crate::command::CommandKind;
use crate::commit::Commit;
use crate::event::{Event, MessageRouted};
use crate::ids::{AgentName, Position, Time};
use crate::principal::Principal;

mod approval;
#[cfg(test)]
mod tests;
mod turn;
mod verdicts;

pub use approval::{Asked, Decision, request_of};
pub use turn::{TurnEnd, TurnStory, turn_of};
pub use verdicts::{Silence, Verdict, Verdicts};

/// One event of a chain of causes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The event.
    pub at: Position,
    /// What happened, by name.
    pub kind: String,
    /// When it was recorded.
    pub time: Time,
    /// The command that it answers.
    pub command: CommandKind,
    /// Who gave that command.
    pub by: Principal,
    /// The event that made the command necessary; `None` at the chain's end. Always an earlier one.
    pub cause: Option<Position>,
    /// For an agent that was woken: the agent, and the messages that woke it, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<(AgentName, Vec<Position>)>,
}

impl Link {
    /// The link of the event at `at`; `None` if `commit` does not hold it.
    #[must_use]
    pub fn of(commit: &Commit, at: Position) -> Option<Self> {
        let (_, event) = commit.numbered().find(|(here, _)| *here == at)?;
        let header = &commit.header;
        Some(Self {
            at,
            kind: event.kind().name().to_owned(),
            time: header.stamp.time,
            command: header.command,
            by: header.principal.clone(),
            cause: cause(commit, at).filter(|cause| *cause < at),
            woken: woken(commit),
        })
    }
}

/// The message that the event at `at` posts, edits or routes.
#[must_use]
pub fn message_of(commit: &Commit, at: Position) -> Option<Position> {
    let (_, event) = commit.numbered().find(|(here, _)| *here == at)?;
    if let Event::MessageRouted(routed) = event {
        return Some(routed.message);
    }
    matches!(event, Event::MessagePosted(_) | Event::MessageEdited(_)).then_some(at)
}

/// The verdicts about the message at `message`, if `commit` holds them.
#[must_use]
pub fn routing_of(commit: &Commit, message: Position) -> Option<&MessageRouted> {
    commit.events.iter().find_map(|event| {
        let Event::MessageRouted(routed) = event else { return None };
        (routed.message == message).then_some(routed)
    })
}

/// The event that made the one at `at` necessary: what it says itself, else what its commit says, else the nearest
/// event up to it in its commit that says why.
fn cause(commit: &Commit, at: Position) -> Option<Position> {
    let before = || commit.numbered().take_while(|(here, _)| *here <= at);
    let own = before().last().and_then(|(_, event)| of_this_commit(event));
    let named = || before().filter_map(|(here, event)| named(here, event, at)).last();
    let turn = || before().filter_map(|(_, event)| turn_named(event)).last();
    own.or(commit.header.cause).or_else(named).or_else(turn)
}

/// What an event is about that stands beside it in its commit.
fn of_this_commit(event: &Event) -> Option<Position> {
    if let Event::MessageRouted(routed) = event {
        return Some(routed.message);
    }
    let Event::NoticePosted(posted) = event else { return None };
    posted.notice.message()
}

/// What an event names as its reason, for those whose commit names none. What a person does is the reason of what
/// stands behind it.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other events have their cause in the header, or have none")]
fn named(here: Position, event: &Event, at: Position) -> Option<Position> {
    match event {
        Event::MessagePosted(_)
        | Event::MessageEdited(_)
        | Event::MessageRetracted(_)
        | Event::ReplyRegenerated(_)
        | Event::Stopped(_) => (here < at).then_some(here),
        Event::ApprovalExpired(expired) => Some(expired.request.0),
        Event::TurnOpened(opened) => opened.news.last().copied(),
        Event::TurnDeclined(declined) => declined.news.last().copied(),
        _ => None,
    }
}

/// The turn that an event is about, for those that nothing else explains.
fn turn_named(event: &Event) -> Option<Position> {
    if let Event::AgentFailed(failed) = event {
        return failed.turn.map(|turn| turn.0);
    }
    if let Event::TurnClosed(closed) = event { Some(closed.turn.0) } else { None }
}

/// The agent that a commit is about to be woken, with its news.
fn woken(commit: &Commit) -> Option<(AgentName, Vec<Position>)> {
    commit.events.iter().find_map(|event| {
        if let Event::TurnOpened(opened) = event {
            return Some((opened.agent.clone(), opened.news.clone()));
        }
        let Event::TurnDeclined(declined) = event else { return None };
        Some((declined.agent.clone(), declined.news.clone()))
    })
}
