use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::error::ImportError;

/// The way in which a cell was written: it says what may be read into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Letters between delimiters. They may mean anything.
    Loose,
    /// A text that its author marked as one. It is never a number.
    Text,
    /// A number of JSON's grammar, or `inf` with or without a minus.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An object or a list, as JSON.
    Nested,
    /// Nothing.
    Null,
}

/// The cells of one row, in memory that the next row uses again.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The line in which it begins, counted from 1.
    pub(super) line: u64,
    /// The bytes of all cells. They are UTF-8 once the row is complete.
    pub(super) bytes: Vec<u8>,
    cells: Vec<(Range<usize>, Spelling)>,
    /// The row had text behind a closing quote.
    pub(super) is_stray: bool,
}

impl Row {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.cells.clear();
        self.is_stray = false;
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Ends the cell that began where the last one ended.
    pub(super) fn end_cell(&mut self, spelling: Spelling) {
        let from = self.cells.last().map_or(0, |(range, _)| range.end);
        self.cells.push((from..self.bytes.len(), spelling));
    }

    /// Puts the cell at `place`, and leaves cells without a value before it.
    pub(super) fn put(&mut self, place: usize, text: &str, spelling: Spelling) {
        while self.cells.len() <= place {
            self.cells.push((0..0, Spelling::Null));
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        if let Some(cell) = self.cells.get_mut(place) {
            *cell = (from..self.bytes.len(), spelling);
        }
    }

    /// The cells. One that is not there has no value.
    pub(super) fn cell(&self, place: usize) -> Cell<'_> {
        let (range, spelling) = self
            .cells
            .get(place)
            .map_or((0..0, Spelling::Null), Clone::clone);
        let bytes = self.bytes.get(range).unwrap_or_default();
        Cell {
            // Whole rows are checked before their cells are read.
            text: std::str::from_utf8(bytes).unwrap_or_default(),
            spelling,
        }
    }

    pub(super) fn longest_cell(&self) -> usize {
        self.cells
            .iter()
            .map(|(range, _)| range.len())
            .max()
            .unwrap_or_default()
    }

    /// Tells whether each cell is UTF-8.
    pub(super) fn is_utf8(&self) -> bool {
        // A border between cells inside of a letter would make two cells out of one letter.
        std::str::from_utf8(&self.bytes).is_ok_and(|text| {
            text.is_ascii()
                || self.cells.iter().all(|(range, _)| {
                    text.is_char_boundary(range.start) && text.is_char_boundary(range.end)
                })
        })
    }
}

/// A cell before its column has a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'r> {
    pub(super) text: &'r str,
    pub(super) spelling: Spelling,
}

/// The next thing that stands in a file.
#[derive(Debug)]
pub(super) enum Step {
    /// A row: the buffer holds it.
    Row,
    /// A row that is no part of the table.
    Bad(BadRow),
    /// The end.
    End,
}

/// A row that is no part of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRow {
    /// The line in which it begins, counted from 1; of a Parquet file, the row.
    pub line: u64,
    /// The reason, without any cell.
    pub reason: String,
}

impl BadRow {
    pub(super) fn new(line: u64, reason: impl Into<String>) -> Self {
        Self {
            line,
            reason: reason.into(),
        }
    }
}

/// Rows of a file, one after the other.
pub(super) trait Rows {
    /// Reads the next row into `row`.
    fn next(&mut self, row: &mut Row) -> Result<Step, ImportError>;

    /// The names of the columns so far, if the file itself says in which column each cell stands.
    fn names(&self) -> Vec<String>;

    /// All that was passed over so far.
    fn passed(&self) -> Passed;
}

/// Things that rows do not show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Passed {
    /// Lines without anything.
    pub(super) blank_lines: u64,
    /// Rows whose bytes are no UTF-8.
    pub(super) not_utf8: u64,
    /// True if something was no text of the encoding, and became `U+FFFD`.
    pub(super) is_lossy: bool,
    /// Rows with a number that is none (`NaN`), which is an empty cell.
    pub(super) no_numbers: u64,
}
