//! Grants as they stand.

use serde::{Deserialize, Serialize};

use super::World;
use crate::event::{GrantGiven, Scope};
use crate::ids::{GrantId, Time};

/// A grant, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// What was given.
    pub given: GrantGiven,
    /// How many calls it allowed.
    pub used: u32,
}

impl Grant {
    /// How many more calls it allows at `now`; `None`: as many as come.
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

impl World {
    /// How many grants a world keeps: the oldest gives way to a new one.
    pub const GRANTS_MAX: usize = 256;

    /// The grants that can still be used at the time of the last commit, oldest first.
    pub fn grants(&self) -> impl Iterator<Item = (GrantId, &Grant)> {
        let live = |grant: &&Grant| grant.left(self.time) != Some(0);
        self.grants
            .iter()
            .map(|(id, grant)| (*id, grant))
            .filter(move |(_, grant)| live(grant))
    }
}
