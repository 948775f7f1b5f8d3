//! PostgreSQL, and the second gate in it.
//!
//! A connection lives for one query. Its transaction reads alone, has a time limit of the server's, and is rolled back. The role
//! is the gate: it is refused if it could write anything, or read more than the list. The plan that the server makes must read
//! no other table, which covers the server's own tables that every role may read.
//!
//! The server's memory is its own affair: a query may use what its settings allow.

use std::fmt;
use std::time::Duration;

use folkmoot_core::port::causes::with_causes;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, Transaction};

use super::gate::{Passed, quoted};
use super::policy::Policy;
use super::rows::{Cell, Limits, QueryError, Rows};
use crate::variables::name_alone;
use cells::CellKind;
use connect::Session;

mod cells;
mod connect;
mod plan;
mod role;

/// The rows of one answer of the server.
const BATCH: i32 = 100;

/// The place of a secret: the name of a variable. The value is looked up for each query, and never kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlVariable(String);

impl UrlVariable {
    /// Reads `${NAME}`; `None`: it is written in another way.
    pub(crate) fn read(text: &str) -> Option<Self> {
        name_alone(text).map(|name| Self(name.to_owned()))
    }

    fn value(&self) -> Result<String, QueryError> {
        std::env::var(&self.0).map_err(|_| QueryError::Unusable {
            why: format!("the environment variable {} is not set", self.0),
        })
    }
}

impl fmt::Display for UrlVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${{{}}}", self.0)
    }
}

/// Runs a query on the database whose URL is in `url`. Dropping the future closes the connection; the server ends the query at
/// its time limit at the latest.
///
/// # Errors
/// [`QueryError`].
pub(crate) async fn query(
    url: &UrlVariable,
    policy: &Policy,
    passed: &Passed,
    limits: Limits,
) -> Result<Rows, QueryError> {
    let value = url.value()?;
    query_at(&value, policy, passed, limits).await
}

/// The same with the URL itself.
pub(super) async fn query_at(
    url: &str,
    policy: &Policy,
    passed: &Passed,
    limits: Limits,
) -> Result<Rows, QueryError> {
    let mut session = Session::open(url, limits.bytes).await?;
    let answer = ask(session.client(), policy, passed, limits).await;
    if session.is_exhausted() {
        return Err(QueryError::TooLarge {
            why: "the server sent more bytes than a result may have".into(),
        });
    }
    answer
}

async fn ask(
    client: &mut Client,
    policy: &Policy,
    passed: &Passed,
    limits: Limits,
) -> Result<Rows, QueryError> {
    let transaction = client.build_transaction().read_only(true).start().await;
    let transaction = transaction.map_err(unusable)?;
    confine(&transaction, limits.time).await?;
    role::check(&transaction, policy).await?;
    plan::check(&transaction, policy, passed.text()).await?;
    let rows = read(&transaction, passed, limits).await?;
    // Dropped, it would be rolled back as well, but nobody would hear that it was.
    transaction.rollback().await.map_err(unusable)?;
    Ok(rows)
}

async fn confine(transaction: &Transaction<'_>, time: Duration) -> Result<(), QueryError> {
    let ms = time.as_millis().clamp(1, 3_600_000);
    let settings = format!(
        "SET LOCAL statement_timeout = {ms};
         SET LOCAL lock_timeout = {ms};
         SET LOCAL idle_in_transaction_session_timeout = 60000;
         SET LOCAL search_path = pg_catalog, pg_temp;
         SET LOCAL default_transaction_read_only = on;
         SET LOCAL standard_conforming_strings = on;
         SET LOCAL max_parallel_workers_per_gather = 0;
         SET LOCAL datestyle = 'ISO, YMD';
         SET LOCAL intervalstyle = 'iso_8601';
         SET LOCAL bytea_output = 'hex';"
    );
    transaction.batch_execute(&settings).await.map_err(unusable)
}

