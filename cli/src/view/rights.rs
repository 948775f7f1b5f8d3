//! Who has which rights.

use folkmoot::core::event::Rights;
use folkmoot::core::world::World;
use serde::{Deserialize, Serialize};

/// Somebody's rights in a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RightsView {
    /// How the person is proven, `METHOD:SUBJECT`; `None`: everyone else.
    pub(crate) person: Option<String>,
    /// What they may do.
    pub(crate) rights: Rights,
}

impl RightsView {
    /// Those of the people whom the definition names or whose rights were changed, and last those of everyone else.
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
