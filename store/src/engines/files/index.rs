//! The place of the newest value of each key.

use std::collections::BTreeMap;
use std::ops::RangeBounds;

use super::row::{self, FRAMES, Row, RowKind};
use crate::engine::{FrameNumber, TERM, TRIMMED, Table, Term};

/// The place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValuePlace {
    /// The first byte in the file.
    pub(super) at: u64,
    pub(super) len: u32,
    pub(super) checksum: u32,
}

/// The places of the newest values, and what follows from rows of [`Table::Meta`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RowIndex {
    places: BTreeMap<Vec<u8>, ValuePlace>,
    pub(super) term: Term,
    pub(super) head: FrameNumber,
    live: u64,
}

impl RowIndex {
    /// Takes in a row that is in the file.
    pub(super) fn apply(&mut self, row: &Row<'_>, place: ValuePlace) {
        match row.kind {
            RowKind::Put => self.put(row, place),
            RowKind::Remove => self.forget(&row.key),
        }
    }

    fn put(&mut self, row: &Row<'_>, place: ValuePlace) {
        self.forget(&row.key);
        self.live += row.len() as u64;
        self.places.insert(row.key.clone(), place);
        let number = row::number(row.value).unwrap_or_default();
        match row.key.split_first() {
            Some((&FRAMES, frame)) => {
                self.head = self
                    .head
                    .max(FrameNumber(row::number(frame).unwrap_or_default()))
            }
            Some(_) if row.key == row::key(Table::Meta, TERM) => self.term = Term(number),
            Some(_) if row.key == row::key(Table::Meta, TRIMMED) => self.trim(number),
            Some(_) | None => {}
        }
    }

    fn forget(&mut self, key: &[u8]) {
        if let Some(place) = self.places.remove(key) {
            let len = (row::HEADER_LEN + key.len()) as u64 + u64::from(place.len);
            self.live = self.live.saturating_sub(len);
        }
    }

    fn trim(&mut self, up_to: u64) {
        self.head = self.head.max(FrameNumber(up_to));
        let gone: Vec<Vec<u8>> = self
            .places
            .range(row::frame_key(0)..=row::frame_key(up_to))
            .map(|(key, _)| key.clone())
            .collect();
        gone.iter().for_each(|key| self.forget(key));
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<ValuePlace> {
        self.places.get(key).copied()
    }

    /// The rows of a range, their keys without the table.
    pub(super) fn range(
        &self,
        range: impl RangeBounds<Vec<u8>>,
    ) -> impl DoubleEndedIterator<Item = (&[u8], ValuePlace)> + '_ {
        self.places
            .range(range)
            .map(|(key, place)| (key.get(1..).unwrap_or_default(), *place))
    }

    /// The frames from `from` on.
    pub(super) fn frames(
        &self,
        from: FrameNumber,
    ) -> impl Iterator<Item = (&[u8], ValuePlace)> + '_ {
        self.range(row::frame_key(from.0)..=row::frame_key(u64::MAX))
    }

    /// All rows, their keys with the table.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Vec<u8>, ValuePlace)> + '_ {
        self.places.iter().map(|(key, place)| (key, *place))
    }

    /// Tells whether it has the same values under the same keys, wherever they stand.
    pub(super) fn has_the_values_of(&self, other: &Self) -> bool {
        let is_same = |(key, one): (&Vec<u8>, ValuePlace)| {
            other
                .get(key)
                .is_some_and(|other| (one.len, one.checksum) == (other.len, other.checksum))
        };
        self.places.len() == other.places.len() && self.all().all(is_same)
    }

    /// The bytes of all rows that are not replaced.
    pub(super) const fn live_bytes(&self) -> u64 {
        self.live
    }
}
