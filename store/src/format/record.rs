//! A commit as stored.

use folkmoot_core::ids::Digest;
use folkmoot_proof::Hash;

use super::Malformed;
use super::bytes::{Bytes, to_u32};
use super::event::EventRef;
use super::header::Fixed;
use crate::format::chain;

/// The place of the link: behind the record's length.
pub(crate) const LINK_AT: usize = 4;
pub(crate) const LINK_LEN: usize = 32;

/// For how many events room is made before they are read.
const EVENTS_AT_ONCE: usize = 16;

/// The bytes of a commit that was taken apart.
pub(crate) fn restore(
    header: &[u8],
    events: &[EventRef<'_>],
    link: &Digest,
) -> Result<Vec<u8>, Malformed> {
    let header_len =
        u16::try_from(header.len()).map_err(|_| Malformed::new("its header is too long"))?;
    let mut bytes = vec![0; LINK_AT];
    bytes.extend_from_slice(link.as_bytes());
    bytes.extend_from_slice(&header_len.to_le_bytes());
    bytes.extend_from_slice(header);
    events
        .iter()
        .try_for_each(|event| event.write(&mut bytes))?;
    let len = to_u32(bytes.len())?;
    patch(&mut bytes, 0, &len.to_le_bytes());
    Ok(bytes)
}

pub(crate) fn patch(bytes: &mut [u8], at: usize, field: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at.saturating_add(field.len())) {
        place.copy_from_slice(field);
    }
}

/// A stored commit, still in the bytes it was read from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordRef<'a> {
    /// All its bytes.
    pub(crate) bytes: &'a [u8],
    pub(crate) link: Digest,
    pub(crate) fixed: Fixed,
    pub(crate) header: &'a [u8],
    events: &'a [u8],
}

impl<'a> RecordRef<'a> {
    /// Reads the next record of `bytes`.
    pub(crate) fn read(bytes: &mut Bytes<'a>) -> Result<Self, Malformed> {
        let len = super::bytes::to_usize(Bytes(bytes.0).u32()?);
        let whole = bytes.take(len)?;
        let mut rest = Bytes(whole);
        rest.u32()?;
        let link = Digest::new(rest.array()?);
        let header_len = rest.u16()?;
        let header = rest.take(usize::from(header_len))?;
        let fixed = Fixed::read(&mut Bytes(header))?;
        Ok(Self {
            bytes: whole,
            link,
            fixed,
            header,
            events: rest.0,
        })
    }

    /// Returns its events.
    pub(crate) fn events(&self) -> Result<Vec<EventRef<'a>>, Malformed> {
        let mut bytes = Bytes(self.events);
        // A count that does not fit the bytes is found when they end.
        let mut events =
            Vec::with_capacity(super::bytes::to_usize(self.fixed.count).min(EVENTS_AT_ONCE));
        for _ in 0..self.fixed.count {
            events.push(EventRef::read(&mut bytes)?);
        }
        match bytes.0 {
            [] => Ok(events),
            rest => Err(Malformed(format!(
                "{} bytes too many behind the last event",
                rest.len()
            ))),
        }
    }

    /// Returns its bytes with its `events`, whose content may stand elsewhere than in them.
    pub(crate) fn restored(&self, events: &[EventRef<'_>]) -> Result<Vec<u8>, Malformed> {
        let before = self
            .bytes
            .get(..self.bytes.len().saturating_sub(self.events.len()))
            .unwrap_or_default();
        let mut bytes = before.to_vec();
        events
            .iter()
            .try_for_each(|event| event.write(&mut bytes))?;
        let len = to_u32(bytes.len())?;
        patch(&mut bytes, 0, &len.to_le_bytes());
        Ok(bytes)
    }

    /// Returns its bytes with its `events` changed: they must give the same leaf, so that its link
    /// stays.
    pub(crate) fn with(&self, events: &[EventRef<'_>]) -> Result<Vec<u8>, Malformed> {
        let bytes = self.restored(events)?;
        if chain::leaf(self.header, events) == self.leaf()? {
            Ok(bytes)
        } else {
            Err(Malformed(format!(
                "event {} would give another leaf",
                self.fixed.first
            )))
        }
    }

    /// The leaf that the stored bytes give.
    pub(crate) fn leaf(&self) -> Result<Hash, Malformed> {
        Ok(chain::leaf(self.header, &self.events()?))
    }
}

/// The records in the bytes of a unit.
pub(crate) fn records(unit: &[u8]) -> impl Iterator<Item = Result<RecordRef<'_>, Malformed>> {
    let mut bytes = Bytes(unit);
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed || bytes.0.is_empty() {
            return None;
        }
        let record = RecordRef::read(&mut bytes);
        failed = record.is_err();
        Some(record)
    })
}
