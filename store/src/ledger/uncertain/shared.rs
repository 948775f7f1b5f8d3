//! The shared records behind a bad network.

use async_trait::async_trait;

use super::UncertainLedger;
use crate::ledger::{LedgerError, SharedRecord, SharedRecords};

#[async_trait]
impl SharedRecords for UncertainLedger {
    async fn put_shared(
        &self,
        record: &SharedRecord,
        replaces: Option<&[u8]>,
    ) -> Result<bool, LedgerError> {
        self.send(self.ledger().put_shared(record, replaces)).await
    }

    async fn remove_shared(&self, kind: &str, key: &[u8]) -> Result<bool, LedgerError> {
        self.send(self.ledger().remove_shared(kind, key)).await
    }

    async fn shared(&self, kind: &str, key: &[u8]) -> Result<Option<Vec<u8>>, LedgerError> {
        self.send(self.ledger().shared(kind, key)).await
    }

    async fn all_shared(
        &self,
        kind: &str,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<SharedRecord>, LedgerError> {
        self.send(self.ledger().all_shared(kind, after, limit))
            .await
    }

    async fn shared_version(&self, kind: &str) -> Result<u64, LedgerError> {
        self.send(self.ledger().shared_version(kind)).await
    }
}
