//! Subscriptions of observers: they follow the log, so that a slow one loses nothing and holds nothing up.

use std::fmt;

use folkmoot_core::ids::{AgentName, Position};
use folkmoot_core::port::{CommitStream, ReadError, TextEvent, ToolResultEvent};
use folkmoot_core::projection::{TextProjection, ToolResultProjection};
use futures::TryStreamExt as _;

use super::WorldHandle;
use crate::error::SeatError;

/// Messages, in order, each once.
pub struct TextSubscription {
    commits: CommitStream,
    projection: TextProjection,
    ready: Vec<TextEvent>,
}

impl fmt::Debug for TextSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextSubscription").finish_non_exhaustive()
    }
}

impl TextSubscription {
    pub(super) async fn begin(world: &WorldHandle) -> Result<Self, SeatError> {
        let head = world.read(|world| world.head()).await?;
        Self::from(world, head.next()).await
    }

    /// Messages from the event at `from` on.
    ///
    /// # Errors
    /// [`SeatError::Stopped`] if the log does not read.
    pub async fn from(world: &WorldHandle, from: Position) -> Result<Self, SeatError> {
        let commits = follow(world, from).await?;
        Ok(Self { commits, projection: TextProjection::default(), ready: Vec::new() })
    }

    /// The next message; `None` once the log is closed.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<TextEvent>, ReadError> {
        loop {
            if !self.ready.is_empty() {
                return Ok(Some(self.ready.remove(0)));
            }
            let Some(stored) = self.commits.try_next().await? else { return Ok(None) };
            self.ready = self.projection.take(&stored.commit);
        }
    }
}

/// Results of one agent's calls, in the order in which they came, each once.
pub struct ToolResultSubscription {
    commits: CommitStream,
    projection: ToolResultProjection,
    ready: Vec<ToolResultEvent>,
}

impl fmt::Debug for ToolResultSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolResultSubscription").finish_non_exhaustive()
    }
}

impl ToolResultSubscription {
    pub(super) async fn begin(world: &WorldHandle, agent: &AgentName) -> Result<Self, SeatError> {
        let agent = agent.clone();
        let (head, projection) =
            world.read(move |world| (world.head(), ToolResultProjection::of(world, &agent))).await?;
        let commits = follow(world, head.next()).await?;
        Ok(Self { commits, projection, ready: Vec::new() })
    }

    /// The next result; `None` once the log is closed.
    ///
    /// # Errors
    /// [`ReadError`] if the log does not read.
    pub async fn next(&mut self) -> Result<Option<ToolResultEvent>, ReadError> {
        loop {
            if !self.ready.is_empty() {
                return Ok(Some(self.ready.remove(0)));
            }
            let Some(stored) = self.commits.try_next().await? else { return Ok(None) };
            self.ready = self.projection.take(&stored.commit);
        }
    }
}

pub(super) async fn follow(world: &WorldHandle, from: Position) -> Result<CommitStream, SeatError> {
    let id = world.id.ok_or(SeatError::Closed)?;
    world.log.subscribe(id, from).await.map_err(|error| SeatError::Stopped(error.to_string()))
}
