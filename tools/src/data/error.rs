use std::io;

use super::rows::BadRow;

folkmoot_core::debug_in_words!(ImportError);

/// A reason why a file becomes no data set. None of them holds a cell.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// No bytes, or none but blanks.
    #[error("the file is empty: give a file with at least a header")]
    Empty,
    /// A file of another kind.
    #[error("the file is {found}: {instead}")]
    NoTable {
        /// The kind of file.
        found: &'static str,
        /// What to do with it.
        instead: &'static str,
    },
    /// Too much of something.
    #[error("the file has more than {max} {of}: split it, or leave some of it out")]
    TooMany {
        /// The thing that is too much.
        of: &'static str,
        /// The most of it.
        max: u64,
    },
    /// A first row that cannot be read, though it holds the names of the columns.
    #[error("the names of the columns in line {line} cannot be read: {reason}")]
    BadHeader {
        /// The line.
        line: u64,
        /// The fault.
        reason: String,
    },
    /// No row that could be read.
    #[error("none of the {count} rows can be read, first line {line}: {reason}", line = bad.first().map_or(0, |row| row.line), reason = bad.first().map_or("", |row| &row.reason))]
    NoRow {
        /// The first of them.
        bad: Vec<BadRow>,
        /// Their number.
        count: u64,
    },
    /// A table that is there already.
    #[error(
        "there is a table of this name already: delete that data set first, or choose another name"
    )]
    TableExists,
    /// Quotes that never end, more often than one can go on behind them.
    #[error(
        "quotes do not end in {count} places, first where one begins in line {line}: is `\"` written as `\"\"` inside of quotes?"
    )]
    BrokenQuotes {
        /// The line of the first.
        line: u64,
        /// The number of places.
        count: usize,
    },
    /// A Parquet file that cannot be read, or that would take too much memory.
    #[error("this Parquet file cannot be read: {why}")]
    BadParquet {
        /// The fault.
        why: String,
    },
    /// The caller's sign to stop.
    #[error("the import was stopped")]
    Stopped,
    /// The bytes could not be read.
    #[error("the file's bytes cannot be read")]
    Read(#[source] io::Error),
    /// SQLite failed.
    #[error("the table cannot be written")]
    Write(#[from] rusqlite::Error),
    /// The index could not be made.
    #[error("the search index cannot be written")]
    Index(#[source] Box<dyn std::error::Error + Send + Sync>),
}
