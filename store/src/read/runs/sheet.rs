//! The commits of one world on their way into runs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use folkmoot_core::command::commit::Keyed;
use folkmoot_core::ids::{Digest, Position, WorldId};
use zstd::bulk::Compressor;

use super::{entry, read_run_key, run_key};
use crate::engine::Pair;
use crate::format::Malformed;
use crate::format::frame::{FrameRef, Joiner, Packing, Unit};
use crate::format::record::{RecordRef, records};
use crate::state::index::Reach;
use crate::state::summary::{Summary, key_digest};

/// About how many bytes of commits make a unit.
const UNIT_BYTES: usize = 24 * 1024;

/// A last unit with at most this is written again together with what follows it.
const SMALL_BYTES: usize = UNIT_BYTES / 2;

/// The level of zstd: the fastest that still finds the repetitions.
const LEVEL: i32 = 1;

/// The commits of one world on their way into runs.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// The reach of the world with them.
    pub(crate) reach: Reach,
    start: Position,
    bytes: Vec<u8>,
    keys: Vec<(Position, Keyed, Digest)>,
    /// The messages that are gone, each with the first commit that took it away.
    gone: BTreeMap<Position, Position>,
}

impl Sheet {
    /// Begins behind `reach`.
    pub(crate) const fn new(reach: Reach) -> Self {
        Self {
            start: reach.head,
            reach,
            bytes: Vec::new(),
            keys: Vec::new(),
            gone: BTreeMap::new(),
        }
    }

    /// The position of the last event that counts as in runs already.
    pub(crate) const fn start(&self) -> Position {
        self.start
    }

    /// The position of the last event.
    pub(crate) const fn end(&self) -> Position {
        self.reach.head
    }

    /// Adds a commit, unless it is in runs already.
    pub(crate) fn add(
        &mut self,
        record: &RecordRef<'_>,
        summary: &Summary,
    ) -> Result<(), Malformed> {
        if super::is_known(record, self.start) {
            return Ok(());
        }
        if summary.first != self.reach.head.next() {
            return Err(Malformed(format!(
                "event {} does not follow event {}",
                summary.first, self.reach.head
            )));
        }
        self.reach.advance(summary, record.leaf()?);
        self.bytes.extend_from_slice(record.bytes);
        for gone in &summary.gone {
            self.gone.entry(*gone).or_insert(summary.first);
        }
        if let Some(keyed) = &summary.key {
            self.keys
                .push((summary.first, keyed.clone(), key_digest(&keyed.key)?));
        }
        Ok(())
    }

    /// The pairs for the key table.
    pub(crate) fn keys(&self, world: WorldId) -> impl Iterator<Item = Pair> + '_ {
        let pair = move |(first, keyed, digest): &(Position, Keyed, Digest)| {
            (
                entry::key(world, digest),
                entry::write_key(*first, &keyed.digest),
            )
        };
        self.keys.iter().map(pair)
    }

    /// The pairs for the table of messages that are gone.
    pub(crate) fn gone(&self, world: WorldId) -> impl Iterator<Item = Pair> + '_ {
        let pair = move |(gone, by): (&Position, &Position)| {
            (entry::gone_key(world, *gone), entry::write_gone_by(*by))
        };
        self.gone.iter().map(pair)
    }

    /// The pairs for the run table. `last` is the run in which the world's last counted event
    /// stands.
    pub(crate) fn runs(&self, world: WorldId, last: Option<Pair>) -> Result<Vec<Pair>, Malformed> {
        let mut units = self.units()?;
        let mut pairs = Vec::new();
        match self.merge(last, units.first().copied())? {
            Last::Stays => {}
            Last::Shrinks(pair) => pairs.push(pair),
            Last::Grows(pair) => {
                pairs.push(pair);
                units.remove(0);
            }
        }
        for unit in units {
            let parts = pack(unit)?.into_iter().zip(0..);
            pairs.extend(parts.map(|(frame, part)| (run_key(world, first(unit), part), frame)));
        }
        Ok(pairs)
    }

    /// Cuts the commits into units.
    fn units(&self) -> Result<Vec<&[u8]>, Malformed> {
        let mut units = Vec::new();
        let mut rest = self.bytes.as_slice();
        let mut len = 0;
        for record in records(&self.bytes) {
            let record = record?.bytes.len();
            if len > 0 && len + record > UNIT_BYTES {
                let (unit, behind) = rest.split_at_checked(len).unwrap_or((rest, &[]));
                units.push(unit);
                (rest, len) = (behind, 0);
            }
            len += record;
        }
        units.extend((!rest.is_empty()).then_some(rest));
        Ok(units)
    }

    /// Puts the first unit behind a small last run, if both fit one frame: one value is replaced
    /// whole or not at all. What a sweep put there that did not live to count it goes.
    fn merge(&self, last: Option<Pair>, unit: Option<&[u8]>) -> Result<Last, Malformed> {
        let (Some((key, value)), Some(unit)) = (last, unit) else {
            return Ok(Last::Stays);
        };
        let frame = FrameRef::read(&value)?;
        let (_, _, part) = read_run_key(&key)?;
        if part > 0 || frame.has_more {
            return Ok(Last::Stays);
        }
        let mut joiner = Joiner::default();
        let mut counted = Vec::new();
        let mut has_more = false;
        for record in joiner.add(&frame)?.into_iter().flat_map(records) {
            let record = record?;
            if super::is_known(&record, self.start) {
                counted.extend_from_slice(record.bytes);
            } else {
                has_more = true;
            }
        }
        if counted.is_empty() {
            return Ok(Last::Stays);
        }
        let grown = if counted.len() > SMALL_BYTES {
            None
        } else {
            only_frame(&[&counted, unit].concat())?
        };
        match grown {
            Some(frame) => Ok(Last::Grows((key, frame))),
            None if has_more => {
                Ok(only_frame(&counted)?.map_or(Last::Stays, |frame| Last::Shrinks((key, frame))))
            }
            None => Ok(Last::Stays),
        }
    }
}

/// The change of the last run.
enum Last {
    Stays,
    /// The last run loses what does not count.
    Shrinks(Pair),
    /// The last run gets the first unit.
    Grows(Pair),
}

/// The frame of a unit, if it needs only one.
fn only_frame(unit: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
    let mut frames = pack(unit)?;
    Ok(frames.pop().filter(|_| frames.is_empty()))
}

/// The position of a unit's first event.
fn first(unit: &[u8]) -> Position {
    records(unit)
        .next()
        .and_then(Result::ok)
        .map_or(Position::ZERO, |record| record.fixed.first)
}

/// Compresses with a compressor that its thread keeps: to make one takes as long as to compress a unit.
fn compress(raw: &[u8]) -> io::Result<Vec<u8>> {
    thread_local! {
        static KEPT: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    KEPT.with_borrow_mut(|kept| match kept {
        Some(compressor) => compressor.compress(raw),
        None => kept.insert(Compressor::new(LEVEL)?).compress(raw),
    })
}

/// Compresses a unit, if that pays, and cuts it into frames.
pub(crate) fn pack(raw: &[u8]) -> Result<Vec<Vec<u8>>, Malformed> {
    let packed = compress(raw).map_err(|error| Malformed(format!("cannot compress: {error}")))?;
    let (packing, payload) = if packed.len() < raw.len() - raw.len() / 8 {
        (Packing::Zstd, packed.as_slice())
    } else {
        (Packing::Plain, raw)
    };
    Unit {
        number: first(raw).get(),
        term: 0,
        packing,
        raw_len: raw.len(),
        payload,
    }
    .frames()
}
