//! This machine's clock beside the database's.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use folkmoot_core::port::MemberError;

/// The most milliseconds by which the two may differ. Times of commits never go back, so that a clock that is far ahead would
/// stop those of all worlds that it writes to.
const OFF_MS_MAX: u64 = 2_000;

/// The most milliseconds that an answer may take which still tells the time.
const ANSWER_MS_MAX: i64 = 1_000;

/// The difference of the clocks, as of the last answer that told it.
#[derive(Debug, Default)]
pub(super) struct Clock {
    ahead_ms: AtomicI64,
    /// The milliseconds by which tests put this machine's clock forward.
    shift_ms: AtomicI64,
}

impl Clock {
    /// The time of this machine, in milliseconds since 1970.
    pub(super) fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        });
        now.saturating_add(self.shift_ms.load(Ordering::Relaxed))
    }

    /// Notes the database's time, which it told between `before` and now.
    pub(super) fn heed(&self, before: i64, theirs: i64) {
        let now = self.now_ms();
        if now.saturating_sub(before) <= ANSWER_MS_MAX {
            let ahead = before.midpoint(now).saturating_sub(theirs);
            self.ahead_ms.store(ahead, Ordering::Relaxed);
        }
    }

    /// The milliseconds by which this machine's clock is ahead of the database's; less than 0: behind.
    pub(super) fn ahead_ms(&self) -> i64 {
        self.ahead_ms.load(Ordering::Relaxed)
    }

    /// Puts this machine's clock forward.
    #[cfg(feature = "testing")]
    pub(super) fn shift(&self, ms: i64) {
        self.shift_ms.store(ms, Ordering::Relaxed);
    }

    /// Refuses what needs clocks that agree.
    pub(super) fn check(&self) -> Result<(), MemberError> {
        let ahead = self.ahead_ms();
        if ahead.unsigned_abs() <= OFF_MS_MAX {
            return Ok(());
        }
        let seconds = ahead.unsigned_abs() / 1_000;
        let side = if ahead > 0 { "ahead of" } else { "behind" };
        Err(MemberError::Refused(format!(
            "this machine's clock is {seconds} s {side} the database's, and may be 2 s off; set the clock, and start again"
        )))
    }
}
