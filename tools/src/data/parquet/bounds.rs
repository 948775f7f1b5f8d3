//! The bounds of a Parquet file. Its numbers say how much memory a reader takes; they are held against limits first.

use std::collections::BTreeSet;
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, ConvertedType, Type as Physical};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::broken;
use super::thrift::{Cursor, Kind};
use crate::data::error::ImportError;
use crate::data::limits::Limits;
use crate::data::source::Source;

/// The most bytes of a page, as it lies in the file and unpacked.
pub(super) const PAGE_MAX: usize = 64 << 20;

/// The most bytes of the structure behind the rows.
const FOOTER_MAX: u64 = 16 << 20;

/// The most bytes of the head of a page.
const HEAD_MAX: usize = 1 << 20;

/// The most bytes that the pages of a row group take at the same time, one of each column.
const MEMORY_MAX: u64 = 512 << 20;

/// The most values of a dictionary, and of a page.
const DICTIONARY_VALUES_MAX: u64 = 2_000_000;
const PAGE_VALUES_MAX: u64 = 16_000_000;

/// The bytes that a value of a dictionary takes beside its text.
const VALUE_BYTES: u64 = 32;

/// The most values of a column of lists in a row group: one row may hold all of them.
const LISTED_VALUES_MAX: i64 = 4_000_000;

/// The deepest nesting of columns.
const NESTING_MAX: usize = 16;

/// The most structures in a list of the footer.
const ELEMENTS_MAX: usize = 200_000;

/// Looks along the structure behind the rows, before it is read.
pub(super) fn check_footer(source: &dyn Source) -> Result<(), ImportError> {
    let cut = || broken("it is cut: its end is missing");
    let size = source.bytes();
    let tail = bytes(source, size.checked_sub(8).ok_or_else(cut)?, 8)?;
    let (length, magic) = tail.split_at_checked(4).ok_or_else(cut)?;
    if magic != b"PAR1" {
        return Err(cut());
    }
    let length = u32::from_le_bytes(length.try_into().map_err(|_| cut())?);
    if u64::from(length) > FOOTER_MAX {
        return Err(broken(format!(
            "the structure behind its rows has more than {FOOTER_MAX} bytes"
        )));
    }
    let start = (size - 8).checked_sub(length.into()).ok_or_else(cut)?;
    let footer = bytes(source, start, usize::try_from(length).unwrap_or(usize::MAX))?;
    let mut nesting = Some(0);
    let walked = Cursor::new(&footer).structure(&mut |cursor, id, kind| match (id, kind) {
        (2, Kind::LIST) => {
            let (kind, count) = cursor.list()?;
            let elements = children(cursor, kind, count)?;
            nesting = depth(&elements);
            Some(())
        }
        (4, Kind::LIST) => {
            let mut ahead = cursor.clone();
            let (_, count) = ahead.list()?;
            (count <= ELEMENTS_MAX).then_some(())?;
            cursor.skip(kind)
        }
        (_, kind) => cursor.skip(kind),
    });
    walked.ok_or_else(|| broken("the structure behind its rows is broken"))?;
    nesting.ok_or_else(|| {
        broken(format!(
            "its columns are nested more than {NESTING_MAX} deep"
        ))
    })?;
    Ok(())
}

/// The numbers of children in a schema's elements, in order.
fn children(cursor: &mut Cursor<'_>, kind: Kind, count: usize) -> Option<Vec<i64>> {
    if !kind.is_struct() || count > ELEMENTS_MAX {
        return None;
    }
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let mut children = 0;
        cursor.structure(&mut |cursor, id, kind| {
            if (id, kind) == (5, Kind::I32) {
                children = cursor.integer()?;
                Some(())
            } else {
                cursor.skip(kind)
            }
        })?;
        all.push(children);
    }
    Some(all)
}

/// The depth of the tree whose nodes have these numbers of children, parents first; `None`: it is too deep.
fn depth(children: &[i64]) -> Option<usize> {
    let mut open: Vec<i64> = Vec::new();
    let mut deepest = 0;
    for count in children {
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if *count > 0 {
            open.push(*count);
            deepest = deepest.max(open.len());
        }
        if open.len() > NESTING_MAX {
            return None;
        }
    }
    Some(deepest)
}

/// Looks at the columns: the crate panics at types that it does not know, and takes one of two columns of one name for both.
pub(super) fn check_schema(schema: &SchemaDescriptor, limits: Limits) -> Result<(), ImportError> {
    let fields = schema.root_schema().get_fields();
    if fields.len() > limits.columns || schema.num_columns() > limits.columns {
        return Err(ImportError::TooMany {
            of: "columns",
            max: u64::try_from(limits.columns).unwrap_or(u64::MAX),
        });
    }
    let mut paths = BTreeSet::new();
    for column in schema.columns() {
        if !paths.insert(column.path().parts()) {
            return Err(broken("two of its columns have one name"));
        }
        if !is_known(column) {
            let kind = column.converted_type();
            return Err(broken(format!(
                "it has a column of the type {kind}, which is not read here"
            )));
        }
    }
    Ok(())
}

