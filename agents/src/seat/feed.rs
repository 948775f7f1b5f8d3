//! The feed of a seat: all that an interface shows, from any place on, without a gap and without a repeat.

use std::collections::BTreeMap;
use std::fmt;

use folkmoot_core::ids::{AgentName, MessageId, Position};
use folkmoot_core::port::ReadError;
use folkmoot_core::text::UserText;
use folkmoot_core::world::projection::{FeedItem, ItemId};
use serde::Serialize;

use super::Seat;
use super::items::Items;
use crate::bus::{DraftEnding, DraftState};
use crate::error::SeatError;

/// The place from which a feed is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedStart {
    /// From the first item of the world.
    Beginning,
    /// Only what is new.
    Now,
    /// The items behind this one, inside a commit as well.
    After(ItemId),
}

/// An event of a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and drafts are the rarer case"
)]
pub enum FeedEvent {
    /// An item. It is durable, and has a place.
    Item(FeedItem),
    /// A piece of a reply that is being written, or its end. It has no place: it is not in the log.
    Draft(FeedDraft),
}

/// The news of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FeedDraft {
    /// A piece of the message.
    Draft {
        /// The agent that speaks.
        agent: AgentName,
        /// The message that it will be.
        message: MessageId,
        /// The place of the piece in the message, in bytes.
        offset: u64,
        /// The piece.
        text: UserText,
    },
    /// The message is no longer being written. This comes once for each message of which there were drafts.
    DraftEnd {
        /// The message that it was to be.
        message: MessageId,
        /// The way in which it ended.
        ending: DraftEnding,
    },
}

/// The outcome of one look for what is next.
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and events are the most"
)]
enum Look {
    Event(FeedEvent),
    /// Items were there, and their words were taken back meanwhile.
    Again,
    /// There is nothing now.
    Nothing,
    /// The right to read is gone.
    Over,
}

/// A draft that this feed has shown.
#[derive(Debug, Clone, Copy)]
struct ShownDraft {
    /// The number of bytes that were shown.
    bytes: u64,
}

/// The feed of one seat. A slow reader loses nothing and holds nothing up: it reads the log at its own speed.
pub struct Feed {
    items: Items,
    /// The drafts whose end was not told yet. An agent writes one at a time, so there are few.
    drafts: BTreeMap<MessageId, ShownDraft>,
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed")
            .field("drafts", &self.drafts)
            .finish_non_exhaustive()
    }
}

impl Seat {
    /// Follows all that an interface shows, from `start` on. Reading from the same place again gives the same items; of
    /// messages that are gone by then it gives their ids, and a `revised` item, and no words.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; [`SeatError::BehindHead`] if there is no such place.
    pub fn feed(&self, start: FeedStart) -> Result<Feed, SeatError> {
        Ok(Feed {
            items: Items::follow(self, start)?,
            drafts: BTreeMap::new(),
        })
    }
}

impl Feed {
    /// Goes on with the draft of `message` behind the byte `offset`, as a client left it.
    pub fn resume_draft(&mut self, message: MessageId, offset: u64) {
        self.drafts.insert(message, ShownDraft { bytes: offset });
    }

    /// The last event that was in the log when the feed began.
    #[must_use]
    pub const fn begun_at(&self) -> Position {
        self.items.begun_at()
    }

    /// True once the feed has given all that was in the log when it began. Words that are taken
    /// back meanwhile can make it false again.
    #[must_use]
    pub fn is_caught_up(&self) -> bool {
        self.items.has_given(self.begun_at())
    }

    /// The next event of what was in the log when the feed began; `None` once it
    /// [has caught up](Self::is_caught_up), or when the right to read is taken away. Waits for nothing that is
    /// still to happen. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next_of_past(&mut self) -> Result<Option<FeedEvent>, ReadError> {
        self.next_up_to(self.begun_at()).await
    }

    /// The next event up to the one at `at`, which is in the log; `None` once all of these were given, or when the right to
    /// read is taken away. Waits for nothing that is still to happen. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next_up_to(&mut self, at: Position) -> Result<Option<FeedEvent>, ReadError> {
        while !self.items.has_given(at) {
            match self.look().await? {
                Look::Event(event) => return Ok(Some(event)),
                Look::Again => {}
                Look::Nothing if self.items.has_given(at) => {}
                // An erasure goes on: what it leaves is read after it.
                Look::Nothing if self.items.wait().await => {}
                Look::Nothing | Look::Over => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The next event; `None` once the world is closed, or at once when the right to read is taken away. Dropping the future
    /// loses nothing.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<FeedEvent>, ReadError> {
        loop {
            match self.look().await? {
                Look::Event(event) => return Ok(Some(event)),
                Look::Again => {}
                Look::Nothing if self.items.wait().await => {}
                Look::Nothing | Look::Over => return Ok(None),
            }
        }
    }

    async fn look(&mut self) -> Result<Look, ReadError> {
        self.items.begin_look();
        let has_items = self.items.fill().await?;
        if !self.items.may_read() {
            return Ok(Look::Over);
        }
        // First: the end of a draft stands before the message that it became. The world's task ends it before it
        // tells of the message, so it is seen here if the message is.
        if let Some(end) = self.ended_draft() {
            return Ok(Look::Event(FeedEvent::Draft(end)));
        }
        if let Some(item) = self.items.pop() {
            return Ok(Look::Event(FeedEvent::Item(item)));
        }
        if has_items {
            return Ok(Look::Again);
        }
        let piece = self.next_piece().map(FeedEvent::Draft);
        Ok(piece.map_or(Look::Nothing, Look::Event))
    }

    fn ended_draft(&mut self) -> Option<FeedDraft> {
        let drafts = self.items.drafts();
        let over = self
            .drafts
            .keys()
            .find_map(|message| match drafts.state(*message) {
                DraftState::Open => None,
                DraftState::Ended(ending) => Some((*message, ending)),
            });
        let (message, ending) = over?;
        self.drafts.remove(&message);
        Some(FeedDraft::DraftEnd { message, ending })
    }

    /// The next piece of any draft whose beginning this feed has passed.
    fn next_piece(&mut self) -> Option<FeedDraft> {
        let drafts = self.items.drafts();
        let begun = drafts.open().into_iter();
        let begun = begun.filter(|(_, message)| message.0 <= self.items.through());
        for (agent, message) in begun {
            let shown = self.drafts.get(&message).map_or(0, |shown| shown.bytes);
            let Some((offset, text)) = drafts.piece_at(message, shown) else {
                continue;
            };
            let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
            let bytes = offset.saturating_add(length);
            self.drafts.insert(message, ShownDraft { bytes });
            return Some(FeedDraft::Draft {
                agent,
                message,
                offset,
                text,
            });
        }
        None
    }
}
