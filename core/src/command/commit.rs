//! A commit: the events of one decision, appended together or not at all.

use serde::{Deserialize, Serialize};

use crate::command::CommandKind;
use crate::event::Event;
use crate::ids::principal::Principal;
use crate::ids::{Digest, Position, Stamp, WorldId};

mod rebuild;

pub use crate::command::{CommandKey, Keyed};
pub use crate::ids::StepKey;
pub use rebuild::RebuildError;

/// The events of one decision and what is known of the decision itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The header: all that is known of the decision beside its events.
    pub header: CommitHeader,
    /// The events. Never empty.
    pub events: Vec<Event>,
}

impl Commit {
    /// The position of its last event.
    #[must_use]
    pub fn last(&self) -> Position {
        let count = u64::try_from(self.events.len()).unwrap_or(u64::MAX);
        Position::new(
            self.header
                .first
                .get()
                .saturating_add(count)
                .saturating_sub(1),
        )
    }

    /// Returns the events with their positions.
    pub fn numbered(&self) -> impl Iterator<Item = (Position, &Event)> {
        (self.header.first.get()..)
            .map(Position::new)
            .zip(&self.events)
    }
}

/// The header of a commit: all that is known of a decision beside its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitHeader {
    /// The world.
    pub world: WorldId,
    /// The position of the first event.
    pub first: Position,
    /// The time and the randomness that the decision used.
    #[serde(flatten)]
    pub stamp: Stamp,
    /// The principal who gave the command.
    pub principal: Principal,
    /// The event that made the command necessary, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Position>,
    /// The client's key of the command, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Keyed>,
    /// The rules that decided.
    pub decider: Digest,
    /// The kind of the command.
    pub command: CommandKind,
    /// The command's fields that the events do not carry: ids, kinds, numbers and digests, never
    /// text. No command of this version has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<String>,
}
