//! The newest messages of the room, in the order of their positions.

use std::sync::Arc;

use crate::ids::{MessageId, Position};
use crate::world::World;
use crate::world::memory::{Message, is_within};

impl World {
    /// The message `id`, if it is among the newest.
    #[must_use]
    pub fn message(&self, id: MessageId) -> Option<&Arc<Message>> {
        let at = self.moved.get(&id).copied().unwrap_or(id.0);
        self.message_at(at).filter(|message| message.id == id)
    }

    /// The message that stands at `at`, if it is among the newest.
    #[must_use]
    pub fn message_at(&self, at: Position) -> Option<&Arc<Message>> {
        let place = self
            .transcript
            .binary_search_by_key(&at, |message| message.at)
            .ok()?;
        self.transcript.get(place)
    }
}

/// The depth of a message that answers `reply_to`.
pub(in crate::world) fn depth_below(world: &World, reply_to: Option<MessageId>) -> u32 {
    reply_to
        .and_then(|id| world.message(id))
        .map_or(0, |answered| answered.depth.saturating_add(1))
}

/// Adds the newest message; the oldest one goes if there are too many.
pub(in crate::world) fn push_message(world: &mut World, message: Message) {
    if message.id.0 != message.at {
        world.moved.insert(message.id, message.at);
    }
    world.transcript.push_back(Arc::new(message));
    let max = usize::try_from(world.rules.spec().limits.transcript_max).unwrap_or(usize::MAX);
    while world.transcript.len() > max {
        let Some(oldest) = world.transcript.pop_front() else {
            return;
        };
        world.moved.remove(&oldest.id);
    }
}

/// Returns where the messages stand that go with the one at `at`, in ascending order: itself, what its agent said in the same
/// turn, and what was said in answer to these alone.
pub(in crate::world) fn gone_with(world: &World, at: Position) -> Vec<Position> {
    let target = world.message_at(at).filter(|message| message.is_of_turn());
    let is_with = |message: &Message| {
        let is_same = |target: &Arc<Message>| message.is_of_turn() && message.turn == target.turn;
        message.at == at || target.is_some_and(is_same)
    };
    let mut gone = Vec::new();
    for message in &world.transcript {
        if is_with(message) || is_within(&message.because, &gone) {
            gone.push(message.at);
        }
    }
    gone
}
