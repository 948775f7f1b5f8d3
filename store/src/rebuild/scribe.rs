//! Writing one world from commits that are offered to it.

use folkmoot_core::ids::{Position, WorldId, WorldName};

use super::RebuiltWorld;
use crate::chain;
use crate::engine::{Engine, EngineError, Pair, Table};
use crate::format::Malformed;
use crate::format::record::RecordRef;
use crate::index::{Base, Reach};
use crate::lineage;
use crate::runs::sheet::Sheet;
use crate::runs::{entry, run_key};
use crate::summary::{Summary, decode};
use crate::upcast::{LiftError, Upcasters};

/// About how many bytes of commits are kept in memory before they are written.
const BYTES_MAX: usize = 1024 * 1024;

/// A world that is to be written.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) world: WorldId,
    /// What it was forked from. If that is copied, it is written with the world.
    pub(super) base: Option<Base>,
    /// Nothing behind this event is kept.
    pub(super) limit: Position,
    /// The last event that the old store's index tells of.
    pub(super) known: Position,
}

/// Takes the commits of a world that follow one another, and writes them into runs.
#[derive(Debug)]
pub(super) struct Scribe<'a> {
    target: &'a dyn Engine,
    task: &'a Task,
    /// The names of other worlds.
    taken: &'a [WorldName],
    upcasters: Upcasters,
    /// `None` before the first commit.
    sheet: Option<Sheet>,
    bytes: usize,
    /// Whether a commit of its own was taken.
    has_own: bool,
    known: Position,
    why: Option<String>,
    /// What is lost of what is kept.
    lost: Option<String>,
}

impl<'a> Scribe<'a> {
    pub(super) fn new(target: &'a dyn Engine, task: &'a Task, taken: &'a [WorldName]) -> Self {
        let (sheet, why, lost, upcasters) = (None, None, None, Upcasters::default());
        Self { target, task, taken, upcasters, sheet, bytes: 0, has_own: false, known: task.known, why, lost }
    }

    /// The position of the next event.
    pub(super) fn next(&self) -> Position {
        self.sheet.as_ref().map_or(Position::ZERO, Sheet::end).next()
    }

    /// Takes a commit if it is the next one, and notes why not if it is not.
    pub(super) fn offer(&mut self, record: &RecordRef<'_>) -> Result<(), EngineError> {
        if !self.is_of_this(record) || record.fixed.count == 0 {
            return Ok(());
        }
        self.known = self.known.max(record.fixed.last());
        if record.fixed.first != self.next() || record.fixed.last() > self.task.limit {
            return Ok(());
        }
        match self.take(record) {
            Ok(()) if self.bytes > BYTES_MAX => self.flush(),
            Ok(()) => Ok(()),
            Err(error) => {
                self.note(format!("event {}: {}", record.fixed.first, error.0));
                Ok(())
            }
        }
    }

    /// Notes why something is not kept; the first reason stays.
    pub(super) fn note(&mut self, why: String) {
        self.why.get_or_insert(why);
    }

    /// Notes what is lost of what is kept; the first stays.
    pub(super) fn lose(&mut self, what: String) {
        self.lost.get_or_insert(what);
    }

    /// Whether a commit may stand at its position in this world.
    fn is_of_this(&self, record: &RecordRef<'_>) -> bool {
        let is_own = record.fixed.world == self.task.world;
        match self.task.base {
            Some(base) => (record.fixed.last() > base.at) == is_own,
            None => is_own,
        }
    }

    fn take(&mut self, record: &RecordRef<'_>) -> Result<(), Malformed> {
        let (leaf, link) = (record.leaf()?, self.sheet.as_ref().map_or(chain::NO_LINK, |sheet| sheet.reach.link));
        if chain::link(&link, &leaf) != record.link {
            return Err(Malformed::new("the commit does not give its link"));
        }
        self.decode(record)?;
        let summary = Summary::read(record, &self.upcasters).map_err(crate::runs::lift_failed)?;
        let is_own = record.fixed.world == self.task.world;
        if is_own && !self.has_own && self.task.base.is_some() {
            self.leave_base(&summary)?;
        }
        let sheet = self.begin(&summary)?;
        let Some(sheet) = sheet else { return Err(Malformed::new("the world does not begin with it")) };
        sheet.add(record, &summary)?;
        self.has_own |= is_own;
        self.bytes = self.bytes.saturating_add(record.bytes.len());
        Ok(())
    }

