//! SQLite, and the second gate in it.
//!
//! A connection lives for one query. It attaches the file, for reading alone, under a name that nobody can guess, and makes a
//! view of the listed columns for each table: the tables themselves cannot be named. An authorizer allows what those views
//! read, and the program that the engine makes of the statement must open nothing else. The engine's needs are bounded by its
//! limits, by a heap that all connections of this process share, and by a deadline.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::ffi::ErrorCode;
use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::AuthContext;
use rusqlite::limits::Limit;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, OpenFlags};

use super::gate::{Passed, quoted};
use super::policy::{AllowedTable, Columns, NUMBER, Policy};
use super::rows::{Cell, Limits, QueryError, Rows};
use authorizer::Authorizer;
use program::Pages;

mod authorizer;
mod program;

/// The most memory of all connections of this process together.
const HEAP_BYTES: i64 = 256 * 1024 * 1024;
/// The pages that a connection keeps, in KiB.
const CACHE_KIB: i64 = 16 * 1024;
/// The steps of the engine between two looks at the clock.
const STEPS: i32 = 20;

/// The limits of a connection. A value has at most a MiB, so that no function makes much of little.
const LIMITS: [(Limit, i32); 10] = [
    (Limit::SQLITE_LIMIT_LENGTH, 1 << 20),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 256 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 2000),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 1000),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (Limit::SQLITE_LIMIT_VDBE_OP, 200_000),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Tells a query that nobody waits for it any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the query at its next look.
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A database, and how it comes to a query.
#[derive(Debug, Clone)]
pub(crate) enum Database {
    /// In a file, whose path has no link in it.
    File(PathBuf),
    /// In memory: the bytes that its file would have.
    #[cfg_attr(
        not(feature = "data"),
        expect(dead_code, reason = "data sets of sealed worlds alone are in memory")
    )]
    Image(Arc<[u8]>),
}

/// Runs a query on these databases. It blocks.
///
/// # Errors
/// [`QueryError`].
pub(crate) fn query(
    databases: &[Database],
    policy: &Policy,
    passed: &Passed,
    limits: Limits,
    stop: &Stop,
) -> Result<Rows, QueryError> {
    // The engine would take what stands before it for the whole.
    if passed.text().contains('\0') {
        return Err(QueryError::Refused {
            why: "the statement has a character of code 0".into(),
        });
    }
    let schemas: Vec<String> = databases.iter().map(|_| secret_name()).collect();
    let mut connection = open(databases, &schemas)?;
    let pages = prepare(&connection, &schemas, policy)?;
    watch(&mut connection, limits.time, stop.clone())?;
    let authorizer = Authorizer::new(policy, schemas);
    let answers = authorizer.clone();
    connection
        .authorizer(Some(move |context: AuthContext<'_>| {
            answers.answer(&context)
        }))
        .map_err(unusable)?;
    let rows = pages
        .check(&connection, passed.text())
        .and_then(|()| read(&connection, passed, limits));
    match rows {
        Err(QueryError::Named { why, .. } | QueryError::Rejected { why })
            if authorizer.has_refused() =>
        {
            Err(QueryError::Refused { why })
        }
        rows => rows,
    }
}

/// A name that cannot be guessed: 128 bits of the system's.
fn secret_name() -> String {
    let bits = || RandomState::new().build_hasher().finish();
    format!("s{:016x}{:016x}", bits(), bits())
}

/// Attaches each of the databases, under a schema each, to an empty database in memory.
fn open(databases: &[Database], schemas: &[String]) -> Result<Connection, QueryError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(":memory:", flags).map_err(unusable)?;
    confine(&connection).map_err(unusable)?;
    number(&connection).map_err(unusable)?;
    for (database, schema) in databases.iter().zip(schemas) {
        attach(&mut connection, database, schema)?;
    }
    Ok(connection)
}

/// Makes the function that lets numbers pass, and no text: the gate writes it around what is computed with. Its second
/// argument is the column's name.
fn number(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(NUMBER, 2, flags, |context| match context.get_raw(0) {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Integer(number)),
        ValueRef::Real(number) => Ok(Value::Real(number)),
        ValueRef::Text(_) | ValueRef::Blob(_) => {
            let name: String = context.get(1)?;
            Err(Error::UserFunctionError(TextInNumbers(name).into()))
        }
    })
}

