//! Several processes over one store, in one process: who holds which world, and what they ask of one another.
//!
//! It decides by itself when somebody loses a world, so that a test can choose the moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use folkmoot::core::ids::{AskId, NodeId, Seed, Stamp, Time, WorldId};
use folkmoot::core::port::{
    ASKS_WAITING_MAX, Ask, AskState, Asked, Inbox, MemberError, NoTenure, Tenure, Tenures,
    WaitingAsk,
};
use tokio::sync::watch;

/// The login of all who leave asks.
pub const LOGIN: &str = "kim";

/// All that the processes share beside the store. Cheap to clone: all clones are one.
#[derive(Debug, Clone)]
pub struct Commons(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    news: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    holders: BTreeMap<WorldId, Holding>,
    due: BTreeSet<WorldId>,
    asks: BTreeMap<AskId, Kept>,
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

#[derive(Debug)]
struct Kept {
    ask: Ask,
    answer: Option<Vec<u8>>,
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
            state: Mutex::default(),
            news: watch::Sender::new(0),
        }))
    }
}

impl Commons {
    /// The process with this number.
    #[must_use]
    pub fn member(&self, number: u8) -> Member {
        Member {
            commons: self.clone(),
            node: NodeId::from_stamp(&Stamp {
                time: Time::SIMULATED_START,
                seed: Seed::new([number; 16]),
            }),
            lacks: Vec::new(),
        }
    }

    /// Takes a world away from whoever holds it: it is due.
    pub fn evict(&self, world: WorldId) {
        let mut state = self.state();
        if let Some(holding) = state.holders.remove(&world) {
            holding.is_lost.send_replace(true);
        }
        state.due.insert(world);
        drop(state);
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

    /// The number of asks of a world that have no answer.
    #[must_use]
    pub fn waiting(&self, world: WorldId) -> usize {
        self.state().waiting(world)
    }

    /// Tells whether somebody is to open a world.
    #[must_use]
    pub fn is_due(&self, world: WorldId) -> bool {
        let state = self.state();
        state.due.contains(&world) && !state.holders.contains_key(&world)
    }

    /// Whoever holds a world.
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

impl State {
    fn waiting(&self, world: WorldId) -> usize {
        let waits = |kept: &&Kept| kept.ask.world == world && kept.answer.is_none();
        self.asks.values().filter(waits).count()
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
}

#[async_trait]
impl Tenures for Member {
    async fn take(&self, world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure> {
        let mut state = self.commons.state();
        if let Some(holding) = state.holders.get(&world) {
            let node = holding.node.to_string();
            return Err(NoTenure::HeldElsewhere { node });
        }
        if !self.lacks.is_empty() {
            let needs = self.lacks.clone();
            return Err(NoTenure::NotOffered { needs });
        }
        let is_lost = watch::Sender::new(false);
        let lost = is_lost.subscribe();
        let node = self.node;
        state.holders.insert(world, Holding { node, is_lost });
        state.due.remove(&world);
        drop(state);
        self.commons.tell();
        Ok(Arc::new(Stay {
            commons: self.commons.clone(),
            world,
            lost,
        }))
    }
}

/// The right of one process to act for one world.
#[derive(Debug)]
struct Stay {
    commons: Commons,
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
        let mut state = self.commons.state();
        let is_own = |holding: &Holding| self.lost.same_channel(&holding.is_lost.subscribe());
        if state.holders.get(&self.world).is_some_and(is_own) {
            state.holders.remove(&self.world);
            if due.is_some() || state.waiting(self.world) > 0 {
                state.due.insert(self.world);
            }
        }
        drop(state);
        self.commons.tell();
    }
}

#[async_trait]
impl Inbox for Commons {
    async fn ask(&self, ask: &Ask) -> Result<Asked, MemberError> {
        let mut state = self.state();
        if state.asks.contains_key(&ask.id) {
            return Ok(Asked::Waits);
        }
        if state.waiting(ask.world) >= ASKS_WAITING_MAX {
            return Ok(Asked::Busy);
        }
        if !state.holders.contains_key(&ask.world) {
            state.due.insert(ask.world);
        }
        let (ask, answer) = (ask.clone(), None);
        state.asks.insert(ask.id, Kept { ask, answer });
        drop(state);
        self.tell();
        Ok(Asked::Waits)
    }

    async fn asks(&self, node: NodeId, limit: usize) -> Result<Vec<WaitingAsk>, MemberError> {
        let state = self.state();
        let is_held = |world: &WorldId| {
            let holding = state.holders.get(world);
            holding.is_some_and(|holding| holding.node == node)
        };
        let open = state.asks.values().filter(|kept| kept.answer.is_none());
        let held = open.filter(|kept| is_held(&kept.ask.world)).take(limit);
        let waiting = |kept: &Kept| WaitingAsk {
            ask: kept.ask.clone(),
            login: LOGIN.to_owned(),
            asked: Time::SIMULATED_START,
        };
        Ok(held.map(waiting).collect())
    }

    async fn answer(&self, ask: AskId, answer: Vec<u8>) -> Result<(), MemberError> {
        let mut state = self.state();
        if state.answers_lost > 0 {
            state.answers_lost -= 1;
            state.lost.push(ask);
            let world = state.asks.get(&ask).map(|kept| kept.ask.world);
            drop(state);
            if let Some(world) = world {
                self.evict(world);
            }
            return Err(MemberError::Unknown("the answer was lost".into()));
        }
        if let Some(kept) = state.asks.get_mut(&ask) {
            kept.answer.get_or_insert(answer);
        }
        drop(state);
        self.tell();
        Ok(())
    }

    async fn answers(&self, asks: &[AskId]) -> Result<Vec<AskState>, MemberError> {
        let state = self.state();
        let one = |ask: &AskId| match state.asks.get(ask).map(|kept| &kept.answer) {
            None => AskState::Gone,
            Some(None) => AskState::Waits,
            Some(Some(answer)) => AskState::Answered(answer.clone()),
        };
        Ok(asks.iter().map(one).collect())
    }

    async fn hint(&self) {
        let _closed = self.news().changed().await;
    }
}
