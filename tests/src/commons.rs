//! Several processes over one ledger in memory, in one process. It decides by itself when somebody loses a world, so that a
//! test can choose the moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::SystemClock;
use folkmoot::core::ids::{AskId, NodeId, Seed, Stamp, Time, WorldId};
use folkmoot::core::port::Clock as _;
use folkmoot::core::port::{
    Ask, AskState, Asked, AsksWanted, Inbox, MemberError, Members, NoTenure, NodeCard, Taken,
    Tenure, Tenures, WaitingAsk,
};
use folkmoot::store::{MemoryLedger, SharedStore};
use futures::FutureExt as _;
use tokio::sync::watch;

/// How long one is a member without renewing. The ledger's clock stands still unless a test moves it.
pub const TTL: Duration = Duration::from_secs(5);

/// All that the processes share. Cheap to clone: all clones are one.
#[derive(Debug, Clone)]
pub struct Commons(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    ledger: Arc<MemoryLedger>,
    state: Mutex<State>,
    news: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    holders: BTreeMap<WorldId, Holding>,
    asks: Vec<AskId>,
    /// The answers that are to be lost, with whoever gives them.
    answers_lost: usize,
    /// The asks whose answers were lost.
    lost: Vec<AskId>,
}

#[derive(Debug)]
struct Holding {
    node: NodeId,
    is_lost: watch::Sender<bool>,
}

/// One of the processes.
#[derive(Debug, Clone)]
pub struct Member {
    commons: Commons,
    node: NodeId,
    /// What the worlds need and it does not offer.
    lacks: Vec<String>,
}

impl Default for Commons {
    fn default() -> Self {
        Self(Arc::new(Shared {
            ledger: Arc::default(),
            state: Mutex::default(),
            news: watch::Sender::new(0),
        }))
    }
}

fn node(number: u8) -> NodeId {
    NodeId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    })
}

/// The answer of a ledger in memory, which is there at once.
fn at_once<T>(answer: impl Future<Output = T>) -> T {
    answer.now_or_never().expect("memory answers at once")
}

impl Commons {
    /// The process with this number, which has room for so many worlds.
    #[must_use]
    pub fn member(&self, number: u8, room: u32) -> Member {
        let node = node(number);
        let card = NodeCard {
            node,
            name: number.to_string(),
            offers: BTreeSet::new(),
            schema: u32::MAX,
            room,
            draining: false,
            advertise: None,
        };
        at_once(self.0.ledger.join(&card, TTL)).expect("it joins");
        Member {
            commons: self.clone(),
            node,
            lacks: Vec::new(),
        }
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Arc<MemoryLedger> {
        &self.0.ledger
    }

    /// The store of somebody who only reads.
    #[must_use]
    pub fn store(&self) -> SharedStore {
        SharedStore::new(Arc::clone(self.ledger()) as _, node(0))
    }

    /// Takes a world away from whoever holds it: it is due.
    pub fn evict(&self, world: WorldId) {
        let holding = self.state().holders.remove(&world);
        if let Some(Holding { node, is_lost }) = holding {
            let due = Some(self.0.ledger.now());
            at_once(self.0.ledger.release(node, world, due)).expect("it is released");
            is_lost.send_replace(true);
        }
        self.tell();
    }

    /// Has the next answers lost on their way, and whoever gives them loses the world at the same moment.
    pub fn lose_answers(&self, count: usize) {
        self.state().answers_lost = count;
    }

    /// The asks whose answers were lost.
    #[must_use]
    pub fn lost(&self) -> Vec<AskId> {
        self.state().lost.clone()
    }

    /// The number of asks that were left.
    #[must_use]
    pub fn asks_left(&self) -> usize {
        self.state().asks.len()
    }

    /// The number of asks that have no answer.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let asks = self.state().asks.clone();
        let states = at_once(self.0.ledger.answers(&asks)).expect("it tells");
        let waits = |state: &&AskState| **state == AskState::Waits;
        states.iter().filter(waits).count()
    }

    /// Whoever acts for a world.
    #[must_use]
    pub fn holder(&self, world: WorldId) -> Option<NodeId> {
        self.state().holders.get(&world).map(|holding| holding.node)
    }

    /// Tells of everything that happens.
    #[must_use]
    pub fn news(&self) -> watch::Receiver<u64> {
        self.0.news.subscribe()
    }

