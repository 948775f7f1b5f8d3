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

use super::gate::{Gate, STATEMENT_MAX};
use super::policy::{Columns, Dialect, Policy};
use super::rows::{Limits, Rows};
use super::sqlite::{self, Database, Stop};
use super::summary::summary;
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

pub(crate) const SQL: Kind = Kind {
    name: "sql",
    summary: "Asks a database",
    keys: &["database", "tables", "functions", "rows", "rows_min"],
    is_local: false,
    build,
};

/// The most rows that a query gives, unless the settings say otherwise.
const ROWS_MAX: usize = 10_000;
/// The fewest rows over which a summary tells more than a type, unless the settings say otherwise.
const ROWS_MIN: usize = 10;
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
    database: PathBuf,
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
    for (key, number) in [("rows", settings.rows), ("rows_min", settings.rows_min)] {
        if number == Some(0) {
            return Err(draft.bad(key, "write at least 1"));
        }
    }
    let path = draft.file("database", &settings.database)?;
    let policy = Policy::new(Dialect::Sqlite, settings.tables);
    let policy = match settings.functions {
        Some(functions) => policy.with_functions(functions),
        None => policy,
    };
    let spec = spec(draft, &policy)?;
    let roots = vec![path.clone()];
    let tool = Sql {
        spec,
        gate: Gate::new(policy),
        path,
        rows_max: settings.rows.unwrap_or(ROWS_MAX),
        rows_min: settings.rows_min.unwrap_or(ROWS_MIN),
    };
    Ok(Built::new(tool).within(roots))
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
        view: ViewPolicy::Summary,
        timeout_ms: TIMEOUT_MS,
        ..spec
    })
}

/// The tables in words, as far as there is room.
fn tables(policy: &Policy) -> String {
    let one = |table: &super::policy::AllowedTable| match &table.columns {
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
    /// The database's file.
    path: PathBuf,
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
        let (gate, path) = (self.gate.clone(), Database::File(self.path.clone()));
        let stop = StopOnDrop(Stop::default());
        let sign = stop.0.clone();
        let rows = tokio::task::spawn_blocking(move || {
            let passed = gate.check(&query)?;
            let rows = sqlite::query(&[path], gate.policy(), &passed, limits, &sign);
            rows.map_err(ToolFailure::from)
        })
        .await
        .map_err(|error| ToolFailure::new(ToolErrorCode::Failed, error.to_string()))??;
        Ok(output(&rows, self.rows_min))
    }
}

/// Stops the query of a run that was dropped.
pub(crate) struct StopOnDrop(pub(crate) Stop);

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
