//! Subscriptions of observers: they follow the log, so that a slow one loses nothing and holds nothing up.

use std::fmt;

use folkmoot_core::ids::{AgentName, Position};
use folkmoot_core::port::{CommitStream, ReadError, TextEvent, ToolResultEvent};
use folkmoot_core::world::projection::ToolResultProjection;
use futures::TryStreamExt as _;

use super::access::Reader;
use super::feed::FeedStart;
use super::items::Items;
use super::{Seat, WorldHandle};
use crate::error::SeatError;

/// Messages, in order, each once. The feed with messages alone.
pub struct TextSubscription {
    items: Items,
    from: Position,
}

impl fmt::Debug for TextSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextSubscription").finish_non_exhaustive()
    }
}

impl TextSubscription {
    pub(super) async fn begin(seat: &Seat) -> Result<Self, SeatError> {
        Ok(Self {
            items: Items::follow(seat, FeedStart::Now)?,
            from: Position::ZERO,
        })
    }

    /// Messages that `seat` may read, from the event at `from` on. One that is gone by then comes without its words.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; [`SeatError::Stopped`] if the log does not read.
    pub async fn from(seat: &Seat, from: Position) -> Result<Self, SeatError> {
        let items = Items::follow_from(seat, from)?;
        Ok(Self { items, from })
    }

    /// The next message; `None` once the log is closed, or the right to read is taken away.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<TextEvent>, ReadError> {
        while let Some(item) = self.items.next().await? {
            if item.id.at < self.from {
                continue;
            }
            if let Some(message) = item.into_message() {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }
}

/// Results of one agent's calls, in the order in which they came, each once.
pub struct ToolResultSubscription {
    commits: CommitStream,
    reader: Reader,
    projection: ToolResultProjection,
    ready: Vec<ToolResultEvent>,
}

impl fmt::Debug for ToolResultSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolResultSubscription")
            .finish_non_exhaustive()
    }
}

impl ToolResultSubscription {
    pub(super) async fn begin(seat: &Seat, agent: &AgentName) -> Result<Self, SeatError> {
        let agent = agent.clone();
        let (head, projection) = seat
            .read(move |world| (world.head(), ToolResultProjection::of(world, &agent)))
            .await?;
        let reader = Reader::of(seat)?;
        let commits = follow(&seat.world, head.next()).await?;
        Ok(Self {
            commits,
            reader,
            projection,
            ready: Vec::new(),
        })
    }

    /// The next result; `None` once the log is closed, or the right to read is taken away.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<ToolResultEvent>, ReadError> {
        loop {
            if !self.reader.may_read() {
                return Ok(None);
            }
            if !self.ready.is_empty() {
                return Ok(Some(self.ready.remove(0)));
            }
            let next = self.reader.while_allowed(self.commits.try_next()).await;
            let Some(stored) = next.transpose()?.flatten() else {
                return Ok(None);
            };
            self.ready = self.projection.take(&stored.commit);
        }
    }
}

pub(super) async fn follow(world: &WorldHandle, from: Position) -> Result<CommitStream, SeatError> {
    let id = world.id.ok_or(SeatError::Closed)?;
    world
        .log
        .subscribe(id, from)
        .await
        .map_err(|error| SeatError::Stopped(error.to_string()))
}
