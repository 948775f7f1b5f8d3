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
        Holder::Person.proof(&self.method, &self.subject)
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

/// A program that acts by itself, as the ingress proved it. Never an agent of the world: an agent
/// has no command of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Service {
    /// The method by which the program was proven, e.g. `token`.
    pub method: String,
    /// The program's id to that method. Rights compare this.
    pub subject: String,
    /// The name that the room calls it by. Claimed, not proven.
    pub display: PersonName,
}

impl Service {
    /// Returns how the program is proven, in one word: `service%:method:subject`. No person has the
    /// same, and no other service.
    #[must_use]
    pub fn proof(&self) -> String {
        Holder::Service.proof(&self.method, &self.subject)
    }

    /// Tells whether both are proven to be the same program, whatever the room calls them.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.method == other.method && self.subject == other.subject
    }
}

/// The name, and that it is a service: no person's name ends so.
impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (service)", self.display)
    }
}

/// Somebody from outside the world: a person or a program. A person stands in logs as ever, a program
/// below the key `service`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Party {
    /// A program that acts by itself.
    Service {
        /// The program.
        service: Service,
    },
    /// A human.
    Person(Person),
}

impl Party {
    /// The person, if it is one.
    #[must_use]
    pub const fn person(&self) -> Option<&Person> {
        match self {
            Self::Person(person) => Some(person),
            Self::Service { .. } => None,
        }
    }

    /// The name that the room calls it by, without a word on what it is.
    #[must_use]
    pub const fn display(&self) -> &PersonName {
        match self {
            Self::Person(person) => &person.display,
            Self::Service { service } => &service.display,
        }
    }

    /// The method by which it was proven.
    #[must_use]
    pub fn method(&self) -> &str {
        match self {
            Self::Person(person) => &person.method,
            Self::Service { service } => &service.method,
        }
    }

    /// Its id to that method.
    #[must_use]
    pub fn subject(&self) -> &str {
        match self {
            Self::Person(person) => &person.subject,
            Self::Service { service } => &service.subject,
        }
    }

    /// Returns how it is proven, in one word: the key of its rights.
    #[must_use]
    pub fn proof(&self) -> String {
        match self {
            Self::Person(person) => person.proof(),
            Self::Service { service } => service.proof(),
        }
    }
}

/// The name, and of a program that it is a service.
impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(person) => person.display.fmt(f),
            Self::Service { service } => service.fmt(f),
        }
    }
}

impl From<Person> for Party {
    fn from(person: Person) -> Self {
        Self::Person(person)
    }
}

impl From<Service> for Party {
    fn from(service: Service) -> Self {
        Self::Service { service }
    }
}

impl From<Party> for Principal {
    fn from(party: Party) -> Self {
        match party {
            Party::Person(person) => Self::Person(person),
            Party::Service { service } => Self::Service(service),
        }
    }
}

/// The kind of a principal that rights are given to by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// A human.
    #[default]
    Person,
    /// A program that acts by itself.
    Service,
}

impl Holder {
    /// The begin of each service's proof. In a person's, `25` or `3A` stands behind a percent sign.
    const SERVICE: &str = "service%:";

    /// Tells whether it is a human.
    #[must_use]
    pub fn is_person(&self) -> bool {
        *self == Self::Person
    }

    /// Returns how a principal of this kind is proven, in one word: a key of rights.
    #[must_use]
    pub fn proof(self, method: &str, subject: &str) -> String {
        let method = method.replace('%', "%25").replace(':', "%3A");
        match self {
            Self::Person => format!("{method}:{subject}"),
            Self::Service => format!("{}{method}:{subject}", Self::SERVICE),
        }
    }

    /// Reads such a key back: the kind, the method and the subject. `None` if it is none.
    #[must_use]
    pub fn read(proof: &str) -> Option<(Self, String, String)> {
        let (holder, rest) = match proof.strip_prefix(Self::SERVICE) {
            Some(rest) => (Self::Service, rest),
            None => (Self::Person, proof),
        };
        let (method, subject) = rest.split_once(':')?;
        let method = method.replace("%3A", ":").replace("%25", "%");
        let is_same = holder.proof(&method, subject) == proof;
        is_same.then(|| (holder, method, subject.to_owned()))
    }
}

/// The giver of a command. Set by the ingress, never by content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Principal {
    /// A human.
    Person(Person),
    /// A program that acts by itself.
    Service(Service),
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
            Self::Service(_) | Self::Agent(_) | Self::Tool(_) | Self::World | Self::Runtime => None,
        }
    }

    /// The service behind it, if a service it is.
    #[must_use]
    pub const fn service(&self) -> Option<&Service> {
        match self {
            Self::Service(service) => Some(service),
            Self::Person(_) | Self::Agent(_) | Self::Tool(_) | Self::World | Self::Runtime => None,
        }
    }

    /// The person or the service that it is; `None` if it is neither.
    #[must_use]
    pub fn party(&self) -> Option<Party> {
        match self {
            Self::Person(person) => Some(person.clone().into()),
            Self::Service(service) => Some(service.clone().into()),
            Self::Agent(_) | Self::Tool(_) | Self::World | Self::Runtime => None,
        }
    }

    /// The name that the room calls it by; `None` if it is neither a person nor a service.
    #[must_use]
    pub const fn display(&self) -> Option<&PersonName> {
        match self {
            Self::Person(person) => Some(&person.display),
            Self::Service(service) => Some(&service.display),
            Self::Agent(_) | Self::Tool(_) | Self::World | Self::Runtime => None,
        }
    }

    /// The key of its own rights; `None` if it is neither a person nor a service.
    #[must_use]
    pub fn proof(&self) -> Option<String> {
        match self {
            Self::Person(person) => Some(person.proof()),
            Self::Service(service) => Some(service.proof()),
            Self::Agent(_) | Self::Tool(_) | Self::World | Self::Runtime => None,
        }
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(person) => write!(f, "{}", person.display),
            Self::Service(service) => service.fmt(f),
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
