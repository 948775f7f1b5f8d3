//! The description of a data set: all of it for people, and less for models.

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rows::BadRow;
use super::sniff::Format;
use super::text::Encoding;
use super::types::{ColumnType, Stored};

/// The most bad rows that are named.
const BAD_ROWS_MAX: usize = 100;

/// The most values of a column that are told apart.
const DISTINCT_MAX: usize = 1_000;

/// The examples of a column, and the letters of each.
const EXAMPLES: usize = 3;
const EXAMPLE_LETTERS: usize = 80;

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

/// The part of a description that a model may read: nothing that comes from fewer than `k` cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelDescription {
    /// The rows of the table.
    pub rows: u64,
    /// The rows that are no part of the table.
    pub bad_rows: u64,
    /// The columns, in order.
    pub columns: Vec<ModelColumn>,
}

/// A column, for models.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelColumn {
    /// The name in the table.
    pub name: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// The cells without a value.
    pub nulls: u64,
    /// The number of values that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// The least and the greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(Value, Value)>,
}

impl Description {
    /// Returns the part that a model may read, with ranges and counts of values over at least `k` cells.
    #[must_use]
    pub fn for_models(&self, k: u64) -> ModelDescription {
        let column = |column: &Column| {
            let is_enough = self.rows.saturating_sub(column.nulls) >= k;
            ModelColumn {
                name: column.name.clone(),
                kind: column.kind,
                nulls: column.nulls,
                distinct: column.distinct.filter(|_| is_enough),
                range: column.range.clone().filter(|_| is_enough),
            }
        };
        ModelDescription {
            rows: self.rows,
            bad_rows: self.bad_rows.count,
            columns: self.columns.iter().map(column).collect(),
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

/// The figures of a column, taken while its values go by.
#[derive(Debug, Default)]
pub(super) struct Figures {
    nulls: u64,
    /// Hashes of the values; `None` once there are too many.
    seen: Seen,
    range: Option<(Scalar, Scalar)>,
    examples: Vec<Value>,
    /// Cells of text that a spreadsheet would run.
    formulas: u64,
}

#[derive(Debug)]
enum Seen {
    Few(HashSet<u64>),
    Many,
}

impl Default for Seen {
    fn default() -> Self {
        Self::Few(HashSet::new())
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Scalar {
    Integer(i64),
    Real(f64),
    Text(String),
}

impl Figures {
    pub(super) fn add(&mut self, kind: ColumnType, value: &Stored<'_>) {
        let hash = match value {
            Stored::Null => {
                self.nulls += 1;
                return;
            }
            Stored::Integer(integer) => integer.cast_unsigned(),
            Stored::Real(real) => real.to_bits(),
            Stored::Text(text) => {
                if kind == ColumnType::Text {
                    self.formulas += u64::from(is_formula(text));
                }
                if matches!(self.seen, Seen::Few(_)) {
                    hash(text)
                } else {
                    0
                }
            }
        };
        let is_new = match &mut self.seen {
            Seen::Few(seen) => seen.insert(hash),
            Seen::Many => false,
        };
        if is_new {
            self.note_new(kind, value);
        }
        // A value that was there before changes no range; beyond, nobody knows which ones were.
        if is_new || matches!(self.seen, Seen::Many) {
            self.stretch(kind, value);
        }
    }

    fn note_new(&mut self, kind: ColumnType, value: &Stored<'_>) {
        if self.examples.len() < EXAMPLES {
            self.examples.push(shown(kind, value));
        }
        if matches!(&self.seen, Seen::Few(seen) if seen.len() > DISTINCT_MAX) {
            self.seen = Seen::Many;
        }
    }

    fn stretch(&mut self, kind: ColumnType, value: &Stored<'_>) {
        if matches!(kind, ColumnType::Text | ColumnType::Boolean) {
            return;
        }
        let Some((least, greatest)) = &mut self.range else {
            self.range = Scalar::of(value).map(|value| (value.clone(), value));
            return;
        };
        if least.is_above(value) {
            least.set(value);
        } else if greatest.is_below(value) {
            greatest.set(value);
        }
    }

    pub(super) fn nulls(&self) -> u64 {
        self.nulls
    }

    /// The number of values that differ; `None`: too many.
    pub(super) fn distinct(&self) -> Option<u64> {
        match &self.seen {
            Seen::Few(seen) => u64::try_from(seen.len()).ok(),
            Seen::Many => None,
        }
    }

    pub(super) fn range(&self) -> Option<(Value, Value)> {
        let (least, greatest) = self.range.as_ref()?;
        Some((least.json(), greatest.json()))
    }

    pub(super) fn formulas(&self) -> u64 {
        self.formulas
    }

    pub(super) fn into_examples(self) -> Vec<Value> {
        self.examples
    }
}

impl Scalar {
    fn of(value: &Stored<'_>) -> Option<Self> {
        Some(match value {
            Stored::Null => return None,
            Stored::Integer(integer) => Self::Integer(*integer),
            Stored::Real(real) => Self::Real(*real),
            Stored::Text(text) => Self::Text(text.to_string()),
        })
    }

    fn set(&mut self, value: &Stored<'_>) {
        if let Some(value) = Self::of(value) {
            *self = value;
        }
    }

    fn is_above(&self, value: &Stored<'_>) -> bool {
        match (self, value) {
            (Self::Integer(this), Stored::Integer(other)) => this > other,
            (Self::Real(this), Stored::Real(other)) => this > other,
            (Self::Text(this), Stored::Text(other)) => this.as_str() > &**other,
            _ => false,
        }
    }

    fn is_below(&self, value: &Stored<'_>) -> bool {
        match (self, value) {
            (Self::Integer(this), Stored::Integer(other)) => this < other,
            (Self::Real(this), Stored::Real(other)) => this < other,
            (Self::Text(this), Stored::Text(other)) => this.as_str() < &**other,
            _ => false,
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Integer(integer) => (*integer).into(),
            Self::Real(real) => json_real(*real),
            Self::Text(text) => text.as_str().into(),
        }
    }
}

/// A double as JSON, which has no infinity.
pub(super) fn json_real(real: f64) -> Value {
    serde_json::Number::from_f64(real).map_or_else(|| real.to_string().into(), Value::Number)
}

fn shown(kind: ColumnType, value: &Stored<'_>) -> Value {
    match value {
        Stored::Null => Value::Null,
        Stored::Integer(integer) if kind == ColumnType::Boolean => (*integer != 0).into(),
        Stored::Integer(integer) => (*integer).into(),
        Stored::Real(real) => json_real(*real),
        Stored::Text(text) => shortened(text, EXAMPLE_LETTERS).into(),
    }
}

/// The first letters of a text.
pub(super) fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn hash(text: &str) -> u64 {
    // Its keys are fixed, so that the same bytes give the same description.
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Tells whether a spreadsheet would take a text for a formula.
fn is_formula(text: &str) -> bool {
    match text.as_bytes() {
        [b'=' | b'@' | b'\t' | b'\r', _, ..] => true,
        [b'+' | b'-', next, ..] => {
            !next.is_ascii_digit() && !next.is_ascii_whitespace() && *next != b'-'
        }
        [..] => false,
    }
}
