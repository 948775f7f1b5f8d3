//! Who may do what.

use super::{Draft, No};
use crate::event::{Event, Rights, RightsChanged};
use crate::refusal::RefusalReason;

impl Draft<'_> {
    pub(super) fn set_rights(&mut self, method: &str, subject: &str, rights: Option<&Rights>) -> Result<(), No> {
        if self.principal.person().is_none() {
            return Err(No::right(RefusalReason::NotAPerson));
        }
        let (method, subject, rights) = (method.to_owned(), subject.to_owned(), rights.cloned());
        self.push(Event::RightsChanged(RightsChanged { method, subject, rights }));
        Ok(())
    }
}
