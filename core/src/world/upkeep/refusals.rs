//! Refusals, counted so that nobody can flood the log with them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::event::Refused;
use crate::ids::{Digest, Time};

/// The most kinds of refusals that are counted at a time. The oldest gives way.
const KINDS_MAX: usize = 256;

/// The refusals of one episode, by reason and principal, the oldest kind first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::world) struct Refusals(VecDeque<RefusalCount>);

/// Equal refusals of one principal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::world) struct RefusalCount {
    /// The digest of reason and principal.
    key: Digest,
    /// The number of those that were recorded.
    pub(in crate::world) count: u32,
    /// The recorded minute of the last one that stands for others; `None` if none does.
    pub(in crate::world) repeated_in: Option<u64>,
}

impl Refusals {
    /// The count of those that are equal to `refused`; `None` if it is the first.
    pub(in crate::world) fn equal_to(&self, refused: &Refused) -> Option<&RefusalCount> {
        let key = key_of(refused);
        self.0.iter().find(|known| known.key == key)
    }

    pub(super) fn count(&mut self, refused: &Refused, now: Time) {
        let key = key_of(refused);
        let repeated_in = refused.repeated.then(|| now.minute());
        match self.0.iter_mut().find(|known| known.key == key) {
            Some(known) => {
                known.count = known.count.saturating_add(1);
                known.repeated_in = repeated_in;
            }
            None => self.0.push_back(RefusalCount {
                key,
                count: 1,
                repeated_in,
            }),
        }
        while self.0.len() > KINDS_MAX {
            self.0.pop_front();
        }
    }
}

fn key_of(refused: &Refused) -> Digest {
    // Neither part can fail to serialise.
    Digest::of(&[&serde_json::to_vec(&(refused.reason, &refused.principal)).unwrap_or_default()])
}
