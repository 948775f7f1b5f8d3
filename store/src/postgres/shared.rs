//! The small records that all processes of a database share.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::PostgresLedger;
use super::values::{column, count, read_whole};
use crate::ledger::{LedgerError, SharedRecord, SharedRecords, check_shared};

/// Makes the version of the kind greater for each of the rows in `changed`. Its row is locked last and to the end of the
/// transaction, so that the changes of a kind come one after the other.
macro_rules! told {
    () => {
        ", told AS (
            INSERT INTO fm.shared_version AS v (kind, version) SELECT kind, 1 FROM changed
            ON CONFLICT (kind) DO UPDATE SET version = v.version + 1
        ) SELECT kind FROM changed"
    };
}

const PUT_NEW: &str = concat!(
    "WITH changed AS (
        INSERT INTO fm.shared (kind, key, value) VALUES ($1, $2, $3) ON CONFLICT (kind, key) DO NOTHING RETURNING kind
    )",
    told!()
);

const REPLACE: &str = concat!(
    "WITH changed AS (
        UPDATE fm.shared SET value = $3 WHERE kind = $1 AND key = $2 AND value = $4 AND value <> $3 RETURNING kind
    )",
    told!()
);

const REMOVE: &str = concat!(
    "WITH changed AS (DELETE FROM fm.shared WHERE kind = $1 AND key = $2 RETURNING kind)",
    told!()
);

const GET: &str = "SELECT value FROM fm.shared WHERE kind = $1 AND key = $2";

const ALL: &str =
    "SELECT key, value FROM fm.shared WHERE kind = $1 AND key > $2 ORDER BY key LIMIT $3";

const VERSION: &str = "SELECT version FROM fm.shared_version WHERE kind = $1";

#[async_trait]
impl SharedRecords for PostgresLedger {
    async fn put_shared(
        &self,
        record: &SharedRecord,
        replaces: Option<&[u8]>,
    ) -> Result<bool, LedgerError> {
        check_shared(record)?;
        let SharedRecord { kind, key, value } = record;
        let changed = match replaces {
            None => self.change(PUT_NEW, &[kind, key, value]).await?,
            Some(replaces) => self.change(REPLACE, &[kind, key, value, &replaces]).await?,
        };
        // The statement may have been sent before.
        Ok(!changed.is_empty() || self.shared(kind, key).await?.as_ref() == Some(value))
    }

    async fn remove_shared(&self, kind: &str, key: &[u8]) -> Result<bool, LedgerError> {
        let removed = self.change(REMOVE, &[&kind, &key]).await?;
        Ok(!removed.is_empty())
    }

    async fn shared(&self, kind: &str, key: &[u8]) -> Result<Option<Vec<u8>>, LedgerError> {
        let rows = self.read_with(GET, &[&kind, &key]).await?;
        rows.first().map(|row| column(row, "value")).transpose()
    }

    async fn all_shared(
        &self,
        kind: &str,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<SharedRecord>, LedgerError> {
        // No key is empty.
        let after = after.unwrap_or_default();
        let rows = self.read_with(ALL, &[&kind, &after, &count(limit)]).await?;
        let record = |row: &Row| {
            Ok(SharedRecord {
                kind: kind.to_owned(),
                key: column(row, "key")?,
                value: column(row, "value")?,
            })
        };
        rows.iter().map(record).collect()
    }

    async fn shared_version(&self, kind: &str) -> Result<u64, LedgerError> {
        let rows = self.read_with(VERSION, &[&kind]).await?;
        let version = |row: &Row| read_whole(column(row, "version")?, "version");
        rows.first().map_or(Ok(0), version)
    }
}
