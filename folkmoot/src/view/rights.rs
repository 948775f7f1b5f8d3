//! Rights of people in a world.

use folkmoot_core::event::Rights;
use folkmoot_core::world::World;
use serde::{Deserialize, Serialize};

/// The rights of a person, or of everyone else, in a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightsView {
    /// The proof of the person, as `METHOD:SUBJECT`; `None` stands for everyone else.
    pub person: Option<String>,
    /// The rights.
    pub rights: Rights,
}

impl RightsView {
    /// Returns the rights of the people whom the definition names or whose rights were changed, and
    /// last those of everyone else.
    #[must_use]
    pub fn all(world: &World) -> Vec<Self> {
        let access = world.access();
        let one = |(proof, rights): (&str, &Rights)| Self {
            person: Some(proof.to_owned()),
            rights: rights.clone(),
        };
        let others = Self {
            person: None,
            rights: access.of_others().clone(),
        };
        access
            .people()
            .into_iter()
            .map(one)
            .chain([others])
            .collect()
    }
}
