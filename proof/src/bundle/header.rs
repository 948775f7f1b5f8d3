//! The header of a commit: 84 fixed bytes, little-endian, then JSON.

use serde::Deserialize;

/// Whoever is proven to be a person or a service.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct NamedPerson {
    pub(super) method: String,
    pub(super) subject: String,
    pub(super) display: String,
}

impl NamedPerson {
    /// In words: how the room calls them, and how they were proven.
    pub(super) fn told(&self) -> String {
        let Self {
            method,
            subject,
            display,
        } = self;
        format!("{display}, proven by `{method}` to be `{subject}`")
    }
}

/// Whoever decided: a person, or a program below the key `service`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum NamedParty {
    Service { service: NamedPerson },
    Person(NamedPerson),
}

impl NamedParty {
    pub(super) fn told(&self) -> String {
        match self {
            Self::Service { service } => format!("the service {}", service.told()),
            Self::Person(person) => person.told(),
        }
    }
}

/// The one who gave a command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CommandGiver {
    Person(NamedPerson),
    Service(NamedPerson),
    Agent(String),
    Tool(String),
    World,
    Runtime,
}

impl CommandGiver {
    pub(super) fn told(&self) -> String {
        match self {
            Self::Person(person) => person.told(),
            Self::Service(service) => format!("the service {}", service.told()),
            Self::Agent(agent) => format!("the agent {agent}"),
            Self::Tool(tool) => format!("the tool {tool}"),
            Self::World => "the world".to_owned(),
            Self::Runtime => "the runtime".to_owned(),
        }
    }
}

/// The fields whose length varies. Further ones, about how commands are decided again, are passed
/// over.
#[derive(Debug, Deserialize)]
struct HeaderTail {
    /// The principal who gave the command.
    p: CommandGiver,
    /// The command's name.
    m: String,
    /// The position of the event that made it necessary, if one did.
    #[serde(default)]
    c: Option<u64>,
}

/// The part of a header that a bundle's reader needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BundledHeader {
    /// The id of the world whose log the commit stands in first.
    pub(super) world: [u8; 16],
    /// The position of the first event.
    pub(super) first: u64,
    /// The number of events.
    pub(super) count: u32,
    /// Milliseconds since 1970.
    pub(super) time_ms: u64,
    /// The principal who gave the command.
    pub(super) by: CommandGiver,
    /// The command's name.
    pub(super) command: String,
    /// The position of the event that made the command necessary, if one did.
    pub(super) cause: Option<u64>,
}

impl BundledHeader {
    /// Reads a stored header; `None` if it is none.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (world, bytes) = bytes.split_first_chunk::<16>()?;
        let (first, bytes) = bytes.split_first_chunk::<8>()?;
        let (count, bytes) = bytes.split_first_chunk::<4>()?;
        let (time_ms, bytes) = bytes.split_first_chunk::<8>()?;
        // The seed of the command's random choices, and the digest of the rules that decided.
        let (_seed_and_decider, rest) = bytes.split_first_chunk::<48>()?;
        // Unknown fields are passed over: newer builds add some, and the tree proves them unread.
        let HeaderTail {
            p: by,
            m: command,
            c: cause,
        } = serde_json::from_slice(rest).ok()?;
        Some(Self {
            world: *world,
            first: u64::from_le_bytes(*first),
            count: u32::from_le_bytes(*count),
            time_ms: u64::from_le_bytes(*time_ms),
            by,
            command,
            cause,
        })
    }

    /// The position of the last event; `None` if there is none, or if it is none that can be.
    pub(super) fn last(&self) -> Option<u64> {
        let further = u64::from(self.count).checked_sub(1)?;
        if self.first == 0 {
            None
        } else {
            self.first.checked_add(further)
        }
    }
}
