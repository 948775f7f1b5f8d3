//! The form of a file, guessed from its beginning and its name.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::csv::{Scan, Scanner};
use super::error::ImportError;
use super::reading::{Read, read};
use super::rows::Row;
use super::source::Source;
use super::text::{Encoding, TextReader};

mod header;

pub(super) use header::is_header;

#[cfg(test)]
mod tests;

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Cells between delimiters.
    Csv {
        /// The delimiter.
        delimiter: char,
    },
    /// A JSON object in each line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Csv { delimiter: '\t' } => f.write_str("cells between tabs"),
            Self::Csv { delimiter } => write!(f, "cells between `{delimiter}`"),
            Self::JsonLines => f.write_str("JSON lines"),
            Self::Parquet => f.write_str("Parquet"),
        }
    }
}

/// The settings of a person who knows the file better than its beginning tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Assume {
    /// The delimiter, one of [`DELIMITERS`].
    pub delimiter: Option<char>,
    /// True if the first row holds names, false if it holds values.
    pub header: Option<bool>,
    /// The encoding.
    pub encoding: Option<Encoding>,
}

/// The delimiters that are looked for, those first that stand more rarely in text.
pub const DELIMITERS: [char; 4] = ['\t', ';', '|', ','];

/// The bytes that are looked at.
const SAMPLE: usize = 64 << 10;

/// The rows that are looked at.
const ROWS_MAX: usize = 200;

/// The form of a file, and what was assumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sniffed {
    pub(super) format: Format,
    pub(super) encoding: Encoding,
    /// The bytes of the mark that tells the encoding.
    pub(super) mark: u64,
    /// True if the first line says `sep=`, and holds no cells.
    pub(super) has_sep_line: bool,
    pub(super) notes: Vec<String>,
}

/// Guesses the form of a file that is called `name`.
pub(super) fn sniff(
    name: &str,
    source: &Arc<dyn Source>,
    assume: Assume,
) -> Result<Sniffed, ImportError> {
    let sample = sample(&**source)?;
    if sample.is_empty() {
        return Err(ImportError::Empty);
    }
    refuse_others(&sample)?;
    if sample.starts_with(b"PAR1") {
        return Ok(Sniffed {
            format: Format::Parquet,
            encoding: Encoding::Utf8,
            mark: 0,
            has_sep_line: false,
            notes: Vec::new(),
        });
    }
    let mut notes = Vec::new();
    let (encoding, mark) = encoding(&sample, assume, &mut notes);
    let mut text = Vec::new();
    let mut reader = TextReader::new(source, encoding, mark);
    while text.len() < SAMPLE && !reader.is_end {
        reader.fill(&mut text)?;
    }
    let is_whole = text.len() < SAMPLE;
    text.truncate(SAMPLE);
    if text.trim_ascii().is_empty() {
        return Err(ImportError::Empty);
    }
    refuse_binary(&text)?;
    let name = name.to_ascii_lowercase();
    let (format, has_sep_line) = if is_json_lines(&name, &text)? {
        (Format::JsonLines, false)
    } else {
        let (delimiter, has_sep_line) = delimiter(&name, &text, is_whole, assume);
        (Format::Csv { delimiter }, has_sep_line)
    };
    Ok(Sniffed {
        format,
        encoding,
        mark,
        has_sep_line,
        notes,
    })
}

fn sample(source: &dyn Source) -> Result<Vec<u8>, ImportError> {
    let mut sample = vec![0; SAMPLE];
    let mut length = 0;
    while length < SAMPLE {
        let rest = sample.get_mut(length..).unwrap_or_default();
        let at = u64::try_from(length).unwrap_or(u64::MAX);
        match source.read_at(at, rest).map_err(ImportError::Read)? {
            0 => break,
            count => length += count,
        }
    }
    sample.truncate(length);
    Ok(sample)
}

/// Refuses files that are known by their first bytes and are no tables of ours.
fn refuse_others(sample: &[u8]) -> Result<(), ImportError> {
    const OTHERS: [(&[u8], &str, &str); 8] = [
        (
            b"PK\x03\x04",
            "a ZIP archive, as those of spreadsheets are",
            "save the sheet as CSV, or unpack the archive",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "an old office document",
            "save the sheet as CSV",
        ),
        (b"\x1f\x8b", "compressed by gzip", "unpack it first"),
        (b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it first"),
        (
            b"%PDF-",
            "a PDF",
            "a PDF has no rows: give the data that it was made of",
        ),
        (
            b"SQLite format 3\0",
            "an SQLite database",
            "use the tool `sql` for it",
        ),
        (b"<?xml", "XML", "export it as CSV"),
        (
            b"<!DOCTYPE",
            "a web page",
            "download the data itself, not the page that shows it",
        ),
    ];
    let other = OTHERS
        .iter()
        .find(|(magic, _, _)| sample.starts_with(magic));
    other.map_or(Ok(()), |(_, found, instead)| {
        Err(ImportError::NoTable { found, instead })
    })
}

/// Refuses what is full of bytes that no text has.
fn refuse_binary(text: &[u8]) -> Result<(), ImportError> {
    let strange = text
        .iter()
        .filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31))
        .count();
    if strange > 16 && strange * 20 > text.len() {
        return Err(ImportError::NoTable {
            found: "no text",
            instead: "give CSV, TSV, JSON lines or Parquet",
        });
    }
    Ok(())
}

