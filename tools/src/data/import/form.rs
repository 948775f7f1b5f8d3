use super::Import;
use crate::data::csv::CsvRows;
use crate::data::error::ImportError;
use crate::data::lines::LineRows;
use crate::data::parquet::ParquetRows;
use crate::data::rows::{Row, Rows, Step};
use crate::data::sniff::{Format, Sniffed, is_header, sniff};
use crate::data::text::{Encoding, TextReader};

/// The rows below the first that tell whether it holds names.
const HEADER_ROWS: usize = 50;

/// The form of a file: all that is decided before the first pass.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) sniffed: Sniffed,
    pub(super) has_header: bool,
}

impl Form {
    pub(super) fn of(import: &Import) -> Result<Self, ImportError> {
        Self::sniffed(import, sniff(&import.name, &import.source, import.assume)?)
    }

    /// The same file, whose bytes have turned out to be of another encoding.
    pub(super) fn in_encoding(
        &self,
        import: &Import,
        encoding: Encoding,
    ) -> Result<Self, ImportError> {
        let sniffed = Sniffed {
            encoding,
            ..self.sniffed.clone()
        };
        Self::sniffed(import, sniffed)
    }

    fn sniffed(import: &Import, sniffed: Sniffed) -> Result<Self, ImportError> {
        let has_header = match (sniffed.format, import.assume.header) {
            (Format::Csv { delimiter }, None) => {
                let mut rows = csv_rows(import, &sniffed, delimiter)?;
                match first(&mut rows)? {
                    Some(first) => is_header(&first, &cells(&mut rows, HEADER_ROWS)?),
                    // It may hold the names: the first pass tells what is wrong with it.
                    None => true,
                }
            }
            (Format::Csv { .. }, Some(has_header)) => has_header,
            (Format::JsonLines | Format::Parquet, _) => false,
        };
        Ok(Self {
            sniffed,
            has_header,
        })
    }

    /// The delimiter, where there is one.
    pub(super) fn delimiter(&self) -> Option<u8> {
        match self.sniffed.format {
            Format::Csv { delimiter } => u8::try_from(delimiter).ok(),
            Format::JsonLines | Format::Parquet => None,
        }
    }

    /// The rows of the file from its beginning.
    pub(super) fn rows(&self, import: &Import) -> Result<Box<dyn Rows>, ImportError> {
        Ok(match self.sniffed.format {
            Format::Csv { delimiter } => Box::new(csv_rows(import, &self.sniffed, delimiter)?),
            Format::JsonLines => {
                Box::new(LineRows::new(text(import, &self.sniffed), import.limits))
            }
            Format::Parquet => Box::new(ParquetRows::new(&import.source, import.limits)?),
        })
    }
}

fn text(import: &Import, sniffed: &Sniffed) -> TextReader {
    TextReader::new(&import.source, sniffed.encoding, sniffed.mark)
}

fn csv_rows(import: &Import, sniffed: &Sniffed, delimiter: char) -> Result<CsvRows, ImportError> {
    let delimiter = u8::try_from(delimiter).unwrap_or(b',');
    let mut rows = CsvRows::new(text(import, sniffed), delimiter, import.limits);
    if sniffed.has_sep_line {
        rows.skip_line()?;
    }
    Ok(rows)
}

/// The cells of the first row; `None`: it cannot be read.
fn first(rows: &mut CsvRows) -> Result<Option<Vec<String>>, ImportError> {
    let mut row = Row::default();
    Ok(match rows.next(&mut row)? {
        Step::Row => Some(texts(&row)),
        Step::Bad(_) | Step::End => None,
    })
}

fn texts(row: &Row) -> Vec<String> {
    let cells = (0..row.len()).map(|place| row.cell(place).text.to_owned());
    cells.collect()
}

/// The cells of the next rows, without those that are left out.
fn cells(rows: &mut CsvRows, max: usize) -> Result<Vec<Vec<String>>, ImportError> {
    let mut row = Row::default();
    let mut read = Vec::new();
    while read.len() < max {
        match rows.next(&mut row)? {
            Step::Row => read.push(texts(&row)),
            Step::Bad(_) => {}
            Step::End => break,
        }
    }
    Ok(read)
}
