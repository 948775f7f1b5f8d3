//! The old store: what it has, and where.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::world::FORKS_DEEP_MAX;

use super::frames::Salvage;
use super::scribe::{Scribe, Task};
use crate::engine::{Engine, EngineError, FrameNumber, from_io};
use crate::engines::EngineKind;
use crate::home::Home;
use crate::home::head_record::{self, Head};
use crate::state::index::{Base, Reach};
use crate::verify::{self, Against, DamageKind, Integrity, Item, Scan, StoreDamage, Stretch};
use crate::write::deletion::tombstone_world;
use crate::write::erase::journal::ASIDE;

/// The files that logs are in.
const LOGS: [&str; 3] = ["log/db", "log.new/db", "files/rows"];

/// No event is behind this.
const END: Position = Position::new(u64::MAX - 1);

/// The old store, as far as it reads.
#[derive(Debug, Default)]
pub(crate) struct OldStore {
    /// `None` if nothing of it reads.
    pub(crate) engine: Option<Arc<dyn Engine>>,
    pub(crate) worlds: BTreeSet<WorldId>,
    deleted: BTreeSet<WorldId>,
    entries: BTreeMap<WorldId, Reach>,
    scan: Scan,
    /// The last shared frame that was written and does not read.
    last_lost: Option<FrameNumber>,
    /// The findings in the bytes of its log, if it is damaged.
    salvage: Option<Salvage>,
    /// The result of verifying it.
    pub(crate) found: Vec<Integrity>,
    store: Vec<StoreDamage>,
}

/// The engine of an old store, if it reads, and what of it is not as it was written.
pub(crate) type Found = (Option<Arc<dyn Engine>>, Vec<String>);

/// Opens the engine of an old store as far as it reads.
pub(crate) fn look(old: Home) -> Result<Found, EngineError> {
    match EngineKind::look(old) {
        Ok((engine, troubles)) => Ok((Some(engine), troubles)),
        Err(EngineError::Damaged(what)) => Ok((None, vec![what])),
        Err(error) => Err(error),
    }
}

impl OldStore {
    pub(crate) fn open(home: &Path, (engine, troubles): Found) -> Result<Self, EngineError> {
        let mut source = Self {
            engine,
            ..Self::default()
        };
        troubles.into_iter().for_each(|what| source.damaged(what));
        source.look(home)?;
        if source.is_damaged() {
            source.salvage(home)?;
        }
        Ok(source)
    }

    /// Finds out what there is.
    fn look(&mut self, home: &Path) -> Result<(), EngineError> {
        let Some(engine) = self.engine.clone() else {
            return Ok(());
        };
        let engine = engine.as_ref();
        let head = head_record::read(home).map_err(from_io)?;
        let examined = verify::examine_engine(engine, Some(home), head, None, &Against::default());
        if let Some(examined) = self.bear(examined)? {
            self.store.extend(examined.store);
            self.found = examined.worlds;
        }
        let read = verify::read_entries(engine);
        for (world, entry) in self.bear(read)?.unwrap_or_default() {
            self.worlds.insert(world);
            self.entries
                .extend(entry.ok().map(|(reach, _)| (world, reach)));
        }
        let scan = Scan::read(engine, FrameNumber(0));
        let scan = self.bear(scan)?;
        let swept = verify::swept(engine);
        let swept = self.bear(swept)?.flatten();
        self.last_lost = scan.as_ref().map_or(Some(FrameNumber(u64::MAX)), |scan| {
            last_lost(scan, swept, head)
        });
        self.scan = scan.unwrap_or_default();
        self.worlds.extend(self.scan.units.keys());
        let with_runs = verify::with_runs(engine);
        let with_runs = self.bear(with_runs)?.unwrap_or_default();
        self.worlds.extend(with_runs);
        self.worlds.remove(&ASIDE);
        let deleted = super::tables::deleted(engine);
        self.deleted = self.bear(deleted)?.unwrap_or_default();
        Ok(())
    }

    /// Tells whether a world may have had commits that nothing tells of.
    pub(crate) fn may_have_had_more(&self, world: WorldId) -> bool {
        // A commit behind a lost frame is linked to whatever stood in that frame.
        let last = self
            .scan
            .units
            .get(&world)
            .and_then(|units| units.last())
            .copied();
        let is_behind_all = self
            .last_lost
            .is_none_or(|lost| last.is_some_and(|last| last > lost));
        self.worlds.contains(&world)
            && self.is_damaged()
            && !(self.entries.contains_key(&world) && is_behind_all)
    }

    fn is_damaged(&self) -> bool {
        !self.store.is_empty() || self.found.iter().any(|found| found.damage.is_some())
    }

