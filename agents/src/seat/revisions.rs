//! Subscriptions of observers to what people edit, take back and have made anew.

use std::collections::VecDeque;
use std::fmt;

use folkmoot_core::ids::Position;
use folkmoot_core::port::{CommitStream, ReadError};
use folkmoot_core::projection::Revision;
use futures::TryStreamExt as _;

use super::subscribe::follow;
use super::{Seat, WorldHandle};
use crate::error::SeatError;

/// Revisions of messages, in order, each once. Their positions tell where they stand among those of the text channel.
pub struct RevisionSubscription {
    commits: CommitStream,
    ready: VecDeque<Revision>,
}

impl fmt::Debug for RevisionSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RevisionSubscription").finish_non_exhaustive()
    }
}

impl RevisionSubscription {
    /// Revisions from the event at `from` on.
    ///
    /// # Errors
    /// [`SeatError::Stopped`] if the log does not read.
    pub async fn from(world: &WorldHandle, from: Position) -> Result<Self, SeatError> {
        Ok(Self { commits: follow(world, from).await?, ready: VecDeque::new() })
    }

    /// The next revision; `None` once the log is closed.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<Revision>, ReadError> {
        loop {
            if let Some(revision) = self.ready.pop_front() {
                return Ok(Some(revision));
            }
            let Some(stored) = self.commits.try_next().await? else { return Ok(None) };
            self.ready = Revision::of(&stored.commit).into();
        }
    }
}

impl Seat {
    /// What people edit, take back and have made anew, from now on.
    ///
    /// # Errors
    /// [`SeatError::Stopped`] or [`SeatError::Closed`].
    pub async fn subscribe_revisions(&self) -> Result<RevisionSubscription, SeatError> {
        let head = self.world.read(|world| world.head()).await?;
        RevisionSubscription::from(&self.world, head.next()).await
    }
}
