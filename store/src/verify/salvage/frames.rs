//! Finding frames in the bytes of a file whose structure does not read any more.
//!
//! A frame says how it begins, and its checksum tells where it ends. So frames are found wherever
//! they stand, without the engine that put them there, and the links of their commits say what
//! counts. What was removed may be found as well: it counts only if it follows what is kept, and
//! nothing of a world that has a tombstone does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use folkmoot_core::ids::{Position, WorldId};

use super::scribe::Scribe;
use crate::engine::{EngineError, from_io};
use crate::format::FRAME_MAX;
use crate::format::frame::{FrameRef, Joiner, frame_len};
use crate::format::record::records;
use crate::state::index::Base;
use crate::verify;
use crate::write::deletion::is_tombstone;

/// The bytes that are searched at once.
const WINDOW: usize = 1024 * 1024;

/// The beginning of a tombstone.
const TOMBSTONE: &[u8] = b"{\"world\":\"";

/// The most bytes that a tombstone has.
const TOMBSTONE_MAX: usize = 4 * 1024;

/// The most frames of a unit that are tried.
const PARTS_MAX: u64 = 16_384;

/// The place of bytes.
type FramePlace = (u64, usize);

/// The findings in a file.
#[derive(Debug)]
pub(crate) struct Salvage {
    file: File,
    /// The frames of each unit.
    units: Vec<Vec<FramePlace>>,
    /// The units with commits of each world, by the first of these.
    of: BTreeMap<WorldId, BTreeSet<(Position, usize)>>,
    /// The values of tombstones.
    pub(crate) tombstones: Vec<Vec<u8>>,
}

/// The mark that tells the frames of a unit from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct UnitTag {
    number: u64,
    term: u64,
    raw_len: usize,
}

/// The frames that begin a unit, and those that continue one.
#[derive(Debug, Default)]
struct UnitFrames {
    begin: Vec<(UnitTag, FramePlace, bool)>,
    rest: BTreeMap<UnitTag, (FramePlace, bool)>,
    tombstones: Vec<Vec<u8>>,
}

impl Salvage {
    /// Searches a file.
    pub(crate) fn search(path: &Path) -> Result<Self, EngineError> {
        let file = File::open(path).map_err(from_io)?;
        let found = UnitFrames::in_file(&file)?;
        let tombstones = found.tombstones.clone();
        let mut salvage = Self {
            file,
            units: Vec::new(),
            of: BTreeMap::new(),
            tombstones,
        };
        for (tag, place, has_more) in &found.begin {
            salvage.add(found.unit(*tag, *place, *has_more))?;
        }
        Ok(salvage)
    }

