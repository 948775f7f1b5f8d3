//! Branching a world off another one, also in a store that another process holds.

use folkmoot::core::event::ForkEffects;
use folkmoot::core::ids::{Position, WorldName};
use folkmoot::run::{Waiting, waiting};
use folkmoot::{Branched, Forking, LeftBehind, Perform, Proof, Runtime};
use serde::{Deserialize, Serialize};

use crate::exit::CliError;

/// A wish for a fork.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ForkWish {
    /// The world that it is branched off.
    pub(crate) parent: WorldName,
    /// The last event that both are to have; its last one if `None`.
    pub(crate) at: Option<Position>,
    /// The new world's name.
    pub(crate) name: WorldName,
    /// True if the fork gets its own copy of what both have.
    pub(crate) is_copied: bool,
    /// True if the effects of the fork are performed.
    pub(crate) is_live: bool,
}

/// A fork that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ForkView {
    /// The new world's name.
    pub(crate) world: WorldName,
    /// The other one's.
    pub(crate) parent: WorldName,
    /// The last event that both have.
    pub(crate) at: Position,
    /// The way in which its effects are treated.
    pub(crate) effects: ForkEffects,
    /// True if it has its own copy of what both have.
    pub(crate) is_copied: bool,
    /// The work that was open in the parent and is closed here.
    pub(crate) closed: ClosedView,
    /// The requests that people are asked again, oldest first; empty if none was open.
    pub(crate) asked_again: Vec<Waiting>,
}

/// The number of things that were open where a world was branched off, and are closed in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClosedView {
    /// The turns.
    pub(crate) turns: usize,
    /// The calls.
    pub(crate) calls: usize,
    /// The requests to people.
    pub(crate) requests: usize,
    /// The messages that no turn had taken up.
    pub(crate) messages: usize,
}

/// Branches a world off, in the name of `by`, and leaves it closed: nothing is performed.
pub(crate) async fn fork(
    runtime: &Runtime,
    by: Proof,
    wish: &ForkWish,
) -> Result<ForkView, CliError> {
    let ForkWish {
        parent,
        at,
        name,
        is_copied,
        is_live,
    } = wish.clone();
    let effects = if is_live {
        ForkEffects::Live
    } else {
        ForkEffects::Recorded
    };
    let forking = Forking {
        at,
        effects,
        is_copied,
        // This request only makes it, also a live one: it goes on where somebody opens it.
        perform: Perform::Nothing,
        by,
        ..Forking::of(parent.clone(), name.clone())
    };
    let Branched {
        world, at, left, ..
    } = runtime.fork(forking).await?;
    let asked_again = world.operator().read(waiting).await;
    runtime.close(&name).await;
    let LeftBehind {
        turns,
        calls,
        requests,
        messages,
    } = left;
    let closed = ClosedView {
        turns,
        calls,
        requests,
        messages,
    };
    Ok(ForkView {
        world: name,
        parent,
        at,
        effects,
        is_copied,
        closed,
        asked_again: asked_again?,
    })
}
