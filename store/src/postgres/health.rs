//! The health of a database that nodes share, for people who look after it.

use std::time::Duration;

use folkmoot_core::ids::Time;
use tokio_postgres::Row;

use super::PostgresLedger;
use super::values::{column, read_time, read_whole};
use crate::ledger::LedgerError;

/// Worlds and sizes are counted as they stand; what is appended meanwhile may be in it or not. A node has to read and write
/// all tables but those that say how and where they were made.
const HEALTH: &str = "
    WITH tables AS (
        SELECT c.oid, c.relname, c.relowner FROM pg_class c
        WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'fm.world'::regclass) AND c.relkind IN ('r', 'p')
    )
    SELECT (SELECT max(version) FROM fm.layout)::int8 AS layout,
        (SELECT count(*) FROM fm.world) AS worlds,
        (SELECT count(*) FROM fm.tombstone) AS deleted,
        (SELECT count(*) FROM fm.world WHERE holder IS NULL AND due <= fm.now_ms()) AS due,
        (SELECT fm.now_ms() - min(due) FROM fm.world WHERE holder IS NULL AND due <= fm.now_ms()) AS due_for,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
        current_setting('max_connections')::int8 AS connections_max,
        (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::int8 FROM tables) AS bytes,
        ARRAY(
            SELECT relname::text FROM tables WHERE relname NOT IN ('layout', 'origin') AND relname !~ '^commit_' AND NOT (
                has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
            ) ORDER BY relname
        ) AS closed,
        (SELECT coalesce(bool_and(pg_has_role(relowner, 'USAGE')), true) FROM tables) AS is_owner,
        fm.now_ms() AS now";

/// The health of a database, as of one moment. A server that would lose what it acknowledged is refused before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DatabaseHealth {
    /// The server's version, in its own words.
    pub version: String,
    /// The layout of the tables.
    pub layout: u64,
    /// The number of worlds.
    pub worlds: u64,
    /// The number of worlds that were deleted.
    pub deleted: u64,
    /// The number of worlds that are due, and that nobody has.
    pub due: u64,
    /// How long the first of them has been due; `None`: there is none.
    pub due_for: Option<Duration>,
    /// The connections to the server, of whatever program.
    pub connections: u64,
    /// The most that it takes.
    pub connections_max: u64,
    /// The bytes of all tables of the store.
    pub bytes: u64,
    /// The tables that this login cannot read and write, as a node must.
    pub closed: Vec<String>,
    /// True if this login may write tables anew, which an erasure has to.
    pub is_owner: bool,
    /// True if a second server has each commit before it is acknowledged.
    pub is_synchronous: bool,
    /// The milliseconds by which this machine's clock is ahead of the database's; less than 0: behind.
    pub clock_ahead_ms: i64,
    /// The time, by the database's clock.
    pub now: Time,
}

impl PostgresLedger {
    /// Looks at the health of the database.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub async fn health(&self) -> Result<DatabaseHealth, LedgerError> {
        let rows = self.read_with(HEALTH, &[]).await?;
        let none = || LedgerError::Damaged("the database says nothing of itself".to_owned());
        let row = rows.first().ok_or_else(none)?;
        self.read_health(row)
    }

    fn read_health(&self, row: &Row) -> Result<DatabaseHealth, LedgerError> {
        let whole = |name: &'static str| read_whole(column(row, name)?, name);
        let due_for: Option<i64> = column(row, "due_for")?;
        let due_for = due_for.map(|ms| Duration::from_millis(ms.unsigned_abs()));
        let facts = self.dialer.facts();
        Ok(DatabaseHealth {
            version: facts.map_or_else(String::new, |facts| facts.version),
            layout: whole("layout")?,
            worlds: whole("worlds")?,
            deleted: whole("deleted")?,
            due: whole("due")?,
            due_for,
            connections: whole("connections")?,
            connections_max: whole("connections_max")?,
            bytes: whole("bytes")?,
            closed: column(row, "closed")?,
            is_owner: column(row, "is_owner")?,
            is_synchronous: self.is_synchronous(),
            clock_ahead_ms: self.dialer.clock().ahead_ms(),
            now: read_time(row, "now")?,
        })
    }
}
