use folkmoot_core::tool::Table;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::Value;

use super::describe::Description;
use super::error::ImportError;
use super::figures::{json_real, shortened};
use super::names::quoted;
use super::types::ColumnType;

#[cfg(test)]
mod tests;

/// The most rows of a preview.
pub const PREVIEW_ROWS_MAX: usize = 100;

/// The letters of a cell.
const LETTERS: usize = 200;

/// Returns the first rows of a table as people see them: booleans in words, long texts shortened.
///
/// # Errors
/// [`ImportError::Write`] if SQLite cannot read the table.
pub fn preview(
    connection: &Connection,
    table: &str,
    description: &Description,
    rows_max: usize,
) -> Result<Table, ImportError> {
    let columns = &description.columns;
    let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
    let (names, table) = (names.join(", "), quoted(table));
    let mut select = connection.prepare(&format!(
        "SELECT {names} FROM {table} ORDER BY rowid LIMIT ?"
    ))?;
    let max = i64::try_from(rows_max.min(PREVIEW_ROWS_MAX)).unwrap_or(i64::MAX);
    let rows = select.query_map([max], |row| {
        let cells = columns.iter().enumerate();
        cells
            .map(|(place, column)| Ok(cell(column.kind, row.get_ref(place)?)))
            .collect()
    })?;
    Ok(Table {
        title: None,
        columns: columns.iter().map(|column| column.name.clone()).collect(),
        rows: rows.collect::<Result<_, _>>()?,
    })
}

fn cell(kind: ColumnType, value: ValueRef<'_>) -> Value {
    match value {
        // The tables of imports hold no blobs.
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(integer) if kind == ColumnType::Boolean => (integer != 0).into(),
        ValueRef::Integer(integer) => integer.into(),
        ValueRef::Real(real) => json_real(real),
        ValueRef::Text(text) => shortened(&String::from_utf8_lossy(text), LETTERS).into(),
    }
}
