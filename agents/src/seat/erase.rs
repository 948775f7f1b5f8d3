//! Erasing content.

use folkmoot_core::command::{Action, WorldAction};
use folkmoot_core::event::{Erased, Event, Span, WorldEvent};
use folkmoot_core::ids::Position;
use folkmoot_core::port::ReadError;
use futures::TryStreamExt as _;

use super::{Key, Seat, WorldHandle};
use crate::error::SeatError;

impl Seat {
    /// Asks that the content of `events` be erased, on the basis of `basis`. Who asked, when and on what basis stays in the
    /// log. It is owed from then on, also behind a restart; [`WorldHandle::erased`] waits until it is done. Until then the
    /// world asks no model and starts no tool. Gives the position of the request.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to operate, or if these events cannot be erased; else the world has ended.
    pub async fn erase(
        &self,
        events: Vec<Span>,
        basis: impl Into<String>,
        key: Option<Key>,
    ) -> Result<Position, SeatError> {
        let accepted = self
            .give(
                Action::World(WorldAction::Erase {
                    events,
                    basis: basis.into(),
                }),
                key,
            )
            .await?;
        let asked = |event: &Event| matches!(event, Event::World(WorldEvent::ErasureRequested(_)));
        self.world
            .find_event(accepted.last.ok_or(SeatError::Closed)?, asked)
            .await
            .map(|(at, _)| at)
    }
}

impl WorldHandle {
    /// Waits until the erasure that the event at `request` asked for is done, and says what is gone.
    ///
    /// # Errors
    /// [`SeatError::Stopped`] if it could not be done: it is still owed; [`SeatError::Closed`] if there is no such request.
    pub async fn erased(&self, request: Position) -> Result<Erased, SeatError> {
        let mut status = self.status.clone();
        loop {
            status.borrow_and_update();
            if self
                .read(move |world| world.upkeep().to_be_erased(request).is_empty())
                .await?
            {
                break;
            }
            if status.changed().await.is_err() {
                return Err(self.gone().await);
            }
        }
        let is_it = |event: &Event| matches!(event, Event::World(WorldEvent::Erased(erased)) if erased.request == request);
        match self.find_event(request, is_it).await? {
            (_, Event::World(WorldEvent::Erased(erased))) => Ok(erased),
            (_, _) => Err(SeatError::Closed),
        }
    }

    /// The first event that is meant, from the commit on that holds `from`.
    async fn find_event(
        &self,
        from: Position,
        is_meant: impl Fn(&Event) -> bool,
    ) -> Result<(Position, Event), SeatError> {
        let unread = |error: ReadError| SeatError::Stopped(error.to_string());
        let mut commits = self
            .log
            .read(self.id.ok_or(SeatError::Closed)?, from)
            .await
            .map_err(unread)?;
        while let Some(stored) = commits.try_next().await.map_err(unread)? {
            let mut found = stored
                .commit
                .numbered()
                .filter(|(_, event)| is_meant(event));
            if let Some((at, event)) = found.next() {
                return Ok((at, event.clone()));
            }
        }
        Err(SeatError::Closed)
    }
}
