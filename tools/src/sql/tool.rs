//! `sql`: questions to a database, in SQL.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolOutput,
    ToolSpec, View, ViewPolicy,
};
use serde::Deserialize;
use serde_json::json;

use super::gate::{Gate, Passed, STATEMENT_MAX};
use super::policy::{AllowedTable, Columns, Dialect, Policy};
#[cfg(feature = "postgres")]
use super::postgres;
use super::rows::{Limits, Rows};
use super::sqlite::{self, Database, Stop};
use super::summary::summary;
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const SQL: Kind = Kind {
    name: "sql",
    summary: "Asks a database",
    keys: &[
        "database",
        "postgres",
        "schema",
        "tables",
        "functions",
        "rows",
        "rows_min",
    ],
    is_local: false,
    build,
};

/// The most rows that a query gives, unless the settings say otherwise.
pub(crate) const ROWS_MAX: usize = 10_000;
/// The fewest rows over which a summary tells more than a type, unless the settings say otherwise.
pub(crate) const ROWS_MIN: usize = 10;
/// The time limit of a query, unless the settings say otherwise.
const TIMEOUT_MS: u64 = 5_000;
/// The most bytes of the tables in the description for models.
const TABLES_BYTES_MAX: usize = 4_096;
/// The most bytes of the table that people see at once.
const SHOWN_BYTES_MAX: usize = 32 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SqlSettings {
    /// The file of a SQLite database.
    database: Option<PathBuf>,
    /// The variable that holds the URL of a PostgreSQL database, as `${NAME}`.
    postgres: Option<String>,
    /// The schema of the tables in PostgreSQL; `None`: `public`.
    schema: Option<String>,
    /// The tables that may be read.
    tables: BTreeMap<String, Columns>,
    /// The functions that may be called; `None`: the usual ones.
    functions: Option<Vec<String>>,
    /// The most rows of a result.
    rows: Option<usize>,
    /// The fewest rows over which a summary tells more than a type.
    rows_min: Option<usize>,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let settings: SqlSettings = draft.settings()?;
    if settings.tables.is_empty() {
        return Err(draft.bad(
            "tables",
            "list at least one table, e.g. `tables: { orders: [id, amount] }`",
        ));
    }
    let rows_max = count(draft, "rows", settings.rows, ROWS_MAX)?;
    let rows_min = count(draft, "rows_min", settings.rows_min, ROWS_MIN)?;
    let (engine, roots) = Engine::new(draft, &settings)?;
    let mut policy = Policy::new(engine.dialect(), settings.tables);
    if let Some(schema) = settings.schema {
        policy.schema = schema;
    }
    let policy = match settings.functions {
        Some(functions) => policy.with_functions(functions),
        None => policy,
    };
    let spec = spec(draft, &policy)?;
    let tool = Sql {
        spec,
        gate: Gate::new(policy),
        engine,
        rows_max,
        rows_min,
    };
    Ok(Built::new(tool).within(roots))
}

/// Reads a setting that counts something.
pub(crate) fn count(
    draft: &ToolDraft<'_>,
    key: &str,
    given: Option<usize>,
    otherwise: usize,
) -> Result<usize, BuildError> {
    match given {
        Some(0) => Err(draft.bad(key, "write at least 1")),
        given => Ok(given.unwrap_or(otherwise)),
    }
}

/// The database of a tool.
#[derive(Debug)]
enum Engine {
    /// The file of a SQLite database.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL database.
    #[cfg(feature = "postgres")]
    Postgres(postgres::UrlVariable),
}

impl Engine {
    /// The database that the settings name, and the files that it reaches.
    fn new(
        draft: &ToolDraft<'_>,
        settings: &SqlSettings,
    ) -> Result<(Self, Vec<PathBuf>), BuildError> {
        match (&settings.database, &settings.postgres) {
            (Some(path), None) => {
                if settings.schema.is_some() {
                    return Err(draft.bad("schema", "a SQLite database has no schemas"));
                }
                let path = draft.file("database", path)?;
                Ok((Self::Sqlite(path.clone()), vec![path]))
            }
            (None, Some(url)) => Ok((Self::postgres(draft, url)?, Vec::new())),
            (None, None) | (Some(_), Some(_)) => Err(draft.bad(
                "",
                "name one database: `database: FILE`, or `postgres: ${VARIABLE}`",
            )),
        }
    }

    #[cfg(feature = "postgres")]
    fn postgres(draft: &ToolDraft<'_>, url: &str) -> Result<Self, BuildError> {
        // The words of the setting are not repeated: there may be a password in them.
        let variable = postgres::UrlVariable::read(url).ok_or_else(|| {
            let why = "write `${NAME}`, and put the URL into that variable of the environment";
            draft.bad("postgres", why)
        })?;
        Ok(Self::Postgres(variable))
    }