    pub(crate) fn worlds(&self) -> impl Iterator<Item = WorldId> + '_ {
        self.of.keys().copied()
    }

    /// Offers all commits of a world.
    pub(crate) fn offer(&self, world: WorldId, scribe: &mut Scribe<'_>) -> Result<(), EngineError> {
        for (_, unit) in self.of.get(&world).into_iter().flatten() {
            let Some(commits) = self
                .units
                .get(*unit)
                .map(|places| self.read(places))
                .transpose()?
                .flatten()
            else {
                continue;
            };
            for record in records(&commits).map_while(Result::ok) {
                scribe.offer(&record)?;
            }
        }
        Ok(())
    }

    /// Returns what the first commit of a world's own says that it was forked from.
    pub(crate) fn base(&self, world: WorldId) -> Result<Option<Base>, EngineError> {
        for (_, unit) in self.of.get(&world).into_iter().flatten() {
            let places = self.units.get(*unit).map_or(&[][..], Vec::as_slice);
            let commits = self.read(places)?.unwrap_or_default();
            let own = records(&commits)
                .map_while(Result::ok)
                .find(|record| record.fixed.world == world);
            if let Some(own) = own {
                return Ok(verify::base(&own, false));
            }
        }
        Ok(None)
    }

    /// Notes a unit that reads.
    fn add(&mut self, places: Vec<FramePlace>) -> Result<(), EngineError> {
        let Some(commits) = self.read(&places)? else {
            return Ok(());
        };
        let mut firsts: BTreeMap<WorldId, Position> = BTreeMap::new();
        for record in records(&commits).map_while(Result::ok) {
            firsts
                .entry(record.fixed.world)
                .or_insert(record.fixed.first);
        }
        for (world, first) in firsts {
            self.of
                .entry(world)
                .or_default()
                .insert((first, self.units.len()));
        }
        self.units.push(places);
        Ok(())
    }

    /// The commits of a unit, if its frames are one.
    fn read(&self, places: &[FramePlace]) -> Result<Option<Vec<u8>>, EngineError> {
        let mut joiner = Joiner::default();
        for (at, len) in places {
            let mut bytes = vec![0; *len];
            self.file.read_exact_at(&mut bytes, *at).map_err(from_io)?;
            let Ok(frame) = FrameRef::read(&bytes) else {
                return Ok(None);
            };
            match joiner.add(&frame) {
                Ok(None) => {}
                Ok(Some(commits)) => return Ok(Some(commits.to_vec())),
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }
}

impl UnitFrames {
    fn in_file(file: &File) -> Result<Self, EngineError> {
        let len = file.metadata().map_err(from_io)?.len();
        let mut found = Self::default();
        let mut from = 0;
        let mut bytes = Vec::new();
        while from < len {
            // What begins in a window ends in it or close behind.
            let wanted = usize::try_from(len.saturating_sub(from))
                .unwrap_or(usize::MAX)
                .min(WINDOW + FRAME_MAX);
            bytes.resize(wanted, 0);
            file.read_exact_at(&mut bytes, from).map_err(from_io)?;
            found.in_window(&bytes, from);
            from += WINDOW as u64;
        }
        Ok(found)
    }

    fn in_window(&mut self, bytes: &[u8], from: u64) {
        let mut at = 0;
        while at < bytes.len().min(WINDOW) {
            let rest = bytes.get(at..).unwrap_or_default();
            let frame = frame_len(rest)
                .and_then(|len| rest.get(..len))
                .and_then(|frame| FrameRef::read(frame).ok());
            if let Some(frame) = frame {
                let len = crate::format::frame::HEADER_LEN + frame.payload.len();
                self.frame(&frame, (from.saturating_add(at as u64), len));
                at += len;
                continue;
            }
            if rest.starts_with(TOMBSTONE) {
                self.tombstones.extend(tombstone(rest));
            }
            at += 1;
        }
    }

    fn frame(&mut self, frame: &FrameRef<'_>, place: FramePlace) {
        let tag = UnitTag {
            number: frame.number,
            term: frame.term,
            raw_len: frame.raw_len,
        };
        if frame.is_continued {
            self.rest.insert(tag, (place, frame.has_more));
        } else {
            self.begin.push((tag, place, frame.has_more));
        }
    }

    /// The frames of a unit, as far as they are there.
    fn unit(&self, tag: UnitTag, place: FramePlace, mut has_more: bool) -> Vec<FramePlace> {
        let mut places = vec![place];
        for part in 1..PARTS_MAX {
            let next = UnitTag {
                number: tag.number.saturating_add(part),
                ..tag
            };
            let Some((place, more)) = self.rest.get(&next).filter(|_| has_more) else {
                break;
            };
            places.push(*place);
            has_more = *more;
        }
        places
    }
}

/// The value of the tombstone that `bytes` begin with, if there is one.
fn tombstone(bytes: &[u8]) -> Option<Vec<u8>> {
    let ends = (TOMBSTONE.len()..bytes.len().min(TOMBSTONE_MAX))
        .filter(|end| bytes.get(*end) == Some(&b'}'));
    ends.filter_map(|end| bytes.get(..end + 5))
        .find(|value| is_tombstone(value))
        .map(<[u8]>::to_vec)
}