    /// Looks for frames in the bytes of the log.
    fn salvage(&mut self, home: &Path) -> Result<(), EngineError> {
        let Some(log) = LOGS
            .map(|log| home.join(log))
            .into_iter()
            .find(|log| log.is_file())
        else {
            return Ok(());
        };
        let salvage = Salvage::search(&log)?;
        self.deleted.extend(
            salvage
                .tombstones
                .iter()
                .filter_map(|value| tombstone_world(value)),
        );
        self.worlds.extend(salvage.worlds());
        self.salvage = Some(salvage);
        Ok(())
    }

    /// The tombstones that were found in the bytes of the log.
    pub(crate) fn tombstones(&self) -> &[Vec<u8>] {
        self.salvage
            .as_ref()
            .map_or(&[], |salvage| &salvage.tombstones)
    }

    /// Takes damage as it is: what does not read is not there.
    pub(crate) fn bear<T>(
        &mut self,
        read: Result<T, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(EngineError::Damaged(what)) => {
                self.damaged(what);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn damaged(&mut self, what: String) {
        if self.store.iter().all(|known| known.what != what) {
            self.store.push(StoreDamage {
                frame: None,
                kind: Some(DamageKind::Unreadable),
                what,
            });
        }
    }

    pub(crate) fn is_deleted(&self, world: WorldId) -> bool {
        self.deleted.contains(&world)
    }

    /// Returns what a world was forked from.
    pub(crate) fn base(&self, world: WorldId) -> Result<Option<Base>, EngineError> {
        match (self.entries.get(&world), &self.engine) {
            (Some(reach), _) => Ok(reach.base),
            (None, engine) => {
                let origin = engine
                    .as_ref()
                    .map(|engine| verify::origin(engine.as_ref(), &self.scan, world));
                let found = origin.transpose()?.flatten();
                Ok(found.or(self
                    .salvage
                    .as_ref()
                    .map(|salvage| salvage.base(world))
                    .transpose()?
                    .flatten()))
            }
        }
    }

    /// The last event that the index tells of.
    pub(crate) fn known(&self, world: WorldId) -> Position {
        self.entries
            .get(&world)
            .map_or(Position::ZERO, |reach| reach.head)
    }

    /// Offers all that may be of a world, what it has of others first.
    pub(crate) fn offer(&self, task: &Task, scribe: &mut Scribe<'_>) -> Result<(), EngineError> {
        let owners = self.owners(task)?;
        if let Some(engine) = &self.engine {
            self.offer_stored(engine.as_ref(), &owners, scribe)?;
        }
        let Some(salvage) = &self.salvage else {
            return Ok(());
        };
        owners
            .iter()
            .try_for_each(|(owner, _)| salvage.offer(*owner, scribe))
    }

    fn offer_stored(
        &self,
        engine: &dyn Engine,
        owners: &[(WorldId, Position)],
        scribe: &mut Scribe<'_>,
    ) -> Result<(), EngineError> {
        for stretch in self.stretches(owners) {
            let mut failed = Ok(());
            let walked = stretch.walk(engine, scribe.next(), &mut |item| {
                match item {
                    Item::Record(record) => failed = scribe.offer(&record),
                    Item::Broken(trouble) => scribe.note(trouble.what),
                }
                if failed.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            failed?;
            match walked {
                Ok(_) => {}
                Err(EngineError::Damaged(what)) => scribe.note(what),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The worlds whose records a world has, and up to which event, the first one first.
    fn owners(&self, task: &Task) -> Result<Vec<(WorldId, Position)>, EngineError> {
        let mut owners = vec![(task.world, END)];
        let mut base = task.base;
        while let Some(shared) = base.filter(|_| owners.len() <= FORKS_DEEP_MAX) {
            owners.push((shared.parent, shared.at));
            base = self.base(shared.parent)?.filter(|base| base.at < shared.at);
        }
        owners.reverse();
        Ok(owners)
    }

    fn stretches(&self, owners: &[(WorldId, Position)]) -> Vec<Stretch> {
        let owned = owners
            .iter()
            .flat_map(|(owner, up_to)| verify::anywhere(&self.scan, *owner, *up_to));
        // What a process that died while it erased has put aside stands under no world.
        owned
            .chain([Stretch {
                owner: ASIDE,
                up_to: END,
                runs_end: END,
                tail: Vec::new(),
            }])
            .collect()
    }

    /// Returns what was wrong with the old store beside its worlds.
    pub(crate) fn finish(self) -> Vec<StoreDamage> {
        self.store
    }
}

/// The last shared frame that was written and does not read. Those up to `swept` are in runs, if
/// that is known.
fn last_lost(
    scan: &Scan,
    swept: Option<FrameNumber>,
    recorded: Option<Head>,
) -> Option<FrameNumber> {
    let reached = swept.map_or(scan.head, |swept| swept.max(scan.head));
    let before_all = swept
        .zip(scan.first)
        .filter(|(swept, first)| *first > swept.plus(1));
    let before_all = before_all.map(|(_, first)| FrameNumber(first.0.saturating_sub(1)));
    let behind_all = recorded
        .map(|head| head.frame)
        .filter(|frame| *frame > reached);
    scan.lost.max(before_all).max(behind_all)
}
