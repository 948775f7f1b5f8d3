//! `data.preview`: the first rows of a data set, for people.

use async_trait::async_trait;
use folkmoot_core::tool::ToolOutput;
use serde::Deserialize;
use serde_json::json;

use super::derive::Cannot;
use super::query::{Asking, summarised};
use super::tool::{ROWS, ROWS_MAX, Sets, Work, name_schema, reading, rows_min, rows_schema};
use crate::build::{BuildError, Built, Kind, ToolDraft};
use crate::sql::{self, quoted};

pub(crate) const PREVIEW: Kind = Kind {
    name: "data.preview",
    summary: "Shows people the first rows of a data set",
    keys: &["rows_min"],
    is_local: false,
    build,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PreviewArguments {
    name: String,
    rows: Option<usize>,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let rows_min = rows_min(draft)?;
    let description = "Shows people the first rows of a data set. You read a summary of them.";
    let schema = json!({
        "type": "object",
        "properties": {
            "name": name_schema(),
            "rows": rows_schema(),
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    let asking = Asking {
        rows_max: ROWS_MAX,
        functions: None,
    };
    reading(
        draft,
        (description, schema),
        summarised,
        Preview { asking, rows_min },
    )
}

#[derive(Debug)]
struct Preview {
    asking: Asking,
    rows_min: usize,
}

#[async_trait]
impl Work for Preview {
    type Arguments = PreviewArguments;

    async fn run(
        &self,
        sets: &Sets,
        PreviewArguments { name, rows }: PreviewArguments,
    ) -> Result<ToolOutput, Cannot> {
        let table = quoted(&sets.named(&name)?.name);
        let count = rows.unwrap_or(ROWS).min(ROWS_MAX);
        let query = format!("SELECT * FROM {table} LIMIT {count}");
        let rows = self.asking.ask(sets, query).await?;
        Ok(sql::output(&rows, self.rows_min))
    }
}
