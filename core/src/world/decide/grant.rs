//! Grants: decisions that reach further than one request.

use super::{Draft, No};
use crate::event::{Event, GrantRevoked};
use crate::ids::GrantId;
use crate::refusal::RefusalReason;

impl Draft<'_> {
    pub(super) fn revoke(&mut self, grant: GrantId) -> Result<(), No> {
        let person = self.principal.person().ok_or(No::right(RefusalReason::NotAPerson))?;
        if !self.world.grants().any(|(id, _)| id == grant) {
            return Err(No::right(RefusalReason::UnknownGrant));
        }
        self.enrol();
        self.push(Event::GrantRevoked(GrantRevoked { grant, by: Some(person.clone()) }));
        Ok(())
    }
}