async fn read(
    transaction: &Transaction<'_>,
    passed: &Passed,
    limits: Limits,
) -> Result<Rows, QueryError> {
    let asked = transaction.prepare(passed.text()).await.map_err(failed)?;
    if !asked.params().is_empty() || asked.columns().is_empty() {
        return Err(QueryError::Rejected {
            why: "the statement has parameters, or no columns".into(),
        });
    }
    let kinds: Vec<CellKind> = (asked.columns().iter())
        .map(|column| CellKind::of(column.type_()))
        .collect();
    let words = in_words(passed, &kinds);
    let portal = transaction.bind(&words, &[]).await.map_err(failed)?;
    let names = asked.columns().iter().map(|column| column.name());
    let mut rows = Rows {
        columns: names.map(str::to_owned).collect(),
        ..Rows::default()
    };
    let mut left = limits.bytes;
    loop {
        let batch = transaction.query_portal(&portal, BATCH).await;
        let batch = batch.map_err(failed)?;
        if batch.is_empty() {
            return Ok(rows);
        }
        for row in &batch {
            let cells = kinds.iter().enumerate().map(|(place, kind)| {
                let text: Option<&str> = row.try_get(place).map_err(failed)?;
                Ok(kind.cell(text))
            });
            let cells: Vec<Cell> = cells.collect::<Result<_, QueryError>>()?;
            let bytes: usize = cells.iter().map(Cell::bytes).sum();
            if rows.rows.len() >= limits.rows || bytes > left {
                rows.is_cut = true;
                return Ok(rows);
            }
            left -= bytes;
            rows.rows.push(cells);
        }
    }
}

/// The query around the statement in which the server writes each value as text. Of bytes it tells how many there are.
fn in_words(passed: &Passed, kinds: &[CellKind]) -> String {
    let names: Vec<String> = (1..=kinds.len())
        .map(|place| quoted(&format!("c{place}")))
        .collect();
    let columns = kinds.iter().zip(&names).map(|(kind, name)| match kind {
        CellKind::Bytes => format!("pg_catalog.octet_length({name})::text"),
        CellKind::Bool
        | CellKind::Integer
        | CellKind::Real
        | CellKind::Decimal
        | CellKind::Time
        | CellKind::Text => format!("{name}::text"),
    });
    let columns: Vec<String> = columns.collect();
    format!(
        "SELECT {} FROM ({}) AS \"q\" ({})",
        columns.join(", "),
        passed.text(),
        names.join(", ")
    )
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unusable(error: Error) -> QueryError {
    QueryError::Unusable {
        why: with_causes(&error),
    }
}

/// The reason why a statement gave no rows, from the server's error.
#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn failed(error: Error) -> QueryError {
    let why = with_causes(&error);
    let Some(code) = error.code() else {
        return QueryError::Unusable { why };
    };
    let refused = [
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    if refused.contains(code) {
        return QueryError::Refused { why };
    }
    match code.code().get(..2) {
        _ if *code == SqlState::QUERY_CANCELED || *code == SqlState::LOCK_NOT_AVAILABLE => {
            QueryError::TimedOut
        }
        // No resources, and too complex.
        Some("53" | "54") => QueryError::TooLarge { why },
        // The connection, an intervention, the system and the server itself.
        Some("08" | "57" | "58" | "XX") => QueryError::Unusable { why },
        Some(_) | None => match unknown(&error) {
            Some(name) => QueryError::Named { name, why },
            None => QueryError::Rejected { why },
        },
    }
}

/// The column, table or function that the server does not know. It says so before the statement runs, so that no value is in it.
fn unknown(error: &Error) -> Option<String> {
    let error = error.as_db_error()?;
    let codes = [
        SqlState::UNDEFINED_COLUMN,
        SqlState::UNDEFINED_TABLE,
        SqlState::AMBIGUOUS_COLUMN,
    ];
    let mut quoted = error.message().split('"');
    let name = quoted.nth(1)?;
    codes.contains(error.code()).then(|| name.to_owned())
}

#[cfg(test)]
pub(super) mod testing {
    //! What tests do to a server.

    use super::Session;

    /// Runs statements as whoever the URL names.
    pub(in crate::sql) async fn run_all(url: &str, statements: &str) {
        let mut session = Session::open(url, 0).await.unwrap();
        let done = session.client().batch_execute(statements).await;
        done.unwrap_or_else(|error| panic!("{statements}: {error:?}"));
    }
}
