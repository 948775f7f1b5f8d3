//! What a person does about messages that stand, and about being here.

use folkmoot_core::command::{Action, TalkAction};
use folkmoot_core::ids::MessageId;
use folkmoot_core::world::Accepted;

use super::{Key, Seat};
use crate::error::SeatError;

impl Seat {
    /// Puts other words in the place of a message. It keeps its id; what was said in answer to the old words is gone, and
    /// the new ones are answered in an episode of their own.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if the message is not this person's or is not kept, or the words are empty or too long;
    /// else the world has ended.
    pub async fn edit(
        &self,
        message: MessageId,
        text: impl Into<String>,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        self.give(
            Action::Talk(TalkAction::Edit {
                message,
                text: text.into(),
            }),
            key,
        )
        .await
    }

    /// Takes a message back, and with it what was said in answer to it alone. The log keeps the original.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if the message is not this person's nor an agent's, or is not kept; else the world has
    /// ended.
    pub async fn retract(
        &self,
        message: MessageId,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        self.give(Action::Talk(TalkAction::Retract { message }), key)
            .await
    }

    /// Takes an agent's reply back and has the agent answer the same news once more.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if the message is no reply of an agent, or what it answers is no longer known; else the
    /// world has ended.
    pub async fn regenerate(
        &self,
        message: MessageId,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        self.give(Action::Talk(TalkAction::Regenerate { message }), key)
            .await
    }

    /// Joins the roster, so that this person can be addressed. A person's first message does so too.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if it is not a person who sits here, or one who is called like an agent; else the world
    /// has ended.
    pub async fn join(&self, key: Option<Key>) -> Result<Accepted, SeatError> {
        self.give(Action::Talk(TalkAction::Join), key).await
    }

    /// Leaves the roster: from here on nobody is addressed by this name.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if it is not a person who sits here; else the world has ended.
    pub async fn leave(&self, key: Option<Key>) -> Result<Accepted, SeatError> {
        self.give(Action::Talk(TalkAction::Leave), key).await
    }
}
