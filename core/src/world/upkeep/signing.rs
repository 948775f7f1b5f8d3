//! Signing: when heads of the log are to be signed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::event::Occasion;
use crate::ids::Time;
use crate::world::effect::Effect;

/// After so many unsigned events a head is signed at once.
const UNSIGNED_MAX: u64 = 1_024;

/// After so long a head is signed, whatever goes on.
const UNSIGNED_FOR: Duration = Duration::from_secs(60);

/// The way in which heads of the log are signed while this opening lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Signing {
    /// The key: its name, a plus sign and its id.
    key: String,
    /// The number of events that no signed head covers, the signatures not counted.
    unsigned: u64,
    /// When the first of them was recorded; `None` if there is none.
    since: Option<Time>,
}

impl Signing {
    /// Signs with `key` from an opening at `now` on. Events that nothing covered `before` still
    /// count.
    pub(super) fn new(key: &str, before: Option<Self>, now: Time) -> Self {
        Self {
            key: key.to_owned(),
            // The opening itself is no signature either.
            unsigned: before.as_ref().map_or(1, |before| before.unsigned),
            since: before.map_or(Some(now), |before| before.since),
        }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) const fn has_unsigned(&self) -> bool {
        self.unsigned > 0
    }

    /// Counts an event that is recorded at `now` and is no signature.
    pub(super) fn count(&mut self, now: Time) {
        self.unsigned = self.unsigned.saturating_add(1);
        self.since.get_or_insert(now);
    }

    /// Begins to count anew behind a signature.
    pub(super) const fn restart(&mut self) {
        self.unsigned = 0;
        self.since = None;
    }

    /// The signature that is owed: at once if enough is unsigned or nothing else goes on, else
    /// after a while.
    pub(super) fn owed(&self, is_quiet: bool, now: Time) -> Option<Effect> {
        if self.unsigned == 0 {
            return None;
        }
        let (not_before, occasion) = if self.unsigned >= UNSIGNED_MAX {
            (None, Occasion::Count)
        } else if is_quiet {
            (None, Occasion::Quiet)
        } else {
            let since = self.since.unwrap_or(now);
            (Some(since.after(UNSIGNED_FOR)), Occasion::Time)
        };
        Some(Effect::Sign {
            not_before,
            occasion,
        })
    }
}
