//! People who join and leave.

use super::{Draft, No};
use crate::event::refusal::RefusalReason;
use crate::event::{Author, PersonJoined, PersonLeft};
use crate::ids::principal::{Person, Principal};

impl<'w> Draft<'w> {
    /// The person who gives the command joins the roster, if they are not there already.
    pub(super) fn join(&mut self) -> Result<(), No> {
        let person = self.giver()?;
        self.check_author(&Author::Person(person.display.clone()))?;
        if self.is_taken(person) {
            return Err(No::right(RefusalReason::NotYours));
        }
        self.enrol();
        Ok(())
    }

    /// The person who gives the command leaves the roster, if they are there.
    pub(super) fn leave(&mut self) -> Result<(), No> {
        let person = self.giver()?;
        if self.is_taken(person) {
            return Err(No::right(RefusalReason::NotYours));
        }
        if self.world.people.roster().contains_key(&person.display) {
            self.push(PersonLeft {
                person: person.display.clone(),
            });
        }
        Ok(())
    }

    fn giver(&self) -> Result<&'w Person, No> {
        let principal: &'w Principal = self.principal;
        principal
            .person()
            .ok_or(No::right(RefusalReason::NotAPerson))
    }

    /// Tells whether the roster knows somebody else by the name of `person`.
    pub(super) fn is_taken(&self, person: &Person) -> bool {
        let known = self.world.people.roster().get(&person.display);
        known.is_some_and(|known| !self.world.people.is_one_hand(known, person))
    }

    /// Whoever does something here is in the roster from then on, so that agents can name them.
    pub(super) fn enrol(&mut self) {
        if let Principal::Person(person) = self.principal
            && !self.world.people.roster().contains_key(&person.display)
        {
            self.push(PersonJoined {
                person: person.clone(),
            });
        }
    }
}
