//! Counting for a while.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counts what is done in a stretch of time, after a quarter as long to get going, and says when it is over.
#[derive(Debug, Default)]
pub struct Meter {
    time: Duration,
    /// When counting begins; unset before the meter is started, which then is never over.
    first: OnceLock<Instant>,
    count: AtomicU64,
}

impl Meter {
    /// A meter that will count for `time`.
    #[must_use]
    pub fn new(time: Duration) -> Self {
        Self {
            time,
            ..Self::default()
        }
    }

    /// Starts it.
    pub fn begin(&self) {
        self.first.get_or_init(|| Instant::now() + self.time / 4);
    }

    /// Whether the time is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.first
            .get()
            .is_some_and(|first| Instant::now() >= *first + self.time)
    }

    /// Counts one, if the time is right.
    pub fn tick(&self) {
        let is_begun = self
            .first
            .get()
            .is_some_and(|first| Instant::now() >= *first);
        if is_begun && !self.is_over() {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What was counted per second. Asked for when it is over.
    #[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.count.load(Ordering::Relaxed) as f64 / self.time.as_secs_f64()
    }
}
