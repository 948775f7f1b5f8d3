//! What people were told, by their own memory.

use std::collections::BTreeMap;

use folkmoot::WorldName;
use folkmoot::core::command::commit::{CommandKey, Commit};
use folkmoot::core::event::{Event, TalkEvent};
use folkmoot::core::ids::{MessageId, Position};

use crate::law::{Law, Violation};

/// What people were told: that what they said is kept, and how far a log reached.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    said: BTreeMap<WorldName, BTreeMap<MessageId, String>>,
    seen: BTreeMap<WorldName, Position>,
    last: BTreeMap<(usize, String), MessageId>,
}

impl Ledger {
    /// Somebody was told that their words are kept.
    pub(crate) fn said(
        &mut self,
        world: &WorldName,
        (room, person): (usize, &str),
        message: MessageId,
        text: &str,
    ) {
        self.said
            .entry(world.clone())
            .or_default()
            .insert(message, text.to_owned());
        self.last.insert((room, person.to_owned()), message);
    }

    /// Somebody was shown a state at `head`.
    pub(crate) fn saw(&mut self, world: &WorldName, head: Position) {
        let seen = self.seen.entry(world.clone()).or_default();
        *seen = head.max(*seen);
    }

    /// Returns what somebody said last.
    pub(crate) fn last(&self, room: usize, person: &str) -> Option<MessageId> {
        self.last.get(&(room, person.to_owned())).copied()
    }

    /// Tells whether a log holds all that people were told of it.
    pub(crate) fn check(&self, world: &WorldName, log: &[Commit]) -> Result<(), Violation> {
        let at = |law, at: Position, what: String| {
            Err(Violation {
                world: Some(world.clone()),
                at: Some(at),
                ..Violation::of(law, what)
            })
        };
        let head = log.last().map(Commit::last).unwrap_or_default();
        if let Some(seen) = self.seen.get(world).filter(|seen| **seen > head) {
            return at(
                Law::NothingLost,
                *seen,
                format!("somebody was shown this event, and the log ends at {head}"),
            );
        }
        let empty = BTreeMap::new();
        let mut missing = self.said.get(world).unwrap_or(&empty).clone();
        let mut keys = BTreeMap::new();
        for commit in log {
            for event in &commit.events {
                if let Event::Talk(TalkEvent::MessagePosted(posted)) = event
                    && let Some(text) = missing.remove(&posted.message)
                    && posted.body.present().is_some_and(|body| body.text != text)
                {
                    return at(
                        Law::NothingLost,
                        posted.message.0,
                        format!("somebody said {text:?}, and it is not that"),
                    );
                }
            }
            if let Some(CommandKey::Client(key)) =
                commit.header.key.as_ref().map(|keyed| &keyed.key)
                && let Some(first) = keys.insert(key.clone(), commit.header.first)
            {
                return at(
                    Law::NothingTwice,
                    commit.header.first,
                    format!("the key {key} was used at {first} already"),
                );
            }
        }
        match missing.into_iter().next() {
            Some((message, text)) => at(
                Law::NothingLost,
                message.0,
                format!("somebody was told that {text:?} is kept here"),
            ),
            None => Ok(()),
        }
    }
}