fn is_known(column: &ColumnDescriptor) -> bool {
    use ConvertedType as C;
    let kind = column.converted_type();
    match column.physical_type() {
        Physical::BOOLEAN | Physical::INT96 | Physical::FLOAT | Physical::DOUBLE => true,
        Physical::INT32 => [
            C::NONE,
            C::INT_8,
            C::INT_16,
            C::INT_32,
            C::UINT_8,
            C::UINT_16,
            C::UINT_32,
            C::DATE,
            C::TIME_MILLIS,
            C::DECIMAL,
        ]
        .contains(&kind),
        Physical::INT64 => [
            C::NONE,
            C::INT_64,
            C::UINT_64,
            C::TIME_MICROS,
            C::TIMESTAMP_MILLIS,
            C::TIMESTAMP_MICROS,
            C::DECIMAL,
        ]
        .contains(&kind),
        Physical::BYTE_ARRAY => {
            [C::NONE, C::UTF8, C::ENUM, C::JSON, C::BSON, C::DECIMAL].contains(&kind)
        }
        Physical::FIXED_LEN_BYTE_ARRAY => [C::NONE, C::DECIMAL].contains(&kind),
    }
}

/// Looks at the pages of a row group.
pub(super) fn check_group(
    source: &dyn Source,
    group: &RowGroupMetaData,
) -> Result<(), ImportError> {
    let mut memory = 0_u64;
    for column in group.columns() {
        let is_list = column.column_descr().max_rep_level() > 0;
        if column.num_values() < group.num_rows()
            || !is_list && column.num_values() > group.num_rows()
        {
            return Err(broken(
                "its columns do not have as many values as it has rows",
            ));
        }
        if is_list && column.num_values() > LISTED_VALUES_MAX {
            return Err(broken(format!(
                "a column of lists has more than {LISTED_VALUES_MAX} values in a row group"
            )));
        }
        memory = memory.saturating_add(check_column(source, column)?);
        if memory > MEMORY_MAX {
            return Err(broken(format!(
                "the pages of a row group take more than {MEMORY_MAX} bytes: write it with smaller pages"
            )));
        }
    }
    Ok(())
}

/// Looks at the pages of a column, and returns the most bytes that they take at a time.
fn check_column(source: &dyn Source, column: &ColumnChunkMetaData) -> Result<u64, ImportError> {
    let compression = column.compression();
    let is_packed = match compression {
        Compression::UNCOMPRESSED => false,
        Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::ZSTD(_)
        | Compression::LZ4_RAW => true,
        Compression::LZO | Compression::BROTLI(_) | Compression::LZ4 => {
            return Err(broken(format!(
                "it is compressed by {compression}: write it with zstd, snappy, gzip or without"
            )));
        }
    };
    let (start, length) = column_range(column)?;
    let mut at = start;
    let end = start.checked_add(length).ok_or_else(page_fault)?;
    let mut largest = Largest::default();
    let mut values = 0_u64;
    while at < end {
        let (page, head) = Page::read(source, at, end)?;
        at = at.checked_add(head).ok_or_else(page_fault)?;
        page.check(is_packed)?;
        if let (Compression::GZIP(_), false) = (compression, page.is_plain) {
            check_gzip(source, at, &page)?;
        }
        largest.add(&page);
        if page.kind != DICTIONARY {
            values = values.saturating_add(page.values);
        }
        at = at
            .checked_add(page.packed)
            .filter(|at| *at <= end)
            .ok_or_else(page_fault)?;
    }
    if i64::try_from(values) != Ok(column.num_values()) {
        return Err(broken(
            "its pages do not have as many values as its columns",
        ));
    }
    Ok(largest.dictionary + largest.page)
}

fn page_fault() -> ImportError {
    broken("one of its pages is broken")
}

fn column_range(column: &ColumnChunkMetaData) -> Result<(u64, u64), ImportError> {
    let first = column
        .dictionary_page_offset()
        .unwrap_or_else(|| column.data_page_offset());
    let start = u64::try_from(first).map_err(|_| page_fault())?;
    let length = u64::try_from(column.compressed_size()).map_err(|_| page_fault())?;
    Ok((start, length))
}

/// The most bytes that a column's pages take.
#[derive(Debug, Default)]
struct Largest {
    dictionary: u64,
    page: u64,
}

impl Largest {
    fn add(&mut self, page: &Page) {
        let bytes = page.packed + page.unpacked;
        if page.kind == DICTIONARY {
            self.dictionary = self.dictionary.max(bytes + page.values * VALUE_BYTES);
        } else {
            self.page = self.page.max(bytes);
        }
    }
}

/// The numbers of the kinds of pages.
const DICTIONARY: i64 = 2;

/// Encodings of texts that say how many there are inside of the page: a reader would make room for that many.
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;

