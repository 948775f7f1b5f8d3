//! Domain artifacts, drawn from their data.

use serde_json::Value;

use super::block::{Block, Column};
use super::form::{items_of, written};
use crate::tool::{ArtifactColumn, ArtifactField, ArtifactSpec, FieldForm};

/// Returns what people see of an artifact: its title, and the fields of its kind that its data has,
/// in the kind's order.
#[must_use]
pub fn artifact_blocks(data: &Value, spec: &ArtifactSpec) -> Vec<Block<String>> {
    let fields = spec
        .fields
        .iter()
        .filter_map(|field| Some(drawn(field, data.pointer(&field.path)?)));
    std::iter::once(Block::Heading(spec.title.clone()))
        .chain(fields)
        .collect()
}

fn drawn(field: &ArtifactField, value: &Value) -> Block<String> {
    let label = field.label.clone();
    match &field.form {
        FieldForm::Bullets => Block::Bullets {
            label,
            items: items_of(value),
        },
        FieldForm::Table(columns) => table(label, columns, value),
        form @ (FieldForm::Plain
        | FieldForm::Money(_)
        | FieldForm::MoneyRange(_)
        | FieldForm::Unit(_)
        | FieldForm::UnitRange(_)
        | FieldForm::Percent) => Block::Line {
            label,
            value: written(value, form),
        },
    }
}

fn table(label: String, columns: &[ArtifactColumn], value: &Value) -> Block<String> {
    let rows = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let cell = |row: &Value, column: &ArtifactColumn| {
        row.pointer(&column.path)
            .map(|value| written(value, &column.form))
            .unwrap_or_default()
    };
    let is_numeric = |column: &ArtifactColumn| {
        let mut cells = rows
            .iter()
            .filter_map(|row| row.pointer(&column.path))
            .peekable();
        let are_numbers = cells.peek().is_some() && cells.all(Value::is_number);
        are_numbers
            || matches!(
                column.form,
                FieldForm::MoneyRange(_) | FieldForm::UnitRange(_)
            )
    };
    let column = |column: &ArtifactColumn| Column {
        name: column.label.clone(),
        is_numeric: is_numeric(column),
    };
    Block::Table {
        title: Some(label),
        columns: columns.iter().map(column).collect(),
        rows: rows
            .iter()
            .map(|row| columns.iter().map(|column| cell(row, column)).collect())
            .collect(),
    }
}
