//! The description of a data set: all of it for people, and less for models.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rows::BadRow;
use super::sniff::Format;
use super::text::Encoding;
use super::types::ColumnType;

/// The most bad rows that are named.
const BAD_ROWS_MAX: usize = 100;

/// The most values of a column that are told apart.
pub(super) const DISTINCT_MAX: usize = 1_000;

/// The whole description of a data set, for people. The same bytes give the same one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The form of the file.
    pub format: Format,
    /// The encoding of its text.
    pub encoding: Encoding,
    /// True if the first row holds names.
    pub has_header: bool,
    /// The size of the file.
    pub bytes: u64,
    /// The rows of the table.
    pub rows: u64,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// The rows that are no part of the table.
    pub bad_rows: BadRows,
    /// All that was assumed or changed, without any cell.
    pub notes: Vec<String>,
}

/// A column of a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The name in the table.
    pub name: String,
    /// The name in the file, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// The type.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// The cells without a value.
    pub nulls: u64,
    /// The number of values that differ; `None`: more than a thousand.
    pub distinct: Option<u64>,
    /// The least and the greatest value of numbers, dates and times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(Value, Value)>,
    /// The first values that differ, shortened.
    pub examples: Vec<Value>,
    /// All that was assumed or changed, without any cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The rows that are no part of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRows {
    /// Their number.
    pub count: u64,
    /// The first of them.
    pub first: Vec<BadRow>,
}

impl BadRows {
    pub(super) fn push(&mut self, row: BadRow) {
        self.count += 1;
        if self.first.len() < BAD_ROWS_MAX {
            self.first.push(row);
        }
    }
}

/// The description in lines.
impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = match (self.format, self.has_header) {
            (Format::Csv { .. }, true) => ", names in the first row",
            (Format::Csv { .. }, false) => ", no names in the first row",
            (Format::JsonLines | Format::Parquet, _) => "",
        };
        let Self {
            format,
            encoding,
            bytes,
            rows,
            ..
        } = self;
        write!(
            f,
            "{rows} rows from {bytes} bytes: {format}, {encoding}{header}"
        )?;
        for note in &self.notes {
            write!(f, "\nnote: {note}")?;
        }
        for column in &self.columns {
            write!(f, "\n{column}")?;
        }
        for BadRow { line, reason } in &self.bad_rows.first {
            write!(f, "\nleft out, line {line}: {reason}")?;
        }
        let named = u64::try_from(self.bad_rows.first.len()).unwrap_or(u64::MAX);
        match self.bad_rows.count.saturating_sub(named) {
            0 => Ok(()),
            more => write!(f, "\nleft out: {more} more"),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, {} empty", self.name, self.kind, self.nulls)?;
        match self.distinct {
            Some(count) => write!(f, ", {count} different")?,
            None => write!(f, ", over {DISTINCT_MAX} different")?,
        }
        if let Some((least, greatest)) = &self.range {
            write!(f, ", {} to {}", words(least), words(greatest))?;
        }
        if !self.examples.is_empty() {
            let examples: Vec<String> = self.examples.iter().map(words).collect();
            write!(f, ", e.g. {}", examples.join(" | "))?;
        }
        if let Some(original) = &self.original {
            write!(f, "\n  called {original:?} in the file")?;
        }
        self.notes
            .iter()
            .try_for_each(|note| write!(f, "\n  {note}"))
    }
}

fn words(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), String::from)
}
