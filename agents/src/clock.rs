//! Clocks: the machine's, and a world's own.

use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use folkmoot_core::ids::Time;
use folkmoot_core::port::Clock;

mod simulated;
mod world;

pub use simulated::SimulatedClock;
pub(crate) use world::WorldClock;

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Time::default().after(since)
    }

    async fn sleep_until(&self, time: Time) {
        tokio::time::sleep(self.now().until(time)).await;
    }
}
