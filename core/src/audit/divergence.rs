//! Differences between the record and what these rules make of it.

use crate::command::CommandKind;
use crate::command::commit::Commit;
use crate::event::Event;
use crate::event::refusal::Refusal;
use crate::ids::{Digest, Position, Time, WorldId};

/// A commit that is not what these rules make of its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The first event that differs; the commit's first if it is not in an event.
    pub at: Position,
    /// The kind of the command.
    pub command: CommandKind,
    /// The difference.
    pub difference: Difference,
}

/// A difference between the record and what these rules make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// An event. `None`: on that side there is none at this place.
    Event {
        /// As it is recorded.
        recorded: Option<Box<Event>>,
        /// As these rules make it.
        recomputed: Option<Box<Event>>,
    },
    /// The command was accepted, and these rules refuse it.
    Refused {
        /// The first event that it led to.
        recorded: Option<Box<Event>>,
        /// The refusal.
        refusal: Refusal,
    },
    /// The event that made the command necessary.
    Cause {
        /// As it is recorded.
        recorded: Option<Position>,
        /// As these rules have it.
        recomputed: Option<Position>,
    },
    /// The kind of the command: as these rules take it, it is this one.
    Kind {
        /// As these rules take it.
        recomputed: CommandKind,
    },
    /// The commit does not follow the one before it.
    Order {
        /// The position that follows.
        expected: Position,
    },
    /// The commit is one of another world.
    World {
        /// The id of this world; `None`: there is none before the first event.
        expected: Option<WorldId>,
    },
    /// The commit is older than the one before it.
    Time {
        /// The time of that one.
        before: Time,
    },
    /// The commit says that other rules decided than those of its epoch.
    Rules {
        /// The rules of the epoch.
        expected: Digest,
    },
    /// No command of its kind is recorded so.
    Misfit {
        /// The misfit.
        why: &'static str,
    },
}

impl Divergence {
    /// A difference that is not in an event.
    pub(super) const fn in_header(commit: &Commit, difference: Difference) -> Self {
        Self {
            at: commit.header.first,
            command: commit.header.command,
            difference,
        }
    }
}
