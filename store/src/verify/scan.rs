//! The shared frames of a store: which of them have commits of which worlds, and what is wrong with
//! them.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::event::EventKind;
use folkmoot_core::ids::{Digest, Position, WorldId};

use super::walk::Trouble;
use crate::engine::{Engine, EngineError, FrameNumber, READ_BYTES};
use crate::format::frame::{FrameRef, Joiner};
use crate::format::record::{RecordRef, records};
use crate::read::frames::Frames;

/// A frame that does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrokenFrame {
    pub(crate) number: FrameNumber,
    pub(crate) trouble: Trouble,
}

/// The content of shared frames.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The units with commits of each world, in order.
    pub(crate) units: BTreeMap<WorldId, Vec<FrameNumber>>,
    /// The same of worlds that neither the index knows nor these frames begin.
    pub(crate) orphans: BTreeMap<WorldId, Vec<FrameNumber>>,
    pub(crate) broken: Vec<BrokenFrame>,
    /// The first frame that is not there although later ones are.
    pub(crate) missing: Option<FrameNumber>,
    /// The last frame that does not read, or is not there although others are on both sides of it.
    pub(crate) lost: Option<FrameNumber>,
    /// The first frame that is there.
    pub(crate) first: Option<FrameNumber>,
    /// The last frame that is there.
    pub(crate) head: FrameNumber,
    /// The link of the last commit.
    pub(crate) last_link: Option<Digest>,
    all: BTreeSet<FrameNumber>,
}

impl Scan {
    /// Reads all frames behind `swept`.
    pub(crate) fn read(engine: &dyn Engine, swept: FrameNumber) -> Result<Self, EngineError> {
        let mut reading = FramesUnderWay {
            scan: Self {
                head: swept,
                ..Self::default()
            },
            ..FramesUnderWay::default()
        };
        loop {
            let next = reading.scan.head.plus(1);
            let frames = engine.read(next, READ_BYTES)?;
            if frames.is_empty() {
                return Ok(reading.scan);
            }
            for (number, bytes) in &frames {
                reading.take(*number, bytes);
            }
        }
    }

    /// Sets apart the worlds that are not `known` and that these frames do not begin.
    pub(crate) fn set_orphans_apart(
        &mut self,
        engine: &dyn Engine,
        known: &BTreeSet<WorldId>,
    ) -> Result<(), EngineError> {
        let unknown: Vec<WorldId> = self
            .units
            .keys()
            .filter(|world| !known.contains(world))
            .copied()
            .collect();
        for world in unknown {
            let Some(units) = self.units.get(&world) else {
                continue;
            };
            if !begins(engine, world, units)? {
                self.orphans.extend(self.units.remove_entry(&world));
            }
        }
        Ok(())
    }

    /// Hands out all units.
    pub(crate) fn each_unit(
        &self,
        engine: &dyn Engine,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), EngineError> {
        let mut frames = Frames::default();
        for number in &self.all {
            if let Some(unit) = frames.unit(engine, *number)? {
                each(&unit);
            }
        }
        Ok(())
    }
}

/// Tells whether a commit in these units makes the world.
fn begins(engine: &dyn Engine, world: WorldId, units: &[FrameNumber]) -> Result<bool, EngineError> {
    let mut frames = Frames::default();
    for number in units {
        let Some(unit) = frames.unit(engine, *number)? else {
            continue;
        };
        if records(&unit)
            .map_while(Result::ok)
            .any(|record| record.fixed.world == world && makes(&record))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn makes(record: &RecordRef<'_>) -> bool {
    const MAKING: [u16; 2] = [EventKind::WorldOpened as u16, EventKind::Forked as u16];
    let is_made = record.events().is_ok_and(|events| {
        events
            .first()
            .is_some_and(|event| MAKING.contains(&event.kind))
    });
    record.fixed.first == Position::new(1) || is_made
}

/// The frames on their way.
#[derive(Default)]
struct FramesUnderWay {
    scan: Scan,
    joiner: Joiner,
    first: FrameNumber,
}

impl FramesUnderWay {
    fn take(&mut self, number: FrameNumber, bytes: &[u8]) {
        let expected = self.scan.head.plus(1);
        if number != expected {
            self.scan.missing.get_or_insert(expected);
            self.joiner = Joiner::default();
            if self.scan.first.is_some() {
                self.scan.lost = Some(FrameNumber(number.0.saturating_sub(1)));
            }
        }
        self.scan.head = number;
        self.scan.first.get_or_insert(number);
        let frame = match FrameRef::read(bytes) {
            Ok(frame) if frame.number == number.0 => frame,
            Ok(frame) => {
                let what = format!(
                    "frame {} stands in the place of frame {number}",
                    frame.number
                );
                return self.broken(
                    number,
                    Trouble {
                        is_newer: false,
                        what,
                    },
                );
            }
            Err(error) => return self.broken(number, Trouble::of_frame(bytes, error)),
        };
        if !frame.is_continued {
            self.first = number;
        }
        match self.joiner.add(&frame) {
            Ok(None) => {}
            Ok(Some(unit)) => note(&mut self.scan, self.first, unit),
            // Its beginning is what is missing or broken, and that is known.
            Err(_)
                if frame.is_continued
                    && (self.scan.missing.is_some() || !self.scan.broken.is_empty()) =>
            {
                self.scan.lost = Some(number);
            }
            Err(error) => self.broken(number, Trouble::unreadable(error)),
        }
    }

    fn broken(&mut self, number: FrameNumber, trouble: Trouble) {
        self.joiner = Joiner::default();
        self.scan.lost = Some(number);
        self.scan.broken.push(BrokenFrame { number, trouble });
    }
}

fn note(scan: &mut Scan, first: FrameNumber, unit: &[u8]) {
    scan.all.insert(first);
    for record in records(unit) {
        match record {
            Ok(record) => {
                scan.last_link = Some(record.link);
                let units = scan.units.entry(record.fixed.world).or_default();
                if units.last() != Some(&first) {
                    units.push(first);
                }
            }
            Err(error) => {
                let trouble = Trouble::unreadable(error);
                scan.broken.push(BrokenFrame {
                    number: first,
                    trouble,
                });
            }
        }
    }
}