/// A text where a number is needed.
#[derive(Debug, thiserror::Error)]
#[error(
    "numbers are needed, and a text is in the column: {0} (CAST it, or leave it out with WHERE)"
)]
struct TextInNumbers(String);

fn attach(
    connection: &mut Connection,
    database: &Database,
    schema: &str,
) -> Result<(), QueryError> {
    let path = match database {
        Database::File(path) => path.to_str().ok_or_else(|| QueryError::Unusable {
            why: "its path is not Unicode".into(),
        })?,
        Database::Image(_) => ":memory:",
    };
    connection
        .execute("ATTACH ?1 AS ?2", [path, schema])
        .map_err(unusable)?;
    match database {
        Database::File(_) => Ok(()),
        Database::Image(bytes) => connection
            .deserialize_read_exact(schema, &bytes[..], bytes.len(), true)
            .map_err(unusable),
    }
}

/// Makes the views, and begins the transaction that the query sees.
fn prepare(
    connection: &Connection,
    schemas: &[String],
    policy: &Policy,
) -> Result<Pages, QueryError> {
    for table in policy.tables() {
        let schema = schema_of(schemas, table)?;
        check_table(connection, schema, table)?;
        connection
            .execute_batch(&view_of(schema, table))
            .map_err(unusable)?;
        if let Columns::Listed(_) = table.columns {
            // A view of a column that is not there can be made, and not be read.
            let probe = format!("SELECT * FROM temp.{}", quoted(&table.name));
            connection.prepare(&probe).map_err(unusable)?;
        }
    }
    connection
        .pragma_update(None, "query_only", true)
        .map_err(unusable)?;
    connection.execute_batch("BEGIN").map_err(unusable)?;
    let pages = Pages::of(connection, schemas, policy)?;
    for (limit, most) in LIMITS {
        connection.set_limit(limit, most).map_err(unusable)?;
    }
    Ok(pages)
}

/// The schema of the database that has a table.
fn schema_of<'s>(schemas: &'s [String], table: &AllowedTable) -> Result<&'s str, QueryError> {
    let schema = schemas.get(table.database).map(String::as_str);
    schema.ok_or_else(|| QueryError::Unusable {
        why: format!("{:?} is in no database of the query", table.name),
    })
}

fn confine(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    for (config, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        // A word in double quotes is a name and never a text.
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    ] {
        connection.set_db_config(config, value)?;
    }
    // The heap's limit can be lowered and never raised: it holds for this process from the first query on.
    connection.pragma_update_and_check(None, "hard_heap_limit", HEAP_BYTES, |_| Ok(()))?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection
        .pragma_update_and_check(None, "mmap_size", 0, |_| Ok(()))
        .or_else(no_row)?;
    // Sorting and grouping write no files.
    connection.pragma_update(None, "temp_store", "memory")?;
    Ok(())
}

/// Some builds answer a pragma with a row, some with none.
fn no_row(error: Error) -> rusqlite::Result<()> {
    if matches!(error, Error::QueryReturnedNoRows) {
        Ok(())
    } else {
        Err(error)
    }
}

/// Refuses what is no ordinary table: a view shows what is behind it, and a virtual table runs code.
fn check_table(
    connection: &Connection,
    schema: &str,
    table: &AllowedTable,
) -> Result<(), QueryError> {
    let kind = connection.query_row(
        "SELECT type FROM pragma_table_list WHERE schema = ?1 AND name = ?2 COLLATE NOCASE",
        [schema, &table.inside],
        |row| row.get::<_, String>(0),
    );
    let why = match kind {
        Ok(kind) if kind == "table" => return Ok(()),
        Ok(kind) => format!("{:?} is a {kind}: list tables alone", table.name),
        Err(Error::QueryReturnedNoRows) => format!("there is no table {:?} in it", table.name),
        Err(error) => return Err(unusable(error)),
    };
    Err(QueryError::Unusable { why })
}

