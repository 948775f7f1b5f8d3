//! A result in few words, for models that may not read the rows.
//!
//! It tells the columns, their types and the number of rows. Of columns it tells more only over enough rows: how many have no
//! value, how many different values there are, and a range. A range has rounded ends and needs enough different values, so that
//! no end is the value of a row.
//!
//! Known limit: who writes the query can put a value into the number of its rows, and so ask for it bit by bit.

use std::collections::BTreeSet;

#[cfg(feature = "data")]
use serde_json::Value;

use super::rows::{Cell, Rows};

/// The most columns that are told of.
const COLUMNS_MAX: usize = 64;
/// The most characters of a name that are told.
const NAME_MAX: usize = 64;

/// Returns what a model reads of `rows`. Of a column with fewer than `rows_min` values only the type is told.
pub(crate) fn summary(rows: &Rows, rows_min: usize) -> String {
    let rows_min = rows_min.max(2);
    let count = rows.rows.len();
    let more = if rows.is_cut {
        ", and more that were left out"
    } else {
        ""
    };
    let mut lines = vec![format!("{count} rows{more}. People see them.")];
    let columns = rows.columns.iter().enumerate().take(COLUMNS_MAX);
    lines.extend(columns.map(|(place, name)| {
        let name: String = name.chars().take(NAME_MAX).collect();
        let cells: Vec<&Cell> = rows.rows.iter().filter_map(|row| row.get(place)).collect();
        // Quoted, so that no name begins a line of its own.
        format!("{name:?}: {}", of_column(&cells, rows_min))
    }));
    if let more @ 1.. = rows.columns.len().saturating_sub(COLUMNS_MAX) {
        lines.push(format!("{more} more columns."));
    }
    lines.join("\n")
}

fn of_column(cells: &[&Cell], rows_min: usize) -> String {
    let values: Vec<&Cell> = (cells.iter().copied())
        .filter(|cell| **cell != Cell::Null)
        .collect();
    let kind = ColumnKind::of(&values);
    if values.len() < rows_min {
        return kind.word().to_owned();
    }
    let nulls = match cells.len().saturating_sub(values.len()) {
        0 => "no nulls".to_owned(),
        // So few that lack a value are told as one: there are some.
        few if few < rows_min => "few nulls".to_owned(),
        nulls => format!("{nulls} nulls"),
    };
    let different: BTreeSet<String> = values.iter().map(|cell| key(cell)).collect();
    if different.len() < rows_min {
        return format!("{}, {nulls}, few different values", kind.word());
    }
    let range = match kind {
        ColumnKind::Integer | ColumnKind::Number => of_numbers(&values),
        ColumnKind::Time => of_times(&values),
        ColumnKind::Text
        | ColumnKind::Truth
        | ColumnKind::Bytes
        | ColumnKind::Mixed
        | ColumnKind::Unknown => None,
    };
    format!(
        "{}, {nulls}, {} different values{}",
        kind.word(),
        different.len(),
        range.unwrap_or_default()
    )
}

/// The type of a column, as its values show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Integer,
    Number,
    Time,
    Text,
    Truth,
    Bytes,
    Mixed,
    Unknown,
}

impl ColumnKind {
    fn of(values: &[&Cell]) -> Self {
        let kinds = values.iter().map(|cell| Self::of_cell(cell));
        kinds
            .reduce(|one, other| match (one, other) {
                (one, other) if one == other => one,
                (Self::Integer | Self::Number, Self::Integer | Self::Number) => Self::Number,
                (Self::Time | Self::Text, Self::Time | Self::Text) => Self::Text,
                _ => Self::Mixed,
            })
            .unwrap_or(Self::Unknown)
    }

    fn of_cell(cell: &Cell) -> Self {
        match cell {
            Cell::Null => Self::Unknown,
            Cell::Bool(_) => Self::Truth,
            Cell::Integer(_) => Self::Integer,
            Cell::Real(_) | Cell::Decimal(_) => Self::Number,
            Cell::Time(_) => Self::Time,
            Cell::Text(text) if month(text).is_some() => Self::Time,
            Cell::Text(_) => Self::Text,
            Cell::Bytes(_) => Self::Bytes,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Time => "date or time",
            Self::Text => "text",
            Self::Truth => "true or false",
            Self::Bytes => "bytes",
            Self::Mixed => "values of several types",
            Self::Unknown => "no values",
        }
    }
}

fn key(cell: &Cell) -> String {
    cell.to_value().to_string()
}

fn of_numbers(values: &[&Cell]) -> Option<String> {
    let numbers = values.iter().map(|cell| number(cell));
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    let least = numbers.iter().copied().reduce(f64::min)?;
    let greatest = numbers.iter().copied().reduce(f64::max)?;
    Some(format!(
        ", from {} to {}",
        rounded(least, f64::floor),
        rounded(greatest, f64::ceil)
    ))
}

fn number(cell: &Cell) -> Option<f64> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "the ends of a range are rounded anyway"
    )]
    let number = match cell {
        Cell::Integer(number) => *number as f64,
        Cell::Real(number) => *number,
        Cell::Decimal(text) => text.parse().ok()?,
        Cell::Null | Cell::Bool(_) | Cell::Time(_) | Cell::Text(_) | Cell::Bytes(_) => return None,
    };
    number.is_finite().then_some(number)
}

/// The words for a range with rounded ends; `None` if the ends are no numbers and no dates.
#[cfg(feature = "data")]
pub(crate) fn rounded_range(least: &Value, greatest: &Value) -> Option<String> {
    let ends = match (least.as_f64(), greatest.as_f64()) {
        (Some(least), Some(greatest)) => (rounded(least, f64::floor), rounded(greatest, f64::ceil)),
        _ => (
            month(least.as_str()?)?.to_owned(),
            month(greatest.as_str()?)?.to_owned(),
        ),
    };
    Some(format!(", from {} to {}", ends.0, ends.1))
}

/// The number with one digit that says something, rounded outwards by `round`.
fn rounded(number: f64, round: fn(f64) -> f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let exponent = number.abs().log10().floor();
    let unit = 10_f64.powf(exponent);
    let digit = round(number / unit);
    // Written by its digits: a product of parts in binary has more of them.
    format!("{digit:.0}e{exponent:.0}")
        .parse::<f64>()
        .map_or_else(|_| "?".to_owned(), |number| number.to_string())
}

fn of_times(values: &[&Cell]) -> Option<String> {
    let months = values.iter().map(|cell| match cell {
        Cell::Time(text) | Cell::Text(text) => month(text),
        Cell::Null
        | Cell::Bool(_)
        | Cell::Integer(_)
        | Cell::Real(_)
        | Cell::Decimal(_)
        | Cell::Bytes(_) => None,
    });
    let months: BTreeSet<&str> = months.collect::<Option<_>>()?;
    Some(format!(", from {} to {}", months.first()?, months.last()?))
}

/// The year and the month of a text that begins with a date.
fn month(text: &str) -> Option<&str> {
    let date = text.get(..10)?;
    let has_form = date.bytes().enumerate().all(|(place, byte)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let is_alone = text
        .get(10..11)
        .is_none_or(|next| matches!(next, " " | "T"));
    (has_form && is_alone).then(|| date.get(..7)).flatten()
}
