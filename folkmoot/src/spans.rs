//! Spans for OpenTelemetry: a projection of a world's log.
//!
//! Each episode is a trace. A turn is an `invoke_agent` span, and has under it a `chat` span for each model call, an
//! `execute_tool` span for each call, and a `folkmoot.wait` span for each request to people. Names and attributes are those of the
//! semantic conventions for generative AI; what these have no word for begins with `folkmoot.`. Ids are hashes of places in the
//! log and times are the recorded ones, so the same log always gives the same spans.

use std::collections::BTreeSet;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::Event;
use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::world::World;
use folkmoot_core::world::projection::FeedItem;
use serde::{Deserialize, Serialize};

mod calls;
mod chats;
mod ids;
mod moment;
mod room;
mod span;
mod turns;
mod waits;
mod words;

use calls::Calls;
use chats::Chats;
pub use ids::{SpanId, TraceId};
use moment::Moment;
use room::Definitions;
pub use span::{Attribute, AttributeValue, Span, SpanEvent, SpanKind};
use turns::Turns;
use waits::Waits;

/// How much spans tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capture {
    /// Names, numbers and times: no words of people, models or tools.
    #[default]
    Nothing,
    /// The words that people can read in the room as well: nothing that is erased, withheld or taken back.
    Words,
}

/// The spans of one world, as its log goes on.
#[derive(Debug)]
pub struct Spans {
    world: WorldId,
    name: WorldName,
    definitions: Definitions,
    turns: Turns,
    chats: Chats,
    calls: Calls,
    waits: Waits,
    /// The state that tells what people see; `None` if no words are captured.
    room: Option<Box<World>>,
}

impl Spans {
    /// The spans of the world `world`, called `name`, before its first commit.
    #[must_use]
    pub fn of(world: WorldId, name: WorldName, capture: Capture) -> Self {
        Self {
            world,
            name,
            definitions: Definitions::default(),
            turns: Turns::default(),
            chats: Chats::default(),
            calls: Calls::default(),
            waits: Waits::default(),
            room: (capture == Capture::Words).then(Box::default),
        }
    }

    /// Takes the next commit of the log, and gives the spans that it ends. `gone` has the messages that later events took away:
    /// their words are left out. Commits that a branch has of another world tell its definition alone: their spans are the
    /// other world's.
    pub fn take(&mut self, commit: &Commit, gone: &BTreeSet<Position>) -> Vec<Span> {
        let words = self.words(commit, gone);
        let mut ended = Vec::new();
        for (at, event) in commit.numbered() {
            self.definitions.learn(event);
            if commit.header.world == self.world {
                let moment = Moment {
                    world: self.world,
                    name: self.name.clone(),
                    at,
                    time: commit.header.stamp.time,
                    words: &words,
                };
                self.pass(&moment, event, &mut ended);
            }
        }
        ended
    }

    /// The words of the commit that people see.
    fn words(&mut self, commit: &Commit, gone: &BTreeSet<Position>) -> Vec<FeedItem> {
        let Some(room) = &mut self.room else {
            return Vec::new();
        };
        let mut items = room.apply_watched(commit);
        items.iter_mut().for_each(|item| item.withhold(gone));
        items
    }

    fn pass(&mut self, moment: &Moment<'_>, event: &Event, ended: &mut Vec<Span>) {
        match event {
            Event::Talk(event) => self.turns.hear(moment, event, &self.calls),
            Event::Turn(event) => {
                ended.extend(
                    self.chats
                        .take(moment, event, &self.turns, &self.definitions),
                );
                ended.extend(self.turns.take(moment, event, &self.definitions));
            }
            Event::Call(event) => {
                ended.extend(self.waits.take(moment, event, &self.calls));
                ended.extend(self.calls.take(moment, event, &self.turns));
            }
            Event::World(_) | Event::Refused(_) => {}
        }
    }
}