    fn tell(&self) {
        self.0.news.send_modify(|number| *number += 1);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    /// The same, which lacks what all worlds need.
    #[must_use]
    pub fn unfit(mut self) -> Self {
        self.lacks.push("base:work".to_owned());
        self
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> NodeId {
        self.node
    }

    /// Its store.
    #[must_use]
    pub fn store(&self) -> SharedStore {
        SharedStore::new(Arc::clone(self.commons.ledger()) as _, self.node)
    }

    /// Claims what is due.
    #[must_use]
    pub fn claim(&self) -> Vec<WorldId> {
        at_once(self.commons.ledger().claim(self.node, 16)).expect("it claims")
    }
}

#[async_trait]
impl Tenures for Member {
    async fn take(&self, world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure> {
        if !self.lacks.is_empty() {
            if let Some(by) = self.commons.holder(world) {
                let node = by.to_string();
                return Err(NoTenure::HeldElsewhere { node });
            }
            let needs = self.lacks.clone();
            return Err(NoTenure::NotOffered { needs });
        }
        let taken = self.commons.ledger().take(self.node, world).await;
        match taken.map_err(|error| NoTenure::NotAsked(error.to_string()))? {
            // Whoever begins a world holds it.
            Taken::Taken | Taken::NoSuchWorld => {}
            Taken::Held { by } => {
                let node = by.to_string();
                return Err(NoTenure::HeldElsewhere { node });
            }
            other @ (Taken::Lacks(_) | Taken::Newer { .. }) => panic!("{other:?}"),
        }
        let is_lost = watch::Sender::new(false);
        let lost = is_lost.subscribe();
        let node = self.node;
        let holding = Holding { node, is_lost };
        self.commons.state().holders.insert(world, holding);
        self.commons.tell();
        Ok(Arc::new(Stay {
            commons: self.commons.clone(),
            node,
            world,
            lost,
        }))
    }
}

/// The right of one process to act for one world.
#[derive(Debug)]
struct Stay {
    commons: Commons,
    node: NodeId,
    world: WorldId,
    lost: watch::Receiver<bool>,
}

#[async_trait]
impl Tenure for Stay {
    fn holds(&self) -> bool {
        !*self.lost.borrow()
    }

    async fn lost(&self) {
        let mut lost = self.lost.clone();
        if lost.wait_for(|is_lost| *is_lost).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    async fn release(&self, due: Option<Time>) {
        if !self.holds() {
            return;
        }
        self.commons.state().holders.remove(&self.world);
        // Its clock is not the machine's, and stands still.
        let ledger = self.commons.ledger().now();
        let now = SystemClock.now();
        let due = due.map(|due| ledger.after(Duration::from_millis(due.0.saturating_sub(now.0))));
        let released = self.commons.ledger().release(self.node, self.world, due);
        released.await.expect("it is released");
        self.commons.tell();
    }
}

#[async_trait]
impl Inbox for Commons {
    async fn ask(&self, ask: &Ask) -> Result<Asked, MemberError> {
        let asked = self.0.ledger.ask(ask).await?;
        let mut state = self.state();
        if asked == Asked::Waits && !state.asks.contains(&ask.id) {
            state.asks.push(ask.id);
        }
        drop(state);
        self.tell();
        Ok(asked)
    }

    async fn asks(
        &self,
        node: NodeId,
        wanted: AsksWanted<'_>,
    ) -> Result<Vec<WaitingAsk>, MemberError> {
        self.0.ledger.asks(node, wanted).await
    }

    async fn answer(&self, ask: AskId, answer: Vec<u8>) -> Result<(), MemberError> {
        let is_lost = {
            let mut state = self.state();
            let is_lost = state.answers_lost > 0;
            if is_lost {
                state.answers_lost -= 1;
                state.lost.push(ask);
            }
            is_lost
        };
        if is_lost {
            let held: Vec<WorldId> = self.state().holders.keys().copied().collect();
            held.into_iter().for_each(|world| self.evict(world));
            return Err(MemberError::Unknown("the answer was lost".into()));
        }
        self.0.ledger.answer(ask, answer).await?;
        self.tell();
        Ok(())
    }

    async fn answers(&self, asks: &[AskId]) -> Result<Vec<AskState>, MemberError> {
        self.0.ledger.answers(asks).await
    }

    async fn hint(&self, heard: u64) -> u64 {
        self.0.ledger.hint(heard).await
    }

    fn look_every(&self) -> Duration {
        self.0.ledger.look_every()
    }
}
