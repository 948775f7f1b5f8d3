//! Rows of cells between delimiters, as RFC 4180 has them and as people write them.
//!
//! The crate `csv` is the oracle of the tests. It is not the reader here: it neither tells where a quote begins that never ends, nor
//! goes on behind it, and a cell of it has no limit.

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use super::error::ImportError;
use super::limits::Limits;
use super::rows::{BadRow, Passed, Row, Rows, Spelling, Step};
use super::text::TextReader;

#[cfg(test)]
mod tests;

/// The number of quotes without an end behind which reading goes on: each of them costs a row's bytes of reading again.
const UNCLOSED_MAX: usize = 16;

/// The bytes that are read on without a look at the sign to stop.
const CHUNK: usize = 256 << 10;

pub(super) struct CsvRows {
    text: TextReader,
    delimiter: u8,
    limits: Limits,
    buffer: Vec<u8>,
    /// The place in `buffer` of what is not yet read.
    at: usize,
    /// The line of that place.
    line: u64,
    /// True inside of a line that is too long.
    is_skipping: bool,
    /// The number of quotes without an end, and the line of the first.
    unclosed: (usize, u64),
    passed: Passed,
}

impl CsvRows {
    /// The rows of a text whose next line is the first.
    pub(super) fn new(text: TextReader, delimiter: u8, limits: Limits) -> Self {
        Self {
            text,
            delimiter,
            limits,
            buffer: Vec::new(),
            at: 0,
            line: 1,
            is_skipping: false,
            unclosed: (0, 0),
            passed: Passed::default(),
        }
    }

    /// Leaves out the next line.
    pub(super) fn skip_line(&mut self) -> Result<(), ImportError> {
        self.is_skipping = true;
        self.skip()
    }

    fn fill(&mut self) -> Result<(), ImportError> {
        let rest = self.buffer.len() - self.at;
        self.buffer.copy_within(self.at.., 0);
        self.buffer.truncate(rest);
        self.at = 0;
        // Each time as much as there is, so that a long row is not looked through again for each small part.
        while !self.text.is_end {
            self.text.fill(&mut self.buffer)?;
            if self.buffer.len() >= 2 * rest.max(CHUNK / 2) {
                break;
            }
        }
        Ok(())
    }

    /// Goes on to the end of the line.
    fn skip(&mut self) -> Result<(), ImportError> {
        while self.is_skipping {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            match memchr2(b'\n', b'\r', rest) {
                None if self.text.is_end => {
                    self.at = self.buffer.len();
                    self.is_skipping = false;
                }
                None => {
                    self.at = self.buffer.len();
                    self.fill()?;
                }
                Some(end) if end + 1 == rest.len() && !self.text.is_end => {
                    self.at += end;
                    self.fill()?;
                }
                Some(end) => {
                    self.at += end + break_len(rest.get(end..).unwrap_or_default());
                    self.line += 1;
                    self.is_skipping = false;
                }
            }
        }
        Ok(())
    }

    fn unclosed(&mut self, line: u64) -> Result<Step, ImportError> {
        let (count, first) = &mut self.unclosed;
        if *count == 0 {
            *first = line;
        }
        *count += 1;
        if *count > UNCLOSED_MAX {
            return Err(ImportError::BrokenQuotes {
                line: *first,
                count: *count,
            });
        }
        let row = self.line;
        self.is_skipping = true;
        Ok(Step::Bad(BadRow::new(
            row,
            format!("the quote that begins in line {line} is not closed"),
        )))
    }

    fn too_long(&mut self) -> Step {
        let line = self.line;
        self.is_skipping = true;
        let reason = format!("more than {} bytes in a row", self.limits.row_bytes);
        Step::Bad(BadRow::new(line, reason))
    }

    /// The fault of a row that has been read, of so many bytes in the file.
    fn fault(&mut self, row: &Row, bytes: usize) -> Option<String> {
        if bytes > self.limits.row_bytes {
            let max = self.limits.row_bytes;
            return Some(format!("more than {max} bytes in a row"));
        }
        if row.longest_cell() > self.limits.field_bytes {
            let max = self.limits.field_bytes;
            return Some(format!("a cell of more than {max} bytes"));
        }
        if memchr(0, &row.bytes).is_some() {
            return Some("a NUL byte".into());
        }
        if row.is_utf8() {
            return None;
        }
        self.passed.not_utf8 += 1;
        Some("bytes that are no UTF-8".into())
    }
}

impl Rows for CsvRows {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn passed(&self) -> Passed {
        Passed {
            is_lossy: self.text.is_lossy,
            ..self.passed
        }
    }

    fn next(&mut self, row: &mut Row) -> Result<Step, ImportError> {
        loop {
            self.skip()?;
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let scanner = Scanner {
                bytes: rest,
                delimiter: self.delimiter,
                is_end: self.text.is_end,
                cells_max: self.limits.columns + 1,
            };
            row.line = self.line;
            match scanner.scan(row) {
                Scan::End => return Ok(Step::End),
                Scan::More if rest.len() < self.limits.row_bytes => self.fill()?,
                Scan::More => {
                    return match scanner.open_quote() {
                        Some(lines) => self.unclosed(self.line + lines),
                        None => Ok(self.too_long()),
                    };
                }
                Scan::Unclosed { lines } => return self.unclosed(self.line + lines),
                Scan::Blank { bytes } => {
                    self.at += bytes;
                    self.line += 1;
                    self.passed.blank_lines += 1;
                }
                Scan::Row { bytes, lines } => {
                    let line = self.line;
                    self.at += bytes;
                    self.line += lines;
                    return Ok(match self.fault(row, bytes) {
                        Some(reason) => Step::Bad(BadRow::new(line, reason)),
                        None => Step::Row,
                    });
                }
            }
        }
    }
}

