//! Drafts of a streaming reply: the one thing that is shown before it is durable. They are pieces
//! of the final text.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use folkmoot_core::command::{Action, Command, ShellAction};
use folkmoot_core::ids::{AgentName, Attempt, MessageId, ModelCallId};
use folkmoot_core::port::{Drafts, DraftsClosed, Tenure};
use folkmoot_core::text::UserText;
use folkmoot_core::text::reply::ReplyCutter;
use tokio::sync::{mpsc, oneshot};

use super::Ask;
use crate::bus::ActivityChannel;

/// The receiver of one attempt's drafts.
pub(super) struct Channel {
    world: mpsc::WeakSender<Ask>,
    activity: ActivityChannel,
    /// The right to show anything.
    tenure: Arc<dyn Tenure>,
    agent: AgentName,
    call: ModelCallId,
    attempt: Attempt,
    /// Finalises what the model says; `None` once that is whole.
    cutter: Mutex<Option<ReplyCutter>>,
    shown: Mutex<Option<(MessageId, u64)>>,
}

impl Channel {
    pub(super) const fn new(
        world: mpsc::WeakSender<Ask>,
        activity: ActivityChannel,
        tenure: Arc<dyn Tenure>,
        agent: AgentName,
        call: ModelCallId,
        attempt: Attempt,
        cutter: ReplyCutter,
    ) -> Self {
        Self {
            world,
            activity,
            tenure,
            agent,
            call,
            attempt,
            cutter: Mutex::new(Some(cutter)),
            shown: Mutex::new(None),
        }
    }

    /// Shows what was still held back: the model said all.
    ///
    /// # Errors
    /// [`DraftsClosed`]: the call was stopped, or the world is lost.
    pub(super) async fn finish(&self) -> Result<(), DraftsClosed> {
        let cutter = self
            .cutter
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let rest = cutter.map(ReplyCutter::finish).unwrap_or_default();
        self.show(rest).await
    }

    /// Shows a piece of the finalised text. `StreamStarted` is durable before the first one.
    async fn show(&self, delta: UserText) -> Result<(), DraftsClosed> {
        if delta.is_empty() {
            return Ok(());
        }
        let shown = *self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (message, offset) = match shown {
            Some(shown) => shown,
            None => (self.start().await?, 0),
        };
        let next = offset.saturating_add(u64::try_from(delta.len()).unwrap_or(u64::MAX));
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some((message, next));
        if !self.tenure.holds() {
            return Err(DraftsClosed);
        }
        self.activity
            .draft(self.agent.clone(), message, offset, delta);
        Ok(())
    }

    /// Makes `StreamStarted` durable; its position is the message's id.
    async fn start(&self) -> Result<MessageId, DraftsClosed> {
        let agent = self.agent.clone();
        let call = self.call;
        let attempt = self.attempt;
        let command = Box::new(Command::of_runtime(Action::Shell(
            ShellAction::StartStream {
                agent,
                call,
                attempt,
            },
        )));
        let (reply, answer) = oneshot::channel();
        let world = self.world.upgrade().ok_or(DraftsClosed)?;
        world
            .send(Ask::Command { command, reply })
            .await
            .map_err(|_| DraftsClosed)?;
        let accepted = answer
            .await
            .map_err(|_| DraftsClosed)?
            .map_err(|_| DraftsClosed)?;
        accepted.last.map(MessageId).ok_or(DraftsClosed)
    }
}

#[async_trait]
impl Drafts for Channel {
    async fn push(&self, delta: &str) -> Result<(), DraftsClosed> {
        let stays = {
            let mut cutter = self.cutter.lock().unwrap_or_else(PoisonError::into_inner);
            cutter
                .as_mut()
                .map(|cutter| cutter.push(delta))
                .ok_or(DraftsClosed)?
        };
        self.show(stays).await
    }
}

/// The audience of what a model says while it says it.
pub(super) enum Audience {
    /// Whoever watches the room.
    Room(Box<Channel>),
    /// Nobody: the agent sums up its memory for itself.
    Nobody,
}

impl Audience {
    /// Shows what was still held back: the model said all.
    ///
    /// # Errors
    /// [`DraftsClosed`]: the call was stopped.
    pub(super) async fn finish(&self) -> Result<(), DraftsClosed> {
        match self {
            Self::Room(channel) => channel.finish().await,
            Self::Nobody => Ok(()),
        }
    }
}

#[async_trait]
impl Drafts for Audience {
    async fn push(&self, delta: &str) -> Result<(), DraftsClosed> {
        match self {
            Self::Room(channel) => channel.push(delta).await,
            Self::Nobody => Ok(()),
        }
    }
}
