//! Grants as they stand.

use serde::{Deserialize, Serialize};

use crate::event::{GrantGiven, Scope};
use crate::ids::Time;

/// A grant, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The grant as it was given.
    pub given: GrantGiven,
    /// The number of calls that it allowed.
    pub used: u32,
}

impl Grant {
    /// Returns the number of further calls that it allows at `now`; `None`: as many as come.
    #[must_use]
    pub fn left(&self, now: Time) -> Option<u32> {
        match self.given.scope {
            _ if self.given.expires_at <= now => Some(0),
            Scope::Uses(uses) => Some(uses.saturating_sub(self.used)),
            Scope::Once => Some(1_u32.saturating_sub(self.used)),
            Scope::Turn | Scope::World => None,
        }
    }
}
