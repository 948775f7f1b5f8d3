//! The rows that an engine gave, and the bounds of their reading.

use std::time::Duration;

use folkmoot_core::tool::{Table, ToolErrorCode, ToolFailure};
use serde_json::{Number, Value};

/// The bounds of one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The most rows that are read; the rest is left out, and said to be.
    pub(crate) rows: usize,
    /// The most bytes of all cells; likewise.
    pub(crate) bytes: usize,
    /// The longest time of the query.
    pub(crate) time: Duration,
}

/// A value in a row.
#[cfg_attr(
    not(feature = "postgres"),
    expect(dead_code, reason = "SQLite has no such values")
)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number in binary.
    Real(f64),
    /// A number in decimal, as the engine writes it.
    Decimal(String),
    /// A date or a time, as the engine writes it.
    Time(String),
    /// A text.
    Text(String),
    /// Bytes, of which only the number is kept.
    Bytes(usize),
}

impl Cell {
    /// Returns the bytes that it takes, roughly.
    pub(crate) const fn bytes(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Integer(_) | Self::Real(_) | Self::Bytes(_) => 8,
            Self::Decimal(text) | Self::Time(text) | Self::Text(text) => text.len() + 8,
        }
    }

    /// Returns the value that people see.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Integer(number) => Value::from(*number),
            Self::Real(number) => Number::from_f64(*number)
                .map_or_else(|| Value::from(number.to_string()), Value::Number),
            Self::Decimal(text) | Self::Time(text) | Self::Text(text) => Value::from(text.clone()),
            Self::Bytes(bytes) => Value::from(format!("[{bytes} bytes]")),
        }
    }
}

/// The rows of a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rows {
    /// The names of the columns, in order.
    pub(crate) columns: Vec<String>,
    /// The rows: a cell for each column.
    pub(crate) rows: Vec<Vec<Cell>>,
    /// True if there were more rows than the limits allow.
    pub(crate) is_cut: bool,
}

impl Rows {
    /// Returns the number of rows, from the first on, whose cells have at most `bytes` bytes.
    pub(crate) fn shown(&self, bytes: usize) -> usize {
        let sizes = self.rows.iter().scan(0, |sum, row| {
            *sum += row.iter().map(Cell::bytes).sum::<usize>();
            Some(*sum)
        });
        sizes.take_while(|sum| *sum <= bytes).count()
    }

    /// Returns the table that people see.
    pub(crate) fn to_table(&self, title: Option<String>) -> Table {
        let row = |cells: &Vec<Cell>| cells.iter().map(Cell::to_value).collect();
        Table {
            title,
            columns: self.columns.clone(),
            rows: self.rows.iter().map(row).collect(),
        }
    }
}

/// A reason why an engine gave no rows. Its words are for operators: an engine may write values into them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    /// The engine's own gate stopped the statement.
    #[error("the engine refused the statement: {why}")]
    Refused {
        /// The engine's words.
        why: String,
    },
    /// The statement names what the engine cannot use there.
    #[error("the engine cannot run the statement: {why}")]
    Named {
        /// The name, as the statement has it.
        name: String,
        /// The engine's words.
        why: String,
    },
    /// The statement means nothing to the engine, or fails on the data.
    #[error("the engine cannot run the statement: {why}")]
    Rejected {
        /// The engine's words.
        why: String,
    },
    /// The query took too long, or nobody waits for it any more.
    #[error("the query was stopped: it took too long")]
    TimedOut,
    /// The query needs more memory than it may have, or a value is too long.
    #[error("the query needs too much: {why}")]
    TooLarge {
        /// The engine's words.
        why: String,
    },
    /// The database cannot be used.
    #[error("the database cannot be used: {why}")]
    Unusable {
        /// The reason, without secrets.
        why: String,
    },
}

impl From<QueryError> for ToolFailure {
    fn from(error: QueryError) -> Self {
        let code = match &error {
            QueryError::Refused { .. } => ToolErrorCode::NotAllowed,
            QueryError::Named { .. } | QueryError::Rejected { .. } => ToolErrorCode::BadArguments,
            QueryError::TimedOut => ToolErrorCode::TimedOut,
            QueryError::TooLarge { .. } => ToolErrorCode::TooLarge,
            QueryError::Unusable { .. } => ToolErrorCode::Failed,
        };
        let failure = Self::new(code, error.to_string());
        match error {
            QueryError::Named { name, .. } => failure.about(name),
            QueryError::Rejected { .. }
            | QueryError::Refused { .. }
            | QueryError::TimedOut
            | QueryError::TooLarge { .. }
            | QueryError::Unusable { .. } => failure,
        }
    }
}
