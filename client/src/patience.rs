//! Patience: how long something is tried again, and how often.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::ClientError;

/// The first pause between two attempts.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest one; each is twice the one before.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The attempts at one thing.
#[derive(Debug)]
pub(crate) struct Attempts {
    patience: Duration,
    begun: Instant,
    pause: Duration,
}

/// The reason for another attempt.
#[derive(Debug, Default)]
pub(crate) struct Again {
    /// The fault; `None` if the server said that it is not ready.
    pub(crate) fault: Option<reqwest::Error>,
    /// The time after which the server wants to be asked again.
    pub(crate) after: Option<Duration>,
}

impl Attempts {
    /// Begins something that is tried for as long as `patience`.
    pub(crate) fn within(patience: Duration) -> Self {
        Self {
            patience,
            begun: Instant::now(),
            pause: FIRST_PAUSE,
        }
    }

    /// Waits until the next attempt. Many clients that lost one server do not come back at once:
    /// each waits for a part of the pause that it draws.
    ///
    /// # Errors
    /// [`ClientError::GaveUp`] if that would take longer than the client is patient.
    pub(crate) async fn pause(&mut self, again: Again) -> Result<(), ClientError> {
        let drawn = self.pause.mul_f64(0.5 + fastrand::f64() / 2.0);
        let pause = drawn.max(again.after.unwrap_or_default());
        self.pause = self.pause.saturating_mul(2).min(LONGEST_PAUSE);
        let waited = self.begun.elapsed();
        if waited.saturating_add(pause) > self.patience {
            let last = again.fault;
            return Err(ClientError::GaveUp { waited, last });
        }
        sleep(pause).await;
        Ok(())
    }
}
