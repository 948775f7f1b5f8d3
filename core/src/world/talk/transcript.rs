//! The newest messages of the room, in the order of their positions.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ids::{MessageId, Position};
use crate::world::memory::{Message, is_within, without};

/// The newest messages, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::world) struct Transcript {
    /// At most as many as the limit `transcript_max` of the definition; older ones are only in the
    /// log.
    messages: VecDeque<Arc<Message>>,
    /// Where those of them stand whose id is not their position: streamed and edited ones.
    moved: BTreeMap<MessageId, Position>,
}

impl Transcript {
    pub(in crate::world) const fn messages(&self) -> &VecDeque<Arc<Message>> {
        &self.messages
    }

    pub(in crate::world) fn message(&self, id: MessageId) -> Option<&Arc<Message>> {
        let at = self.moved.get(&id).copied().unwrap_or(id.0);
        self.message_at(at).filter(|message| message.id == id)
    }

    pub(in crate::world) fn message_at(&self, at: Position) -> Option<&Arc<Message>> {
        self.messages.get(self.place_of(at)?)
    }

    pub(in crate::world) fn message_at_mut(&mut self, at: Position) -> Option<&mut Arc<Message>> {
        let place = self.place_of(at)?;
        self.messages.get_mut(place)
    }

    fn place_of(&self, at: Position) -> Option<usize> {
        self.messages
            .binary_search_by_key(&at, |message| message.at)
            .ok()
    }

    /// The newest message.
    pub(in crate::world) fn last(&self) -> Option<&Arc<Message>> {
        self.messages.back()
    }

    pub(in crate::world) fn last_mut(&mut self) -> Option<&mut Arc<Message>> {
        self.messages.back_mut()
    }

    /// The depth of a message that answers `reply_to`: 0 if it answers none, or one that is no
    /// longer known.
    pub(in crate::world) fn depth_below(&self, reply_to: Option<MessageId>) -> u32 {
        reply_to
            .and_then(|id| self.message(id))
            .map_or(0, |answered| answered.depth.saturating_add(1))
    }

    /// Adds the newest message; the oldest ones go if there are more than `max`.
    pub(in crate::world) fn push(&mut self, message: Message, max: u32) {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        if message.id.0 != message.at {
            self.moved.insert(message.id, message.at);
        }
        self.messages.push_back(Arc::new(message));
        while self.messages.len() > max {
            let Some(oldest) = self.messages.pop_front() else {
                return;
            };
            self.moved.remove(&oldest.id);
        }
    }

    /// The messages from `from` on, oldest first.
    pub(in crate::world) fn since(&self, from: Position) -> impl Iterator<Item = &Arc<Message>> {
        let first = self.messages.partition_point(|message| message.at < from);
        self.messages.range(first..)
    }

    /// Takes messages out. What also answers something that stays, answers that alone from here on.
    pub(in crate::world) fn remove(&mut self, gone: &[Position]) {
        for at in gone {
            if let Some(id) = self.message_at(*at).map(|message| message.id) {
                self.moved.remove(&id);
            }
        }
        self.messages
            .retain(|message| gone.binary_search(&message.at).is_err());
        for message in &mut self.messages {
            if let Some(because) = without(&message.because, gone) {
                Arc::make_mut(message).because = because;
            }
        }
    }

    /// Returns where the messages stand that go with the one at `at`, in ascending order: itself,
    /// what its agent said in the same turn, and what was said in answer to these alone.
    pub(in crate::world) fn gone_with(&self, at: Position) -> Vec<Position> {
        let target = self.message_at(at).filter(|message| message.is_of_turn());
        let is_with = |message: &Message| {
            let is_same =
                |target: &Arc<Message>| message.is_of_turn() && message.turn == target.turn;
            message.at == at || target.is_some_and(is_same)
        };
        let mut gone = Vec::new();
        for message in &self.messages {
            // Causes, not times: another conversation of the room has nothing to do with it
            // (decision 0011).
            if is_with(message) || is_within(&message.because, &gone) {
                gone.push(message.at);
            }
        }
        gone
    }
}
