//! How time passes in a world.

use std::time::Duration;

use folkmoot_core::ids::Time;
use folkmoot_core::port::Clock;
use folkmoot_core::world::World;
use folkmoot_core::world::effect::{Due, Effect};

use super::flight::Flight;
use crate::clock::WorldClock;
use crate::opening::Perform;

/// The longest that is slept at once, so that a clock that was set is noticed.
const NAP_MAX: Duration = Duration::from_secs(60);

/// Waits until something owed becomes due, or somebody begins to sleep on a simulated clock.
pub(super) async fn until_due(world: &World, clock: &WorldClock, perform: Perform) {
    let WorldClock::Simulated(simulated) = clock else {
        let now = clock.now();
        let due = world
            .owed()
            .filter_map(|effect| effect.not_before())
            .filter(|time| *time > now)
            .min();
        return until(due.filter(|_| perform != Perform::Nothing), &*clock.port()).await;
    };
    // Simulated time passes only when all that is under way sleeps on it (decision 0007).
    simulated.somebody_sleeps().await;
}

/// Waits until a time of the machine's clock; for ever if it is `None`. It does not end for a nap: who waits beside it counts
/// from its beginning.
pub(super) async fn until(time: Option<Time>, clock: &dyn Clock) {
    let Some(time) = time else {
        return std::future::pending().await;
    };
    loop {
        let wait = clock.now().until(time);
        if wait.is_zero() {
            return;
        }
        tokio::time::sleep(wait.min(NAP_MAX)).await;
    }
}

/// Tells whether a simulated clock may go on by itself: all that is under way sleeps on it, or
/// waits for a retry.
pub(super) fn may_pass(
    world: &World,
    clock: &WorldClock,
    flight: &Flight,
    perform: Perform,
) -> bool {
    let WorldClock::Simulated(simulated) = clock else {
        return false;
    };
    perform != Perform::Nothing
        && simulated.sleeping() >= flight.under_way()
        && !flight.holds_any()
        && next_wake(world, clock).is_some_and(|time| time > simulated.now())
}

/// Moves a simulated clock straight to the earliest wake.
pub(super) fn pass(world: &World, clock: &WorldClock) {
    if let (WorldClock::Simulated(simulated), Some(time)) = (clock, next_wake(world, clock)) {
        simulated.advance_to(time);
    }
}

/// The earliest sleeper, owed retry or join; never the expiry of a request, and never a signature.
fn next_wake(world: &World, clock: &WorldClock) -> Option<Time> {
    let WorldClock::Simulated(simulated) = clock else {
        return None;
    };
    let now = simulated.now();
    let is_wake = |effect: &Effect| {
        !matches!(
            effect,
            Effect::TickAt {
                due: Due::Expiry,
                ..
            } | Effect::Sign { .. }
        )
    };
    let owed = world
        .owed()
        .filter(is_wake)
        .filter_map(|effect| effect.not_before())
        .filter(|time| *time > now);
    owed.chain(simulated.first_wake()).min()
}
