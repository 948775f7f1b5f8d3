//! Subscriptions of observers to what people edit, take back and have made anew.

use std::fmt;

use folkmoot_core::ids::Position;
use folkmoot_core::port::ReadError;
use folkmoot_core::world::projection::Revision;

use super::Seat;
use super::feed::FeedStart;
use super::items::Items;
use crate::error::SeatError;

/// Revisions of messages, in order, each once. Their positions tell where they stand among those of the text channel.
/// The feed with revisions alone.
pub struct RevisionSubscription {
    items: Items,
    from: Position,
}

impl fmt::Debug for RevisionSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RevisionSubscription")
            .finish_non_exhaustive()
    }
}

impl RevisionSubscription {
    /// Revisions that `seat` may read, from the event at `from` on.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; [`SeatError::Stopped`] if the log does not read.
    pub async fn from(seat: &Seat, from: Position) -> Result<Self, SeatError> {
        let items = Items::follow_from(seat, from)?;
        Ok(Self { items, from })
    }

    /// The next revision; `None` once the log is closed, or the right to read is taken away.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<Revision>, ReadError> {
        while let Some(item) = self.items.next().await? {
            if item.id.at < self.from {
                continue;
            }
            if let Some(revision) = item.into_revision() {
                return Ok(Some(revision));
            }
        }
        Ok(None)
    }
}

impl Seat {
    /// Returns what people edit, take back and have made anew, from now on.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; else the world has ended.
    pub async fn subscribe_revisions(&self) -> Result<RevisionSubscription, SeatError> {
        Ok(RevisionSubscription {
            items: Items::follow(self, FeedStart::Now)?,
            from: Position::ZERO,
        })
    }
}
