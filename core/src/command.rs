//! Commands: requests that may be refused.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::principal::Principal;
use crate::ids::{Digest, StepKey};

mod action;
pub mod commit;
mod resolution;

pub use action::{Action, CommandKind, ConsentAction, ShellAction, TalkAction, WorldAction};
pub(crate) use action::{Giver, Refusals};
pub use resolution::{Judgement, Reply, Resolution, Settlement};

/// A request to a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The giver. Set by the ingress.
    pub principal: Principal,
    /// The key that makes it recognisable when it is sent again.
    pub key: Option<Keyed>,
    /// The request itself.
    pub action: Action,
}

impl Command {
    /// A command of the shell.
    #[must_use]
    pub const fn of_runtime(action: Action) -> Self {
        Self {
            principal: Principal::Runtime,
            key: None,
            action,
        }
    }

    /// A command of `principal`, without a key.
    #[must_use]
    pub const fn of(principal: Principal, action: Action) -> Self {
        Self {
            principal,
            key: None,
            action,
        }
    }

    /// The digest of what is asked and by whom, the key left out.
    #[must_use]
    pub fn digest(&self) -> Digest {
        // No part of a command can fail to serialise.
        Digest::of(&[&serde_json::to_vec(&(&self.principal, &self.action)).unwrap_or_default()])
    }
}

/// The key that makes a command recognisable when it is sent again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandKey {
    /// A client's own word, at most 128 bytes.
    Client(String),
    /// A step of a world script.
    Step(StepKey),
}

impl fmt::Display for CommandKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(key) => f.write_str(key),
            Self::Step(step) => write!(f, "step {step}"),
        }
    }
}

/// A command's key, and the digest of what it asks: the same key with another digest is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyed {
    /// The key.
    pub key: CommandKey,
    /// The digest of the command, or of the script's step.
    pub digest: Digest,
}