fn view_of(schema: &str, table: &AllowedTable) -> String {
    let (name, inside) = (quoted(&table.name), quoted(&table.inside));
    let columns = match &table.columns {
        Columns::All => "*".to_owned(),
        Columns::Listed(columns) => {
            let columns: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
            columns.join(", ")
        }
    };
    let schema = quoted(schema);
    format!("CREATE TEMP VIEW {name} AS SELECT {columns} FROM {schema}.{inside}")
}

/// Stops the query at its deadline, and when nobody waits for it.
fn watch(connection: &mut Connection, time: Duration, stop: Stop) -> Result<(), QueryError> {
    let begin = Instant::now();
    let is_over = move || stop.is_stopped() || begin.elapsed() >= time;
    connection
        .progress_handler(STEPS, Some(is_over))
        .map_err(unusable)
}

fn read(connection: &Connection, passed: &Passed, limits: Limits) -> Result<Rows, QueryError> {
    let mut statement = connection.prepare(passed.text()).map_err(unprepared)?;
    if !statement.readonly() || statement.is_explain() != 0 {
        return Err(QueryError::Refused {
            why: "the statement does not ask for rows".into(),
        });
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let mut rows = Rows {
        columns,
        ..Rows::default()
    };
    let mut left = limits.bytes;
    let mut cursor = statement.query([]).map_err(failed)?;
    while let Some(row) = cursor.next().map_err(failed)? {
        let values = (0..width).map(|place| row.get_ref(place));
        let values: Vec<ValueRef<'_>> = values.collect::<Result<_, _>>().map_err(failed)?;
        // Before they are copied: the columns of a row may share one long text.
        let bytes: usize = values.iter().map(size).sum();
        if rows.rows.len() >= limits.rows || bytes > left {
            rows.is_cut = true;
            break;
        }
        left -= bytes;
        rows.rows.push(values.into_iter().map(cell).collect());
    }
    Ok(rows)
}

/// The bytes that a value takes once it is read, as [`Cell::bytes`] counts.
fn size(value: &ValueRef<'_>) -> usize {
    match value {
        ValueRef::Text(text) => text.len() + 8,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => 8,
    }
}

/// Reads a value of a row.
pub(crate) fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.len()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unusable(error: Error) -> QueryError {
    QueryError::Unusable {
        why: error.to_string(),
    }
}

/// The reason why a statement gave no rows, from the engine's error.
#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn failed(error: Error) -> QueryError {
    let why = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::AuthorizationForStatementDenied | ErrorCode::ReadOnly) => {
            QueryError::Refused { why }
        }
        Some(ErrorCode::OperationInterrupted) => QueryError::TimedOut,
        Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => QueryError::TooLarge { why },
        Some(ErrorCode::Unknown) if why.starts_with(TEXT_IN_NUMBERS) => named(why),
        Some(ErrorCode::Unknown | ErrorCode::TypeMismatch | ErrorCode::ParameterOutOfRange)
        | None => QueryError::Rejected { why },
        Some(_) => QueryError::Unusable { why },
    }
}

/// The reason why a statement means nothing to the engine. No error of a statement that runs has a name: it may have values.
fn unprepared(error: Error) -> QueryError {
    let why = failed(error);
    if let QueryError::Rejected { why } = why {
        return named(why);
    }
    why
}

/// The beginning of the error about a text that is computed with.
const TEXT_IN_NUMBERS: &str = "numbers are needed, and a text is in the column: ";

/// Finds the table, column or function that the engine's words begin with.
fn named(why: String) -> QueryError {
    let beginnings = [
        "no such column: ",
        "no such table: ",
        "no such function: ",
        "ambiguous column name: ",
        TEXT_IN_NUMBERS,
    ];
    let behind = beginnings
        .into_iter()
        .find_map(|words| why.strip_prefix(words));
    let name = behind.and_then(|rest| rest.split_whitespace().next());
    match name.map(|name| name.trim_matches('"').to_owned()) {
        Some(name) => QueryError::Named { name, why },
        None => QueryError::Rejected { why },
    }
}
