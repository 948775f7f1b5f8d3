//! Episodes that services begin: rooms that programs join must not run for ever.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::ids::Time;

/// The span that episodes of services are counted over, in milliseconds.
const HOUR_MS: u64 = 60 * 60 * 1_000;

/// The episodes that services began within the last hour, all services of the world together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::world) struct ServiceEpisodes {
    /// The times at which they began, by the log, oldest first. Empty if none began in the hour
    /// before the newest.
    began: VecDeque<Time>,
    /// True if people were told that no more begin, and none has begun since.
    is_told: bool,
}

impl ServiceEpisodes {
    /// Tells whether another one at `now` would be more than `max` within an hour.
    pub(in crate::world) fn are_spent(&self, now: Time, max: u32) -> bool {
        let recent = self.began.iter().filter(|began| is_recent(**began, now));
        recent.count() >= usize::try_from(max).unwrap_or(usize::MAX)
    }

    /// Tells whether people know that no more begin.
    pub(in crate::world) const fn is_told(&self) -> bool {
        self.is_told
    }

    /// Counts one that begins at `now`.
    pub(in crate::world) fn begin(&mut self, now: Time) {
        self.began.retain(|began| is_recent(*began, now));
        self.began.push_back(now);
        self.is_told = false;
    }

    /// Notes that people were told.
    pub(in crate::world) const fn tell(&mut self) {
        self.is_told = true;
    }
}

const fn is_recent(began: Time, now: Time) -> bool {
    now.0.saturating_sub(began.0) < HOUR_MS
}
