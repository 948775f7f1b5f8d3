//! Parquet, by the record API of its crate, behind bounds that are held against the file first.

use std::fmt::Write as _;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use jiff::civil::Date;
use jiff::{Span, Timestamp};
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, FileReader, Length};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::reader::{ReaderIter, TreeBuilder};
use parquet::record::{Field, Row as Record};
use parquet::schema::types::SchemaDescPtr;

use super::error::ImportError;
use super::limits::Limits;
use super::rows::{BadRow, Passed, Row, Rows, Spelling, Step};
use super::source::{Source, SourceReader};

mod bounds;
mod thrift;

#[cfg(test)]
mod tests;

/// The rows of a column that are decoded at a time.
const BATCH: usize = 256;

pub(super) struct ParquetRows {
    reader: SerializedFileReader<Chunks>,
    schema: SchemaDescPtr,
    /// The rows of the row group that is read now.
    group: Option<ReaderIter>,
    /// The row group behind it.
    next_group: usize,
    row: u64,
    limits: Limits,
    passed: Passed,
}

impl ParquetRows {
    pub(super) fn new(source: &Arc<dyn Source>, limits: Limits) -> Result<Self, ImportError> {
        bounds::check_footer(&**source)?;
        let chunks = Chunks(Arc::clone(source));
        let reader = guarded(|| SerializedFileReader::new(chunks))?;
        bounds::check_schema(reader.metadata().file_metadata().schema_descr(), limits)?;
        for group in reader.metadata().row_groups() {
            bounds::check_group(&**source, group)?;
        }
        Ok(Self {
            schema: reader.metadata().file_metadata().schema_descr_ptr(),
            reader,
            group: None,
            next_group: 0,
            row: 0,
            limits,
            passed: Passed::default(),
        })
    }

    /// The next record of any row group.
    fn record(&mut self) -> Result<Option<Record>, ImportError> {
        loop {
            if let Some(group) = &mut self.group
                && let Some(record) = guarded(|| group.next().transpose())?
            {
                return Ok(Some(record));
            }
            if self.next_group == self.reader.num_row_groups() {
                return Ok(None);
            }
            let group = guarded(|| {
                let group = self.reader.get_row_group(self.next_group)?;
                let builder = TreeBuilder::new().with_batch_size(BATCH);
                builder.as_iter(Arc::clone(&self.schema), &*group)
            })?;
            self.group = Some(group);
            self.next_group += 1;
        }
    }

    /// Adds a cell to the row; `None`: it is a time that no calendar has.
    fn put(&mut self, field: &Field, row: &mut Row) -> Option<()> {
        let mut text = String::new();
        let spelling = match field {
            Field::Double(real) if real.is_nan() => {
                self.passed.no_numbers += 1;
                Spelling::Null
            }
            Field::Float(real) if real.is_nan() => {
                self.passed.no_numbers += 1;
                Spelling::Null
            }
            field => spell(field, &mut text)?,
        };
        row.bytes.extend_from_slice(text.as_bytes());
        row.end_cell(spelling);
        Some(())
    }
}

impl Rows for ParquetRows {
    fn next(&mut self, row: &mut Row) -> Result<Step, ImportError> {
        row.clear();
        let Some(record) = self.record()? else {
            return Ok(Step::End);
        };
        self.row += 1;
        row.line = self.row;
        let line = self.row;
        let bad = |reason: String| Ok(Step::Bad(BadRow::new(line, reason)));
        let mut fields = record.get_column_iter();
        if !fields.all(|(_, field)| self.put(field, row).is_some()) {
            return bad("a time that no calendar has".into());
        }
        if row.longest_cell() > self.limits.field_bytes {
            return bad(format!(
                "a cell of more than {} bytes",
                self.limits.field_bytes
            ));
        }
        if row.bytes.len() > self.limits.row_bytes {
            return bad(format!(
                "more than {} bytes in a row",
                self.limits.row_bytes
            ));
        }
        if row.bytes.contains(&0) {
            return bad("a NUL byte".into());
        }
        Ok(Step::Row)
    }

    fn names(&self) -> Vec<String> {
        let fields = self.schema.root_schema().get_fields();
        fields.iter().map(|field| field.name().to_owned()).collect()
    }

    fn passed(&self) -> Passed {
        self.passed
    }
}

