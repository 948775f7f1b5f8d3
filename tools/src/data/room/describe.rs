//! `data.describe`: the columns of a data set, and what was assumed of them.

use async_trait::async_trait;
use folkmoot_core::tool::{Table, ToolOutput, View};
use serde::Deserialize;
use serde_json::{Value, json};

use super::derive::Cannot;
use super::named::DataSet;
use super::tool::{Sets, Work, name_schema, reading, rows_min};
use crate::build::{BuildError, Built, Kind, ToolDraft};
use crate::data::{Column, Description};
use crate::sql::rounded_range;

pub(crate) const DESCRIBE: Kind = Kind {
    name: "data.describe",
    summary: "Describes the columns of a data set",
    keys: &["rows_min"],
    is_local: false,
    build,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribeArguments {
    name: String,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let rows_min = rows_min(draft)?;
    let description = "Describes a data set: its columns with their types, how many cells are empty, and ranges. People see examples as well.";
    reading(
        draft,
        (description, by_name()),
        |spec| spec,
        Describe { rows_min },
    )
}

/// The schema of arguments that name a data set.
pub(super) fn by_name() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": name_schema(),
        },
        "required": ["name"],
        "additionalProperties": false,
    })
}

#[derive(Debug)]
struct Describe {
    rows_min: usize,
}

#[async_trait]
impl Work for Describe {
    type Arguments = DescribeArguments;

    async fn run(
        &self,
        sets: &Sets,
        DescribeArguments { name }: DescribeArguments,
    ) -> Result<ToolOutput, Cannot> {
        let set = sets.named(&name)?;
        let description = sets.derive(set).await?.description;
        let mut output = ToolOutput::text(for_models(set, &description, self.rows_min))
            .with(View::Table(columns(set, &description)));
        if !description.notes.is_empty() {
            output = output.with(View::Text(description.notes.join("\n")));
        }
        if description.bad_rows.count > 0 {
            output = output.with(View::Table(bad_rows(&description)));
        }
        Ok(output)
    }
}

/// The description that models read: of columns with fewer than `rows_min` values the type alone, ranges with rounded ends over
/// as many different values, and notes, which have no cell in them.
fn for_models(set: &DataSet, description: &Description, rows_min: usize) -> String {
    let rows_min = u64::try_from(rows_min.max(2)).unwrap_or(u64::MAX);
    let mut lines = vec![format!("{} has {} rows.", set.name, description.rows)];
    if description.bad_rows.count > 0 {
        let bad = description.bad_rows.count;
        lines.push(format!("{bad} rows could not be read."));
    }
    for column in &description.columns {
        let told = told(column, description.rows, rows_min);
        // Quoted, so that no name begins a line of its own.
        lines.push(format!("{:?}: {}{told}", column.name, column.kind));
        lines.extend(column.notes.iter().map(|note| format!("  {note}")));
    }
    lines.extend(description.notes.iter().cloned());
    lines.join("\n")
}

fn told(column: &Column, rows: u64, rows_min: u64) -> String {
    if rows.saturating_sub(column.nulls) < rows_min {
        return String::new();
    }
    let nulls = match column.nulls {
        0 => "none empty".to_owned(),
        few if few < rows_min => "few empty".to_owned(),
        nulls => format!("{nulls} empty"),
    };
    let range = || {
        let (least, greatest) = column.range.as_ref()?;
        rounded_range(least, greatest)
    };
    match column.distinct {
        Some(few) if few < rows_min => format!(", {nulls}, few different values"),
        Some(count) => format!(
            ", {nulls}, {count} different values{}",
            range().unwrap_or_default()
        ),
        None => format!(
            ", {nulls}, many different values{}",
            range().unwrap_or_default()
        ),
    }
}

fn columns(set: &DataSet, description: &Description) -> Table {
    let row = |column: &Column| {
        let (least, greatest) = column.range.clone().unwrap_or_default();
        let examples = column.examples.iter().map(|example| match example {
            Value::String(text) => text.clone(),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => example.to_string(),
        });
        vec![
            Value::from(column.name.clone()),
            Value::from(column.kind.to_string()),
            Value::from(column.nulls),
            column.distinct.map_or(Value::Null, Value::from),
            least,
            greatest,
            Value::from(examples.collect::<Vec<_>>().join(" · ")),
            Value::from(column.notes.join(" ")),
        ]
    };
    let names = [
        "column",
        "type",
        "empty",
        "different",
        "least",
        "greatest",
        "examples",
        "notes",
    ];
    Table {
        title: Some(format!(
            "{}: {}, {} rows, {}",
            set.name, set.file.file.name, description.rows, description.format
        )),
        columns: names.map(str::to_owned).to_vec(),
        rows: description.columns.iter().map(row).collect(),
    }
}

fn bad_rows(description: &Description) -> Table {
    let bad = &description.bad_rows;
    let row =
        |row: &crate::data::BadRow| vec![Value::from(row.line), Value::from(row.reason.clone())];
    Table {
        title: Some(format!("{} rows could not be read", bad.count)),
        columns: vec!["line".to_owned(), "reason".to_owned()],
        rows: bad.first.iter().map(row).collect(),
    }
}
