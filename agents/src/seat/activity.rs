//! Subscriptions of observers to what goes on.

use folkmoot_core::ids::MessageId;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::Seat;
use super::access::Reader;
use crate::bus::ActivityEvent;
use crate::error::SeatError;

/// What goes on, as it comes. None of it is in the log.
#[derive(Debug)]
pub struct ActivitySubscription {
    events: broadcast::Receiver<ActivityEvent>,
    reader: Reader,
}

impl ActivitySubscription {
    /// Returns what goes on next.
    ///
    /// # Errors
    /// [`RecvError::Closed`] once the world is closed or the right to read is taken away; [`RecvError::Lagged`] if this
    /// observer fell too far behind and missed some.
    pub async fn recv(&mut self) -> Result<ActivityEvent, RecvError> {
        self.reader
            .while_allowed(self.events.recv())
            .await
            .unwrap_or(Err(RecvError::Closed))
    }

    /// Returns what went on, without waiting.
    ///
    /// # Errors
    /// [`TryRecvError::Empty`] if there is nothing; else as [`recv`](Self::recv).
    pub fn try_recv(&mut self) -> Result<ActivityEvent, TryRecvError> {
        if self.reader.may_read() {
            self.events.try_recv()
        } else {
            Err(TryRecvError::Closed)
        }
    }
}

impl Seat {
    /// Returns what goes on, from now on. An observer that falls too far behind misses some of it.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read.
    pub fn subscribe_activity(&self) -> Result<ActivitySubscription, SeatError> {
        Ok(ActivitySubscription {
            reader: Reader::of(self)?,
            events: self.world.activity.subscribe(),
        })
    }

    /// Returns what was shown so far of `message`, which is being written: its pieces as they were sent, from the one that holds
    /// the byte `offset`. Nothing if it is not being written, or not here: then the log has it, or it broke off.
    ///
    /// Whoever subscribes first, asks then, and passes over what it has by the pieces' offsets, misses nothing and sees
    /// nothing twice. At most [`DRAFT_BYTES_MAX`](crate::DRAFT_BYTES_MAX) bytes of a draft are kept.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read.
    pub fn drafts_since(
        &self,
        message: MessageId,
        offset: u64,
    ) -> Result<Vec<ActivityEvent>, SeatError> {
        let _reader = Reader::of(self)?;
        Ok(self.world.activity.drafts().since(message, offset))
    }
}
