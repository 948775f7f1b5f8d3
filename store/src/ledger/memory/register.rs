//! The worlds of a ledger in memory.

use std::ops::Bound;

use async_trait::async_trait;
use folkmoot_core::ids::{Position, Time, WorldId, WorldName};
use folkmoot_core::port::Labels;

use super::{MemoryLedger, State, World};
use crate::ledger::{GoneRange, LedgerEntry, LedgerError, Register};

#[async_trait]
impl Register for MemoryLedger {
    async fn entry(&self, world: WorldId) -> Result<Option<LedgerEntry>, LedgerError> {
        Ok(self.state().entry(world))
    }

    async fn find(&self, name: &WorldName) -> Result<Option<LedgerEntry>, LedgerError> {
        let state = self.state();
        Ok(state.names.get(name).and_then(|world| state.entry(*world)))
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let state = self.state();
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let names = state.names.range::<WorldName, _>((begin, Bound::Unbounded));
        let has_all = |entry: &LedgerEntry| {
            labels
                .iter()
                .all(|(key, value)| entry.labelled.labels.get(key) == Some(value))
        };
        Ok(names
            .filter_map(|(_, world)| state.entry(*world))
            .filter(has_all)
            .take(limit)
            .collect())
    }

    async fn grown(
        &self,
        (owner, since): (&str, Time),
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let state = self.state();
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let names = state.names.range::<WorldName, _>((begin, Bound::Unbounded));
        let has_grown = |entry: &LedgerEntry| {
            entry.labelled.owner.as_deref() == Some(owner) && entry.time >= since
        };
        Ok(names
            .filter_map(|(_, world)| state.entry(*world))
            .filter(has_grown)
            .take(limit)
            .collect())
    }

    async fn forks(&self, parent: WorldId) -> Result<Vec<LedgerEntry>, LedgerError> {
        let state = self.state();
        let is_fork = |world: &World| world.base.is_some_and(|base| base.parent == parent);
        Ok(state
            .worlds
            .iter()
            .filter(|(_, world)| is_fork(world))
            .filter_map(|(id, world)| world.entry(*id))
            .collect())
    }

    async fn heads(&self, worlds: &[WorldId]) -> Result<Vec<(WorldId, Position)>, LedgerError> {
        let state = self.state();
        let head = |world: &WorldId| {
            let last = state.worlds.get(world)?.last()?;
            Some((*world, last.last))
        };
        Ok(worlds.iter().filter_map(head).collect())
    }

    async fn gone(&self, world: WorldId, range: GoneRange) -> Result<Vec<Position>, LedgerError> {
        let state = self.state();
        if range.from >= range.to {
            return Ok(Vec::new());
        }
        let known = state.worlds.get(&world);
        let gone = known
            .into_iter()
            .flat_map(|known| known.gone.range(range.from..range.to));
        Ok(gone
            .filter(|(_, by)| **by <= range.until)
            .map(|(at, _)| *at)
            .collect())
    }
}

impl State {
    fn entry(&self, world: WorldId) -> Option<LedgerEntry> {
        self.worlds.get(&world)?.entry(world)
    }
}
