//! A ledger in a database of PostgreSQL, for many nodes.
//!
//! A commit is a row, and the primary key `(world, first)` decides who of two takes a place. `append` has the one statement by
//! which rows land; `members` and `inbox` say who tries. Nothing depends on a lock that outlives a transaction, on a sequence,
//! or on a notification.
//!
//! A ledger has nine connections at most: two that append and change, one that renews, one for what else there is of leases and
//! the inbox, one that listens and four that read. Each is opened when it is first needed, and again when it was lost. While
//! tables are written anew there is a tenth.

use std::sync::Arc;

use folkmoot_core::port::MemberError;
use tokio_postgres::Row;

use crate::home::opening::OpenMode;
use crate::ledger::{APPENDS_AT_ONCE, LedgerError};
use dialer::Dialer;
use fault::Fault;
use hints::Hints;
use lanes::{Lane, Lanes};
use members::LEASE;
use password::Surroundings;
use session::Values;
use upkeep::CHANGE;
use upkeep::compact::Keeper;

mod append;
mod clock;
mod dialer;
mod error;
mod facts;
mod fault;
mod health;
mod hints;
mod inbox;
mod lanes;
mod members;
mod password;
mod register;
mod rows;
mod schema;
mod session;
mod shared;
mod tables;
mod tls;
mod upkeep;
mod url;
mod values;

pub use error::PostgresError;
pub use facts::Identity;
pub use health::DatabaseHealth;
pub use url::{PostgresUrl, PostgresUrlError};

/// The connections that append and change.
const WRITERS: usize = APPENDS_AT_ONCE;

/// The connections that read.
const READERS: usize = 4;

/// The connections of a ledger: with one that renews, one for leases and asks, and one that listens.
const CONNECTIONS: usize = WRITERS + READERS + 3;

/// The longest wait for what is read.
const READ: std::time::Duration = std::time::Duration::from_secs(30);

/// A ledger in a database. Dropped, its connections are closed.
#[derive(Debug)]
pub struct PostgresLedger {
    dialer: Arc<Dialer>,
    writers: Lanes,
    readers: Arc<Lanes>,
    /// Nothing that may wait for a lock is in the way of a renewal.
    renewals: Lanes,
    leases: Arc<Lanes>,
    hints: Hints,
    keeper: Keeper,
    /// The database in which the tables were made; `None`: somebody removed what said so.
    origin: Option<Identity>,
}

impl PostgresLedger {
    /// Connects to the database, and makes the tables if they are missing and `mode` allows it.
    ///
    /// # Errors
    /// [`PostgresError`]: each variant says what to do.
    pub async fn open(url: &PostgresUrl, mode: OpenMode) -> Result<Self, PostgresError> {
        let dialer = Arc::new(Dialer::new(url.clone(), Surroundings::of_process()));
        let mut session = dialer.dial(None).await?;
        let origin = schema::ready(&mut session, url, mode).await?;
        let lanes = |count| Lanes::new(Arc::clone(&dialer), count);
        let leases = Arc::new(lanes(1));
        let ledger = Self {
            writers: lanes(WRITERS),
            readers: Arc::new(lanes(READERS)),
            renewals: lanes(1),
            hints: Hints::new(Arc::clone(&dialer), Arc::clone(&leases)),
            leases,
            keeper: Keeper::default(),
            origin,
            dialer,
        };
        ledger.writers.begin_with(session);
        Ok(ledger)
    }

    /// The identity of the database, as of the newest connection.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        self.dialer.facts().map(|facts| facts.identity)
    }

    /// The name of the schema that has the tables.
    #[must_use]
    pub fn schema(&self) -> &str {
        self.dialer.url().schema()
    }

    /// Tells whether the URL promises that no server which takes over lacks a commit.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.dialer.url().is_lossless()
    }

    /// Puts this machine's clock forward, or back, as far as the ledger looks at it.
    #[cfg(feature = "testing")]
    pub fn shift_clock(&self, ms: i64) {
        self.dialer.clock().shift(ms);
    }

    /// Has the member look at once whether tables are to be written anew, if it is the one that does it.
    #[cfg(feature = "testing")]
    pub fn hurry_upkeep(&self) {
        self.keeper.hurry();
    }

    /// Closes the connections that nobody uses, and opens none any more. The others close when they are free.
    pub fn close(&self) {
        self.dialer.close();
        for lanes in [&self.writers, &*self.readers, &self.renewals, &*self.leases] {
            lanes.close();
        }
    }

    fn is_synchronous(&self) -> bool {
        let facts = self.dialer.facts();
        facts.is_some_and(|facts| facts.is_synchronous)
    }

    async fn writer(&self) -> Result<Lane<'_>, LedgerError> {
        Ok(self.writers.take().await?)
    }

    /// Reads rows. A connection that was lost meanwhile is opened again, once.
    async fn read_with(
        &self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, LedgerError> {
        let mut lane = self.readers.take().await?;
        match lane.query(sql, values, READ).await {
            Ok(rows) => return Ok(rows),
            Err(Fault::Lost(_) | Fault::Undone(_)) => {}
            Err(fault) => return Err(fault.into()),
        }
        drop(lane);
        let mut lane = self.readers.take().await?;
        let rows = lane.query(sql, values, READ).await;
        rows.map_err(|fault| fault.undone().into())
    }

    /// Changes rows in one statement.
    async fn change(&self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, LedgerError> {
        Ok(self.writer().await?.query(sql, values, CHANGE).await?)
    }

    /// Runs a statement of the membership or the inbox.
    async fn lease(&self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, MemberError> {
        let mut lane = self.leases.take().await?;
        Ok(lane.query(sql, values, LEASE).await?)
    }
}
