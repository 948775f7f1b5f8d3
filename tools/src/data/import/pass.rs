use super::form::Form;
use super::{Import, IsStopped};
use crate::data::describe::BadRows;
use crate::data::error::ImportError;
use crate::data::limits::Limits;
use crate::data::rows::{BadRow, Passed, Row, Rows, Step};
use crate::data::sniff::Format;

/// The rows that are read without a look at the sign to stop.
const ROWS_PER_CHECK: u64 = 256;

/// A number of rows, and the line of the first of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) line: u64,
}

impl Tally {
    fn add(&mut self, line: u64) {
        if self.count == 0 {
            self.line = line;
        }
        self.count += 1;
    }
}

/// All that a pass finds beside the cells.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) rows: u64,
    pub(super) bad: BadRows,
    /// Rows with too few cells.
    pub(super) short: Tally,
    /// Rows with empty cells behind the last column.
    pub(super) long: Tally,
    /// Rows with text behind a closing quote.
    pub(super) stray: Tally,
    /// Rows with letters beyond ASCII.
    pub(super) foreign: u64,
    pub(super) passed: Passed,
    cell_bytes: u64,
}

/// A pass through the rows of a file that hold values.
pub(super) struct Pass {
    rows: Box<dyn Rows>,
    /// The names in the first row, if they stand there.
    pub(super) header: Option<Vec<String>>,
    /// The number of columns, where the first row says it and has been read.
    width: Option<usize>,
    /// True if each row says by itself in which column its cells stand.
    is_placed: bool,
    limits: Limits,
    is_stopped: IsStopped,
    seen: u64,
    findings: Findings,
}

impl Pass {
    pub(super) fn new(import: &Import, form: &Form) -> Result<Self, ImportError> {
        let mut pass = Self {
            rows: form.rows(import)?,
            header: None,
            width: None,
            is_placed: match form.sniffed.format {
                Format::Csv { .. } => false,
                Format::JsonLines | Format::Parquet => true,
            },
            limits: import.limits,
            is_stopped: IsStopped::clone(&import.is_stopped),
            seen: 0,
            findings: Findings::default(),
        };
        if form.has_header {
            pass.read_header()?;
        }
        Ok(pass)
    }

    /// The names in the first row. That row is never left out: all others hang on it.
    fn read_header(&mut self) -> Result<(), ImportError> {
        let mut row = Row::default();
        match self.rows.next(&mut row)? {
            Step::Row => {}
            Step::Bad(BadRow { line, reason }) => {
                return Err(ImportError::BadHeader { line, reason });
            }
            Step::End => return Err(ImportError::Empty),
        }
        self.set_width(row.len())?;
        let names = (0..row.len()).map(|place| row.cell(place).text.to_owned());
        self.header = Some(names.collect());
        Ok(())
    }

    fn set_width(&mut self, width: usize) -> Result<(), ImportError> {
        if width > self.limits.columns {
            return Err(ImportError::TooMany {
                of: "columns",
                max: u64::try_from(self.limits.columns).unwrap_or(u64::MAX),
            });
        }
        self.width = Some(width);
        Ok(())
    }

    /// Reads the next row that is part of the table; false: there is none.
    pub(super) fn next(&mut self, row: &mut Row) -> Result<bool, ImportError> {
        loop {
            self.seen += 1;
            if self.seen.is_multiple_of(ROWS_PER_CHECK) && (self.is_stopped)() {
                return Err(ImportError::Stopped);
            }
            let bad = match self.rows.next(row)? {
                Step::Row => self.misfit(row)?,
                Step::Bad(bad) => Some(bad),
                Step::End => return Ok(false),
            };
            match bad {
                None => {
                    self.count(row)?;
                    return Ok(true);
                }
                Some(bad) => self.findings.bad.push(bad),
            }
        }
    }

    /// The reason why a row is no part of a table of this width.
    fn misfit(&mut self, row: &Row) -> Result<Option<BadRow>, ImportError> {
        if self.is_placed {
            return Ok(None);
        }
        let Some(width) = self.width else {
            return self.set_width(row.len()).map(|()| None);
        };
        let found = row.len();
        if row.is_stray && found != width {
            let reason = "text behind a closing quote, and another number of cells";
            return Ok(Some(BadRow::new(row.line, reason)));
        }
        if found < width {
            self.findings.short.add(row.line);
        } else if found > width {
            if (width..found).any(|place| !row.cell(place).text.trim().is_empty()) {
                let more = if found > self.limits.columns {
                    "over "
                } else {
                    ""
                };
                let found = found.min(self.limits.columns);
                let reason = format!("{more}{found} cells, where the table has {width} columns");
                return Ok(Some(BadRow::new(row.line, reason)));
            }
            self.findings.long.add(row.line);
        }
        Ok(None)
    }

    fn count(&mut self, row: &Row) -> Result<(), ImportError> {
        let too_many = |of, max| Err(ImportError::TooMany { of, max });
        let findings = &mut self.findings;
        findings.rows += 1;
        findings.cell_bytes += u64::try_from(row.bytes.len()).unwrap_or(u64::MAX);
        if row.is_stray {
            findings.stray.add(row.line);
        }
        findings.foreign += u64::from(!row.bytes.is_ascii());
        if findings.rows > self.limits.rows {
            return too_many("rows", self.limits.rows);
        }
        if findings.cell_bytes > self.limits.cell_bytes {
            return too_many("bytes of cells", self.limits.cell_bytes);
        }
        Ok(())
    }

    /// The names of the columns, and all that was found.
    pub(super) fn end(self) -> (Vec<String>, Findings) {
        let names = self.header.unwrap_or_else(|| {
            let mut names = self.rows.names();
            names.resize(
                names.len().max(self.width.unwrap_or_default()),
                String::new(),
            );
            names
        });
        let findings = Findings {
            passed: self.rows.passed(),
            ..self.findings
        };
        (names, findings)
    }
}