/// The result of looking for a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// A row of so many bytes and line breaks.
    Row { bytes: usize, lines: u64 },
    /// A line with nothing in it, of so many bytes.
    Blank { bytes: usize },
    /// The row goes on behind these bytes.
    More,
    /// A quote does not end, or ends inside of a cell in another line. It begins so many lines below the row.
    Unclosed { lines: u64 },
    /// There is nothing left.
    End,
}

/// A look for a row at the beginning of some bytes.
pub(super) struct Scanner<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) delimiter: u8,
    /// True if nothing follows the bytes.
    pub(super) is_end: bool,
    /// The cells that are kept.
    pub(super) cells_max: usize,
}

/// The end of a cell.
enum CellEnd<'b> {
    /// The bytes from the delimiter or the line break on.
    At(&'b [u8]),
    More,
    Unclosed {
        lines: u64,
    },
}

impl<'b> Scanner<'b> {
    pub(super) fn scan(&self, row: &mut Row) -> Scan {
        row.clear();
        if self.bytes.is_empty() {
            return if self.is_end { Scan::End } else { Scan::More };
        }
        let mut rest = self.bytes;
        let mut lines = 0;
        loop {
            rest = match self.cell(rest, row, &mut lines) {
                CellEnd::At(rest) => rest,
                CellEnd::More => return Scan::More,
                CellEnd::Unclosed { lines } => return Scan::Unclosed { lines },
            };
            if row.len() < self.cells_max {
                row.end_cell(Spelling::Loose);
            }
            match rest.split_first() {
                Some((first, behind)) if *first == self.delimiter => rest = behind,
                Some((b'\r', [])) if !self.is_end => return Scan::More,
                Some(_) => {
                    let at = self.bytes.len() - rest.len();
                    let bytes = at + break_len(rest);
                    return match at {
                        0 => Scan::Blank { bytes },
                        _ => Scan::Row {
                            bytes,
                            lines: lines + 1,
                        },
                    };
                }
                None => {
                    return Scan::Row {
                        bytes: self.bytes.len(),
                        lines: lines + 1,
                    };
                }
            }
        }
    }

    /// The line of the quote that is open where the bytes end, counted from the row's.
    fn open_quote(&self) -> Option<u64> {
        let whole = Scanner {
            is_end: true,
            cells_max: 1,
            ..*self
        };
        match whole.scan(&mut Row::default()) {
            Scan::Unclosed { lines } => Some(lines),
            Scan::Row { .. } | Scan::Blank { .. } | Scan::More | Scan::End => None,
        }
    }

    /// Adds the cell at the beginning of `rest` to the row, and adds the line breaks in it to `lines`.
    fn cell(&self, rest: &'b [u8], row: &mut Row, lines: &mut u64) -> CellEnd<'b> {
        let Some(quoted) = rest.strip_prefix(b"\"") else {
            return self.plain(rest, row);
        };
        let begin = *lines;
        let from = row.bytes.len();
        let whole = rest;
        let mut rest = quoted;
        loop {
            let Some(quote) = memchr(b'"', rest) else {
                return self.without_end(begin);
            };
            let (part, behind) = rest.split_at_checked(quote).unwrap_or((rest, &[]));
            let behind = behind.get(1..).unwrap_or_default();
            *lines += breaks(part);
            self.push(row, part);
            match behind.split_first() {
                Some((b'"', behind)) => {
                    self.push(row, b"\"");
                    rest = behind;
                }
                None if !self.is_end => return CellEnd::More,
                Some((byte, _)) if *byte != self.delimiter && !matches!(byte, b'\n' | b'\r') => {
                    if *lines > begin {
                        return CellEnd::Unclosed { lines: begin };
                    }
                    // The cell is kept as it is written: nobody can tell which of the quotes is meant.
                    row.is_stray = true;
                    row.bytes.truncate(from);
                    self.push(
                        row,
                        whole.get(..whole.len() - behind.len()).unwrap_or_default(),
                    );
                    return self.plain(behind, row);
                }
                Some(_) | None => return CellEnd::At(behind),
            }
        }
    }

    fn without_end(&self, lines: u64) -> CellEnd<'b> {
        if self.is_end {
            CellEnd::Unclosed { lines }
        } else {
            CellEnd::More
        }
    }

    /// Adds what stands before the next delimiter or line break.
    fn plain(&self, rest: &'b [u8], row: &mut Row) -> CellEnd<'b> {
        let end = memchr3(self.delimiter, b'\n', b'\r', rest);
        if end.is_none() && !self.is_end {
            return CellEnd::More;
        }
        let (part, behind) = rest
            .split_at_checked(end.unwrap_or(rest.len()))
            .unwrap_or((rest, &[]));
        self.push(row, part);
        CellEnd::At(behind)
    }

    fn push(&self, row: &mut Row, part: &[u8]) {
        if row.len() < self.cells_max {
            row.bytes.extend_from_slice(part);
        }
    }
}

/// The length of the line break at the beginning.
fn break_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [] => 0,
        [_, ..] => 1,
    }
}

/// The number of line breaks inside of a quoted text.
fn breaks(text: &[u8]) -> u64 {
    let ends = memchr_iter(b'\n', text).count();
    // Only old files of one system have lines that end in a carriage return alone.
    let old = memchr_iter(b'\r', text)
        .filter(|at| text.get(at + 1) != Some(&b'\n'))
        .count();
    u64::try_from(ends + old).unwrap_or(u64::MAX)
}
