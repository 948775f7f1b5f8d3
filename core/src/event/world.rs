//! The world's own events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::refusal::RefusalReason;
use crate::ids::principal::{Person, Principal};
use crate::ids::{
    AgentName, CopyId, Digest, Incarnation, NodeId, PersonName, Position, StepKey, WorldId,
    WorldName,
};
use crate::spec::{Change, SpecText, WorldSpec};

/// A world began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldOpened {
    /// The world's id.
    pub world: WorldId,
    /// The world's name in the store.
    pub name: WorldName,
    /// The world's clock, for life.
    pub clock: ClockKind,
    /// The rules that decide.
    pub decider: Digest,
    /// The folder that relative paths of its definition are relative to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The file that the definition was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The digest of the definition.
    pub spec_digest: Digest,
    /// The structure.
    pub spec: Box<WorldSpec>,
    /// The text.
    #[serde(skip)]
    pub text: Content<SpecText>,
}

/// The clock of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// The machine's.
    System,
    /// The world's own clock: that of the last commit, moved on purpose.
    Simulated,
}

/// A process opened the world for writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The fencing token.
    pub incarnation: Incarnation,
    /// The process.
    pub node: NodeId,
    /// The folder that relative paths are relative to from here on, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The key that heads of the log are signed with from here on: its name, a plus sign and its
    /// id. `None`: nobody signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
}

/// The room's definition changed. Open turns go on under the old one's limits and prompts; a call
/// of theirs runs only if both definitions allow it. The next turn has the new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecRevised {
    /// The principal who changed it, as they were proven. `None`: recorded before that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Principal>,
    /// The differences to the one before, in the order of their places. Empty if that was not said
    /// yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The file that it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The digest of the definition.
    pub spec_digest: Digest,
    /// The structure.
    pub spec: Box<WorldSpec>,
    /// The text.
    #[serde(skip)]
    pub text: Content<SpecText>,
}

/// Other rules decide from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochOpened {
    /// The rules.
    pub decider: Digest,
    /// The version of the build that carries them.
    pub binary: String,
}

/// The world was opened for writing for the first time in a copy of its store, such as a backup.
/// What people were asked is asked anew behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// The copy.
    pub copy: CopyId,
}

/// A person joined the roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonJoined {
    /// The person.
    pub person: Person,
}

/// A person left the roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonLeft {
    /// The person.
    pub person: PersonName,
}

/// The world has another owner or other labels, by which worlds are listed. They replace the ones
/// before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labelled {
    /// The owner of the world, by the word of the ingress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// Something is odd, and nothing was refused for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningRecorded {
    /// A word that names it, e.g. `script_exhausted`.
    pub code: String,
    /// The agent it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
}

/// A step of a world script is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepDone {
    /// The step.
    pub step: StepKey,
    /// The digest of what it says.
    pub digest: Digest,
}

/// A command that asserts a right was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The reason.
    pub reason: RefusalReason,
    /// The principal who gave the command.
    pub principal: Principal,
    /// The digest of the command.
    pub command: Digest,
    /// The request that it named, if that is one of this world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Position>,
    /// True if it stands for all like it of the same recorded minute.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}
