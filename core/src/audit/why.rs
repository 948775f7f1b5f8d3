//! The reasons of events: read from commits alone, without folding a world.
//!
//! A [`Slice`] is an event with all that it would not have happened without, back to what people
//! did. What a verdict of routing, a turn or an approval was based on is told by [`Verdicts`],
//! [`TurnStory`] and [`Asked`].

use crate::command::commit::Commit;
use crate::event::{Event, MessageRouted, TalkEvent};
use crate::ids::Position;

mod approval;
mod slice;
#[cfg(test)]
mod tests;
mod turn;
mod verdicts;

pub use approval::{Asked, PersonDecision, request_of};
pub use slice::{Slice, SliceNode};
pub use turn::{TurnEnd, TurnStory, turn_of};
pub use verdicts::{AgentVerdict, Silence, Verdicts};

/// The message that the event at `at` posts, edits or routes.
#[must_use]
pub fn message_of(commit: &Commit, at: Position) -> Option<Position> {
    let (_, event) = commit.numbered().find(|(here, _)| *here == at)?;
    if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
        return Some(routed.message);
    }
    matches!(
        event,
        Event::Talk(TalkEvent::MessagePosted(_)) | Event::Talk(TalkEvent::MessageEdited(_))
    )
    .then_some(at)
}

/// The verdicts about the message at `message`, if `commit` holds them.
#[must_use]
pub fn routing_of(commit: &Commit, message: Position) -> Option<&MessageRouted> {
    commit.events.iter().find_map(|event| {
        let Event::Talk(TalkEvent::MessageRouted(routed)) = event else {
            return None;
        };
        (routed.message == message).then_some(routed)
    })
}
