//! The quotas of each principal: how often they may do something.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::identity::Caller;
use crate::limits::ServerLimits;
use crate::metrics::Metrics;
use crate::problem::{Problem, ProblemCode};

/// The most principals that a quota knows. Those who have all of it left are forgotten first.
const KNOWN_MAX: usize = 10_000;

/// The quotas of all principals.
#[derive(Debug)]
pub(crate) struct Quotas {
    commands: PerMinute,
    connections: PerMinute,
    metrics: Metrics,
}

#[derive(Debug)]
struct PerMinute {
    limiter: RateLimiter<String, HashMapStateStore<String>, DefaultClock>,
    max: u32,
    what: &'static str,
}

impl Quotas {
    pub(super) fn new(limits: &ServerLimits, metrics: Metrics) -> Self {
        Self {
            commands: PerMinute::new(limits.commands_per_minute, "commands"),
            connections: PerMinute::new(limits.connections_per_minute, "new connections"),
            metrics,
        }
    }

    /// Counts a command of `caller`.
    ///
    /// # Errors
    /// [`ProblemCode::LimitReached`] says when there is room again.
    pub(crate) fn command(&self, caller: &Caller) -> Result<(), Problem> {
        self.counted(&self.commands, caller)
    }

    /// Counts a new connection of `caller`.
    ///
    /// # Errors
    /// [`ProblemCode::LimitReached`] says when there is room again.
    pub(crate) fn connection(&self, caller: &Caller) -> Result<(), Problem> {
        self.counted(&self.connections, caller)
    }

    fn counted(&self, quota: &PerMinute, caller: &Caller) -> Result<(), Problem> {
        let taken = quota.take(caller);
        if taken.is_err() {
            self.metrics.limit(quota.what);
        }
        taken
    }
}

impl PerMinute {
    fn new(max: NonZeroU32, what: &'static str) -> Self {
        let clock = DefaultClock::default();
        Self {
            limiter: RateLimiter::hashmap_with_clock(Quota::per_minute(max), clock),
            max: max.get(),
            what,
        }
    }

    fn take(&self, caller: &Caller) -> Result<(), Problem> {
        if self.limiter.len() >= KNOWN_MAX {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(&caller.key()).map_err(|full| {
            let wait = full.wait_time_from(DefaultClock::default().now());
            let wait = seconds(wait);
            let why = format!(
                "you may send {} {} a minute; there is room again in {wait} s",
                self.max, self.what
            );
            Problem::new(ProblemCode::LimitReached, why)
                .with("limit", self.what)
                .with("retry_after_s", wait)
        })
    }
}

/// Whole seconds, rounded up.
fn seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}
