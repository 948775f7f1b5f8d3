//! `data.preview`: the first rows of a data set, for people.

use async_trait::async_trait;
use folkmoot_core::tool::ToolOutput;
use serde::Deserialize;
use serde_json::json;

use super::derive::Cannot;
use super::query::{Asking, summarised};
use super::tool::{Sets, Work, reading, rows_min};
use crate::build::{BuildError, Built, Kind, ToolDraft};
use crate::sql::{self, quoted};

pub(crate) const PREVIEW: Kind = Kind {
    name: "data.preview",
    summary: "Shows people the first rows of a data set",
    keys: &["rows_min"],
    is_local: false,
    build,
};

/// The rows that are shown, and the most that may be.
const ROWS: usize = 20;
const ROWS_MAX: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PreviewSettings {
    rows_min: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PreviewArguments {
    name: String,
    rows: Option<usize>,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let PreviewSettings { rows_min: given } = draft.settings()?;
    let rows_min = rows_min(draft, given)?;
    let description = "Shows people the first rows of a data set. You read a summary of them.";
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "minLength": 1, "description": "the data set, e.g. orders" },
            "rows": { "type": "integer", "minimum": 1, "maximum": ROWS_MAX, "description": "how many; 20 if left out" },
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
