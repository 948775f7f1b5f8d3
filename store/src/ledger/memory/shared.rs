//! The shared records of a ledger in memory.

use std::collections::BTreeMap;
use std::ops::Bound;

use async_trait::async_trait;

use super::MemoryLedger;
use crate::ledger::{LedgerError, SharedRecord, SharedRecords, check_shared};

/// The shared records of a kind.
#[derive(Debug, Default)]
pub(super) struct SharedKind {
    /// The number of changes.
    version: u64,
    records: BTreeMap<Vec<u8>, Vec<u8>>,
}

#[async_trait]
impl SharedRecords for MemoryLedger {
    async fn put_shared(
        &self,
        record: &SharedRecord,
        replaces: Option<&[u8]>,
    ) -> Result<bool, LedgerError> {
        check_shared(record)?;
        let mut state = self.state();
        let known = state.shared.entry(record.kind.clone()).or_default();
        let stands = known.records.get(&record.key).map(Vec::as_slice);
        if stands == Some(&record.value) {
            return Ok(true);
        }
        if stands != replaces {
            return Ok(false);
        }
        known
            .records
            .insert(record.key.clone(), record.value.clone());
        known.version += 1;
        Ok(true)
    }

    async fn remove_shared(&self, kind: &str, key: &[u8]) -> Result<bool, LedgerError> {
        let mut state = self.state();
        let Some(known) = state.shared.get_mut(kind) else {
            return Ok(false);
        };
        let is_removed = known.records.remove(key).is_some();
        known.version += u64::from(is_removed);
        Ok(is_removed)
    }

    async fn shared(&self, kind: &str, key: &[u8]) -> Result<Option<Vec<u8>>, LedgerError> {
        let state = self.state();
        let known = state.shared.get(kind);
        Ok(known.and_then(|known| known.records.get(key).cloned()))
    }

    async fn all_shared(
        &self,
        kind: &str,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<SharedRecord>, LedgerError> {
        let state = self.state();
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let known = state.shared.get(kind).into_iter();
        let records =
            known.flat_map(|known| known.records.range::<[u8], _>((begin, Bound::Unbounded)));
        let record = |(key, value): (&Vec<u8>, &Vec<u8>)| SharedRecord {
            kind: kind.to_owned(),
            key: key.clone(),
            value: value.clone(),
        };
        Ok(records.take(limit).map(record).collect())
    }

    async fn shared_version(&self, kind: &str) -> Result<u64, LedgerError> {
        let state = self.state();
        Ok(state.shared.get(kind).map_or(0, |known| known.version))
    }
}
