//! What a seat may read, and for how long.

use folkmoot_core::event::Right;
use folkmoot_core::event::refusal::{Refusal, RefusalReason};
use folkmoot_core::ids::Position;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::world::projection::TranscriptPage;
use folkmoot_core::world::{Access, World};
use tokio::sync::watch;

use super::{Seat, WorldHandle};
use crate::error::{FoldError, SeatError};
use crate::transcript::read_transcript;

impl Seat {
    /// Looks at the state between two commits.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; else the world has ended.
    pub async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&World) -> T + Send + 'static,
    ) -> Result<T, SeatError> {
        let principal = self.principal().clone();
        let look = move |world: &World| {
            world
                .rights_of(&principal)
                .has(Right::Read)
                .then(|| look(world))
        };
        self.world.read(look).await?.ok_or_else(no_right)
    }

    /// A page of what people saw, newest first; see [`read_transcript`].
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; [`SeatError::Stopped`] if the log does not read.
    pub async fn transcript(
        &self,
        before: Option<Position>,
        limit: usize,
    ) -> Result<TranscriptPage, SeatError> {
        self.check(Right::Read)?;
        let page = read_transcript(&*self.world.log, &self.world.name, before, limit).await;
        page.map_err(|error: FoldError| SeatError::Stopped(error.to_string()))
    }

    /// Tells whether whoever sits here has `right` now.
    #[must_use]
    pub fn may(&self, right: Right) -> bool {
        self.world.may(self.principal(), right)
    }

    pub(super) fn check(&self, right: Right) -> Result<(), SeatError> {
        if self.may(right) {
            Ok(())
        } else {
            Err(no_right())
        }
    }
}

pub(crate) const fn no_right() -> SeatError {
    SeatError::Refused(Refusal::Right {
        reason: RefusalReason::NoRight,
        decided: None,
    })
}

impl WorldHandle {
    /// Tells whether `principal` has `right` now. Nobody sits down for it.
    #[must_use]
    pub fn may(&self, principal: &Principal, right: Right) -> bool {
        self.access.borrow().of(principal).has(right)
    }
}

/// A seat's right to read, held for as long as it lasts.
#[derive(Debug)]
pub(super) struct Reader {
    access: watch::Receiver<Access>,
    principal: Principal,
}

impl Reader {
    pub(super) fn of(seat: &Seat) -> Result<Self, SeatError> {
        seat.check(Right::Read)?;
        Ok(Self {
            access: seat.world.access.clone(),
            principal: seat.principal().clone(),
        })
    }

    pub(super) fn may_read(&self) -> bool {
        self.access.borrow().of(&self.principal).has(Right::Read)
    }

    /// Returns what `next` gives; `None` once the right is taken away. Nothing that was appended behind that is given any more.
    pub(super) async fn while_allowed<T>(&mut self, next: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.lost() => None,
            next = next => Some(next),
        }
    }

    /// Waits until the right is taken away.
    pub(super) async fn lost(&mut self) {
        let Self { access, principal } = self;
        if access
            .wait_for(|access| !access.of(principal).has(Right::Read))
            .await
            .is_err()
        {
            // The world is closed: nobody takes anything away any more.
            std::future::pending().await
        }
    }
}