/// Writes a value as text; `None`: it is a time that no calendar has.
fn spell(field: &Field, text: &mut String) -> Option<Spelling> {
    match field {
        Field::Null => return Some(Spelling::Null),
        Field::Bool(value) => return wrote(text, value, Spelling::Boolean),
        Field::Byte(value) => return wrote(text, value, Spelling::Number),
        Field::Short(value) => return wrote(text, value, Spelling::Number),
        Field::Int(value) => return wrote(text, value, Spelling::Number),
        Field::Long(value) => return wrote(text, value, Spelling::Number),
        Field::UByte(value) => return wrote(text, value, Spelling::Number),
        Field::UShort(value) => return wrote(text, value, Spelling::Number),
        Field::UInt(value) => return wrote(text, value, Spelling::Number),
        Field::ULong(value) => return wrote(text, value, Spelling::Number),
        Field::Float16(value) => return wrote(text, &value.to_f32(), Spelling::Number),
        Field::Float(value) => return wrote(text, value, Spelling::Number),
        Field::Double(value) => write!(text, "{value:?}").ok()?,
        Field::Decimal(_) => write!(text, "{field}").ok()?,
        Field::Str(value) => {
            text.push_str(value);
            return Some(Spelling::Text);
        }
        Field::Bytes(value) => {
            spell_bytes(value.data(), text);
            return Some(Spelling::Text);
        }
        Field::Date(days) => {
            let date = Date::constant(1970, 1, 1).checked_add(Span::new().try_days(*days).ok()?);
            return wrote(text, &date.ok()?, Spelling::Text);
        }
        Field::TimeMillis(millis) => return clock(i64::from(*millis).checked_mul(1_000)?, text),
        Field::TimeMicros(micros) => return clock(*micros, text),
        Field::TimestampMillis(millis) => {
            return time(Timestamp::from_millisecond(*millis).ok()?, text);
        }
        Field::TimestampMicros(micros) => {
            return time(Timestamp::from_microsecond(*micros).ok()?, text);
        }
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            text.push_str(&json(field)?.to_string());
            return Some(Spelling::Nested);
        }
    }
    Some(Spelling::Number)
}

fn wrote(
    text: &mut String,
    value: &impl std::fmt::Display,
    spelling: Spelling,
) -> Option<Spelling> {
    write!(text, "{value}").ok()?;
    Some(spelling)
}

/// Bytes are text if they can be, as old programs write it, and hexadecimal digits if not.
fn spell_bytes(bytes: &[u8], text: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(plain) if !plain.contains('\0') => text.push_str(plain),
        Ok(_) | Err(_) => {
            text.push_str("0x");
            for byte in bytes {
                text.push_str(&format!("{byte:02x}"));
            }
        }
    }
}

fn time(time: Timestamp, text: &mut String) -> Option<Spelling> {
    wrote(text, &time.strftime("%Y-%m-%d %H:%M:%S%.f"), Spelling::Text)
}

fn clock(micros: i64, text: &mut String) -> Option<Spelling> {
    let day = Timestamp::from_microsecond(micros).ok()?;
    (0..86_400_000_000).contains(&micros).then_some(())?;
    wrote(text, &day.strftime("%H:%M:%S%.f"), Spelling::Text)
}

/// A nested value as JSON. `None`: it holds a time that no calendar has.
fn json(field: &Field) -> Option<serde_json::Value> {
    Some(match field {
        Field::Group(record) => {
            let members = record.get_column_iter();
            members
                .map(|(name, field)| Some((name.clone(), json(field)?)))
                .collect::<Option<_>>()?
        }
        Field::ListInternal(list) => list.elements().iter().map(json).collect::<Option<_>>()?,
        // Keys need not be texts, so a map is a list of pairs.
        Field::MapInternal(map) => {
            let pairs = map.entries().iter();
            pairs
                .map(|(key, value)| Some(serde_json::Value::Array(vec![json(key)?, json(value)?])))
                .collect::<Option<_>>()?
        }
        flat => {
            let mut text = String::new();
            match spell(flat, &mut text)? {
                Spelling::Null => serde_json::Value::Null,
                Spelling::Number | Spelling::Boolean => {
                    serde_json::from_str(&text).unwrap_or_else(|_| text.into())
                }
                Spelling::Text | Spelling::Loose | Spelling::Nested => text.into(),
            }
        }
    })
}

/// The result of what reads a foreign file. The crate's own words may hold cells, and its code may panic: neither gets out.
fn guarded<T>(read: impl FnOnce() -> ParquetResult<T>) -> Result<T, ImportError> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) | Err(_) => Err(broken("its structure is broken")),
    }
}

fn broken(why: impl Into<String>) -> ImportError {
    ImportError::BadParquet { why: why.into() }
}

/// A source as the crate reads it.
struct Chunks(Arc<dyn Source>);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.bytes()
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<SourceReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(SourceReader::new(&self.0, start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if length > bounds::PAGE_MAX {
            return Err(io::Error::other("more bytes than a page has").into());
        }
        let mut bytes = vec![0; length];
        SourceReader::new(&self.0, start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
