//! Handles on an open world, and a principal's seat in it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::command::commit::{CommandKey, Keyed};
use folkmoot_core::command::{Action, Command, TalkAction, WorldAction};
use folkmoot_core::event::Attachment;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{
    AgentName, AskId, Digest, EpisodeId, MessageId, StepKey, WorldId, WorldName,
};
use folkmoot_core::port::{Blobs, Checkpoints, EventLog};
use folkmoot_core::spec::Definition;
use folkmoot_core::world::{Accepted, Access, Activity, World};
use tokio::sync::{mpsc, oneshot, watch};

use crate::bus::ActivityChannel;
use crate::error::SeatError;
use crate::parts::Assemble;
use crate::proof::Proof;
use crate::task::{Ask, Closing, Status};
use crate::wire::{KEY_BYTES_MAX, key_of_ask, key_too_long};

pub(crate) mod access;
mod activity;
mod amend;
mod attach;
mod consent;
mod drafts;
mod erase;
mod feed;
mod items;
mod revisions;
mod rights;
mod subscribe;
mod withheld;

pub use activity::ActivitySubscription;
pub use attach::{File, FileKeeper};
pub use consent::ToolResultData;
pub use feed::{Feed, FeedDraft, FeedEvent, FeedStart};
pub use revisions::RevisionSubscription;
pub use subscribe::{TextSubscription, ToolResultSubscription};

/// An open world. Cheap to clone; the world closes when the runtime closes it.
#[derive(Clone)]
pub struct WorldHandle {
    pub(crate) name: WorldName,
    pub(crate) id: Option<WorldId>,
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) checkpoints: Arc<dyn Checkpoints>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) asks: mpsc::Sender<Ask>,
    pub(crate) status: watch::Receiver<Status>,
    pub(crate) access: watch::Receiver<Access>,
    pub(crate) activity: ActivityChannel,
    /// What made its parts, and makes those of its branches.
    pub(crate) assembler: Arc<dyn Assemble>,
}

impl fmt::Debug for WorldHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldHandle")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What makes a command recognisable when it is sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A client's own word, at most 128 bytes.
    Client(String),
    /// A step of a world script, and the digest of what it says.
    Step(StepKey, Digest),
}

impl Key {
    /// The longest key of a client, in bytes.
    pub const BYTES_MAX: usize = KEY_BYTES_MAX;

    /// The key of a command that another process left, unless it has one.
    pub(crate) fn of_ask(ask: AskId) -> Self {
        Self::Client(key_of_ask(ask))
    }

    /// The key of `command`, as it is recorded.
    pub(crate) fn of(self, command: &Command) -> Keyed {
        match self {
            Self::Client(key) => Keyed {
                key: CommandKey::Client(key),
                digest: command.digest(),
            },
            Self::Step(step, digest) => Keyed {
                key: CommandKey::Step(step),
                digest,
            },
        }
    }
}

/// A message to post.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Post {
    /// The text.
    pub text: String,
    /// What is attached, as [`Seat::attach`] described it.
    pub attachments: Vec<Attachment>,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// Makes sending it again harmless.
    pub key: Option<Key>,
}

impl Post {
    /// A plain message.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

impl WorldHandle {
    /// Returns its name.
    #[must_use]
    pub const fn name(&self) -> &WorldName {
        &self.name
    }

    /// Returns its id; `None` if nothing of it is recorded. A world that is deleted leaves its name to another one.
    #[must_use]
    pub const fn id(&self) -> Option<WorldId> {
        self.id
    }

    /// Tells whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        // A task that broke off says nothing: only its end of the channel is gone.
        !self.asks.is_closed() && matches!(*self.status.borrow(), Status::Open { .. })
    }

    /// Takes a seat for a proven principal.
    #[must_use]
    pub fn as_principal(&self, proof: Proof) -> Seat {
        Seat {
            world: self.clone(),
            proof,
        }
    }

