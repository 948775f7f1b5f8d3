//! Those who follow a room: from its first event on, slowly, through every restart.

use std::rc::Rc;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Position, WorldId};
use folkmoot::core::port::EventLog as _;
use futures::TryStreamExt as _;

use super::lots::between_ms;
use super::process::Process;

/// Somebody who follows a room.
#[derive(Debug, Clone, Default)]
pub(crate) struct Follower {
    /// The room.
    pub(crate) room: usize,
    /// Its id, once it is known.
    pub(crate) world: Option<WorldId>,
    /// What was seen, in order.
    pub(crate) seen: Vec<Commit>,
}

impl Follower {
    /// The last event that was seen.
    pub(crate) fn head(&self) -> Position {
        self.seen.last().map(Commit::last).unwrap_or_default()
    }
}

/// Follows on from where the follower was.
pub(super) async fn follow(process: Rc<Process>, number: usize) {
    let Some(follower) = process.outside.books().followers.get(number).cloned() else {
        return;
    };
    let Some(plan) = process.setting.plans.get(follower.room).map(Rc::clone) else {
        return;
    };
    let mut lots = process.outside.lots("follower");
    let world = loop {
        if let Ok(Some(entry)) = process.store.find(&plan.name).await {
            break entry.world;
        }
        tokio::time::sleep(between_ms(&mut lots, 50, 500)).await;
    };
    let Ok(mut commits) = process.store.subscribe(world, follower.head().next()).await else {
        return;
    };
    while let Ok(Some(stored)) = commits.try_next().await {
        if let Some(follower) = process.outside.books().followers.get_mut(number) {
            follower.world = Some(world);
            follower.seen.push(stored.commit);
        }
        if lots.u32(0..4) == 0 {
            tokio::time::sleep(between_ms(&mut lots, 1, 3_000)).await;
        }
    }
}
