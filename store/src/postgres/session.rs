//! A connection that is ready for work, with the statements that were prepared on it.

use std::collections::HashMap;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::fault::Fault;

/// The values of a statement's places.
pub(super) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// The schema as statements write it. Each has its tables in the schema of the URL.
const SCHEMA: &str = "fm.";

/// A connection. Dropped, it is closed, and the server undoes what was not committed.
#[derive(Debug)]
pub(super) struct Session {
    client: Client,
    pump: JoinHandle<()>,
    /// The schema's name with a full stop behind it.
    schema: String,
    /// The history in which the server was.
    pub(super) history: u32,
    prepared: HashMap<&'static str, Statement>,
    /// True from the beginning of a transaction to its end.
    in_transaction: bool,
    /// True while the server has something to answer. Whoever was waiting may have given up.
    is_asked: bool,
    is_lost: bool,
}

impl Session {
    pub(super) fn new(client: Client, pump: JoinHandle<()>, schema: &str) -> Self {
        Self {
            client,
            pump,
            schema: format!("\"{schema}\"."),
            history: 0,
            prepared: HashMap::new(),
            in_transaction: false,
            is_asked: false,
            is_lost: false,
        }
    }

    pub(super) const fn client(&self) -> &Client {
        &self.client
    }

    /// Tells whether somebody may use it: it lives, and nobody left a transaction open or a statement unanswered.
    pub(super) fn is_fit(&self) -> bool {
        !self.is_lost && !self.in_transaction && !self.is_asked && !self.client.is_closed()
    }

    /// Writes a statement with the schema's name.
    pub(super) fn sql(&self, sql: &str) -> String {
        sql.replace(SCHEMA, &self.schema)
    }

    /// Runs a statement and gives its rows, once the server has ended it.
    ///
    /// # Errors
    /// [`Fault::Lost`] also if no answer came within `most`: the session is of no use then. The statement goes on.
    pub(super) async fn query(
        &mut self,
        sql: &'static str,
        values: Values<'_>,
        most: Duration,
    ) -> Result<Vec<Row>, Fault> {
        self.is_asked = true;
        let ran = timeout(most, self.run(sql, values)).await;
        self.is_asked = false;
        let ran = ran.unwrap_or_else(|late| Err(Fault::Lost(late.into())));
        if matches!(ran, Err(Fault::Lost(_))) {
            self.lose();
        }
        // Within a transaction nothing is done before its end.
        ran.map_err(|fault| {
            if self.in_transaction {
                fault.undone()
            } else {
                fault
            }
        })
    }

    async fn run(&mut self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        let statement = match self.prepared.get(sql) {
            Some(statement) => statement.clone(),
            None => {
                let prepared = self.client.prepare(&self.sql(sql)).await;
                // Nothing was asked yet that could happen.
                let prepared = prepared.map_err(|error| Fault::from(error).undone());
                let statement = prepared.inspect_err(|_| self.is_lost = self.client.is_closed())?;
                self.prepared.insert(sql, statement.clone());
                statement
            }
        };
        Ok(self.client.query(&statement, values).await?)
    }

    /// Begins a transaction.
    pub(super) async fn begin(&mut self, most: Duration) -> Result<(), Fault> {
        self.in_transaction = true;
        self.command("BEGIN", most).await.map_err(Fault::undone)
    }

    /// Ends the transaction with everything done.
    pub(super) async fn commit(&mut self, most: Duration) -> Result<(), Fault> {
        let committed = self.command("COMMIT", most).await;
        self.in_transaction = false;
        committed
    }

    /// Ends the transaction with nothing done.
    pub(super) async fn roll_back(&mut self, most: Duration) -> Result<(), Fault> {
        let undone = self.command("ROLLBACK", most).await;
        self.in_transaction = false;
        undone.map_err(Fault::undone)
    }

    /// Runs a command without values.
    pub(super) async fn command(&mut self, sql: &str, most: Duration) -> Result<(), Fault> {
        let sql = self.sql(sql);
        self.command_as_written(&sql, most).await
    }

    /// Runs a command that has the schema's name.
    pub(super) async fn command_as_written(
        &mut self,
        sql: &str,
        most: Duration,
    ) -> Result<(), Fault> {
        self.is_asked = true;
        let ran = timeout(most, self.client.batch_execute(sql)).await;
        self.is_asked = false;
        let ran = match ran {
            Ok(ran) => ran.map_err(Fault::from),
            Err(late) => Err(Fault::Lost(late.into())),
        };
        if matches!(ran, Err(Fault::Lost(_))) {
            self.lose();
        }
        ran
    }

    fn lose(&mut self) {
        self.is_lost = true;
        self.pump.abort();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nobody waits for its answers any more. Closing it in good form would take the time that a lost server takes.
        self.pump.abort();
    }
}