    /// The seat of whoever runs this world: it may do and read everything. An application looks after its rooms from it;
    /// whom it serves gets a seat of their own.
    #[must_use]
    pub fn operator(&self) -> Seat {
        self.as_principal(Proof::world())
    }

    /// Waits until nothing goes on: the world is idle, or parked.
    ///
    /// # Errors
    /// [`SeatError::Stopped`], [`SeatError::Full`] or [`SeatError::Closed`].
    pub async fn quiet(&self) -> Result<Activity, SeatError> {
        let mut status = self.status.clone();
        let is_settled = |status: &Status| {
            !matches!(
                status,
                Status::Open {
                    activity: Activity::Running,
                    ..
                }
            )
        };
        let settled = status
            .wait_for(is_settled)
            .await
            .map_err(|_| SeatError::Closed)?
            .clone();
        match settled {
            Status::Open { activity, .. } => Ok(activity),
            Status::Stopped(why) => Err(why),
            Status::Closed => Err(SeatError::Closed),
        }
    }

    /// Waits until the world is no longer parked.
    ///
    /// # Errors
    /// [`SeatError::Closed`].
    pub async fn unparked(&self) -> Result<(), SeatError> {
        let is_parked = |status: &Status| {
            matches!(
                status,
                Status::Open {
                    activity: Activity::Parked,
                    ..
                }
            )
        };
        let mut status = self.status.clone();
        status
            .wait_for(|status| !is_parked(status))
            .await
            .map_err(|_| SeatError::Closed)?;
        Ok(())
    }

    /// Looks at the state between two commits, whoever asks: a [`Seat`] has looked at its rights.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&World) -> T + Send + 'static,
    ) -> Result<T, SeatError> {
        let (reply, answer) = oneshot::channel();
        let look = move |world: &World| {
            let _gone = reply.send(look(world));
        };
        self.ask(Ask::Inspect(Box::new(look))).await?;
        match answer.await {
            Ok(seen) => Ok(seen),
            Err(_) => Err(self.gone().await),
        }
    }

    /// Has the world here if this process may, and returns once it has.
    pub(crate) async fn wake(&self) -> Result<(), SeatError> {
        let (reply, answer) = oneshot::channel();
        self.ask(Ask::Wake(reply)).await?;
        match answer.await {
            Ok(answer) => answer,
            Err(_) => Err(self.gone().await),
        }
    }

    /// Closes the world and waits until that is done.
    pub async fn close(&self) {
        self.close_for(false).await;
    }

    /// The same; `is_wanted`: another process takes it, and nobody else is to do so meanwhile.
    pub(crate) async fn close_for(&self, is_wanted: bool) {
        let (reply, done) = oneshot::channel();
        let closing = Closing { reply, is_wanted };
        if self.asks.send(Ask::Close(closing)).await.is_ok() {
            // The task may have stopped meanwhile; then it is closed as well.
            let _gone = done.await;
        }
    }

    async fn ask(&self, ask: Ask) -> Result<(), SeatError> {
        match self.asks.send(ask).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.gone().await),
        }
    }

    /// Why there was no answer. A task that is cut off drops what was asked just before it says why.
    async fn gone(&self) -> SeatError {
        let mut status = self.status.clone();
        let is_over = |status: &Status| !matches!(status, Status::Open { .. });
        match status.wait_for(is_over).await.as_deref() {
            Ok(Status::Stopped(why)) => why.clone(),
            Ok(Status::Open { .. } | Status::Closed) | Err(_) => SeatError::Closed,
        }
    }

    async fn command(
        &self,
        ask: impl FnOnce(crate::task::Reply) -> Ask,
    ) -> Result<Accepted, SeatError> {
        let (reply, answer) = oneshot::channel();
        self.ask(ask(reply)).await?;
        match answer.await {
            Ok(answer) => answer,
            Err(_) => Err(self.gone().await),
        }
    }
}

