//! The clock that a world runs on.

use std::sync::Arc;

use folkmoot_core::ids::Time;
use folkmoot_core::port::Clock;

use super::SimulatedClock;

/// Which clock a world runs on.
#[derive(Debug, Clone)]
pub(crate) enum WorldClock {
    /// The machine's, or what stands for it.
    System(Arc<dyn Clock>),
    Simulated(SimulatedClock),
}

impl WorldClock {
    pub(crate) fn now(&self) -> Time {
        self.port().now()
    }

    /// Returns how many sleep on it. Nobody counts those who sleep on the machine's.
    pub(crate) fn sleeping(&self) -> usize {
        match self {
            Self::System(_) => 0,
            Self::Simulated(clock) => clock.sleeping(),
        }
    }

    /// Waits until somebody begins to sleep on a simulated clock.
    pub(crate) async fn somebody_sleeps(&self) {
        match self {
            Self::System(_) => std::future::pending().await,
            Self::Simulated(clock) => clock.somebody_sleeps().await,
        }
    }

    pub(crate) fn port(&self) -> Arc<dyn Clock> {
        match self {
            Self::System(clock) => Arc::clone(clock),
            Self::Simulated(clock) => Arc::new(clock.clone()),
        }
    }
}
