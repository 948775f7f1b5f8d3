//! The rights of everybody, as they stand now.

use std::collections::BTreeMap;

use crate::event::{Right, Rights};
use crate::ids::principal::Principal;
use crate::spec::RightsPolicy;

/// The rights of everybody in a world, apart from the world.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    policy: RightsPolicy,
    changed: BTreeMap<String, Rights>,
}

impl Access {
    pub(super) const fn new(policy: RightsPolicy, changed: BTreeMap<String, Rights>) -> Self {
        Self { policy, changed }
    }

    /// The rights of `principal`. For a person: what people changed, else what the definition says
    /// of them, else its default. For a service the same, and nothing in place of the default. The
    /// world and the runtime have all; agents and tools may read.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Rights {
        rights_of(&self.policy, &self.changed, principal)
    }

    /// The rights of people whom nothing names.
    #[must_use]
    pub const fn of_others(&self) -> &Rights {
        &self.policy.default
    }

    /// The rights of the people whom something names, by their proof: `method:subject`.
    #[must_use]
    pub fn people(&self) -> BTreeMap<&str, &Rights> {
        self.policy
            .people
            .iter()
            .chain(&self.changed)
            .map(|(proof, rights)| (proof.as_str(), rights))
            .collect()
    }
}

pub(super) fn rights_of(
    policy: &RightsPolicy,
    changed: &BTreeMap<String, Rights>,
    principal: &Principal,
) -> Rights {
    match principal {
        Principal::Person(person) => changed
            .get(&person.proof())
            .unwrap_or_else(|| policy.of(person))
            .clone(),
        // The default of a definition is meant for people: a program that nobody named may nothing.
        Principal::Service(service) => {
            let proof = service.proof();
            let named = changed.get(&proof).or_else(|| policy.people.get(&proof));
            named.cloned().unwrap_or_else(|| Rights([].into()))
        }
        Principal::World | Principal::Runtime => Rights::all(),
        Principal::Agent(_) | Principal::Tool(_) => Rights([Right::Read].into()),
    }
}
