//! The clock that leases are counted on.

use std::fmt::Debug;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A time since the machine was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BootTime(Duration);

impl BootTime {
    /// The time so long after the start of the machine.
    #[must_use]
    pub const fn new(since_boot: Duration) -> Self {
        Self(since_boot)
    }

    /// The time `wait` later.
    #[must_use]
    pub const fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait))
    }

    /// The time from here to `later`; zero if that is past.
    #[must_use]
    pub const fn until(self, later: Self) -> Duration {
        later.0.saturating_sub(self.0)
    }
}

/// A clock that nobody sets, and that goes on while the machine is suspended.
pub trait BootClock: Send + Sync + Debug {
    /// The time now. It never goes back.
    fn now(&self) -> BootTime;
}

/// The machine's own.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemBootClock;

impl SystemBootClock {
    /// The timers of the executor stand still while the machine is suspended, and this one does not.
    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;
}

impl BootClock for SystemBootClock {
    fn now(&self) -> BootTime {
        let now = clock_gettime(Self::CLOCK);
        let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
        let nanos = u32::try_from(now.tv_nsec).unwrap_or_default();
        BootTime(Duration::new(seconds, nanos))
    }
}
