//! The limit on how many calls may be begun: one limiter for all rooms of the process that ask one
//! model at one place.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use folkmoot_core::model::response::{ModelError, ModelErrorKind};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use serde::Deserialize;

use folkmoot_core::ids::duration;

#[cfg(test)]
mod tests;

/// The longest wait inside a call. A longer one is given back as an error, so that the log owns it:
/// it is recorded, shown, survives a restart and does not use up the time of the attempt.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(5);

/// The most limiters of a process. Beyond it those that no call holds are forgotten, which lets
/// calls through too early rather than none at all.
const LIMITERS_MAX: usize = 1_000;

/// So many calls in so much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// The number of calls that may be begun at once, and in each period.
    pub requests: NonZeroU32,
    /// The period.
    #[serde(deserialize_with = "duration::deserialize")]
    pub per: Duration,
}

impl RateLimit {
    /// Calls come back one by one, evenly over the period.
    fn quota(self) -> Quota {
        let each = self
            .per
            .checked_div(self.requests.get())
            .filter(|each| !each.is_zero());
        let quota = Quota::with_period(each.unwrap_or(Duration::from_nanos(1)));
        quota
            // Never reached: the period is at least a nanosecond.
            .unwrap_or_else(|| Quota::per_second(self.requests))
            .allow_burst(self.requests)
    }
}

/// Counts the calls of one model at one place.
#[derive(Debug)]
pub(super) struct Limiter<C: Clock = DefaultClock> {
    limiter: RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<C::Instant>>,
    clock: C,
}

impl<C: Clock + Clone> Limiter<C> {
    fn new(limit: RateLimit, clock: C) -> Self {
        Self {
            limiter: RateLimiter::direct_with_clock(limit.quota(), clock.clone()),
            clock,
        }
    }

    /// Takes a place, or says how long it takes until there is one.
    fn take(&self) -> Result<(), Duration> {
        self.limiter
            .check()
            .map_err(|full| full.wait_time_from(self.clock.now()))
    }

    /// Waits for a place. Dropping the future gives it up.
    ///
    /// # Errors
    /// [`ModelErrorKind::Rate`] with the wait, if that is longer than [`WAIT_MAX`] altogether.
    pub(super) async fn place(&self) -> Result<(), ModelError> {
        let mut left = WAIT_MAX;
        while let Err(wait) = self.take() {
            left = left.checked_sub(wait).ok_or_else(|| beyond(wait))?;
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }
}

fn beyond(wait: Duration) -> ModelError {
    let detail = "the model's rate_limit leaves no room for a call now; nothing was sent";
    ModelError::new(ModelErrorKind::Rate, detail).retry_after(Some(wait))
}

type Key = (String, String, RateLimit);

static LIMITERS: LazyLock<Mutex<BTreeMap<Key, Arc<Limiter>>>> = LazyLock::new(Mutex::default);

/// The limiter of the calls to `model` at `base_url`. Rooms that say different limits of one model
/// have different ones.
pub(super) fn limiter(limit: RateLimit, base_url: &str, model: &str) -> Arc<Limiter> {
    let mut limiters = LIMITERS.lock().unwrap_or_else(PoisonError::into_inner);
    // A process that makes many rooms would keep a limiter of each for ever.
    if limiters.len() >= LIMITERS_MAX {
        limiters.retain(|_, limiter| Arc::strong_count(limiter) > 1);
    }
    let key = (base_url.to_owned(), model.to_owned(), limit);
    Arc::clone(
        limiters
            .entry(key)
            .or_insert_with(|| Arc::new(Limiter::new(limit, DefaultClock::default()))),
    )
}
