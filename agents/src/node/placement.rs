//! How a node finds its worlds: again and again it declares others dead, claims what is due, and compares its books with
//! the ledger. None of that is done at the start alone.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{NodeId, WorldId};
use folkmoot_core::port::CLAIM_MAX;
use folkmoot_core::port::causes::with_causes;
use futures::StreamExt as _;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::Worlds;
use super::books::{Again, Books};
use super::boot::BootTime;
use super::membership::{Acting, Membership, Returning};

/// The most worlds that a node opens, or closes, at a time.
const AT_A_TIME: usize = 16;

/// The worlds that a node was given, on their way to be opened.
#[derive(Debug)]
pub(super) struct Placement {
    membership: Arc<Membership>,
    worlds: Arc<dyn Worlds>,
    openings: JoinSet<()>,
    turns: Arc<Semaphore>,
    /// When the books were compared with the ledger.
    compared: BootTime,
}

impl Placement {
    pub(super) fn new(membership: Arc<Membership>, worlds: Arc<dyn Worlds>) -> Self {
        let compared = membership.now();
        Self {
            membership,
            worlds,
            openings: JoinSet::new(),
            turns: Arc::new(Semaphore::new(AT_A_TIME)),
            compared,
        }
    }

    /// Looks for work as long as it is polled. It never ends.
    pub(super) async fn keep_on(mut self) {
        for number in 0.. {
            tokio::time::sleep(self.membership.scan_wait(number)).await;
            while let Some(opened) = self.openings.try_join_next() {
                if let Err(error) = opened {
                    tracing::error!(%error, "the opening of a world broke off");
                }
            }
            if let Some(acting) = self.membership.acting() {
                self.scan(acting).await;
            }
        }
    }

    async fn scan(&mut self, acting: Acting) {
        self.give_back().await;
        self.reap().await;
        self.compare(acting).await;
        self.claim().await;
    }

    /// Gives back what nobody here acts for.
    async fn give_back(&self) {
        let membership = &self.membership;
        let now = membership.clock().now();
        // One after the other: somebody may take those again that are still on the list.
        for (node, world) in membership.books(|books| books.abandoned()) {
            let began = |books: &mut Books| books.return_abandoned((node, world));
            let Some((again, _returning)) = Returning::begin(membership, world, began) else {
                continue;
            };
            let due = match again {
                Again::AtOnce => now,
                Again::Later => now.after(membership.timings().left_alone),
            };
            if let Err(error) = membership.release(node, world, Some(due)).await {
                let why = with_causes(&error);
                tracing::warn!(%world, why, "a world could not be given back yet");
                membership.doubt();
            }
        }
    }

    async fn reap(&self) {
        if !self.membership.may_reap() {
            return;
        }
        match self.membership.reap().await {
            Ok(dead) => {
                for dead in dead {
                    tracing::warn!(%dead, "a node did not renew its membership; its worlds are free");
                }
            }
            Err(error) => {
                let why = with_causes(&error);
                tracing::warn!(why, "the node could not look for dead ones");
            }
        }
    }

    /// Takes up the worlds that the ledger says are this node's and nobody here acts for, and lets go of those that it
    /// says are not. An answer that was lost may have given or taken some.
    async fn compare(&mut self, acting: Acting) {
        let membership = Arc::clone(&self.membership);
        let is_time = self.compared.until(membership.now()) >= membership.timings().compare;
        if !membership.take_doubt() && !is_time {
            return;
        }
        let before = membership.books(|books| books.snapshot());
        let listed = match membership.held(acting.node).await {
            Ok(listed) => listed,
            Err(error) => {
                let why = with_causes(&error);
                tracing::warn!(why, "the node could not ask which worlds it holds");
                return membership.doubt();
            }
        };
        if membership.acting() != Some(acting) {
            return membership.doubt();
        }
        self.compared = membership.now();
        let compared = membership.books(|books| books.compare(&before, &listed));
        for world in compared.lost {
            tracing::warn!(%world, "the node had lost a world without being told");
        }
        for world in compared.unknown {
            self.begin(acting, world);
        }
    }

