//! The figures of a column, taken while its values go by.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

use serde_json::Value;

use super::describe::DISTINCT_MAX;
use super::types::{ColumnType, Stored};

/// The examples of a column, and the letters of each.
const EXAMPLES: usize = 3;
const EXAMPLE_LETTERS: usize = 80;

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
