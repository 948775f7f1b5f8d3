//! `data.chart`: a chart of a query's rows, drawn for people.

use async_trait::async_trait;
use folkmoot_core::ids::ArtifactName;
use folkmoot_core::tool::{
    Artifact, ArtifactField, ArtifactSpec, FieldForm, Table, ToolErrorCode, ToolFailure,
    ToolOutput, ToolSpec, View,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::derive::Cannot;
use super::query::{Asking, query_schema, summarised};
use super::tool::{Sets, Work, reading, rows_min};
use crate::build::{BuildError, Built, Kind, ToolDraft};
use crate::sql;

pub(crate) const CHART: Kind = Kind {
    name: "data.chart",
    summary: "Draws a chart of the rows of a query",
    keys: &["rows_min"],
    is_local: false,
    build,
};

/// The most rows of a chart.
const ROWS_MAX: usize = 2_000;

/// The kind of artifact by which clients know a chart.
const CHART_KIND: &str = "chart";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChartArguments {
    form: Form,
    title: String,
    query: String,
    x: String,
    y: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Form {
    Bar,
    Line,
    Scatter,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let work = Chart {
        kind: ArtifactName::new(CHART_KIND).map_err(|error| draft.bad("", error.to_string()))?,
        asking: Asking {
            rows_max: ROWS_MAX,
            functions: None,
        },
        rows_min: rows_min(draft)?,
    };
    let description = "Draws a chart of the rows of a query, for people. One column gives the places, others the numbers.";
    let schema = json!({
        "type": "object",
        "properties": {
            "form": { "enum": ["bar", "line", "scatter"] },
            "title": { "type": "string", "minLength": 1, "maxLength": 200 },
            "query": query_schema(),
            "x": { "type": "string", "minLength": 1, "description": "the column of the places" },
            "y": {
                "type": "array",
                "items": { "type": "string", "minLength": 1 },
                "minItems": 1,
                "maxItems": 6,
                "description": "the columns of the numbers",
            },
        },
        "required": ["form", "title", "query", "x", "y"],
        "additionalProperties": false,
    });
    let kind = work.kind.clone();
    let charts = |spec| ToolSpec {
        artifacts: [(kind, artifact_spec())].into(),
        ..summarised(spec)
    };
    reading(draft, (description, schema), charts, work)
}

fn artifact_spec() -> ArtifactSpec {
    let field = |path: &str, label: &str, form| ArtifactField {
        path: path.to_owned(),
        label: label.to_owned(),
        form,
    };
    ArtifactSpec {
        title: "Chart".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "form": { "enum": ["bar", "line", "scatter"] },
                "title": { "type": "string" },
                "axes": {
                    "type": "object",
                    "properties": {
                        "x": { "type": "string" },
                        "y": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                    },
                    "required": ["x", "y"],
                },
                "columns": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                "rows": { "type": "array", "items": { "type": "array" }, "maxItems": ROWS_MAX },
                "query": { "type": "string" },
            },
            "required": ["form", "title", "axes", "columns", "rows", "query"],
        }),
        fields: vec![
            field("/title", "Title", FieldForm::Plain),
            field("/form", "Form", FieldForm::Plain),
            field("/axes/x", "Places", FieldForm::Plain),
            field("/axes/y", "Numbers", FieldForm::Bullets),
            field("/rows", "Rows", FieldForm::Bullets),
        ],
    }
}

#[derive(Debug)]
struct Chart {
    kind: ArtifactName,
    asking: Asking,
    rows_min: usize,
}

#[async_trait]
impl Work for Chart {
    type Arguments = ChartArguments;

    async fn run(&self, sets: &Sets, arguments: ChartArguments) -> Result<ToolOutput, Cannot> {
        let ChartArguments {
            form,
            title,
            query,
            x,
            y,
        } = arguments;
        let rows = self.asking.ask(sets, query.clone()).await?;
        if rows.is_cut {
            let why = format!("a chart has at most {ROWS_MAX} rows: group them in the query");
            return Err(ToolFailure::new(ToolErrorCode::TooLarge, why).into());
        }
        let table = rows.to_table(None);
        check(&table, &x, &y)?;
        let count = table.rows.len();
        let summary = sql::output(&rows, self.rows_min)
            .summary
            .unwrap_or_default();
        let Table { columns, rows, .. } = table;
        let data = json!({
            "form": form,
            "title": title,
            "axes": { "x": x, "y": y },
            "columns": columns,
            "rows": rows,
            "query": query,
        });
        let text = format!("People see the chart, of {count} rows.\n{summary}");
        let kind = self.kind.clone();
        Ok(ToolOutput {
            summary: Some(text.clone()),
            ..ToolOutput::text(text)
        }
        .with(View::Artifact(Artifact { kind, data })))
    }
}

/// Fails if a chart cannot be drawn of the rows.
fn check(table: &Table, x: &str, y: &[String]) -> Result<(), ToolFailure> {
    let bad = |why: String| Err(ToolFailure::new(ToolErrorCode::BadArguments, why));
    let place = |name: &str| table.columns.iter().position(|column| column == name);
    if place(x).is_none() {
        return bad(format!("the query gives no column {x:?}, which `x` names"));
    }
    if table.rows.is_empty() {
        return bad("the query gives no rows to draw".to_owned());
    }
    for name in y {
        let Some(at) = place(name) else {
            return bad(format!(
                "the query gives no column {name:?}, which `y` names"
            ));
        };
        let mut cells = table.rows.iter().filter_map(|row| row.get(at));
        if !cells.all(|cell| matches!(cell, Value::Number(_) | Value::Null)) {
            return bad(format!(
                "the column {name:?}, which `y` names, has other cells than numbers"
            ));
        }
    }
    Ok(())
}
