//! Principals, and who may do what in a world.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentName, PersonName, ToolName};

/// A person, as the ingress proved them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Person {
    /// The method by which the person was proven, e.g. `local`, `script`, or an embedder's own
    /// word.
    pub method: String,
    /// The person's id to that method, e.g. `uid=1000`. Decisions compare this.
    pub subject: String,
    /// The name that the room calls them by. Claimed, not proven.
    pub display: PersonName,
}

impl Person {
    /// The method by which people of world scripts are proven.
    pub const SCRIPT: &str = "script";
    /// The method by which users of this machine are proven.
    pub const LOCAL: &str = "local";

    /// Returns how the person is proven, in one word: `method:subject`. No two people have the
    /// same: a colon in the method is written as `%3A`, a percent sign as `%25`.
    #[must_use]
    pub fn proof(&self) -> String {
        proof(&self.method, &self.subject)
    }

    /// Tells whether both are proven to be the same person, whatever the room calls them.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.method == other.method && self.subject == other.subject
    }

    /// Tells whether a world script plays them.
    #[must_use]
    pub fn is_played(&self) -> bool {
        self.method == Self::SCRIPT
    }

    /// Tells whether they are a user of this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.method == Self::LOCAL
    }
}

pub(crate) fn proof(method: &str, subject: &str) -> String {
    format!(
        "{}:{subject}",
        method.replace('%', "%25").replace(':', "%3A")
    )
}

/// The giver of a command. Set by the ingress, never by content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Principal {
    /// A human.
    Person(Person),
    /// An agent of the world.
    Agent(AgentName),
    /// A tool of the world.
    Tool(ToolName),
    /// The world's own rules.
    World,
    /// The shell that performs what is owed.
    Runtime,
}

impl Principal {
    /// The person behind it, if a person it is.
    #[must_use]
    pub const fn person(&self) -> Option<&Person> {
        match self {
            Self::Person(person) => Some(person),
            Self::Agent(_) | Self::Tool(_) | Self::World | Self::Runtime => None,
        }
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(person) => write!(f, "{}", person.display),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Tool(tool) => write!(f, "tool:{tool}"),
            Self::World => f.write_str("world"),
            Self::Runtime => f.write_str("runtime"),
        }
    }
}

/// A right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// To read the log, the state and what goes on.
    Read,
    /// To join, to leave, and to say things.
    Post,
    /// To decide what agents ask for, and to revoke grants.
    Decide,
    /// To stop, to revise, to label and to change rights. It is the strongest one: who may revise
    /// the definition may give themselves any other.
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

    /// Tells whether `right` is among them.
    #[must_use]
    pub fn has(&self, right: Right) -> bool {
        self.0.contains(&right)
    }

    /// Tells whether it is all of them.
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
