//! JSON lines: an object in each line, whose keys are the names of columns.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use memchr::memchr;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::ImportError;
use super::limits::Limits;
use super::rows::{BadRow, Passed, Row, Rows, Spelling, Step};
use super::text::TextReader;

#[cfg(test)]
mod tests;

pub(super) struct LineRows {
    text: TextReader,
    limits: Limits,
    buffer: Vec<u8>,
    /// The place in `buffer` of what is not yet read.
    at: usize,
    /// The line of that place.
    line: u64,
    /// The columns, in the order in which they were first seen.
    names: Vec<String>,
    places: BTreeMap<String, usize>,
    passed: Passed,
}

/// A line of the text.
enum Line {
    /// The range of it in the buffer.
    Whole(std::ops::Range<usize>),
    TooLong,
    End,
}

impl LineRows {
    pub(super) fn new(text: TextReader, limits: Limits) -> Self {
        Self {
            text,
            limits,
            buffer: Vec::new(),
            at: 0,
            line: 0,
            names: Vec::new(),
            places: BTreeMap::new(),
            passed: Passed::default(),
        }
    }

    /// Goes on to the next line. The part of a line that is too long is dropped.
    fn next_line(&mut self) -> Result<Line, ImportError> {
        let mut is_long = false;
        let mut looked = 0;
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let end = memchr(b'\n', rest.get(looked..).unwrap_or_default()).map(|end| end + looked);
            if end.is_none() && !self.text.is_end {
                looked = rest.len();
                is_long |= looked > self.limits.row_bytes;
                let kept = if is_long { self.buffer.len() } else { self.at };
                self.buffer.drain(..kept);
                self.at = 0;
                looked = self.buffer.len();
                self.text.fill(&mut self.buffer)?;
                continue;
            }
            if end.is_none() && rest.is_empty() && !is_long {
                return Ok(Line::End);
            }
            let range = self.at..self.at + end.unwrap_or(rest.len());
            self.at = self.buffer.len().min(range.end + 1);
            self.line += 1;
            return Ok(if is_long || range.len() > self.limits.row_bytes {
                Line::TooLong
            } else {
                Line::Whole(range)
            });
        }
    }

    /// Puts the cells of a line into the row; `Some`: the reason why it is none.
    fn read(&mut self, line: &[u8], row: &mut Row) -> Result<Option<String>, ImportError> {
        let Ok(text) = std::str::from_utf8(line) else {
            self.passed.not_utf8 += 1;
            return Ok(Some("bytes that are no UTF-8".into()));
        };
        let members = match serde_json::from_str::<Members<'_>>(text) {
            Ok(members) => members.0,
            Err(error) => return Ok(Some(format!("no JSON object (column {})", error.column()))),
        };
        let mut keys = BTreeSet::new();
        if !members.iter().all(|(key, _)| keys.insert(key)) {
            return Ok(Some("one key twice".into()));
        }
        for (key, value) in &members {
            let place = self.place(key)?;
            let Some((text, spelling)) = cell(value.get()) else {
                return Ok(Some("a text with half a letter".into()));
            };
            row.put(place, &text, spelling);
        }
        if row.longest_cell() > self.limits.field_bytes {
            let max = self.limits.field_bytes;
            return Ok(Some(format!("a cell of more than {max} bytes")));
        }
        Ok(memchr(0, &row.bytes).map(|_| "a NUL byte".into()))
    }

    /// The place of the column `key`, which may be new.
    fn place(&mut self, key: &str) -> Result<usize, ImportError> {
        if let Some(place) = self.places.get(key) {
            return Ok(*place);
        }
        let place = self.names.len();
        if place == self.limits.columns {
            return Err(ImportError::TooMany {
                of: "columns",
                max: u64::try_from(place).unwrap_or(u64::MAX),
            });
        }
        self.names.push(key.to_owned());
        self.places.insert(key.to_owned(), place);
        Ok(place)
    }
}

impl Rows for LineRows {
    fn next(&mut self, row: &mut Row) -> Result<Step, ImportError> {
        loop {
            row.clear();
            let range = match self.next_line()? {
                Line::Whole(range) => range,
                Line::TooLong => {
                    let reason = format!("more than {} bytes in a row", self.limits.row_bytes);
                    return Ok(Step::Bad(BadRow::new(self.line, reason)));
                }
                Line::End => return Ok(Step::End),
            };
            row.line = self.line;
            // Taken out and put back: the columns are changed while the line is read.
            let buffer = std::mem::take(&mut self.buffer);
            let line = buffer.get(range).unwrap_or_default().trim_ascii();
            let is_blank = line.is_empty();
            let bad = if is_blank {
                Ok(None)
            } else {
                self.read(line, row)
            };
            self.buffer = buffer;
            match bad? {
                Some(reason) => return Ok(Step::Bad(BadRow::new(self.line, reason))),
                None if is_blank => self.passed.blank_lines += 1,
                None => return Ok(Step::Row),
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn passed(&self) -> Passed {
        Passed {
            is_lossy: self.text.is_lossy,
            ..self.passed
        }
    }
}

/// The text of a value, and the way in which it was written.
fn cell(value: &str) -> Option<(Cow<'_, str>, Spelling)> {
    Some(match value.as_bytes().first() {
        Some(b'"') => (
            serde_json::from_str::<String>(value).ok()?.into(),
            Spelling::Text,
        ),
        Some(b'{' | b'[') => (value.into(), Spelling::Nested),
        Some(b't' | b'f') => (value.into(), Spelling::Boolean),
        Some(b'n') | None => ("".into(), Spelling::Null),
        Some(_) => (value.into(), Spelling::Number),
    })
}

/// The members of an object, in their order, with values as they are written.
struct Members<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}