/// A principal's handle on a world.
#[derive(Debug, Clone)]
pub struct Seat {
    world: WorldHandle,
    proof: Proof,
}

impl Seat {
    /// The world.
    #[must_use]
    pub const fn world(&self) -> &WorldHandle {
        &self.world
    }

    /// Returns who sits here.
    #[must_use]
    pub const fn principal(&self) -> &Principal {
        self.proof.principal()
    }

    /// Says something. Returns once the message is durable, with its id.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if the message is empty or too long, a file is not kept here, or an agent speaks; else the
    /// world has ended.
    pub async fn publish_message(&self, post: Post) -> Result<MessageId, SeatError> {
        let Post {
            text,
            attachments,
            reply_to,
            key,
        } = post;
        let accepted = self
            .give(
                Action::Talk(TalkAction::PostMessage {
                    text,
                    attachments,
                    reply_to,
                }),
                key,
            )
            .await?;
        accepted.message.ok_or(SeatError::Closed)
    }

    /// Stops one episode, or everything.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if nothing goes on; else the world has ended.
    pub async fn stop(
        &self,
        episode: Option<EpisodeId>,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        self.give(Action::Talk(TalkAction::Stop { episode }), key)
            .await
    }

    /// Changes the definition; it takes effect at each agent's next turn.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if it cannot be used; else the world has ended.
    pub async fn revise(
        &self,
        definition: Definition,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        let command = self.keyed(Action::World(WorldAction::Revise { definition }), key)?;
        self.world
            .command(|reply| Ask::Revise { command, reply })
            .await
    }

    /// Records that a step of a world script is done.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if it was recorded with other words; else the world has ended.
    pub async fn record_step(&self, step: StepKey, digest: Digest) -> Result<Accepted, SeatError> {
        self.give(
            Action::World(WorldAction::RecordStep { step, digest }),
            None,
        )
        .await
    }

    /// Moves a simulated clock on by `by`, and records the step that says so. On the machine's clock only the step is
    /// recorded.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if it was recorded with other words; else the world has ended.
    pub async fn advance(
        &self,
        by: Duration,
        step: StepKey,
        digest: Digest,
    ) -> Result<Accepted, SeatError> {
        let command = self.keyed(
            Action::World(WorldAction::RecordStep { step, digest }),
            None,
        )?;
        self.world
            .command(|reply| Ask::Advance { by, command, reply })
            .await
    }

    /// Gives any command in this seat's name. What only the runtime may do is refused, and recorded.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the reason; else the world has ended.
    pub async fn give(&self, action: Action, key: Option<Key>) -> Result<Accepted, SeatError> {
        if let Action::Talk(TalkAction::PostMessage { attachments, .. }) = &action {
            self.check_kept(attachments).await?;
        }
        let command = self.keyed(action, key)?;
        self.world
            .command(|reply| Ask::Command { command, reply })
            .await
    }

    /// News of the text channel, from now on.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; else the world has ended.
    pub async fn subscribe_text(&self) -> Result<TextSubscription, SeatError> {
        TextSubscription::begin(self).await
    }

    /// Results of `agent`'s calls, from now on.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; else the world has ended.
    pub async fn subscribe_tool_results(
        &self,
        agent: &AgentName,
    ) -> Result<ToolResultSubscription, SeatError> {
        ToolResultSubscription::begin(self, agent).await
    }

    fn keyed(&self, action: Action, key: Option<Key>) -> Result<Box<Command>, SeatError> {
        let mut command = Command::of(self.proof.principal().clone(), action);
        command.key = key.map(|key| key.of(&command));
        let too_long = command.key.as_ref().map(|keyed| &keyed.key);
        if let Some(bytes) = too_long.and_then(key_too_long) {
            let max = Key::BYTES_MAX;
            return Err(SeatError::LongKey { bytes, max });
        }
        Ok(Box::new(command))
    }
}
