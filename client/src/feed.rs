//! The feed of a room: all that happens in it, each thing once, over as many connections as it
//! takes.

use std::collections::VecDeque;

use reqwest::header::HeaderValue;
use reqwest::{RequestBuilder, Response};
use serde::de::DeserializeOwned;

use crate::client::{Client, Failed, lost, send};
use crate::drafts::{Draft, DraftEnd, OpenDrafts};
use crate::error::ClientError;
use crate::item::{Item, ItemId};
use crate::patience::{Again, Attempts};
use crate::sse::{SseEvent, SseReader};

/// The place where a feed begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// With the room.
    Beginning,
    /// With what is new. What happens between a connection that is lost before the first item and
    /// the next one is not seen.
    Now,
    /// Behind this item.
    After(ItemId),
}

/// Something that a feed tells.
#[derive(Debug, Clone, PartialEq)]
pub enum FeedEvent {
    /// Something happened. It is in the log.
    Item(Box<Item>),
    /// An agent writes. It is not in the log.
    Draft(Draft),
    /// An agent no longer writes this.
    DraftEnd(DraftEnd),
}

/// The feed of one room.
#[derive(Debug)]
pub struct Feed {
    client: Client,
    world: String,
    start: Start,
    connection: Option<Connection>,
    drafts: OpenDrafts,
    ready: VecDeque<FeedEvent>,
    /// The attempts since something last came.
    attempts: Attempts,
}

#[derive(Debug)]
struct Connection {
    response: Response,
    reader: SseReader,
}

impl Client {
    /// Follows the room `world` from `start` on. Nothing is asked before [`Feed::next`].
    #[must_use]
    pub fn feed(&self, world: &str, start: Start) -> Feed {
        Feed {
            client: self.clone(),
            world: world.to_owned(),
            start,
            connection: None,
            drafts: OpenDrafts::default(),
            ready: VecDeque::new(),
            attempts: Attempts::within(self.patience()),
        }
    }
}

impl Feed {
    /// The place behind which the feed goes on: keep it to go on after a restart of your own. It is
    /// that of the last item that [`Feed::next`] gave or has ready.
    #[must_use]
    pub const fn start(&self) -> &Start {
        &self.start
    }

    /// The next event. Waits for as long as nothing happens; a lost connection is made again.
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`ClientError::Problem`] if the room may not be read, or not any more;
    /// [`ClientError::GaveUp`] if the server is away for longer than the client is patient;
    /// [`ClientError::Unreadable`]. Asked again, the feed goes on behind the last item.
    pub async fn next(&mut self) -> Result<FeedEvent, ClientError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(event);
            }
            let Some(connection) = &mut self.connection else {
                self.connect().await?;
                continue;
            };
            let again = match connection.response.chunk().await {
                Ok(Some(bytes)) => {
                    let events = connection.reader.push(&bytes);
                    let events = events.map_err(|error| self.unreadable(error.to_string()))?;
                    self.attempts = Attempts::within(self.client.patience());
                    events.into_iter().try_for_each(|event| self.take(event))?;
                    continue;
                }
                // The server ends, or it let go of the room: the next connection shows which.
                Ok(None) => Again::default(),
                Err(fault) => self.again(lost(fault))?,
            };
            self.connection = None;
            self.attempts.pause(again).await?;
        }
    }

    async fn connect(&mut self) -> Result<(), ClientError> {
        loop {
            let request = self.request()?;
            let again = match send(&request).await {
                Ok(response) => {
                    self.connection = Some(Connection {
                        response,
                        reader: SseReader::default(),
                    });
                    return Ok(());
                }
                Err(failed) => self.again(failed)?,
            };
            self.attempts.pause(again).await?;
        }
    }

    fn request(&self) -> Result<RequestBuilder, ClientError> {
        let mut url = self.client.url(&["worlds", &self.world, "feed"])?;
        match &self.start {
            Start::Beginning => Ok(self.client.stream(url)),
            Start::Now => {
                url.set_query(Some("after=now"));
                Ok(self.client.stream(url))
            }
            Start::After(id) => {
                let id = HeaderValue::from_str(id.as_str())
                    .map_err(|_| ClientError::unreadable("an item's id is no header"))?;
                Ok(self.client.stream(url).header("Last-Event-ID", id))
            }
        }
    }

    fn again(&mut self, failed: Failed) -> Result<Again, ClientError> {
        match failed {
            Failed::Again(again) => Ok(again),
            Failed::Finally(error) => {
                self.connection = None;
                self.attempts = Attempts::within(self.client.patience());
                Err(error)
            }
        }
    }

    /// Takes an event of the stream. One of a kind that is not known, and that has no id, is read
    /// over: a newer server may tell more.
    fn take(&mut self, event: SseEvent) -> Result<(), ClientError> {
        match (event.name.as_str(), event.id) {
            (_, Some(id)) => {
                let item = Item::read(ItemId(id), event.data);
                let item = item.inspect_err(|_| self.connection = None)?;
                self.ready
                    .extend(self.drafts.pass(&item).map(FeedEvent::DraftEnd));
                self.start = Start::After(item.id().clone());
                self.ready.push_back(FeedEvent::Item(Box::new(item)));
            }
            ("draft", None) => {
                let piece: Draft = self.parse(&event.data)?;
                let taken = self.drafts.take(piece);
                let (over, piece) = taken.inspect_err(|_| self.connection = None)?;
                self.ready.extend(over.map(FeedEvent::DraftEnd));
                self.ready.extend(piece.map(FeedEvent::Draft));
            }
            ("draft_end", None) => {
                let end: DraftEnd = self.parse(&event.data)?;
                if self.drafts.end(&end) {
                    self.ready.push_back(FeedEvent::DraftEnd(end));
                }
            }
            (_, None) => {}
        }
        Ok(())
    }

    fn parse<T: DeserializeOwned>(&mut self, data: &str) -> Result<T, ClientError> {
        serde_json::from_str(data)
            .map_err(|error| self.unreadable(format!("an event of the feed: {error}")))
    }

    /// The error of a stream that cannot be read on.
    fn unreadable(&mut self, why: String) -> ClientError {
        self.connection = None;
        ClientError::unreadable(why)
    }
}
