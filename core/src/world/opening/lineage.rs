//! The lineage of a world: those that it was branched off.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::event::ForkEffects;
use crate::event::refusal::RefusalReason;
use crate::ids::{AgentName, CallId, Position, RequestId, WorldId};
use crate::world::World;
use crate::world::memory::{OpenCall, Turn};

/// The most worlds that may stand between a world and the first one that it comes from.
pub const FORKS_DEEP_MAX: usize = 32;

/// The place where a world was branched off another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// The other one.
    pub parent: WorldId,
    /// The last event that both have.
    pub at: Position,
    /// The treatment of the effects that it owes.
    pub effects: ForkEffects,
    /// The calls that were open there.
    pub calls: BTreeSet<CallId>,
}

/// A turn that was open where the world was branched off, with the calls of it that waited for
/// people.
#[derive(Debug)]
pub(in crate::world) struct Inherited {
    pub(in crate::world) agent: AgentName,
    /// `None` once it is gone on with.
    pub(in crate::world) turn: Option<Turn>,
    pub(in crate::world) calls: BTreeMap<CallId, OpenCall>,
}

impl World {
    /// The worlds that it was branched off, the first one first; none if it began by itself.
    #[must_use]
    pub fn lineage(&self) -> &[Branch] {
        &self.lineage
    }

    /// Returns the treatment of the effects that it owes: only one that was branched off performs
    /// none.
    #[must_use]
    pub fn effects(&self) -> ForkEffects {
        self.lineage
            .last()
            .map_or(ForkEffects::Live, |branch| branch.effects)
    }
}

/// Tells whether `world` is one that it was branched off.
pub(in crate::world) fn comes_from(world: &World, parent: WorldId) -> bool {
    world.lineage.iter().any(|branch| branch.parent == parent)
}

/// The last event that it shares with another world.
pub(in crate::world) fn shared(world: &World) -> Position {
    world
        .lineage
        .last()
        .map_or(Position::ZERO, |branch| branch.at)
}

/// Returns the reason that a call that is not open here is none of this world's; `None`: it never
/// was one of its parents' open ones.
pub(in crate::world) fn inherited_reason(world: &World, call: CallId) -> Option<RefusalReason> {
    world
        .lineage
        .iter()
        .any(|branch| branch.calls.contains(&call))
        .then_some(RefusalReason::OfParent)
}

/// Tells whether a request that nothing is known of any more may have been one of its parents'.
pub(in crate::world) fn is_inherited(world: &World, request: RequestId) -> bool {
    request.0 <= shared(world)
}
