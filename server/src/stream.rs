//! The feed of a seat as frames, until its caller may no longer read.

use folkmoot::core::ids::EpisodeId;
use folkmoot::core::port::ReadError;
use folkmoot::words;
use folkmoot::{
    AgentName, Feed, FeedBody, FeedDraft, FeedEvent, FeedItem, FeedStart, ItemId, TurnId,
};
use futures::stream::{Stream, unfold};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use crate::identity::Lease;
use crate::problem::{Problem, ProblemCode};
use crate::rooms::Drain;
use crate::wire::{time, write_times};

/// A frame that a client gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and items are the most"
)]
pub(crate) enum Frame {
    /// An item of the feed.
    Item(ItemFrame),
    /// A piece of a reply that is being written, or its end.
    Draft(FeedDraft),
    /// All that was in the log when the stream began was sent.
    CaughtUp(CaughtUpFrame),
    /// The server ends, or the world is let go of: come again behind this item.
    Bye(ByeFrame),
}

/// An item with its time as people and programs read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ItemFrame {
    pub(crate) id: ItemId,
    pub(crate) time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) episode: Option<EpisodeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<AgentName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<TurnId>,
    #[serde(flatten, serialize_with = "with_times")]
    pub(crate) body: FeedBody,
    /// A notice, a decision or the end of a call as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<String>,
}

/// Writes the body of an item; the time at which a request expires is RFC 3339.
fn with_times<S: Serializer>(body: &FeedBody, serializer: S) -> Result<S::Ok, S::Error> {
    if !matches!(body, FeedBody::Request { .. }) {
        return body.serialize(serializer);
    }
    let mut json = serde_json::to_value(body).map_err(S::Error::custom)?;
    write_times(&mut json, &["/request/asks/expires_at"]);
    json.serialize(serializer)
}

/// The frame behind all that was in the log when the stream began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "caught_up")]
pub(crate) struct CaughtUpFrame {
    /// The place to come back to: whoever goes on behind it misses nothing.
    pub(crate) after: ItemId,
}

/// The last frame of a stream that the server ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "bye")]
pub(crate) struct ByeFrame {
    /// The last item that was sent; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<ItemId>,
}

impl From<FeedEvent> for Frame {
    fn from(event: FeedEvent) -> Self {
        match event {
            FeedEvent::Item(item) => Self::Item(item.into()),
            FeedEvent::Draft(draft) => Self::Draft(draft),
        }
    }
}

impl From<FeedItem> for ItemFrame {
    fn from(item: FeedItem) -> Self {
        Self {
            id: item.id,
            time: time(item.time),
            episode: item.episode,
            words: words::item(&item.body, item.agent.as_ref()),
            agent: item.agent,
            turn: item.turn,
            body: item.body,
        }
    }
}

/// A feed with all that can end it.
#[derive(Debug)]
pub(crate) struct FrameSource {
    feed: Feed,
    lease: Lease,
    drain: Drain,
    /// The last item that was given, or behind which the feed began.
    sent: Option<ItemId>,
    /// True once it was said that the feed has caught up.
    is_caught_up: bool,
    /// True once the last frame was given.
    is_over: bool,
}

impl FrameSource {
    pub(crate) const fn new(feed: Feed, lease: Lease, drain: Drain, start: FeedStart) -> Self {
        let sent = match start {
            FeedStart::After(id) => Some(id),
            FeedStart::Beginning | FeedStart::Now => None,
        };
        Self {
            feed,
            lease,
            drain,
            sent,
            is_caught_up: false,
            is_over: false,
        }
    }

    /// The next frame; `None` behind `bye`, and without a word when the right to read is lost.
    /// Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        if self.is_over {
            return None;
        }
        let frame = self.next_or_end().await;
        match &frame {
            Some(Frame::Item(item)) => self.sent = Some(item.id),
            Some(Frame::CaughtUp(caught_up)) => self.sent = Some(caught_up.after),
            Some(Frame::Draft(_)) => {}
            Some(Frame::Bye(_)) | None => self.is_over = true,
        }
        frame
    }

    async fn next_or_end(&mut self) -> Option<Frame> {
        let after = self.sent;
        tokio::select! {
            biased;
            () = self.lease.ended() => None,
            () = self.drain.begun() => Some(Frame::Bye(ByeFrame { after })),
            next = Self::of_feed(&mut self.feed, &mut self.is_caught_up, after) => match next {
                Ok(frame) => frame,
                Err(error) => {
                    tracing::error!(%error, "a feed does not read");
                    None
                }
            },
        }
    }

    /// The next frame of `feed`, which tells once that it has caught up. `sent` is the last item.
    async fn of_feed(
        feed: &mut Feed,
        is_caught_up: &mut bool,
        sent: Option<ItemId>,
    ) -> Result<Option<Frame>, ReadError> {
        if !*is_caught_up {
            if let Some(event) = feed.next_of_past().await? {
                return Ok(Some(event.into()));
            }
            *is_caught_up = true;
            // Else the right to read is gone, and the feed ends.
            if feed.is_caught_up() {
                let after = sent.unwrap_or(ItemId::behind(feed.begun_at()));
                return Ok(Some(Frame::CaughtUp(CaughtUpFrame { after })));
            }
        }
        Ok(feed.next().await?.map(Frame::from))
    }

    /// The frames, in order.
    pub(crate) fn frames(self) -> impl Stream<Item = Frame> {
        unfold(self, |mut source| async {
            let frame = source.next().await?;
            Some((frame, source))
        })
    }
}

/// The place in a feed that a client names: the id of an item, or `now`. `field` is where they did.
///
/// # Errors
/// [`ProblemCode::Invalid`] if it is none.
pub(crate) fn start_at(field: &str, text: &str) -> Result<FeedStart, Problem> {
    if text == "now" {
        return Ok(FeedStart::Now);
    }
    match text.parse::<ItemId>() {
        Ok(id) => Ok(FeedStart::After(id)),
        Err(error) => Err(Problem::new(ProblemCode::Invalid, error.to_string()).about(field)),
    }
}
