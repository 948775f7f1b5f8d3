//! The part of a world that is to be walked, and what is known of it before.

use folkmoot_core::ids::{Digest, Position, WorldId, WorldName};
use folkmoot_proof::Frontier;

use super::walk::Stretch;
use crate::state::index::Base;

/// The word of the index about a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// At this event.
    pub(crate) head: Position,
    pub(crate) link: Digest,
    /// Entries of older builds have none.
    pub(crate) tree: Option<Frontier>,
}

/// The part of a world that is to be walked.
#[derive(Debug, Clone)]
pub(crate) struct LogPlan {
    pub(crate) world: WorldId,
    pub(crate) name: Option<WorldName>,
    /// The stretches of its log: those of the worlds that it was forked from come first, unless it
    /// has a copy.
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) known: Option<Known>,
    pub(crate) base: Option<Base>,
    /// The last event in runs of its own.
    pub(crate) runs_end: Position,
}

impl LogPlan {
    /// The world that keeps the record with the event at `at`.
    pub(crate) fn keeper(&self, at: Position) -> WorldId {
        self.stretches
            .iter()
            .find(|stretch| at <= stretch.up_to)
            .map_or(self.world, |stretch| stretch.owner)
    }

    /// Tells whether a record of `world` may stand at `at`. What a fork has of its parents is
    /// theirs by name; that it is the right one is for links to say.
    pub(crate) fn allows(&self, world: WorldId, at: Position) -> bool {
        match self.base {
            Some(base) if at <= base.at => world != self.world,
            Some(_) | None => world == self.world,
        }
    }
}
