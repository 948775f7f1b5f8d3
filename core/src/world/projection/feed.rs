//! The feed: all that an interface shows of a world, item by item, in the order of the log.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::event::{Attachment, Author, CallStatus, CloseReason, Notice, Scope, Span};
use crate::ids::principal::Party;
use crate::ids::{
    AgentName, Attempt, CallId, EpisodeId, MessageId, PersonName, Position, RequestId, Time, TurnId,
};
use crate::port::TextEvent;
use crate::tool::{EffectClass, View};
use crate::world::projection::{Revised, Revision, Waiting};

mod decision;
mod items;

/// The place of an item in the feed: the position of its event, and its number among the items of that event, from 0.
/// It is written `POSITION`, `POSITION.NUMBER` behind the first item, or `POSITION.end` behind all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ItemId {
    /// The position of the event.
    pub at: Position,
    /// The number among the items of the event.
    pub number: u32,
}

impl ItemId {
    /// The place before every item of a feed.
    pub const BEGINNING: Self = Self::behind(Position::ZERO);

    /// The place behind all items of the event at `at`.
    #[must_use]
    pub const fn behind(at: Position) -> Self {
        Self {
            at,
            number: u32::MAX,
        }
    }
}

/// The number behind all items of an event, as it is written.
const END: &str = "end";

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            0 => write!(f, "{}", self.at),
            u32::MAX => write!(f, "{}.{END}", self.at),
            number => write!(f, "{}.{number}", self.at),
        }
    }
}

/// A text that names no place in a feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no place in a feed: write a position such as 17, or 17.1")]
pub struct ItemIdError(String);

impl FromStr for ItemId {
    type Err = ItemIdError;

    fn from_str(text: &str) -> Result<Self, ItemIdError> {
        let wrong = || ItemIdError(text.chars().take(64).collect());
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let (at, number) = text.split_once('.').unwrap_or((text, "0"));
        if !digits(at) || !(digits(number) || number == END) {
            return Err(wrong());
        }
        let at = Position::new(at.parse().map_err(|_| wrong())?);
        if number == END {
            return Ok(Self::behind(at));
        }
        Ok(Self {
            at,
            number: number.parse().map_err(|_| wrong())?,
        })
    }
}

impl TryFrom<String> for ItemId {
    type Error = ItemIdError;

    fn try_from(text: String) -> Result<Self, ItemIdError> {
        text.parse()
    }
}

impl From<ItemId> for String {
    fn from(id: ItemId) -> Self {
        id.to_string()
    }
}

/// An item of the feed. All of it follows from the log, so whoever reads a part of the log again gets the same items,
/// but for words that are gone by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedItem {
    /// The place in the feed.
    pub id: ItemId,
    /// The time of the commit that brought it.
    pub time: Time,
    /// The episode that it belongs to; `None` if it belongs to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeId>,
    /// The agent that acts; `None` if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The turn in which it acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The body of the item.
    #[serde(flatten)]
    pub body: FeedBody,
}