    /// Claims worlds that are due, as many as there is room for.
    async fn claim(&mut self) {
        let membership = Arc::clone(&self.membership);
        let Ok(acting) = membership.taking() else {
            return;
        };
        let waiting = CLAIM_MAX.saturating_sub(self.openings.len());
        let limit = membership.room().min(waiting);
        if limit == 0 {
            return;
        }
        match membership.claim(acting.node, limit).await {
            Ok(claimed) => {
                for world in claimed {
                    self.begin(acting, world);
                }
            }
            Err(error) => {
                let why = with_causes(&error);
                tracing::warn!(why, "the node could not claim worlds");
            }
        }
    }

    /// Begins to open a world that this node holds, unless somebody here acts for it by now.
    fn begin(&mut self, acting: Acting, world: WorldId) {
        let Some(coming) = Coming::given(&self.membership, acting, world) else {
            return;
        };
        let worlds = Arc::clone(&self.worlds);
        let turns = Arc::clone(&self.turns);
        self.openings.spawn(open(coming, worlds, turns));
    }
}

async fn open(coming: Coming, worlds: Arc<dyn Worlds>, turns: Arc<Semaphore>) {
    // Nobody closes it.
    let _turn = turns.acquire_owned().await;
    let world = coming.world;
    if let Err(error) = worlds.open(world).await {
        let why = with_causes(&error);
        let again = coming.membership.timings().left_alone;
        tracing::warn!(%world, why, ?again, "a world could not be opened here; it is given back");
    }
}

/// A world that the ledger may say is this node's, before anybody acts for it. Dropped, it is given back at the next scan,
/// unless somebody acts for it by then.
#[derive(Debug)]
pub(super) struct Coming {
    membership: Arc<Membership>,
    node: NodeId,
    world: WorldId,
    /// The number of its entry in the books.
    pub(super) serial: u64,
    again: Again,
}

impl Coming {
    /// Enters a world into the books that is to be taken. Whoever acts for it already loses it. `None`: it is being given
    /// back, and that would free it after it was taken.
    pub(super) fn new(
        membership: &Arc<Membership>,
        acting: Acting,
        world: WorldId,
    ) -> Option<Self> {
        let expect = |books: &mut Books| {
            let is_returning = books.is_returning(world);
            (!is_returning).then(|| books.expect(world, acting.stretch))
        };
        let serial = membership.books(expect)?;
        let again = Again::AtOnce;
        Some(Self::entered(membership, acting, world, (serial, again)))
    }

    /// Enters a world that this node was given; `None` if its books have it.
    fn given(membership: &Arc<Membership>, acting: Acting, world: WorldId) -> Option<Self> {
        let expect = |books: &mut Books| {
            let is_new = !books.has(world) && !books.is_returning(world);
            is_new.then(|| books.expect(world, acting.stretch))
        };
        let serial = membership.books(expect)?;
        let again = Again::Later;
        Some(Self::entered(membership, acting, world, (serial, again)))
    }

    fn entered(
        membership: &Arc<Membership>,
        acting: Acting,
        world: WorldId,
        (serial, again): (u64, Again),
    ) -> Self {
        Self {
            membership: Arc::clone(membership),
            node: acting.node,
            world,
            serial,
            again,
        }
    }
}

impl Coming {
    /// Ends it with a world that the ledger did not give.
    pub(super) fn withdraw(&self) {
        self.membership
            .books(|books| books.withdraw(self.world, self.serial));
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        let world = (self.node, self.world);
        self.membership
            .books(|books| books.abandon(world, self.serial, self.again));
    }
}

/// Closes all worlds of a node, and returns once it has none. Those that are being opened are closed once they are open.
pub(super) async fn close_all(membership: &Membership, worlds: &dyn Worlds) {
    while membership.books(|books| books.len()) > 0 {
        let held = membership.books(|books| books.held());
        futures::stream::iter(held)
            .for_each_concurrent(AT_A_TIME, |world| worlds.close(world))
            .await;
        // What is left is on its way in or out.
        tokio::time::sleep(PAUSE).await;
    }
}

/// The pause between two looks at what is left to be closed.
const PAUSE: Duration = Duration::from_millis(50);
