//! The heads of pages: they say how much memory a reader takes.

use super::bounds::{PAGE_MAX, bytes, page_fault};
use super::broken;
use super::thrift::{Cursor, Kind};
use crate::data::error::ImportError;
use crate::data::source::Source;

/// The most bytes of the head of a page.
const HEAD_MAX: usize = 1 << 20;

/// The most values of a dictionary, and of a page.
const DICTIONARY_VALUES_MAX: u64 = 2_000_000;
const PAGE_VALUES_MAX: u64 = 16_000_000;

/// The numbers of the kinds of pages.
pub(super) const DICTIONARY: i64 = 2;

/// Encodings of texts that say how many there are inside of the page: a reader would make room for that many.
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;

/// The head of a page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) kind: i64,
    pub(super) unpacked: u64,
    pub(super) packed: u64,
    pub(super) values: u64,
    encoding: i64,
    /// True if a page of the second version says that it is not compressed.
    pub(super) is_plain: bool,
    /// The bytes of a page of the second version that are never compressed.
    pub(super) levels: u64,
}

impl Page {
    /// The head of the page at `at`, and its length.
    pub(super) fn read(source: &dyn Source, at: u64, end: u64) -> Result<(Self, u64), ImportError> {
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

    pub(super) fn check(&self, is_packed: bool) -> Result<(), ImportError> {
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
