//! The facts of a server: which database it is, and whether its settings keep what was acknowledged.

use folkmoot_core::ids::CopyId;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use super::clock::Clock;
use super::error::PostgresError;
use super::fault;
use super::url::PostgresUrl;

/// The oldest version that serves, as the server counts: 14.0.
const VERSION_MIN: i32 = 140_000;

/// The names of the facts are the settings' own. The first eight digits of a journal file's name are its history.
///
/// A new session has prepared nothing but this, in the client's way to name it. If there is more, another client prepared it on
/// the same connection, and its names mean other statements than ours.
const ASK: &str = "
    SELECT current_setting('server_version_num')::int4 AS version_number, current_setting('server_version') AS version,
        pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS only_reads,
        current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
        current_setting('synchronous_commit') AS synchronous_commit,
        current_setting('synchronous_standby_names') AS synchronous_standby_names,
        current_setting('server_encoding') AS server_encoding,
        (SELECT system_identifier FROM pg_control_system()) AS system,
        (SELECT oid::int8 FROM pg_database WHERE datname = current_database()) AS database,
        CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8 END AS timeline,
        (SELECT count(*) > 1 FROM pg_prepared_statements WHERE name ~ '^s[0-9]+$') AS is_used,
        floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now";

/// The identity of a database: another one after it was restored from a backup, or after a standby has taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The number that the cluster got when it was made. Its copies have it as well.
    pub system: u64,
    /// The number of its history: greater by one after each restoration and each take-over.
    pub timeline: u32,
    /// The number of the database in its cluster. One that was made anew from a dump has another.
    pub database: u32,
}

impl Identity {
    /// Tells whether no commit can be missing that was acknowledged at `origin`. `lossless`: nor after a standby took over.
    pub(super) fn has_all_of(&self, origin: &Self, lossless: bool) -> bool {
        let is_same_history = lossless || self.timeline == origin.timeline;
        is_same_history && self.system == origin.system && self.database == origin.database
    }

    /// The name of the copy that it is.
    pub(super) fn as_copy(&self) -> CopyId {
        let parts = [
            u128::from(self.system) << 64,
            u128::from(self.timeline) << 32,
            u128::from(self.database),
        ];
        CopyId(Uuid::from_u128(
            parts.iter().fold(0, |whole, part| whole | part),
        ))
    }

    /// Reads the columns `system`, `timeline` and `database`.
    pub(super) fn read(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let system: i64 = row.try_get("system")?;
        let timeline: i64 = row.try_get("timeline")?;
        let database: i64 = row.try_get("database")?;
        Ok(Self {
            system: system.cast_unsigned(),
            timeline: u32::try_from(timeline).unwrap_or_default(),
            database: u32::try_from(database).unwrap_or_default(),
        })
    }
}

/// The facts of a server, as of the opening of a connection.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) identity: Identity,
    /// True if a second server has each commit before it is acknowledged.
    pub(super) is_synchronous: bool,
    version_number: i32,
    pub(super) version: String,
    only_reads: bool,
    fsync: String,
    full_page_writes: String,
    synchronous_commit: String,
    standby_names: String,
    encoding: String,
    /// True if a client before us left prepared statements on the connection: a pool lends it to one after the other.
    is_used: bool,
}

impl Facts {
    /// Asks the server at `place`, the time as well.
    pub(super) async fn ask(
        client: &Client,
        place: &str,
        clock: &Clock,
    ) -> Result<Self, PostgresError> {
        let before = clock.now_ms();
        let row = client.query_one(ASK, &[]).await;
        let read = row.and_then(|row| {
            clock.heed(before, row.try_get("now")?);
            Self::read(&row)
        });
        read.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::UNDEFINED_FUNCTION => PostgresError::OldServer {
                place: place.to_owned(),
                found: "older".to_owned(),
            },
            Some(code) if fault::is_of_a_pool(code) => PostgresError::Pooled {
                place: place.to_owned(),
            },
            Some(_) | None => PostgresError::Server {
                place: place.to_owned(),
                source: error.into(),
            },
        })
    }

    fn read(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let standby_names: String = row.try_get("synchronous_standby_names")?;
        let synchronous_commit: String = row.try_get("synchronous_commit")?;
        let waits = ["on", "remote_write", "remote_apply"].contains(&synchronous_commit.as_str());
        Ok(Self {
            identity: Identity::read(row)?,
            is_synchronous: waits && !standby_names.is_empty(),
            version_number: row.try_get("version_number")?,
            version: row.try_get("version")?,
            only_reads: row.try_get("only_reads")?,
            fsync: row.try_get("fsync")?,
            full_page_writes: row.try_get("full_page_writes")?,
            synchronous_commit,
            standby_names,
            encoding: row.try_get("server_encoding")?,
            is_used: row.try_get("is_used")?,
        })
    }

    /// Refuses a server that could lose what it acknowledges.
    pub(super) fn check(&self, url: &PostgresUrl, place: &str) -> Result<(), PostgresError> {
        if self.version_number < VERSION_MIN {
            return Err(PostgresError::OldServer {
                place: place.to_owned(),
                found: self.version.clone(),
            });
        }
        if self.is_used {
            return Err(PostgresError::Pooled {
                place: place.to_owned(),
            });
        }
        if self.only_reads {
            return Err(PostgresError::ReadOnly {
                place: place.to_owned(),
            });
        }
        let loses = "would lose acknowledged commits in a crash";
        let refused = |setting, found: &str, why, wanted| {
            Err(PostgresError::Setting {
                place: place.to_owned(),
                setting,
                found: found.to_owned(),
                why,
                wanted,
            })
        };
        match (
            &*self.fsync,
            &*self.full_page_writes,
            &*self.synchronous_commit,
        ) {
            ("off", _, _) => return refused("fsync", "off", loses, "on"),
            (_, "off", _) => return refused("full_page_writes", "off", loses, "on"),
            (_, _, "off") => return refused("synchronous_commit", "off", loses, "on"),
            _ => {}
        }
        if self.encoding != "UTF8" {
            let why = "cannot keep every name";
            return refused("server_encoding", &self.encoding, why, "UTF8");
        }
        if url.is_lossless() && !self.is_synchronous {
            let why = "lets a standby lack commits, while the URL says failover=lossless";
            if self.standby_names.is_empty() {
                return refused("synchronous_standby_names", "''", why, "a standby's name");
            }
            return refused("synchronous_commit", &self.synchronous_commit, why, "on");
        }
        Ok(())
    }
}
