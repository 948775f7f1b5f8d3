//! Waiting for what must come: under a deadline, and by looking.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// Nothing here takes this long; what does hangs. The machine may be busy with other things.
pub(crate) const DEADLINE: Duration = Duration::from_secs(180);

/// From one look to the next: whoever looks without a pause takes the processor from those whom it waits for.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Does something that must come to an end.
pub(crate) async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    match timeout(DEADLINE, work).await {
        Ok(done) => done,
        Err(_) => panic!("{what}: not within {DEADLINE:?}"),
    }
}

/// Looks until there is something.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    let mut pace = interval(LOOK_EVERY);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        pace.tick().await;
        if let Some(found) = look().await {
            return found;
        }
        assert!(
            begun.elapsed() < DEADLINE,
            "{what}: not within {DEADLINE:?}"
        );
    }
}
