//! The records that clients keep of what they sent and received.

use std::collections::BTreeMap;

use folkmoot_client::{Draft, DraftEnd, Item, Verdict};
use serde::Deserialize;

/// A message that was posted, with the answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Post {
    pub(crate) by: String,
    pub(crate) text: String,
    pub(crate) message: u64,
    /// True if the end of its episode was seen.
    #[serde(default = "yes")]
    pub(crate) is_answered: bool,
    /// True if it was taken back behind that.
    #[serde(default)]
    pub(crate) is_gone: bool,
}

/// A client in JavaScript waits for the end of each episode.
const fn yes() -> bool {
    true
}

/// A request that was decided, with what it was about.
#[derive(Debug, Deserialize)]
pub(crate) struct Decided {
    pub(crate) request: u64,
    pub(crate) line: String,
    pub(crate) verdict: Verdict,
}

/// An item that was received: its id, and all of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Received {
    pub(crate) id: String,
    pub(crate) json: String,
}

impl From<&Item> for Received {
    fn from(item: &Item) -> Self {
        Self {
            id: item.id().to_string(),
            json: item.json().to_owned(),
        }
    }
}

/// A piece of a draft.
#[derive(Debug, Deserialize)]
pub(crate) struct Piece {
    message: u64,
    offset: u64,
    text: String,
}

impl From<Draft> for Piece {
    fn from(draft: Draft) -> Self {
        Self {
            message: draft.message,
            offset: draft.offset,
            text: draft.text,
        }
    }
}

/// The things that were shown of a message before it was said.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// The way in which it ended; `None` if nobody told.
    pub(crate) ending: Option<String>,
}

/// All that one feed gave.
#[derive(Debug, Default)]
pub(crate) struct FeedRecord {
    pub(crate) items: Vec<Received>,
    /// The drafts, by their messages.
    pub(crate) drafts: BTreeMap<u64, Shown>,
}

impl FeedRecord {
    /// Puts a piece behind those before it: a client gives each byte once.
    pub(crate) fn draft(&mut self, piece: impl Into<Piece>) {
        let piece = piece.into();
        let shown = self.drafts.entry(piece.message).or_default();
        assert_eq!(
            shown.text.len() as u64,
            piece.offset,
            "a piece of message {} does not stand where the one before ended",
            piece.message
        );
        shown.text.push_str(&piece.text);
    }

    pub(crate) fn draft_end(&mut self, end: &DraftEnd) {
        let shown = self.drafts.entry(end.message).or_default();
        assert_eq!(
            shown.ending, None,
            "the draft of {} ends twice",
            end.message
        );
        shown.ending = Some(end.ending.clone());
    }
}

/// The records of the people of one room.
#[derive(Debug)]
pub(crate) struct RoomRecord {
    pub(crate) world: String,
    /// The person who opened it.
    pub(crate) owner: String,
    pub(crate) posts: Vec<Post>,
    pub(crate) decided: Vec<Decided>,
    pub(crate) feeds: Vec<FeedRecord>,
}
