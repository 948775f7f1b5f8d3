//! Subscriptions of observers to what people edit, take back and have made anew.

use std::collections::VecDeque;
use std::fmt;

use folkmoot_core::ids::Position;
use folkmoot_core::port::{CommitStream, ReadError};
use folkmoot_core::world::projection::Revision;
use futures::TryStreamExt as _;

use super::Seat;
use super::access::Reader;
use super::subscribe::follow;
use crate::error::SeatError;

/// Revisions of messages, in order, each once. Their positions tell where they stand among those of the text channel.
pub struct RevisionSubscription {
    commits: CommitStream,
    reader: Reader,
    ready: VecDeque<Revision>,
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
        Ok(Self {
            reader: Reader::of(seat)?,
            commits: follow(&seat.world, from).await?,
            ready: VecDeque::new(),
        })
    }

    /// The next revision; `None` once the log is closed, or the right to read is taken away.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<Revision>, ReadError> {
        loop {
            if !self.reader.may_read() {
                return Ok(None);
            }
            if let Some(revision) = self.ready.pop_front() {
                return Ok(Some(revision));
            }
            let next = self.reader.while_allowed(self.commits.try_next()).await;
            let Some(stored) = next.transpose()?.flatten() else {
                return Ok(None);
            };
            self.ready = Revision::of(&stored.commit).into();
        }
    }
}

impl Seat {
    /// Returns what people edit, take back and have made anew, from now on.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; else the world has ended.
    pub async fn subscribe_revisions(&self) -> Result<RevisionSubscription, SeatError> {
        let head = self.read(|world| world.head()).await?;
        RevisionSubscription::from(self, head.next()).await
    }
}
