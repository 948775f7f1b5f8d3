//! Sleep: a world that nobody needs lets go of its state and its parts, and keeps only its door.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{Incarnation, Time};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{AppendError, NoTenure};
use folkmoot_core::world::Activity;
use folkmoot_core::world::effect::Effect;

use super::time::until;
use super::{Ask, Door, Porter, WorldTask};
use crate::clock::WorldClock;
use crate::error::{OpenError, SeatError};
use crate::means::Means;
use crate::opening::Perform;

/// A world that is let go of until somebody asks something of it.
pub(crate) struct Asleep {
    pub(super) means: Arc<Means>,
    pub(super) door: Door,
    /// Its incarnation when it fell asleep.
    pub(super) left: Incarnation,
    /// When it has to act again; `None`: when it is asked.
    pub(super) due: Option<Time>,
}

/// The way in which a world is kept behind its door.
pub(crate) enum Kept {
    /// By its own task, which takes this up first.
    Awake(Box<WorldTask>, Option<Ask>),
    /// By nobody, until it is needed.
    Asleep(Asleep),
    /// By another process, or nobody: this one follows it.
    Elsewhere(Box<Porter>),
}

/// Drives a world as long as it is open here.
pub(crate) async fn keep(mut kept: Kept) {
    loop {
        // Boxed: a sleeping world is to hold no room for a running one.
        let next = match kept {
            Kept::Awake(task, first) => Box::pin(task.run(first)).await,
            Kept::Asleep(asleep) => asleep.wake().await,
            Kept::Elsewhere(porter) => Box::pin(porter.run()).await,
        };
        match next {
            Some(next) => kept = next,
            None => return,
        }
    }
}

impl WorldTask {
    /// Returns how long the world may still stay in memory if nothing comes; `None`: for as long as
    /// it is open.
    pub(super) fn sleepy_after(&self) -> Option<Duration> {
        // A signature is no reason to stay: it is made before the world is let go of.
        let is_signature = |effect: Effect| matches!(effect, Effect::Sign { .. });
        // Where somebody is told when a world is due, it need not wait in memory. Else waking costs an opening, for nothing.
        let is_told = self.means.tenures.is_some() && self.flight.is_empty();
        let waits = |effect: Effect| {
            is_told
                && effect
                    .not_before()
                    .is_some_and(|time| time > self.clock.now())
                || is_signature(effect)
        };
        let owes_nothing =
            || (is_told || self.activity() == Activity::Idle) && self.world.owed().all(waits);
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
    /// Keeps a world that fell asleep. Where others may take it, its rights and its words may change meanwhile: then it is
    /// followed as long as somebody here needs it, and else closed.
    pub(super) async fn settle(self) -> Option<Kept> {
        let Some(courier) = self.means.courier.clone() else {
            return Some(Kept::Asleep(self));
        };
        let Self { means, door, .. } = self;
        if door.activity.is_followed() || !door.asks.is_empty() {
            return Porter::begin(means, courier, door).await;
        }
        door.closed(None);
        None
    }

    /// Waits until something is asked of the world, or it is due, and opens it again for that. `None`
    /// once it is closed, or cannot be opened: whoever asks is told why.
    async fn wake(mut self) -> Option<Kept> {
        let due = until(self.due.filter(|_| self.wakes_itself()), &*self.means.clock);
        let ask = tokio::select! {
            biased;
            ask = self.door.asks.recv() => match ask {
                Some(Ask::Close(closing)) => {
                    self.door.closed(Some(closing));
                    return None;
                }
                Some(ask) => Some(ask),
                None => {
                    self.door.closed(None);
                    return None;
                }
            },
            () = due => None,
        };
        let Self {
            means,
            mut door,
            left,
            ..
        } = self;
        match Box::pin(means.reopen(&door.name, left, door.perform)).await {
            Ok(entered) => Some(Kept::Awake(WorldTask::begin(means, door, entered), ask)),
            Err(error) => {
                let why = with_causes(&error);
                tracing::error!(world = %door.name, why, "the world could not be opened again");
                let answer = unopened(&error, why);
                door.stopped(&answer);
                if let Some(ask) = ask {
                    ask.turn_away(&answer);
                }
                None
            }
        }
    }

    /// Tells whether somebody may have to act for it though nobody asks.
    fn wakes_itself(&self) -> bool {
        self.means.tenures.is_some() && self.door.perform != Perform::Nothing
    }
}

/// The answer to whoever asked something of a world that could not be opened again.
fn unopened(error: &OpenError, why: String) -> SeatError {
    let elsewhere = |source: &NoTenure| matches!(source, NoTenure::HeldElsewhere { .. });
    if let OpenError::Append(AppendError::Full(_)) = error {
        SeatError::Full
    } else if let OpenError::TenureLost(_) = error {
        SeatError::TenureLost
    } else if let OpenError::NoTenure { source, .. } = error
        && elsewhere(source)
    {
        SeatError::TenureLost
    } else {
        SeatError::Stopped(why)
    }
}
