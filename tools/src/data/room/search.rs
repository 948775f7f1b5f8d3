//! `data.search`: the rows of a data set with some words.

use async_trait::async_trait;
use folkmoot_core::tool::{Table, ToolOutput, View};
use serde::Deserialize;
use serde_json::json;

use super::derive::Cannot;
use super::index;
use super::query::summarised;
use super::tool::{ROWS, ROWS_MAX, Sets, Work, name_schema, reading, rows_schema};
use crate::build::{BuildError, Built, Kind, ToolDraft};

pub(crate) const SEARCH: Kind = Kind {
    name: "data.search",
    summary: "Finds the rows of a data set with some words",
    keys: &[],
    is_local: false,
    build,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    name: String,
    words: String,
    rows: Option<usize>,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    draft.no_settings()?;
    let description = "Finds the rows of a data set in whose texts all of the words stand, the best first. People see them.";
    let schema = json!({
        "type": "object",
        "properties": {
            "name": name_schema(),
            "words": { "type": "string", "minLength": 1, "maxLength": 1000, "description": "e.g. late delivery" },
            "rows": rows_schema(),
        },
        "required": ["name", "words"],
        "additionalProperties": false,
    });
    reading(draft, (description, schema), summarised, Search)
}

#[derive(Debug)]
struct Search;

#[async_trait]
impl Work for Search {
    type Arguments = SearchArguments;

    async fn run(&self, sets: &Sets, arguments: SearchArguments) -> Result<ToolOutput, Cannot> {
        let SearchArguments { name, words, rows } = arguments;
        let set = sets.named(&name)?;
        let derived = sets.derive(set).await?;
        let rows_max = rows.unwrap_or(ROWS).min(ROWS_MAX);
        let found = index::search(derived, words, rows_max, sets.until).await?;
        let count = found.rows.len();
        let more = if count == rows_max { " or more" } else { "" };
        let table = Table {
            title: Some(format!("{}: {count} rows", set.name)),
            ..found
        };
        Ok(ToolOutput {
            summary: Some(format!(
                "{count}{more} rows of {} have these words. People see them.",
                set.name
            )),
            ..ToolOutput::text(table.to_string())
        }
        .with(View::Table(table)))
    }
}
