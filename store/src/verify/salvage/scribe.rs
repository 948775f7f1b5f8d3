//! Writing one world from commits that are offered to it.

use folkmoot_core::ids::{Position, WorldId, WorldName};

use super::RebuiltWorld;
use crate::engine::{Engine, EngineError, Pair, Table};
use crate::engines::content::ContentFolder;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::chain;
use crate::format::event::{Beside, ContentRef, EventRef};
use crate::format::record::RecordRef;
use crate::format::upcast::{LiftError, Upcasters};
use crate::read::runs;
use crate::read::runs::sheet::Sheet;
use crate::read::runs::{entry, run_key};
use crate::state::content;
use crate::state::content::{Fetched, Parting};
use crate::state::index::{Base, Reach};
use crate::state::summary::{Summary, decode};
use crate::write::lineage;

/// About how many bytes of commits are kept in memory before they are written.
const BYTES_MAX: usize = 1024 * 1024;

/// A world that is to be written.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) world: WorldId,
    /// The origin that it was forked from. If that is copied, it is written with the world.
    pub(crate) base: Option<Base>,
    /// Nothing behind this event is kept.
    pub(crate) limit: Position,
    /// The last event that the old store's index tells of.
    pub(crate) known: Position,
}

/// Takes the commits of a world that follow one another, and writes them into runs.
#[derive(Debug)]
pub(crate) struct Scribe<'a> {
    target: &'a dyn Engine,
    old: &'a ContentFolder,
    task: &'a Task,
    /// The names of other worlds.
    taken: &'a [WorldName],
    upcasters: Upcasters,
    /// `None` before the first commit.
    sheet: Option<Sheet>,
    bytes: usize,
    /// True if a commit of its own was taken.
    has_own: bool,
    known: Position,
    why: Option<String>,
    /// The losses in what is kept.
    lost: Option<String>,
    /// The content beside the frames for what is in the sheet.
    beside: Vec<Pair>,
    loss: Loss,
}

/// The treatment of content that stood beside the frames and is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    /// Nothing was lost since the last commit that was taken.
    Unseen,
    /// The next commit was offered, and not taken for that.
    Seen,
    /// The next commit is taken without it.
    Borne,
}

impl<'a> Scribe<'a> {
    pub(crate) fn new(
        (target, old): (&'a dyn Engine, &'a ContentFolder),
        task: &'a Task,
        taken: &'a [WorldName],
    ) -> Self {
        Self {
            target,
            old,
            task,
            taken,
            upcasters: Upcasters::default(),
            sheet: None,
            bytes: 0,
            has_own: false,
            known: task.known,
            why: None,
            lost: None,
            beside: Vec::new(),
            loss: Loss::Unseen,
        }
    }

    /// Takes the next commit without what is lost of its content, if that is what is wrong with it.
    pub(crate) fn bear_loss(&mut self) -> bool {
        let is_worth_it = self.loss == Loss::Seen;
        if is_worth_it {
            self.loss = Loss::Borne;
        }
        is_worth_it
    }

    /// The position of the next event.
    pub(crate) fn next(&self) -> Position {
        self.sheet
            .as_ref()
            .map_or(Position::ZERO, Sheet::end)
            .next()
    }

