//! Who may do what in a world.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// One right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// To read the log, the state and what goes on.
    Read,
    /// To join, to leave, and to say things.
    Post,
    /// To decide what agents ask for, and to revoke grants.
    Decide,
    /// To stop, to revise, to label and to change rights. It is the strongest one: who may revise the definition may give
    /// themselves any other.
    Operate,
}

/// A person's rights in a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rights(pub BTreeSet<Right>);

impl Rights {
    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Self([Right::Read, Right::Post, Right::Decide, Right::Operate].into())
    }

    /// Whether `right` is among them.
    #[must_use]
    pub fn has(&self, right: Right) -> bool {
        self.0.contains(&right)
    }

    /// Whether it is all of them.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::all()
    }
}

impl Default for Rights {
    fn default() -> Self {
        Self::all()
    }
}

/// A person has other rights from here on. They replace the ones before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightsChanged {
    /// How the person is proven.
    pub method: String,
    /// Who it is to that method.
    pub subject: String,
    /// The rights; `None`: those that the definition says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<Rights>,
}
