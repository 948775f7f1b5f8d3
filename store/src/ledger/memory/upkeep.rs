//! The upkeep of a ledger in memory.

use std::collections::BTreeSet;
use std::ops::Bound;

use async_trait::async_trait;
use folkmoot_core::ids::{NodeId, Position, WorldId};

use super::{MemoryLedger, State};
use crate::ledger::check::{not_whole, within};
use crate::ledger::{
    Burial, Compaction, ForkBase, LedgerError, LedgerUpkeep, REACH_BYTES_MAX, Rewrite, Row,
    RowRange, TOMBSTONE_BYTES_MAX, check_rewrite,
};

#[async_trait]
impl LedgerUpkeep for MemoryLedger {
    async fn save_reach(
        &self,
        node: NodeId,
        world: WorldId,
        reach: Vec<u8>,
    ) -> Result<(), LedgerError> {
        within("the reach of a world", reach.len(), REACH_BYTES_MAX)?;
        let mut state = self.state();
        let known = state.worlds.get_mut(&world);
        if let Some(known) = known.filter(|known| known.holder == Some(node)) {
            known.reach = Some(reach);
        }
        Ok(())
    }

    async fn rewrite(&self, rewrite: Rewrite) -> Result<bool, LedgerError> {
        let mut state = self.state();
        let known = state.worlds.get_mut(&rewrite.world);
        let row = known.and_then(|known| known.rows.get_mut(&rewrite.first));
        let Some(row) = row else {
            return Err(LedgerError::Invalid(format!(
                "no row of the world {} begins at event {}",
                rewrite.world, rewrite.first
            )));
        };
        if !check_rewrite(&rewrite, &row.record)? {
            return Ok(false);
        }
        row.record = rewrite.record;
        row.beside
            .retain(|beside| !rewrite.without.contains(&beside.at));
        Ok(true)
    }

    async fn bar(&self, worlds: &[WorldId]) -> Result<(), LedgerError> {
        let mut state = self.state();
        for world in worlds {
            if let Some(known) = state.worlds.get_mut(world) {
                known.barred = known.last().map(|last| last.incarnation);
                known.checkpoints.clear();
            }
        }
        Ok(())
    }

    async fn note_files(
        &self,
        world: WorldId,
        by: Position,
        files: u64,
    ) -> Result<u64, LedgerError> {
        let mut state = self.state();
        let Some(known) = state.worlds.get_mut(&world) else {
            return Err(LedgerError::Invalid(format!("there is no world {world}")));
        };
        let noted = known.files.entry(by).or_default();
        *noted = (*noted).max(files);
        Ok(*noted)
    }

    async fn copy_base(&self, fork: WorldId, of: &[RowRange]) -> Result<(), LedgerError> {
        let mut state = self.state();
        let copies = state.copies(fork, of);
        let known = state.worlds.get_mut(&fork);
        let known = known.and_then(|known| known.base.map(|base| (known, base)));
        let Some((known, base)) = known else {
            return Err(LedgerError::Invalid(format!("the world {fork} is no fork")));
        };
        if base.is_copied {
            return Ok(());
        }
        let end = copies.iter().try_fold(Position::ZERO, |end, (row, _)| {
            (row.first == end.next()).then_some(row.last)
        });
        if end != Some(base.at) {
            return Err(not_whole(fork));
        }
        for (row, gone) in copies {
            for at in gone {
                known.gone.insert(at, row.first);
            }
            known.rows.insert(row.first, row);
        }
        known.base = Some(ForkBase {
            is_copied: true,
            ..base
        });
        Ok(())
    }

    async fn delete(
        &self,
        node: NodeId,
        worlds: &[(WorldId, Vec<u8>)],
    ) -> Result<Burial, LedgerError> {
        for (_, tombstone) in worlds {
            within("a tombstone", tombstone.len(), TOMBSTONE_BYTES_MAX)?;
        }
        let mut state = self.state();
        if let Some(refusal) = state.refuse_burial(node, worlds) {
            return Ok(refusal);
        }
        for (world, tombstone) in worlds {
            if let Some(known) = state.worlds.remove(world) {
                state.names.remove(&known.name);
            }
            state.asks.retain(|_, kept| kept.ask.world != *world);
            state.tombstones.insert(*world, tombstone.clone());
        }
        drop(state);
        self.tell();
        Ok(Burial::Deleted)
    }

    async fn tombstones(
        &self,
        after: Option<WorldId>,
        limit: usize,
    ) -> Result<Vec<(WorldId, Vec<u8>)>, LedgerError> {
        let state = self.state();
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let all = state.tombstones.range((begin, Bound::Unbounded));
        Ok(all
            .take(limit)
            .map(|(world, tombstone)| (*world, tombstone.clone()))
            .collect())
    }

    async fn compact(&self) -> Result<Compaction, LedgerError> {
        Ok(Compaction::Done)
    }
}

impl State {
    fn refuse_burial(&self, node: NodeId, worlds: &[(WorldId, Vec<u8>)]) -> Option<Burial> {
        let doomed: BTreeSet<WorldId> = worlds.iter().map(|(world, _)| *world).collect();
        for world in &doomed {
            let Some(known) = self.worlds.get(world) else {
                return Some(Burial::NoSuchWorld(*world));
            };
            if known.holder != Some(node) {
                return Some(Burial::Fenced {
                    world: *world,
                    holder: known.holder,
                });
            }
        }
        let shares = |base: &Option<ForkBase>| {
            base.filter(|base| !base.is_copied && doomed.contains(&base.parent))
        };
        self.worlds
            .iter()
            .filter(|(id, _)| !doomed.contains(id))
            .find_map(|(_, fork)| {
                Some(Burial::HasForks {
                    world: shares(&fork.base)?.parent,
                    fork: fork.name.clone(),
                })
            })
    }

    /// The rows that a fork is to have as its own, with the positions that each takes away.
    fn copies(&self, fork: WorldId, of: &[RowRange]) -> Vec<(Row, Vec<Position>)> {
        let mut copies = Vec::new();
        for range in of {
            let Some(known) = self.worlds.get(&range.world) else {
                continue;
            };
            for row in known.rows.range(range.from..=range.to).map(|(_, row)| row) {
                let gone = known.gone.iter().filter(|(_, by)| **by == row.first);
                let gone = gone.map(|(at, _)| *at).collect();
                let copy = Row {
                    world: fork,
                    key: None,
                    ..row.clone()
                };
                copies.push((copy, gone));
            }
        }
        copies
    }
}
