//! How what is recorded differs from what these rules make of it.

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
    /// What differs.
    pub difference: Difference,
}

/// What differs.
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
        /// Why.
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
    /// It is a commit of another world.
    World {
        /// This world; `None`: there is none before the first event.
        expected: Option<WorldId>,
    },
    /// It is older than the one before it.
    Time {
        /// The time of that one.
        before: Time,
    },
    /// It says that other rules decided than those of its epoch.
    Rules {
        /// Those of its epoch.
        expected: Digest,
    },
    /// No command of its kind is recorded so.
    Misfit {
        /// What does not fit.
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
