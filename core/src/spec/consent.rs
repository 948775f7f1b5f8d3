//! The words of a room's definition about consent and its borders.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::ToolName;
use crate::ids::principal::{Person, Rights};
use crate::tool::constraint::Constraint;

/// Calls that nobody can allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DenyRule {
    /// The tool.
    pub tool: ToolName,
    /// The constraints that the arguments must fit, all of them; empty: any.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Constraint>,
}

/// The rights that people have from the beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RightsPolicy {
    /// The rights of whom `people` does not name.
    pub default: Rights,
    /// The rights of people by how they are proven: `method:subject`, e.g. `local:uid=1000`.
    pub people: BTreeMap<String, Rights>,
}

impl RightsPolicy {
    /// The rights of `person`.
    #[must_use]
    pub fn of(&self, person: &Person) -> &Rights {
        self.people.get(&person.proof()).unwrap_or(&self.default)
    }

    /// Tells whether everyone has every right.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

/// A state that clients may tell: what their user sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSpec {
    /// JSON Schema (2020-12) of it.
    pub schema: Value,
    /// The most bytes of it, as it is told and with its ids resolved; from 1 to
    /// [`StateSpec::BYTES_MOST`].
    #[serde(default = "StateSpec::bytes_default")]
    pub bytes_max: u32,
    /// Where ids or lists of ids stand in it, as JSON pointers of which none is within another, and
    /// what the room knows them as. An id that is not listed is dropped.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, BTreeMap<String, String>>,
}

impl StateSpec {
    /// The default for the most bytes of a state.
    pub const BYTES_MAX: u32 = 8 * 1024;
    /// The most that a definition may allow.
    pub const BYTES_MOST: u32 = 56 * 1024;

    const fn bytes_default() -> u32 {
        Self::BYTES_MAX
    }
}

/// The effects whose approval needs a second person.
pub type FourEyes = BTreeSet<crate::tool::EffectClass>;