/// The head of a page.
#[derive(Debug, Default)]
struct Page {
    kind: i64,
    unpacked: u64,
    packed: u64,
    values: u64,
    encoding: i64,
    /// True if a page of the second version says that it is not compressed.
    is_plain: bool,
    /// The bytes of a page of the second version that are never compressed.
    levels: u64,
}

impl Page {
    /// The head of the page at `at`, and its length.
    fn read(source: &dyn Source, at: u64, end: u64) -> Result<(Self, u64), ImportError> {
        let most = usize::try_from(end - at).unwrap_or(usize::MAX);
        let mut length = most.min(512);
        loop {
            let head = bytes(source, at, length)?;
            let mut cursor = Cursor::new(&head);
            if let Some(page) = Self::parse(&mut cursor) {
                let length = u64::try_from(head.len() - cursor.left()).unwrap_or(u64::MAX);
                return Ok((page, length));
            }
            if length >= most.min(HEAD_MAX) {
                return Err(page_fault());
            }
            length = (length * 8).min(most).min(HEAD_MAX);
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
        let mut page = Self::default();
        let natural = |cursor: &mut Cursor<'_>| u64::try_from(cursor.integer()?).ok();
        cursor.structure(&mut |cursor, id, kind| {
            match (id, kind) {
                (1, Kind::I32) => page.kind = cursor.integer()?,
                (2, Kind::I32) => page.unpacked = natural(cursor)?,
                (3, Kind::I32) => page.packed = natural(cursor)?,
                (5 | 7 | 8, kind) if kind.is_struct() => page.parse_inner(cursor, id)?,
                (_, kind) => cursor.skip(kind)?,
            }
            Some(())
        })?;
        Some(page)
    }

    fn parse_inner(&mut self, cursor: &mut Cursor<'_>, outer: i16) -> Option<()> {
        let encoding_id = if outer == 8 { 4 } else { 2 };
        cursor.structure(&mut |cursor, id, kind| {
            match (id, kind) {
                (1, Kind::I32) => self.values = u64::try_from(cursor.integer()?).ok()?,
                (id, Kind::I32) if id == encoding_id => self.encoding = cursor.integer()?,
                (5 | 6, Kind::I32) if outer == 8 => {
                    self.levels = self
                        .levels
                        .checked_add(u64::try_from(cursor.integer()?).ok()?)?;
                }
                (7, kind) if outer == 8 => {
                    self.is_plain = kind == Kind::FALSE;
                    cursor.skip(kind)?;
                }
                (_, kind) => cursor.skip(kind)?,
            }
            Some(())
        })
    }

    fn check(&self, is_packed: bool) -> Result<(), ImportError> {
        let max = u64::try_from(PAGE_MAX).unwrap_or(u64::MAX);
        if self.packed > max || self.unpacked > max {
            return Err(broken(format!(
                "one of its pages has more than {PAGE_MAX} bytes"
            )));
        }
        if !is_packed && self.packed != self.unpacked
            || self.levels > self.packed.min(self.unpacked)
        {
            return Err(page_fault());
        }
        let is_dictionary = self.kind == DICTIONARY;
        if is_dictionary && self.values > DICTIONARY_VALUES_MAX.min(self.unpacked.saturating_mul(8))
        {
            return Err(broken(format!(
                "a dictionary has more than {DICTIONARY_VALUES_MAX} values, or more than fit"
            )));
        }
        if self.values > PAGE_VALUES_MAX {
            return Err(broken(format!(
                "one of its pages has more than {PAGE_VALUES_MAX} values"
            )));
        }
        if [DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY].contains(&self.encoding) {
            return Err(broken(
                "its texts are in a delta encoding: write it with plain ones or dictionaries",
            ));
        }
        Ok(())
    }
}

/// Unpacks a page without keeping it: gzip does not say how long it becomes, and its reader asks nobody.
fn check_gzip(source: &dyn Source, at: u64, page: &Page) -> Result<(), ImportError> {
    let packed = bytes(
        source,
        at,
        usize::try_from(page.packed).unwrap_or(usize::MAX),
    )?;
    let levels = usize::try_from(page.levels).unwrap_or(usize::MAX);
    let packed = packed.get(levels..).unwrap_or_default();
    let expected = page.unpacked - page.levels;
    let mut unpacked = MultiGzDecoder::new(packed).take(expected + 1);
    match io::copy(&mut unpacked, &mut io::sink()) {
        Ok(count) if count == expected => Ok(()),
        Ok(_) | Err(_) => Err(page_fault()),
    }
}

fn bytes(source: &dyn Source, at: u64, length: usize) -> Result<Vec<u8>, ImportError> {
    let mut bytes = vec![0; length];
    let mut read = 0;
    while read < length {
        let rest = bytes.get_mut(read..).unwrap_or_default();
        let at = at.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        match source.read_at(at, rest).map_err(ImportError::Read)? {
            0 => return Err(broken("it is cut: it says that it has more bytes")),
            count => read += count,
        }
    }
    Ok(bytes)
}
