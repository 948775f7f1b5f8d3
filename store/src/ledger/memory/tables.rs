//! The blobs and saved folds of a ledger in memory.

use std::collections::BTreeSet;
use std::ops::Bound;

use async_trait::async_trait;
use folkmoot_core::ids::{Digest, Position, Time, WorldId};

use super::MemoryLedger;
use crate::ledger::{
    BlobTable, CheckpointRow, CheckpointTable, LedgerError, PutRange, Saving, check_blob,
    check_checkpoint,
};

#[async_trait]
impl BlobTable for MemoryLedger {
    async fn put_blob(
        &self,
        world: WorldId,
        blob: Digest,
        bytes: Vec<u8>,
    ) -> Result<(), LedgerError> {
        check_blob(blob, &bytes)?;
        let mut state = self.state();
        let now = state.now;
        let Some(known) = state.worlds.get_mut(&world) else {
            return Err(LedgerError::Invalid(format!("there is no world {world}")));
        };
        known.blobs.insert(blob, (bytes, now));
        Ok(())
    }

    async fn blob(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, LedgerError> {
        let state = self.state();
        let found = state
            .worlds
            .get(&world)
            .and_then(|known| known.blobs.get(&blob));
        Ok(found.map(|(bytes, _)| bytes.clone()))
    }

    async fn blob_size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, LedgerError> {
        let state = self.state();
        let found = state
            .worlds
            .get(&world)
            .and_then(|known| known.blobs.get(&blob));
        Ok(found.map(|(bytes, _)| bytes.len() as u64))
    }

    async fn blobs(
        &self,
        world: WorldId,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(Digest, Time)>, LedgerError> {
        let state = self.state();
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let all = state
            .worlds
            .get(&world)
            .into_iter()
            .flat_map(|known| known.blobs.range((begin, Bound::Unbounded)));
        Ok(all
            .take(limit)
            .map(|(blob, (_, kept))| (*blob, *kept))
            .collect())
    }

    async fn blob_time(&self) -> Result<Time, LedgerError> {
        Ok(self.now())
    }

    async fn puts(
        &self,
        range: PutRange,
        after: Option<(Time, WorldId)>,
        limit: usize,
    ) -> Result<Vec<(Time, WorldId)>, LedgerError> {
        let state = self.state();
        let all = state.worlds.iter().flat_map(|(world, known)| {
            let puts = known.blobs.values().map(|(_, put)| *put);
            puts.map(|put| (put, *world))
        });
        let found: BTreeSet<(Time, WorldId)> = all
            .filter(|(put, _)| (range.since..range.before).contains(put))
            .filter(|found| after.is_none_or(|after| *found > after))
            .collect();
        Ok(found.into_iter().take(limit).collect())
    }

    async fn touch_blobs(&self, world: WorldId, blobs: &[Digest]) -> Result<(), LedgerError> {
        let mut state = self.state();
        let now = state.now;
        let Some(known) = state.worlds.get_mut(&world) else {
            return Ok(());
        };
        for blob in blobs {
            if let Some((_, put)) = known.blobs.get_mut(blob) {
                *put = now;
            }
        }
        Ok(())
    }

    async fn remove_blobs(
        &self,
        world: WorldId,
        blobs: &[Digest],
        before: Time,
    ) -> Result<u64, LedgerError> {
        let mut state = self.state();
        let Some(known) = state.worlds.get_mut(&world) else {
            return Ok(0);
        };
        let there = known.blobs.len();
        known
            .blobs
            .retain(|blob, (_, put)| *put >= before || !blobs.contains(blob));
        Ok((there - known.blobs.len()) as u64)
    }
}

#[async_trait]
impl CheckpointTable for MemoryLedger {
    async fn save_checkpoint(&self, row: CheckpointRow) -> Result<Saving, LedgerError> {
        check_checkpoint(&row)?;
        let mut state = self.state();
        let Some(known) = state.worlds.get_mut(&row.world) else {
            return Ok(Saving::NoSuchWorld);
        };
        if known.barred.is_some_and(|barred| row.incarnation <= barred) {
            return Ok(Saving::Barred);
        }
        known.checkpoints.insert(row.at, row);
        Ok(Saving::Saved)
    }

    async fn checkpoints(&self, world: WorldId) -> Result<Vec<(Position, Digest)>, LedgerError> {
        let state = self.state();
        let all = state
            .worlds
            .get(&world)
            .into_iter()
            .flat_map(|known| &known.checkpoints);
        Ok(all.map(|(at, row)| (*at, row.decider)).collect())
    }

    async fn checkpoint(
        &self,
        world: WorldId,
        at: Position,
    ) -> Result<Option<CheckpointRow>, LedgerError> {
        let state = self.state();
        let found = state
            .worlds
            .get(&world)
            .and_then(|known| known.checkpoints.get(&at));
        Ok(found.cloned())
    }

    async fn remove_checkpoints(&self, world: WorldId, at: &[Position]) -> Result<(), LedgerError> {
        let mut state = self.state();
        if let Some(known) = state.worlds.get_mut(&world) {
            known.checkpoints.retain(|place, _| !at.contains(place));
        }
        Ok(())
    }
}
