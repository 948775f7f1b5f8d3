//! Charts: from rows and the names of columns to a typed artifact that people see drawn.

use std::fmt;

use folkmoot_core::tool::{ArtifactColumn, ArtifactField, ArtifactSpec, FieldForm, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// The most points of a chart, in all series together.
pub const CHART_POINTS_MAX: usize = 2_000;

/// The most slices of a pie: nobody tells more apart.
const SLICES_MAX: usize = 20;

/// The most series of a chart.
const SERIES_MAX: usize = 8;

/// The kind of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// A bar for each value.
    Bar,
    /// A line through the values.
    Line,
    /// A point for each pair of numbers.
    Scatter,
    /// A slice for each value.
    Pie,
}

impl fmt::Display for ChartKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bar => "bar",
            Self::Line => "line",
            Self::Scatter => "scatter",
            Self::Pie => "pie",
        })
    }
}

/// The wish for a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartSpec {
    /// The kind.
    pub kind: ChartKind,
    /// The heading.
    pub title: String,
    /// The column along the bottom, or the names of slices.
    pub x: String,
    /// The columns of numbers, a series each.
    pub y: Vec<String>,
}

/// A reason why rows make no chart. None of them holds a cell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChartError {
    /// A column that is not there.
    #[error("there is no column `{column}`: the columns are {known}")]
    UnknownColumn {
        /// The name.
        column: String,
        /// The names that there are.
        known: String,
    },
    /// A column with something else than numbers.
    #[error("column `{column}` holds no number in row {row}: choose a column of numbers")]
    NoNumber {
        /// The column.
        column: String,
        /// The row, counted from 1.
        row: usize,
    },
    /// A negative slice.
    #[error("column `{column}` is below zero in row {row}: a pie has no such slice, choose bars")]
    NegativeSlice {
        /// The column.
        column: String,
        /// The row, counted from 1.
        row: usize,
    },
    /// Too few or too many series.
    #[error("a {kind} chart has 1 to {max} columns in `y`, and not {found}")]
    Series {
        /// The kind.
        kind: ChartKind,
        /// The columns that were named.
        found: usize,
        /// The most columns.
        max: usize,
    },
    /// Too many points.
    #[error(
        "a {kind} chart has at most {max} points, and these would be {found}: group the rows, or limit them"
    )]
    TooManyPoints {
        /// The kind.
        kind: ChartKind,
        /// The points that it would have.
        found: usize,
        /// The most points.
        max: usize,
    },
    /// No row with a value.
    #[error("there is no row with a value to draw")]
    NoPoint,
}

impl ChartSpec {
    /// Returns the data of the chart of these rows: see [`chart_artifact`]. Rows without a value are left out, and counted.
    ///
    /// # Errors
    /// [`ChartError`] says which column or number does not fit, and what to do.
    pub fn draw(&self, table: &Table) -> Result<Value, ChartError> {
        self.check_bounds(table)?;
        let x = self.column(table, &self.x)?;
        let mut points = Vec::new();
        let mut left_out = 0_usize;
        for name in &self.y {
            let y = self.column(table, name)?;
            for (place, row) in table.rows.iter().enumerate() {
                let at = |column: usize| row.get(column).unwrap_or(&Value::Null);
                match self.point(name, place + 1, at(x), at(y))? {
                    Some(point) => points.push(point),
                    None => left_out += 1,
                }
            }
        }
        if points.is_empty() {
            return Err(ChartError::NoPoint);
        }
        Ok(json!({
            "kind": self.kind,
            "title": self.title,
            "x": self.x,
            "y": self.y,
            "points": points,
            "left_out": left_out,
        }))
    }

    fn check_bounds(&self, table: &Table) -> Result<(), ChartError> {
        let kind = self.kind;
        let (series_max, points_max) = match kind {
            ChartKind::Bar | ChartKind::Line | ChartKind::Scatter => (SERIES_MAX, CHART_POINTS_MAX),
            ChartKind::Pie => (1, SLICES_MAX),
        };
        let series = self.y.len();
        if !(1..=series_max).contains(&series) {
            return Err(ChartError::Series {
                kind,
                found: series,
                max: series_max,
            });
        }
        let found = table.rows.len().saturating_mul(series);
        if found > points_max {
            return Err(ChartError::TooManyPoints {
                kind,
                found,
                max: points_max,
            });
        }
        Ok(())
    }

    #[expect(
        clippy::unused_self,
        reason = "it belongs to the wish, whose columns it looks up"
    )]
    fn column(&self, table: &Table, name: &str) -> Result<usize, ChartError> {
        let place = table.columns.iter().position(|column| column == name);
        place.ok_or_else(|| ChartError::UnknownColumn {
            column: name.to_owned(),
            known: table.columns.join(", "),
        })
    }

    /// A point; `None`: the row has no value for it.
    fn point(
        &self,
        series: &str,
        row: usize,
        x: &Value,
        y: &Value,
    ) -> Result<Option<Value>, ChartError> {
        if x.is_null() || y.is_null() {
            return Ok(None);
        }
        let no_number = |column: &str| ChartError::NoNumber {
            column: column.to_owned(),
            row,
        };
        let value = y.as_f64().ok_or_else(|| no_number(series))?;
        let x = match (self.kind, x) {
            (_, Value::Number(_)) => x.clone(),
            (ChartKind::Scatter, _) => return Err(no_number(&self.x)),
            (_, Value::String(text)) => text.as_str().into(),
            (_, other) => other.to_string().into(),
        };
        if self.kind == ChartKind::Pie && value < 0.0 {
            return Err(ChartError::NegativeSlice {
                column: series.to_owned(),
                row,
            });
        }
        Ok(Some(json!({ "series": series, "x": x, "y": y })))
    }
}

/// Returns the artifact that a chart is: its schema, and the fields that people see where it is not drawn.
#[must_use]
pub fn chart_artifact() -> ArtifactSpec {
    let field = |path: &str, label: &str, form| ArtifactField {
        path: path.into(),
        label: label.into(),
        form,
    };
    let column = |key: &str| ArtifactColumn {
        path: format!("/{key}"),
        label: key.into(),
        form: FieldForm::Plain,
    };
    ArtifactSpec {
        title: "Chart".into(),
        schema: json!({
            "type": "object",
            "properties": {
                "kind": { "enum": ["bar", "line", "scatter", "pie"] },
                "title": { "type": "string" },
                "x": { "type": "string" },
                "y": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": SERIES_MAX },
                "points": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": CHART_POINTS_MAX,
                    "items": {
                        "type": "object",
                        "properties": {
                            "series": { "type": "string" },
                            "x": { "type": ["string", "number"] },
                            "y": { "type": "number" },
                        },
                        "required": ["series", "x", "y"],
                        "additionalProperties": false,
                    },
                },
                "left_out": { "type": "integer", "minimum": 0 },
            },
            "required": ["kind", "title", "x", "y", "points", "left_out"],
            "additionalProperties": false,
        }),
        fields: vec![
            field("/title", "title", FieldForm::Plain),
            field("/kind", "kind", FieldForm::Plain),
            field(
                "/points",
                "points",
                FieldForm::Table(["series", "x", "y"].map(column).into()),
            ),
            field("/left_out", "rows without a value", FieldForm::Plain),
        ],
    }
}