    /// A record that nobody can read is none, even if its link is right.
    fn decode(&self, record: &RecordRef<'_>) -> Result<(), Malformed> {
        for event in record.events()? {
            match decode(&event, &self.upcasters) {
                Ok(_) | Err(LiftError::Newer { .. }) => {}
                Err(LiftError::Malformed(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// The sheet, which the first commit begins.
    fn begin(&mut self, summary: &Summary) -> Result<Option<&mut Sheet>, Malformed> {
        if self.sheet.is_none()
            && let Some(name) = &summary.created
        {
            let is_taken = summary.world == self.task.world && self.taken.contains(name);
            if is_taken {
                return Err(Malformed(format!("another world has the name {name}")));
            }
            self.sheet = Some(Sheet::new(Reach::unborn(name.clone())));
        }
        Ok(self.sheet.as_mut())
    }

    /// Goes on as the fork, where its own first commit says that it left its parent.
    fn leave_base(&mut self, summary: &Summary) -> Result<(), Malformed> {
        let broken = || Malformed::new("the fork does not begin with it");
        let (origin, sheet) = (summary.origin.as_ref().ok_or_else(broken)?, self.sheet.as_ref().ok_or_else(broken)?);
        let name = &origin.forked.name;
        if self.taken.contains(name) {
            return Err(Malformed(format!("another world has the name {name}")));
        }
        let mut reach = lineage::begin(origin, sheet.reach.clone())?;
        reach.base = reach.base.map(|base| Base { is_copied: self.is_copied(), ..base });
        self.flush().map_err(|error| Malformed(error.to_string()))?;
        self.sheet = Some(Sheet::new(reach));
        Ok(())
    }

    fn is_copied(&self) -> bool {
        self.task.base.is_some_and(|base| base.is_copied)
    }

    /// Writes what was taken. What a fork shares is its parent's, unless it is copied; its keys are its parent's always.
    fn flush(&mut self) -> Result<(), EngineError> {
        let Some(sheet) = self.sheet.take() else { return Ok(()) };
        let world = self.task.world;
        let is_base = self.task.base.is_some() && !self.has_own;
        if !is_base || self.is_copied() {
            let failed = |error: Malformed| EngineError::Damaged(error.0);
            self.target.put(Table::Runs, &sheet.runs(world, None).map_err(failed)?)?;
            self.target.put(Table::Gone, &sheet.gone(world).collect::<Vec<Pair>>())?;
        }
        if !is_base {
            self.target.put(Table::Keys, &sheet.keys(world).collect::<Vec<Pair>>())?;
        }
        (self.sheet, self.bytes) = (Some(Sheet::new(sheet.reach)), 0);
        Ok(())
    }

    /// Writes the world's entry, and says how much of it there is.
    pub(super) fn finish(mut self) -> Result<RebuiltWorld, EngineError> {
        self.flush()?;
        let world = self.task.world;
        let reach = self.sheet.as_ref().map(|sheet| &sheet.reach).filter(|_| self.has_own);
        let known = self.known;
        let mut rebuilt = RebuiltWorld { world, name: None, kept: Position::ZERO, known, found: None, lost: None };
        if let Some(reach) = reach {
            let value = entry::write(reach).map_err(|error| EngineError::Damaged(error.0))?;
            self.target.put(Table::Worlds, &[(world.0.as_bytes().to_vec(), value)])?;
            (rebuilt.name, rebuilt.kept) = (Some((*reach.name).clone()), reach.head);
        } else {
            clear(self.target, world)?;
        }
        let next = rebuilt.kept.next();
        let missing = || self.why.unwrap_or_else(|| format!("event {next} is missing"));
        rebuilt.lost = self.lost.or_else(|| (rebuilt.kept < rebuilt.known).then(missing));
        Ok(rebuilt)
    }
}

/// Removes what a fork has of its parent, if nothing of its own could be kept.
fn clear(target: &dyn Engine, world: WorldId) -> Result<(), EngineError> {
    for table in [Table::Runs, Table::Gone] {
        let (from, to) = (run_key(world, Position::ZERO, 0), run_key(world, Position::new(u64::MAX), u16::MAX));
        let rows = target.range(table, &from, &to, usize::MAX)?;
        target.remove(table, &rows.into_iter().map(|(key, _)| key).collect::<Vec<_>>())?;
    }
    Ok(())
}