/// The body of an item: its kind, and what it tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FeedBody {
    /// Somebody said something, or put other words in its place.
    Message {
        /// The message's id: the same before and after an edit.
        message: MessageId,
        /// The author.
        author: Author,
        /// The person or the service who said it, with the proof: two may have the same name. `None` if an agent or the
        /// world speaks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Party>,
        /// The message it answers, if it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply_to: Option<MessageId>,
        /// The words; `None` if they were erased, or if the message is gone.
        text: Option<String>,
        /// The attached files; none if they were erased, or if the message is gone.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
        /// True if these words were put in the place of others.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        edited: bool,
        /// True if a later event took the message away: a `revised` item behind this one says which.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        gone: bool,
    },
    /// The world told people something.
    Notice {
        /// A code with arguments, to be put into words where it is shown.
        notice: Notice,
        /// The person whom it is for; `None` is everyone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<PersonName>,
    },
    /// A request waits for people from here on.
    Request {
        /// The call that it is about.
        call: CallId,
        /// The request, as it is shown.
        request: Box<Waiting>,
    },
    /// A request waits no longer.
    Decision {
        /// The request.
        request: RequestId,
        /// The call that it was about.
        call: CallId,
        /// The decision in one word: `allow`, `deny`, `answered`; `ran`, `not_run`, `run_again` or `late` of an outcome;
        /// `expired`, `closed` and their like if no person decided.
        how: String,
        /// The person or the service who decided; `None` if time or the runtime did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Party>,
        /// The reach of an approval.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Scope>,
        /// The reason or the answer in words; `None` if there is none, or it was erased.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The numbers of the chosen options, from 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<u32>,
        /// The arguments that the call runs with instead, if the person changed them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
    },
    /// A tool runs from here on.
    CallStarted {
        /// The call.
        call: CallId,
        /// The tool, as its agent named it.
        tool: String,
        /// The arguments, byte for byte; `None` if they were erased.
        arguments: Option<String>,
        /// The number of the attempt.
        attempt: Attempt,
        /// The effect that it may have.
        effect: EffectClass,
    },
    /// A call has its result. Requests about it wait no longer, but for one about its outcome.
    CallFinished {
        /// The call.
        call: CallId,
        /// The tool, as its agent named it.
        tool: String,
        /// The end of the call.
        status: CallStatus,
        /// The position of the earlier result that stands for this one; nothing ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        same_as: Option<Position>,
        /// The result in words; `None` if the call gave none, or it was erased.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The views that people see in place of the words, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        views: Vec<View>,
    },
    /// A call is closed in favour of another: with other arguments, or to run again.
    CallReplaced {
        /// The closed call.
        call: CallId,
        /// The call that runs in its place.
        by: CallId,
    },
    /// An agent began or ended its work, or all work of an episode is done.
    Activity {
        /// The change.
        activity: FeedActivity,
    },
    /// Messages left the room. Whoever shows them shows them no longer.
    Revised {
        /// The message that was edited, taken back or made anew.
        message: MessageId,
        /// The kind of the revision.
        how: Revised,
        /// The positions of the messages that are gone: that one, and what was said in answer to these alone. They are
        /// the positions of items, `id.at`, and not ids of messages.
        gone: Vec<Position>,
    },
    /// The world was branched off another one here. The turns and calls that were open there are over; agents go on in turns of
    /// their own, and people are asked again.
    Branched {},
    /// Content is to be erased. Whoever shows it shows it no longer.
    Erased {
        /// The events whose content it is, in order.
        events: Vec<Span>,
    },
}

impl FeedBody {
    /// The kind in one word, as it stands in JSON.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Message { .. } => "message",
            Self::Notice { .. } => "notice",
            Self::Request { .. } => "request",
            Self::Decision { .. } => "decision",
            Self::CallStarted { .. } => "call_started",
            Self::CallFinished { .. } => "call_finished",
            Self::CallReplaced { .. } => "call_replaced",
            Self::Activity { .. } => "activity",
            Self::Revised { .. } => "revised",
            Self::Branched {} => "branched",
            Self::Erased { .. } => "erased",
        }
    }
}

/// A change in who works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedActivity {
    /// The agent took up its news.
    TurnOpened,
    /// The agent's turn is over, for this reason.
    TurnClosed(CloseReason),
    /// Nobody works on the episode any more.
    EpisodeEnded,
}

impl FeedItem {
    /// The message of the text channel, if it is one.
    #[must_use]
    pub fn into_message(self) -> Option<TextEvent> {
        let FeedBody::Message {
            message,
            author,
            text,
            attachments,
            ..
        } = self.body
        else {
            return None;
        };
        Some(TextEvent {
            at: self.id.at,
            message,
            episode: self.episode.unwrap_or(EpisodeId(self.id.at)),
            from: author.to_string(),
            is_person: matches!(author, Author::Person(_)),
            text: text.unwrap_or_default(),
            attachments,
        })
    }

    /// The revision, if it is one.
    #[must_use]
    pub fn into_revision(self) -> Option<Revision> {
        let FeedBody::Revised { message, how, gone } = self.body else {
            return None;
        };
        Some(Revision {
            at: self.id.at,
            message,
            how,
            gone,
        })
    }

    /// Takes the words out of a message that stands at one of `gone`, and out of a notice about one.
    pub fn withhold(&mut self, gone: &BTreeSet<Position>) {
        match &mut self.body {
            FeedBody::Message {
                text,
                attachments,
                gone: is_gone,
                ..
            } if gone.contains(&self.id.at) => {
                *text = None;
                attachments.clear();
                *is_gone = true;
            }
            FeedBody::Notice { notice, .. } => {
                if notice
                    .message()
                    .is_some_and(|message| gone.contains(&message))
                {
                    notice.withhold();
                }
            }
            FeedBody::Message { .. }
            | FeedBody::Request { .. }
            | FeedBody::Decision { .. }
            | FeedBody::CallStarted { .. }
            | FeedBody::CallFinished { .. }
            | FeedBody::CallReplaced { .. }
            | FeedBody::Activity { .. }
            | FeedBody::Revised { .. }
            | FeedBody::Branched {}
            | FeedBody::Erased { .. } => {}
        }
    }
}
