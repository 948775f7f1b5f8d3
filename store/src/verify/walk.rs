//! Walking the stored records of one world as they are, without believing any of them.

use std::ops::ControlFlow;

use folkmoot_core::ids::{Position, WorldId};

use crate::engine::{Engine, EngineError, FrameNumber, Pair, READ_BYTES, Table};
use crate::format::Malformed;
use crate::format::frame::{FrameRef, Joiner, is_newer};
use crate::format::record::{RecordRef, records};
use crate::read::frames::Frames;
use crate::read::runs::{read_run_key, run_key};

/// A stretch of a log: commits in the runs of a world, then in shared frames.
#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    /// The world under whose id they are kept.
    pub(crate) owner: WorldId,
    /// Its last event that counts, if it ends before its world does.
    pub(crate) up_to: Position,
    /// Up to here commits are in runs.
    pub(crate) runs_end: Position,
    /// The units of shared frames that have the others.
    pub(crate) tail: Vec<FrameNumber>,
}

/// Bytes that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// True if a newer build wrote them.
    pub(crate) is_newer: bool,
    pub(crate) what: String,
}

impl Trouble {
    pub(crate) fn unreadable(error: Malformed) -> Self {
        Self {
            is_newer: false,
            what: error.0,
        }
    }

    /// Returns what is the matter with a frame that does not read.
    pub(crate) fn of_frame(bytes: &[u8], error: Malformed) -> Self {
        Self {
            is_newer: is_newer(bytes),
            what: error.0,
        }
    }
}

/// The next thing in a log.
#[derive(Debug)]
pub(crate) enum Item<'a> {
    /// A commit.
    Record(RecordRef<'a>),
    /// Bytes that should have been commits.
    Broken(Trouble),
}

/// The end of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// At the end.
    Done,
    /// Where it was told to.
    Stopped,
    /// At a shared frame that is not there: it may have been copied into runs.
    Moved,
}

/// What is told of each item.
pub(crate) type Each<'f> = dyn FnMut(Item<'_>) -> ControlFlow<()> + 'f;

impl Stretch {
    /// Hands out the items from the one with event `from` on.
    pub(crate) fn walk(
        &self,
        engine: &dyn Engine,
        from: Position,
        each: &mut Each<'_>,
    ) -> Result<End, EngineError> {
        if from <= self.runs_end && self.walk_runs(engine, from, each)?.is_break() {
            return Ok(End::Stopped);
        }
        self.walk_tail(engine, from, each)
    }

    fn walk_runs(
        &self,
        engine: &dyn Engine,
        from: Position,
        each: &mut Each<'_>,
    ) -> Result<ControlFlow<()>, EngineError> {
        let beginning = run_key(self.owner, Position::ZERO, 0);
        let first = engine.floor(Table::Runs, &run_key(self.owner, from, u16::MAX))?;
        let first =
            first.filter(|(key, _)| from.get() > 1 && key.starts_with(self.owner.0.as_bytes()));
        // A unit in parts begins with part 0.
        let first = first
            .map(|(key, _)| read_run_key(&key).map(|(world, first, _)| run_key(world, first, 0)));
        let mut next = first.and_then(Result::ok).unwrap_or(beginning);
        let end = run_key(self.owner, self.runs_end.min(self.up_to).next(), 0);
        let mut unit = RunUnits::default();
        let mut has_ended = false;
        loop {
            let rows = engine.range(Table::Runs, &next, &end, READ_BYTES)?;
            let Some((last, _)) = rows.last() else {
                return Ok(ControlFlow::Continue(()));
            };
            next.clone_from(last);
            next.push(0);
            for row in &rows {
                let mut pass = |item: Item<'_>| {
                    if self.is_uncounted(&item, has_ended) {
                        return ControlFlow::Continue(());
                    }
                    has_ended |= matches!(&item, Item::Record(record) if record.fixed.last() == self.runs_end);
                    self.pass(item, from, each)
                };
                if unit.add(row, &mut pass).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
    }

    /// Tells whether a commit was put behind the counted ones by a sweep that did not live to count
    /// it, or does not count it yet: it is in shared frames, too.
    fn is_uncounted(&self, item: &Item<'_>, has_ended: bool) -> bool {
        let is_behind = |record: &RecordRef<'_>| {
            record.fixed.world == self.owner && record.fixed.first > self.runs_end
        };
        has_ended
            && !self.tail.is_empty()
            && matches!(item, Item::Record(record) if is_behind(record))
    }

