//! Looking at text that is kept from people.

use folkmoot_core::command::{Action, WorldAction};
use folkmoot_core::event::Right;
use folkmoot_core::event::refusal::{Refusal, RefusalReason};
use folkmoot_core::ids::Position;

use super::{Key, Seat};
use crate::error::SeatError;
use crate::withheld::{WithheldView, read_withheld};

impl Seat {
    /// Shows what the `ArtifactWithheld` event at `at` keeps from people. Who looked at which event, and when, is in the log
    /// before anything is shown.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to operate, or if no such event is there; [`SeatError::Stopped`] if the log
    /// cannot be read; else the world has ended.
    pub async fn view_withheld(
        &self,
        at: Position,
        key: Option<Key>,
    ) -> Result<WithheldView, SeatError> {
        // Whoever may not look is told nothing of the event, and the log has that they tried.
        if self.may(Right::Operate) {
            self.withheld(at).await?;
        }
        let action = Action::World(WorldAction::ViewWithheld { at });
        self.give(action, key).await?;
        self.withheld(at).await
    }

    async fn withheld(&self, at: Position) -> Result<WithheldView, SeatError> {
        let id = self.world.id.ok_or(SeatError::Closed)?;
        let view = read_withheld(&*self.world.log, id, at)
            .await
            .map_err(|error| SeatError::Stopped(error.to_string()))?;
        view.ok_or(SeatError::Refused(Refusal::Right {
            reason: RefusalReason::NothingWithheld,
            decided: None,
        }))
    }
}
