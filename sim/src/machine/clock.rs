//! The machine's clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::ids::Time;
use folkmoot::core::port::Clock;
use tokio::time::Instant;

/// Goes by the paused time of one executor after the other. Cheap to clone: all clones are one
/// clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct VirtualClock(Arc<Mutex<Elapsed>>);

#[derive(Debug, Default)]
struct Elapsed {
    /// What had passed when the present executor began.
    before: Duration,
    /// When it began, by its own time.
    began: Option<Instant>,
}

impl VirtualClock {
    /// An executor begins, and this is one of its tasks.
    pub(crate) fn begin(&self) {
        self.state().began = Some(Instant::now());
    }

    /// The executor ends, and `pause` passes until the next one begins.
    pub(crate) fn end(&self, pause: Duration) {
        let passed = self.passed();
        *self.state() = Elapsed {
            before: passed.saturating_add(pause),
            began: None,
        };
    }

    /// Returns what has passed since the machine began.
    pub(crate) fn passed(&self) -> Duration {
        let state = self.state();
        state
            .before
            .saturating_add(state.began.map(|began| began.elapsed()).unwrap_or_default())
    }

    /// Waits until so much has passed.
    pub(crate) async fn until(&self, passed: Duration) {
        tokio::time::sleep(passed.saturating_sub(self.passed())).await;
    }

    fn state(&self) -> MutexGuard<'_, Elapsed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for VirtualClock {
    fn now(&self) -> Time {
        Time::SIMULATED_START.after(self.passed())
    }

    async fn sleep_until(&self, time: Time) {
        tokio::time::sleep(self.now().until(time)).await;
    }
}
