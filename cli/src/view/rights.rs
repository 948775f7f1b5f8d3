//! Rights of people in a world.

use folkmoot::core::event::Rights;
use folkmoot::core::world::World;
use serde::{Deserialize, Serialize};

/// The rights of a person, or of everyone else, in a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RightsView {
    /// The proof of the person, as `METHOD:SUBJECT`; `None` stands for everyone else.
    pub(crate) person: Option<String>,
    /// The rights.
    pub(crate) rights: Rights,
}

impl RightsView {
    /// Returns the rights of the people whom the definition names or whose rights were changed, and
    /// last those of everyone else.
    pub(crate) fn all(world: &World) -> Vec<Self> {
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