/// The encoding, and the length of its mark.
fn encoding(sample: &[u8], assume: Assume, notes: &mut Vec<String>) -> (Encoding, u64) {
    const MARKS: [(&[u8], Encoding, u64); 3] = [
        (b"\xef\xbb\xbf", Encoding::Utf8, 3),
        (b"\xff\xfe", Encoding::Utf16Le, 2),
        (b"\xfe\xff", Encoding::Utf16Be, 2),
    ];
    let marked = MARKS.iter().find(|(mark, _, _)| sample.starts_with(mark));
    if let Some((_, encoding, length)) = marked
        && assume.encoding.is_none_or(|assumed| assumed == *encoding)
    {
        return (*encoding, *length);
    }
    if let Some(encoding) = assume.encoding {
        return (encoding, 0);
    }
    if let Some(encoding) = utf16(sample) {
        notes.push(format!(
            "read as {encoding}, since every second byte is zero"
        ));
        return (encoding, 0);
    }
    // The last letter may be cut.
    let whole = sample
        .get(..sample.len().saturating_sub(3))
        .unwrap_or_default();
    let is_utf8 = whole.utf8_chunks().all(|chunk| chunk.invalid().is_empty());
    let is_meant_to_be = sample.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    if is_utf8 || is_meant_to_be {
        (Encoding::Utf8, 0)
    } else {
        (Encoding::Windows1252, 0)
    }
}

/// The text is UTF-16 without a mark if nearly all bytes of one half of it are zero, and nearly none of the other.
fn utf16(sample: &[u8]) -> Option<Encoding> {
    let zeros = |from: usize| {
        let half = sample.iter().skip(from).step_by(2);
        half.filter(|byte| **byte == 0).count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let half = sample.len() / 2;
    if half < 2 {
        None
    } else if odd * 10 >= half * 7 && even * 10 <= half {
        Some(Encoding::Utf16Le)
    } else if even * 10 >= half * 7 && odd * 10 <= half {
        Some(Encoding::Utf16Be)
    } else {
        None
    }
}

fn is_json_lines(name: &str, text: &[u8]) -> Result<bool, ImportError> {
    let is_named = [".jsonl", ".ndjson", ".jsonlines"]
        .iter()
        .any(|end| name.ends_with(end));
    let first = text.trim_ascii_start();
    if is_named {
        return Ok(true);
    }
    let line = first
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let is_object =
        first.starts_with(b"{") && (serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok());
    if is_object {
        return Ok(true);
    }
    if name.ends_with(".json") && (first.starts_with(b"[") || first.starts_with(b"{")) {
        return Err(ImportError::NoTable {
            found: "one JSON value over several lines",
            instead: "write an object in each line (JSON lines)",
        });
    }
    Ok(false)
}

/// The delimiter, and whether the first line names it.
fn delimiter(name: &str, text: &[u8], is_whole: bool, assume: Assume) -> (char, bool) {
    let line = text
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .next()
        .unwrap_or_default();
    let named = match line {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] => Some(char::from(*delimiter)),
        [..] => None,
    };
    let named = named.filter(|delimiter| DELIMITERS.contains(delimiter));
    if let Some(delimiter) = assume.delimiter.or(named) {
        return (delimiter, named.is_some());
    }
    let is_tabbed = name.ends_with(".tsv") || name.ends_with(".tab");
    let mut best: Option<(Score, char)> = None;
    for delimiter in DELIMITERS {
        let Some(score) = Score::of(text, delimiter, is_whole) else {
            continue;
        };
        if is_tabbed && delimiter == '\t' {
            return (delimiter, false);
        }
        if best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, delimiter));
        }
    }
    let alone = if is_tabbed { '\t' } else { ',' };
    (best.map_or(alone, |(_, delimiter)| delimiter), false)
}

/// The measure of how well a delimiter fits. The first field that differs decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Rows of the most common width, out of a hundred.
    regular: usize,
    /// Cells that are no text, out of a hundred.
    typed: usize,
}

impl Score {
    /// `None`: it stands in no row.
    fn of(text: &[u8], delimiter: char, is_whole: bool) -> Option<Self> {
        let mut widths: Vec<usize> = Vec::new();
        let mut typed = 0;
        let mut rest = text;
        let mut row = Row::default();
        while widths.len() < ROWS_MAX {
            let scanner = Scanner {
                bytes: rest,
                delimiter: u8::try_from(delimiter).unwrap_or(b','),
                is_end: is_whole,
                cells_max: SAMPLE,
            };
            let bytes = match scanner.scan(&mut row) {
                Scan::Row { bytes, .. } => {
                    widths.push(row.len());
                    let cells = (0..row.len()).map(|place| read(row.cell(place)));
                    typed += cells.filter(is_typed).count();
                    bytes
                }
                Scan::Blank { bytes } => bytes,
                Scan::Unclosed { .. } => line_len(rest),
                Scan::More | Scan::End => break,
            };
            rest = rest.get(bytes..).unwrap_or_default();
        }
        let count = |width: usize| widths.iter().filter(|other| **other == width).count();
        let common = widths
            .iter()
            .copied()
            .filter(|width| *width > 1)
            .max_by_key(|width| count(*width))?;
        let cells: usize = widths.iter().sum();
        Some(Self {
            regular: count(common) * 100 / widths.len().max(1),
            typed: typed * 100 / cells.max(1),
        })
    }
}

fn is_typed(read: &Read) -> bool {
    match read {
        Read::Value { readings, .. } => !readings.is_none(),
        Read::Null | Read::Marker => false,
    }
}

fn line_len(text: &[u8]) -> usize {
    let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    end.map_or(text.len(), |end| end + 1)
}
