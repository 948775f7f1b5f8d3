//! What clients tell of what their users see.

use super::{Draft, No};
use crate::ids::StateName;
use crate::refusal::RefusalReason;

impl Draft<'_> {
    pub(super) fn observe(&mut self, name: &StateName, _state: &str) -> Result<(), No> {
        match self.world.rules.spec().states.get(name) {
            Some(_) | None => Err(No::right(RefusalReason::BadState)),
        }
    }
}
