//! The door for fuzzing: one statement against both gates.

use std::path::Path;
use std::time::Duration;

use super::gate::{Gate, Passed};
use super::policy::{Columns, Dialect, Policy};
use super::rows::{Limits, QueryError};
use super::sqlite::{self, Database, Stop};

/// The fate of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlVerdict {
    /// The first gate refused it, for this reason.
    Refused(String),
    /// It passed, as this text, and the engine answered with these rows.
    Answered(String, String),
    /// It passed, as this text, and the engine could make nothing of it.
    Failed(String, String),
    /// It passed, as this text, and the engine's own gate refused it: one of the two is wrong.
    Torn(String, String),
}

/// Makes a database at `path` with a value that no statement may tell: `s3cr3t`.
///
/// # Errors
/// The engine's error.
pub fn make_shop(path: &Path) -> Result<(), String> {
    let made = rusqlite::Connection::open(path).and_then(|shop| {
        shop.execute_batch(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, amount REAL, country TEXT, secret TEXT);
             INSERT INTO orders VALUES (1, 9.5, 'DE', 's3cr3t'), (2, 20, 'FR', 's3cr3t');
             CREATE TABLE hidden (a TEXT);
             INSERT INTO hidden VALUES ('s3cr3t');",
        )
    });
    made.map_err(|error| error.to_string())
}

/// Puts a statement through both gates of the database at `path`; `is_seen`: the first gate sees it.
#[must_use]
pub fn ask_shop(path: &Path, statement: &str, is_seen: bool) -> SqlVerdict {
    let columns = ["id", "amount", "country"].map(str::to_owned).to_vec();
    let tables = [("orders".to_owned(), Columns::Listed(columns))];
    // The other dialect has to survive it as well.
    let other = Policy::new(Dialect::Postgres, tables.clone());
    drop(Gate::new(other).check(statement));
    let gate = Gate::new(Policy::new(Dialect::Sqlite, tables));
    let passed = if is_seen {
        gate.check(statement)
    } else {
        Ok(Passed::unseen(statement))
    };
    let passed = match passed {
        Ok(passed) => passed,
        Err(refusal) => return SqlVerdict::Refused(refusal.to_string()),
    };
    let limits = Limits {
        rows: 100,
        bytes: 1 << 16,
        time: Duration::from_secs(1),
    };
    let text = passed.text().to_owned();
    match sqlite::query(
        &[Database::File(path.to_owned())],
        gate.policy(),
        &passed,
        limits,
        &Stop::default(),
    ) {
        Ok(rows) => SqlVerdict::Answered(text, format!("{rows:?}")),
        Err(error @ QueryError::Refused { .. }) => SqlVerdict::Torn(text, error.to_string()),
        Err(error) => SqlVerdict::Failed(text, error.to_string()),
    }
}
