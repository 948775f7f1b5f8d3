//! Who may do what here, and what clients tell of what their users see.

use folkmoot_core::command::{Action, TalkAction, WorldAction};
use folkmoot_core::event::{Holder, Rights};
use folkmoot_core::ids::StateName;
use folkmoot_core::world::Accepted;

use super::{Key, Seat};
use crate::error::SeatError;

impl Seat {
    /// Gives the person whom `method` knows as `subject` other rights; `None`: those that the definition says. They hold
    /// at once: subscriptions of whoever may no longer read end.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to operate, or if nobody can be proven so; else the world has ended.
    pub async fn set_rights(
        &self,
        method: impl Into<String>,
        subject: impl Into<String>,
        rights: Option<Rights>,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        let action = WorldAction::SetRights {
            holder: Holder::Person,
            method: method.into(),
            subject: subject.into(),
            rights,
        };
        self.give(Action::World(action), key).await
    }

    /// Gives the service that `method` knows as `subject` other rights; `None`: those that the definition says. A service
    /// that nothing names has none.
    ///
    /// # Errors
    /// As those of [`Seat::set_rights`].
    pub async fn set_service_rights(
        &self,
        method: impl Into<String>,
        subject: impl Into<String>,
        rights: Option<Rights>,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        let action = WorldAction::SetRights {
            holder: Holder::Service,
            method: method.into(),
            subject: subject.into(),
            rights,
        };
        self.give(Action::World(action), key).await
    }

    /// Tells the room what this seat's user sees: `state` is JSON, and agents read it as data once they are asked next.
    /// It wakes nobody, and telling the same once more changes nothing.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if the room has no such state, or this one is too large or does not fit its schema; else the
    /// world has ended.
    pub async fn observe(
        &self,
        name: StateName,
        state: impl Into<String>,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        self.give(
            Action::Talk(TalkAction::Observe {
                name,
                state: state.into(),
            }),
            key,
        )
        .await
    }
}