    /// Passes an item on, unless it is outside of the stretch.
    fn pass(&self, item: Item<'_>, from: Position, each: &mut Each<'_>) -> ControlFlow<()> {
        if let Item::Record(record) = &item {
            let is_before = from.get() > 1 && record.fixed.last() < from;
            if is_before || record.fixed.first > self.up_to {
                return ControlFlow::Continue(());
            }
        }
        each(item)
    }

    fn walk_tail(
        &self,
        engine: &dyn Engine,
        from: Position,
        each: &mut Each<'_>,
    ) -> Result<End, EngineError> {
        let mut frames = Frames::default();
        for number in &self.tail {
            let unit = match frames.unit(engine, *number) {
                Ok(Some(unit)) => unit,
                Ok(None) => return Ok(End::Moved),
                Err(EngineError::Damaged(what)) => {
                    if each(Item::Broken(Trouble {
                        is_newer: false,
                        what,
                    }))
                    .is_break()
                    {
                        return Ok(End::Stopped);
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            // What cannot be read of a unit in shared frames is not known to be this world's.
            for record in records(&unit).map_while(Result::ok) {
                let is_own = record.fixed.world == self.owner && record.fixed.first > self.runs_end;
                if is_own && self.pass(Item::Record(record), from, each).is_break() {
                    return Ok(End::Stopped);
                }
            }
        }
        Ok(End::Done)
    }
}

/// Puts the units of runs together. Parts whose beginning or end is missing are passed over: then
/// commits are.
#[derive(Debug, Default)]
pub(crate) struct RunUnits {
    joiner: Joiner,
    /// The part that has to come.
    expected: Option<(Position, u16)>,
}

impl RunUnits {
    pub(crate) fn add(&mut self, (key, value): &Pair, each: &mut Each<'_>) -> ControlFlow<()> {
        let broken = |trouble, each: &mut Each<'_>| each(Item::Broken(trouble));
        let (first, part, frame) = match (read_run_key(key), FrameRef::read(value)) {
            (Ok((_, first, part)), Ok(frame)) => (first, part, frame),
            (Err(error), _) => return broken(Trouble::unreadable(error), each),
            (Ok(_), Err(error)) => {
                *self = Self::default();
                return broken(Trouble::of_frame(value, error), each);
            }
        };
        if frame.number != first.get().saturating_add(u64::from(part)) {
            *self = Self::default();
            let what = format!("the run of event {first} stands under the key of another one");
            return broken(
                Trouble {
                    is_newer: false,
                    what,
                },
                each,
            );
        }
        if frame.is_continued && self.expected != Some((first, part)) {
            return ControlFlow::Continue(());
        }
        if !frame.is_continued && self.expected.is_some() {
            *self = Self::default();
        }
        self.expected = frame.has_more.then(|| (first, part.saturating_add(1)));
        match self.joiner.add(&frame) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(unit)) => pass_records(unit, each),
            Err(error) => {
                *self = Self::default();
                broken(Trouble::unreadable(error), each)
            }
        }
    }
}

fn pass_records(unit: &[u8], each: &mut Each<'_>) -> ControlFlow<()> {
    for record in records(unit) {
        each(match record {
            Ok(record) => Item::Record(record),
            Err(error) => Item::Broken(Trouble::unreadable(error)),
        })?;
    }
    ControlFlow::Continue(())
}
