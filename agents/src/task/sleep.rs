//! Sleep: a world that nobody needs lets go of its state and its parts, and keeps only its door.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::Incarnation;
use folkmoot_core::port::AppendError;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::world::Activity;
use folkmoot_core::world::effect::Effect;

use super::{Ask, Door, WorldTask};
use crate::clock::WorldClock;
use crate::error::{OpenError, SeatError};
use crate::means::Means;

/// A world that is let go of until somebody asks something of it.
pub(super) struct Asleep {
    pub(super) means: Arc<Means>,
    pub(super) door: Door,
    /// Its incarnation when it fell asleep.
    pub(super) left: Incarnation,
}

/// Drives a world as long as it is open, awake and asleep.
pub(crate) async fn keep(mut task: Box<WorldTask>) {
    let mut first = None;
    // Boxed: a sleeping world is to hold no room for a running one.
    while let Some(asleep) = Box::pin(task.run(first)).await {
        let Some((woken, ask)) = asleep.wake().await else {
            return;
        };
        (task, first) = (woken, Some(ask));
    }
}

impl WorldTask {
    /// Returns how long the world may still stay in memory if nothing comes; `None`: for as long as
    /// it is open.
    pub(super) fn sleepy_after(&self) -> Option<Duration> {
        // A signature is no reason to stay: it is made before the world is let go of.
        let is_signature = |effect: Effect| matches!(effect, Effect::Sign { .. });
        let owes_nothing =
            || self.activity() == Activity::Idle && self.world.owed().all(is_signature);
        match self.clock {
            WorldClock::System(_) if owes_nothing() => self.means.idle_close,
            // A simulated clock stands still in between: nothing would ever be a while ago
            // (decision 0007).
            WorldClock::System(_) | WorldClock::Simulated(_) => None,
        }
    }
}

/// Waits for so long; for ever if it is `None`.
pub(super) async fn after(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}

impl Asleep {
    /// Waits until something is asked of the world, and opens it again for that. `None` once it is
    /// closed, or cannot be opened: whoever asks is told why.
    async fn wake(mut self) -> Option<(Box<WorldTask>, Ask)> {
        let ask = match self.door.asks.recv().await {
            Some(Ask::Close(reply)) => {
                self.door.closed(Some(reply));
                return None;
            }
            Some(ask) => ask,
            None => {
                self.door.closed(None);
                return None;
            }
        };
        let Self {
            means,
            mut door,
            left,
        } = self;
        match Box::pin(means.reopen(&door.name, left, door.perform)).await {
            Ok(entered) => Some((WorldTask::begin(means, door, entered), ask)),
            Err(error) => {
                let why = with_causes(&error);
                tracing::error!(world = %door.name, why, "the world could not be opened again");
                let answer = if let OpenError::Append(AppendError::Full(_)) = error {
                    SeatError::Full
                } else {
                    SeatError::Stopped(why)
                };
                door.stopped(&answer);
                ask.turn_away(&answer);
                None
            }
        }
    }
}
