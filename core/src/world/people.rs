//! The people of a world: its roster, their rights, and in whose hands the world is.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::Rights;
use crate::ids::principal::{Person, Principal};
use crate::ids::{PersonName, Position};
use crate::spec::RightsPolicy;
use crate::text::mentions::{Joined, Names};

pub(super) mod decide;
mod hands;
mod rights;

use hands::Hands;
pub use rights::Access;

/// The people of a world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    /// The people who joined and did not leave, by the names that they are shown under.
    roster: BTreeMap<PersonName, Person>,
    /// The same people by their names, as mentions find them. Shared with the requests of models
    /// that are under way.
    called: Arc<Names<Joined>>,
    /// The rights that people were given or lost since the definition said so, by proof. Empty if
    /// none were changed.
    rights: BTreeMap<String, Rights>,
    /// The people who have acted beside those that a script plays.
    hands: Hands,
}

impl People {
    /// The most people whose rights can be changed, beside those whom the definition names.
    pub const RIGHTS_MAX: usize = 1_000;

    /// The people of the roster, by the names that they are shown under.
    #[must_use]
    pub const fn roster(&self) -> &BTreeMap<PersonName, Person> {
        &self.roster
    }

    /// The same people, as mentions find them.
    pub(super) const fn called(&self) -> &Arc<Names<Joined>> {
        &self.called
    }

    /// Tells whether anybody has acted here whom no script plays. From then on the people of a
    /// script are one person: the user who runs it.
    #[must_use]
    pub fn are_in_other_hands(&self) -> bool {
        self.hands > Hands::Played
    }

    /// Tells whether a user of this machine has acted here. From then on no decision of a person
    /// whom a script plays is taken.
    #[must_use]
    pub fn are_in_local_hands(&self) -> bool {
        self.hands == Hands::Local
    }

    /// Tells whether one human may be behind both, whatever the room calls them: they have one
    /// proof, or a script plays one of them and whoever runs it may be the other.
    #[must_use]
    pub fn is_one_hand(&self, one: &Person, other: &Person) -> bool {
        one.is_same_as(other)
            || match (one.is_played(), other.is_played()) {
                (true, true) => self.are_in_other_hands(),
                (true, false) => other.is_local(),
                (false, true) => one.is_local(),
                (false, false) => false,
            }
    }

    /// The rights of `principal`: for a person or a service those that were changed, else those
    /// that `policy` says.
    pub(super) fn rights_of(&self, policy: &RightsPolicy, principal: &Principal) -> Rights {
        rights::rights_of(policy, &self.rights, principal)
    }

    /// The rights that were changed, by proof.
    pub(super) const fn changed_rights(&self) -> &BTreeMap<String, Rights> {
        &self.rights
    }

    /// Everybody's rights, apart from the world.
    pub(super) fn access(&self, policy: &RightsPolicy) -> Access {
        Access::new(policy.clone(), self.rights.clone())
    }

    /// Takes `person` into the roster, by the event at `at`.
    pub(super) fn join(&mut self, person: &Person, at: Position) {
        let joined = Joined {
            person: person.display.clone(),
            at,
        };
        Arc::make_mut(&mut self.called).insert(person.display.as_str(), joined);
        self.roster.insert(person.display.clone(), person.clone());
    }

    /// Takes `person` out of the roster, by the event at `at`.
    pub(super) fn leave(&mut self, person: &PersonName, at: Position) {
        self.roster.remove(person);
        let called = Arc::make_mut(&mut self.called);
        let bearer = called.find(person.as_str());
        if bearer.is_none_or(|joined| joined.person != *person) {
            return;
        }
        called.remove(person.as_str());
        // Somebody who writes the same name in another way bears it now.
        for other in self.roster.keys() {
            let person = other.clone();
            called.insert(other.as_str(), Joined { person, at });
        }
    }

    /// Changes the rights of whom `proof` proves; `None` gives those of the definition back.
    pub(super) fn change_rights(&mut self, proof: String, rights: Option<Rights>) {
        match rights {
            Some(rights) => self.rights.insert(proof, rights),
            None => self.rights.remove(&proof),
        };
    }

    /// Lets a new definition that says something else of a person than the old one have the newest
    /// word on their rights.
    pub(super) fn renew_rights(&mut self, old: &RightsPolicy, new: &RightsPolicy) {
        self.rights
            .retain(|proof, _| new.people.get(proof) == old.people.get(proof));
    }

    /// Notes that `person` has acted.
    pub(super) fn note_hand(&mut self, person: &Person) {
        self.hands = self.hands.max(Hands::of(person));
    }
}
