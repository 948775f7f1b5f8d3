//! `data.query`: questions to data sets, in SQL, behind the gates of `sql`.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure, ToolOutput, ToolSpec, ViewPolicy};
use serde::Deserialize;
use serde_json::{Value, json};

use super::derive::{Cannot, TABLE};
use super::named::not_there;
use super::tool::{Sets, Work, reading};
use crate::build::{BuildError, Built, Kind, ToolDraft};
use crate::sql::{
    self, Columns, Dialect, Gate, Limits, Part, Policy, Refusal, Rows, STATEMENT_MAX,
};

pub(crate) const QUERY: Kind = Kind {
    name: "data.query",
    summary: "Asks data sets in SQL",
    keys: &["rows", "rows_min", "functions"],
    is_local: false,
    build,
};

/// The most data sets of one query: as many databases as the engine attaches.
const SETS_MAX: usize = 10;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuerySettings {
    rows: Option<usize>,
    rows_min: Option<usize>,
    functions: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QueryArguments {
    query: String,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let QuerySettings {
        rows,
        rows_min: given,
        functions,
    } = draft.settings()?;
    let asking = Asking {
        rows_max: sql::count(draft, "rows", rows, sql::ROWS_MAX)?,
        functions,
    };
    let rows_min = sql::count(draft, "rows_min", given, sql::ROWS_MIN)?;
    let description = "Asks data sets with one query in SQL (SQLite): SELECT or WITH. Each data set is a table of its name. People see the rows.";
    let schema = json!({
        "type": "object",
        "properties": { "query": query_schema() },
        "required": ["query"],
        "additionalProperties": false,
    });
    reading(
        draft,
        (description, schema),
        summarised,
        Query { asking, rows_min },
    )
}

/// The schema of an argument that is a query.
pub(super) fn query_schema() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": STATEMENT_MAX,
        "description": "e.g. SELECT country, count(*) AS orders FROM orders GROUP BY country",
    })
}

/// The spec of a tool whose rows models read in summary, unless its settings say otherwise.
pub(super) fn summarised(spec: ToolSpec) -> ToolSpec {
    ToolSpec {
        view: ViewPolicy::Summary,
        ..spec
    }
}

#[derive(Debug)]
struct Query {
    asking: Asking,
    rows_min: usize,
}

#[async_trait]
impl Work for Query {
    type Arguments = QueryArguments;

    async fn run(
        &self,
        sets: &Sets,
        QueryArguments { query }: QueryArguments,
    ) -> Result<ToolOutput, Cannot> {
        let rows = self.asking.ask(sets, query).await?;
        Ok(sql::output(&rows, self.rows_min))
    }
}

/// The way from a query to rows.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) rows_max: usize,
    /// The functions that may be called; `None`: the usual ones.
    pub(super) functions: Option<Vec<String>>,
}

impl Asking {
    /// Lets a query through the gate, derives the data sets that it names, and asks them.
    pub(super) async fn ask(&self, sets: &Sets, query: String) -> Result<Rows, Cannot> {
        let all = self.policy(sets.all.iter().map(|set| (set.name.clone(), 0)));
        let gate = Gate::new(all);
        let passed = sql::blocking(move || gate.check(&query)).await?;
        let passed = passed.map_err(|refusal| {
            if let Refusal::NotListed {
                part: Part::Table,
                name,
            } = &refusal
            {
                return not_there(&sets.all, name);
            }
            ToolFailure::from(refusal)
        })?;
        let named: Vec<_> = sets
            .all
            .iter()
            .filter(|set| passed.tables().contains(&set.name))
            .collect();
        if named.len() > SETS_MAX {
            let why = format!(
                "the query names {} data sets, at most {SETS_MAX} are possible",
                named.len()
            );
            return Err(ToolFailure::new(ToolErrorCode::TooLarge, why).into());
        }
        let mut databases = Vec::new();
        for set in &named {
            databases.push(sets.derive(set).await?.database);
        }
        let places = named.iter().enumerate();
        let policy = self.policy(places.map(|(place, set)| (set.name.clone(), place)));
        let limits = Limits {
            rows: self.rows_max,
            bytes: BYTES_MAX,
            time: QUERY_TIME,
        };
        Ok(sql::ask_sqlite(databases, policy, passed, limits).await?)
    }

    fn policy(&self, tables: impl Iterator<Item = (String, usize)>) -> Policy {
        let places: BTreeMap<String, usize> = tables.collect();
        let columns = places.keys().map(|name| (name.clone(), Columns::All));
        let policy = Policy::new(Dialect::Sqlite, columns).with_places(|name| {
            let place = places.get(name).copied().unwrap_or_default();
            (place, TABLE.to_owned())
        });
        match &self.functions {
            Some(functions) => policy.with_functions(functions.iter().cloned()),
            None => policy,
        }
    }
}

/// The longest time of a query. The import before it has its own.
const QUERY_TIME: Duration = Duration::from_secs(5);

/// The most bytes of all cells of a result.
const BYTES_MAX: usize = 4 << 20;
