//! Those who follow worlds: told at once of what this node appends, and by one query for all of what others do.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::ReadError;
use tokio::sync::watch;

use super::Inner;
use super::settle::read_error;
use crate::sync::threads::threads;

/// The time between two looks at the heads of followed worlds.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The worlds that somebody follows.
#[derive(Debug, Default)]
pub(super) struct Followers(Mutex<Followed>);

#[derive(Debug, Default)]
struct Followed {
    worlds: HashMap<WorldId, watch::Sender<Position>>,
    /// True while a task looks at their heads.
    is_looked_at: bool,
}

impl Followers {
    /// Follows the head of a world.
    pub(super) fn follow(&self, world: WorldId) -> watch::Receiver<Position> {
        let mut followed = self.followed();
        let sender = followed.worlds.entry(world);
        sender
            .or_insert_with(|| watch::Sender::new(Position::ZERO))
            .subscribe()
    }

    /// Tells those who follow a world how far it is. A head never goes back.
    pub(super) fn tell(&self, world: WorldId, head: Position) {
        if let Some(sender) = self.followed().worlds.get(&world) {
            sender.send_if_modified(|told| {
                let is_news = head > *told;
                *told = head.max(*told);
                is_news
            });
        }
    }

    /// Tells those who follow a world that it is gone.
    pub(super) fn end(&self, world: WorldId) {
        self.followed().worlds.remove(&world);
    }

    /// Wakes all.
    pub(super) fn wake(&self) {
        let followed = self.followed();
        followed
            .worlds
            .values()
            .for_each(|sender| sender.send_modify(|_| {}));
    }

    /// The worlds that somebody follows still.
    fn worlds(&self) -> Vec<WorldId> {
        let mut followed = self.followed();
        followed
            .worlds
            .retain(|_, sender| sender.receiver_count() > 0);
        followed.worlds.keys().copied().collect()
    }

    /// Says that nobody looks any more, if nobody follows.
    fn rest(&self) -> bool {
        let mut followed = self.followed();
        followed
            .worlds
            .retain(|_, sender| sender.receiver_count() > 0);
        let rests = followed.worlds.is_empty();
        followed.is_looked_at = !rests;
        rests
    }

    fn followed(&self) -> MutexGuard<'_, Followed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Follows a world; has somebody look at its head, if there is a runtime.
    pub(super) fn follow(self: &Arc<Self>, world: WorldId) -> watch::Receiver<Position> {
        let news = self.followers.follow(world);
        if let Some(runtime) = threads()
            && !std::mem::replace(&mut self.followers.followed().is_looked_at, true)
        {
            runtime.spawn(look(Arc::downgrade(self)));
        }
        news
    }

    pub(super) async fn look_for_news(&self) -> Result<(), ReadError> {
        // Those too that this node appends to: it may have lost one, and would hear nothing of that.
        let worlds = self.followers.worlds();
        if worlds.is_empty() {
            return Ok(());
        }
        let heads = self.ledger.heads(&worlds).await;
        let heads = heads.map_err(|error| read_error(error, Position::ZERO))?;
        for (world, head) in &heads {
            self.followers.tell(*world, *head);
        }
        let is_gone = |world: &&WorldId| heads.iter().all(|(there, _)| there != *world);
        worlds
            .iter()
            .filter(is_gone)
            .for_each(|world| self.followers.end(*world));
        Ok(())
    }
}

/// Looks at the heads of followed worlds for as long as somebody follows one.
async fn look(inner: Weak<Inner>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(inner) = inner.upgrade() else {
            return;
        };
        if inner.followers.rest() {
            return;
        }
        // The next look tells what this one missed.
        if let Err(error) = inner.look_for_news().await {
            tracing::debug!(%error, "the heads of followed worlds are not known");
        }
    }
}
