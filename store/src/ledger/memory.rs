//! A ledger in memory, which the nodes of one process share: for tests, simulations and as the model of all ledgers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{
    AskId, CopyId, Digest, Incarnation, NodeId, Position, Time, WorldId, WorldName,
};
use folkmoot_core::port::{Ask, NodeCard};
use tokio::sync::watch;

use shared::SharedKind;

use super::{Birth, CheckpointRow, ForkBase, LedgerEntry, NewRow, Row};

mod inbox;
mod members;
mod register;
mod rows;
mod shared;
mod tables;
mod upkeep;

/// A ledger in memory. Its clock stands still until it is moved.
#[derive(Debug)]
pub struct MemoryLedger {
    state: Mutex<State>,
    /// The number of hints at asks and answers.
    news: watch::Sender<u64>,
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self {
            state: Mutex::new(State::default()),
            news: watch::Sender::new(0),
        }
    }
}

impl MemoryLedger {
    /// Moves its clock.
    pub fn advance(&self, by: Duration) {
        let mut state = self.state();
        state.now = state.now.after(by);
    }

    /// The time of its clock; [`Time::SIMULATED_START`] at first.
    #[must_use]
    pub fn now(&self) -> Time {
        self.state().now
    }

    /// Makes it a copy, in which the last `lost` commits of a world are missing: as a database that was restored from a
    /// backup.
    pub fn restore(&self, copy: CopyId, world: WorldId, lost: usize) {
        let mut state = self.state();
        state.copy = Some(copy);
        if let Some(world) = state.worlds.get_mut(&world) {
            (0..lost).for_each(|_| world.lose_last());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All that it keeps.
#[derive(Debug)]
struct State {
    now: Time,
    /// The copy of another one that it is; `None`: it is none.
    copy: Option<CopyId>,
    worlds: BTreeMap<WorldId, World>,
    names: BTreeMap<WorldName, WorldId>,
    /// Of deleted worlds, whose ids nobody has again.
    tombstones: BTreeMap<WorldId, Vec<u8>>,
    nodes: BTreeMap<NodeId, Member>,
    asks: BTreeMap<AskId, KeptAsk>,
    /// The records that are of no world, by their kinds.
    shared: BTreeMap<String, SharedKind>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            now: Time::SIMULATED_START,
            copy: None,
            worlds: BTreeMap::new(),
            names: BTreeMap::new(),
            tombstones: BTreeMap::new(),
            nodes: BTreeMap::new(),
            asks: BTreeMap::new(),
            shared: BTreeMap::new(),
        }
    }
}

/// A world, with all that is kept of it.
#[derive(Debug)]
struct World {
    name: WorldName,
    labelled: Labelled,
    base: Option<ForkBase>,
    is_sealed: bool,
    needs: BTreeSet<String>,
    schema: u32,
    barred: Option<Incarnation>,
    reach: Option<Vec<u8>>,
    holder: Option<NodeId>,
    /// From when on somebody may claim it, once nobody holds it; `None`: nobody does.
    due: Option<Time>,
    rows: BTreeMap<Position, Row>,
    keys: BTreeMap<Digest, Position>,
    /// The positions that were taken away, and the first of the row that did it first.
    gone: BTreeMap<Position, Position>,
    blobs: BTreeMap<Digest, (Vec<u8>, Time)>,
    checkpoints: BTreeMap<Position, CheckpointRow>,
    /// The numbers of blobs that erasures took away, by their requests.
    files: BTreeMap<Position, u64>,
}

impl World {
    fn born(birth: &Birth, needs: BTreeSet<String>, holder: NodeId) -> Self {
        let base = birth.base.map(|(parent, at)| ForkBase {
            parent,
            at,
            is_copied: false,
        });
        Self {
            name: birth.name.clone(),
            labelled: Labelled::default(),
            base,
            is_sealed: birth.is_sealed,
            needs,
            schema: 0,
            barred: None,
            reach: None,
            holder: Some(holder),
            due: None,
            rows: BTreeMap::new(),
            keys: BTreeMap::new(),
            gone: BTreeMap::new(),
            blobs: BTreeMap::new(),
            checkpoints: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    fn last(&self) -> Option<&Row> {
        self.rows.last_key_value().map(|(_, row)| row)
    }

    /// Takes a row that may follow.
    fn take(&mut self, new: &NewRow) {
        let NewRow {
            row,
            gone,
            labelled,
            demands,
            birth: _,
        } = new;
        for gone in gone {
            self.gone.entry(*gone).or_insert(row.first);
        }
        if let Some(labelled) = labelled {
            self.labelled = labelled.clone();
        }
        if let Some(demands) = demands {
            self.schema = self.schema.max(demands.schema);
            if let Some(needs) = &demands.needs {
                self.needs.clone_from(needs);
            }
        }
        self.keys.extend(row.key.map(|key| (key, row.first)));
        self.rows.insert(row.first, row.clone());
    }

    /// Forgets the last row, and all that came of it.
    fn lose_last(&mut self) {
        let Some((first, _)) = self.rows.pop_last() else {
            return;
        };
        self.keys.retain(|_, at| *at < first);
        self.gone.retain(|_, by| *by < first);
        self.checkpoints.retain(|at, _| *at < first);
        self.reach = None;
    }

    fn free(&mut self, due: Option<Time>) {
        self.holder = None;
        self.due = due;
    }

    fn entry(&self, world: WorldId) -> Option<LedgerEntry> {
        let last = self.last()?;
        Some(LedgerEntry {
            world,
            name: self.name.clone(),
            head: last.last,
            time: last.time,
            incarnation: last.incarnation,
            labelled: self.labelled.clone(),
            base: self.base,
            is_sealed: self.is_sealed,
            holder: self.holder,
            barred: self.barred,
            reach: self.reach.clone(),
        })
    }
}

#[derive(Debug)]
struct Member {
    card: NodeCard,
    until: Time,
}

#[derive(Debug)]
struct KeptAsk {
    ask: Ask,
    asked: Time,
    /// The answer, and when it came.
    answer: Option<(Vec<u8>, Time)>,
}