    #[cfg(not(feature = "postgres"))]
    fn postgres(draft: &ToolDraft<'_>, _: &str) -> Result<Self, BuildError> {
        let why = "PostgreSQL is not in this build: build Folkmoot with the feature `postgres`, e.g. `cargo install --path \
                   cli --locked --features full`";
        Err(draft.bad("postgres", why))
    }

    const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Dialect::Postgres,
        }
    }
}

fn spec(draft: &ToolDraft<'_>, policy: &Policy) -> Result<ToolSpec, BuildError> {
    let declared = Declared {
        description: format!(
            "Asks a database with one query in SQL ({}): SELECT or WITH, over these tables alone. {}",
            policy.dialect.name(),
            tables(policy)
        ),
        effect: EffectClass::Read,
        repeat: Repeat::Always,
        schema: json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": STATEMENT_MAX,
                    "description": "e.g. SELECT country, count(*) FROM orders GROUP BY country",
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        }),
    };
    draft.spec_from(declared, |spec| ToolSpec {
        open_world: policy.dialect == Dialect::Postgres,
        view: ViewPolicy::Summary,
        timeout_ms: TIMEOUT_MS,
        ..spec
    })
}

/// The tables in words, as far as there is room.
fn tables(policy: &Policy) -> String {
    let one = |table: &AllowedTable| match &table.columns {
        Columns::All => format!("{} (all columns)", table.name),
        Columns::Listed(columns) => format!("{} ({})", table.name, columns.join(", ")),
    };
    let tables: Vec<String> = policy.tables().map(one).collect();
    crate::output::cut(tables.join("; "), TABLES_BYTES_MAX as u64)
}

#[derive(Debug)]
struct Sql {
    spec: ToolSpec,
    gate: Gate,
    engine: Engine,
    rows_max: usize,
    rows_min: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SqlArguments {
    query: String,
}

#[async_trait]
impl Tool for Sql {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        match self.answer(call).await {
            Ok(output) => ToolOutcome::Done(output),
            Err(failure) => ToolOutcome::Failed(failure),
        }
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

impl Sql {
    async fn answer(&self, call: &ToolCall) -> Result<ToolOutput, ToolFailure> {
        let SqlArguments { query } = arguments::read(call)?;
        let limits = Limits {
            rows: self.rows_max,
            bytes: usize::try_from(self.spec.output_bytes_max).unwrap_or(usize::MAX),
            time: Duration::from_millis(self.spec.timeout_ms),
        };
        let gate = self.gate.clone();
        let passed = blocking(move || gate.check(&query)).await??;
        let rows = self.rows(passed, limits).await?;
        Ok(output(&rows, self.rows_min))
    }

    async fn rows(&self, passed: Passed, limits: Limits) -> Result<Rows, ToolFailure> {
        match &self.engine {
            Engine::Sqlite(path) => {
                let database = Database::File(path.clone());
                let policy = self.gate.policy().clone();
                ask_sqlite(vec![database], policy, passed, limits).await
            }
            #[cfg(feature = "postgres")]
            Engine::Postgres(url) => {
                Ok(postgres::query(url, self.gate.policy(), &passed, limits).await?)
            }
        }
    }
}

/// Asks databases of SQLite. A run that is dropped stops its query.
pub(crate) async fn ask_sqlite(
    databases: Vec<Database>,
    policy: Policy,
    passed: Passed,
    limits: Limits,
) -> Result<Rows, ToolFailure> {
    let stop = StopOnDrop(Stop::default());
    let sign = stop.0.clone();
    let rows = blocking(move || sqlite::query(&databases, &policy, &passed, limits, &sign));
    Ok(rows.await??)
}

/// Does `work` where it may block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolFailure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ToolFailure::new(ToolErrorCode::Failed, error.to_string()))
}

/// Stops the query of a run that was dropped.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The result for people, and its summary for models.
pub(crate) fn output(rows: &Rows, rows_min: usize) -> ToolOutput {
    let count = rows.rows.len();
    let whole = rows.to_table(rows.is_cut.then(|| format!("The first {count} rows")));
    let shown = rows.shown(SHOWN_BYTES_MAX);
    let output = ToolOutput {
        summary: Some(summary(rows, rows_min)),
        ..ToolOutput::text(whole.to_string())
    };
    if shown == count {
        return output.with(View::Table(whole));
    }
    // The log keeps a long one as a file. Its beginning is a table all the same.
    let mut head = whole.clone();
    head.rows.truncate(shown);
    head.title = Some(format!("The first {shown} of {count} rows"));
    output.with(View::Table(head)).with(View::Table(whole))
}