    /// Takes a commit if it is the next one, and notes why not if it is not.
    pub(crate) fn offer(&mut self, record: &RecordRef<'_>) -> Result<(), EngineError> {
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
    pub(crate) fn note(&mut self, why: String) {
        self.why.get_or_insert(why);
    }

    /// Notes what is lost of what is kept; the first stays.
    pub(crate) fn lose(&mut self, what: String) {
        self.lost.get_or_insert(what);
    }

    /// Tells whether a commit may stand at its position in this world.
    fn is_of_this(&self, record: &RecordRef<'_>) -> bool {
        let is_own = record.fixed.world == self.task.world;
        match self.task.base {
            Some(base) => (record.fixed.last() > base.at) == is_own,
            None => is_own,
        }
    }

    fn take(&mut self, record: &RecordRef<'_>) -> Result<(), Malformed> {
        let leaf = record.leaf()?;
        let link = self
            .sheet
            .as_ref()
            .map_or(chain::NO_LINK, |sheet| sheet.reach.link);
        if chain::link(&link, &leaf) != record.link {
            return Err(Malformed::new("the commit does not give its link"));
        }
        let (bytes, pairs) = self.part(record)?;
        let record = &RecordRef::read(&mut Bytes(&bytes))?;
        self.decode(record)?;
        let summary = Summary::read(record, &self.upcasters).map_err(runs::lift_failed)?;
        let is_own = record.fixed.world == self.task.world;
        if is_own && !self.has_own && self.task.base.is_some() {
            self.leave_base(&summary)?;
        }
        let sheet = self.begin(&summary)?;
        let Some(sheet) = sheet else {
            return Err(Malformed::new("the world does not begin with it"));
        };
        sheet.add(record, &summary)?;
        self.has_own |= is_own;
        let beside: usize = pairs.iter().map(|(_, bytes)| bytes.len()).sum();
        self.bytes = self
            .bytes
            .saturating_add(record.bytes.len())
            .saturating_add(beside);
        self.beside.extend(pairs);
        self.loss = Loss::Unseen;
        Ok(())
    }

    /// The bytes of a commit as the new store has them, and what stands beside the frames for it.
    fn part(&mut self, record: &RecordRef<'_>) -> Result<(Vec<u8>, Vec<Pair>), Malformed> {
        let events = record.events()?;
        let fetched = self.fetch(record.fixed.first, &events)?;
        let mut parting = Parting::of(self.task.world, record.fixed.first);
        let mut parted = Vec::with_capacity(events.len());
        for event in content::join(events, &fetched) {
            parted.push(parting.part(&Self::without_lost(event)));
        }
        Ok((record.restored(&parted)?, parting.finish()))
    }

    /// Returns what stands beside the frames of the old store for a commit, under whichever world.
    fn fetch(&mut self, first: Position, events: &[EventRef<'_>]) -> Result<Fetched, Malformed> {
        let mut fetched = Fetched::new();
        for (place, at, beside) in content::besides(first, events) {
            let found = self.old.find(&content::rest_of_key(at, &beside.commitment));
            let found = found.map_err(|error| {
                Malformed(format!("the content of event {at} cannot be read: {error}"))
            })?;
            match found.filter(|bytes| beside.with(bytes).is_some()) {
                Some(bytes) => fetched.push((place, bytes)),
                None if self.loss == Loss::Borne => {
                    self.lose(format!("the content of event {at} is lost"))
                }
                None => {
                    self.loss = Loss::Seen;
                    return Err(Malformed(format!(
                        "the content of event {at} is missing or changed"
                    )));
                }
            }
        }
        Ok(fetched)
    }

    /// An event without content that nobody has any more.
    fn without_lost<'e>(event: EventRef<'e>) -> EventRef<'e> {
        if let ContentRef::Beside(Beside { commitment, .. }) = event.content {
            EventRef {
                content: ContentRef::Erased {
                    by: None,
                    commitment,
                },
                ..event
            }
        } else {
            event
        }
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
        let origin = summary.origin.as_ref().ok_or_else(broken)?;
        let sheet = self.sheet.as_ref().ok_or_else(broken)?;
        let name = &origin.forked.name;
        if self.taken.contains(name) {
            return Err(Malformed(format!("another world has the name {name}")));
        }
        let mut reach = lineage::begin(origin, sheet.reach.clone())?;
        reach.base = reach.base.map(|base| Base {
            is_copied: self.is_copied(),
            ..base
        });
        self.flush().map_err(|error| Malformed(error.to_string()))?;
        self.sheet = Some(Sheet::new(reach));
        Ok(())
    }

    fn is_copied(&self) -> bool {
        self.task.base.is_some_and(|base| base.is_copied)
    }

    /// Writes what was taken. What a fork shares is its parent's, unless it is copied; its keys are
    /// its parent's always.
    fn flush(&mut self) -> Result<(), EngineError> {
        let Some(sheet) = self.sheet.take() else {
            return Ok(());
        };
        let world = self.task.world;
        let is_base = self.task.base.is_some() && !self.has_own;
        if !is_base || self.is_copied() {
            let failed = |error: Malformed| EngineError::Damaged(error.0);
            self.target.put(Table::Content, &self.beside)?;
            self.target
                .put(Table::Runs, &sheet.runs(world, None).map_err(failed)?)?;
            runs::put_gone(self.target, sheet.gone(world).collect())?;
        }
        if !is_base {
            self.target
                .put(Table::Keys, &sheet.keys(world).collect::<Vec<Pair>>())?;
        }
        self.beside.clear();
        (self.sheet, self.bytes) = (Some(Sheet::new(sheet.reach)), 0);
        Ok(())
    }

    /// Writes the world's entry, and says how much of it there is.
    pub(crate) fn finish(mut self) -> Result<RebuiltWorld, EngineError> {
        self.flush()?;
        let world = self.task.world;
        let reach = self
            .sheet
            .as_ref()
            .map(|sheet| &sheet.reach)
            .filter(|_| self.has_own);
        let known = self.known;
        let mut rebuilt = RebuiltWorld {
            world,
            name: None,
            kept: Position::ZERO,
            known,
            found: None,
            lost: None,
        };
        if let Some(reach) = reach {
            let value = entry::write(reach).map_err(|error| EngineError::Damaged(error.0))?;
            self.target
                .put(Table::Worlds, &[(world.0.as_bytes().to_vec(), value)])?;
            (rebuilt.name, rebuilt.kept) = (Some((*reach.name).clone()), reach.head);
        } else {
            clear(self.target, world)?;
        }
        let next = rebuilt.kept.next();
        let missing = || {
            self.why
                .unwrap_or_else(|| format!("event {next} is missing"))
        };
        rebuilt.lost = self
            .lost
            .or_else(|| (rebuilt.kept < rebuilt.known).then(missing));
        Ok(rebuilt)
    }
}

/// Removes what a fork has of its parent, if nothing of its own could be kept.
fn clear(target: &dyn Engine, world: WorldId) -> Result<(), EngineError> {
    for table in [Table::Runs, Table::Gone] {
        let from = run_key(world, Position::ZERO, 0);
        let to = run_key(world, Position::new(u64::MAX), u16::MAX);
        target.remove(table, &target.keys(table, &from, &to, usize::MAX)?)?;
    }
    content::remove(target, world, Position::ZERO, Position::new(u64::MAX))
}
