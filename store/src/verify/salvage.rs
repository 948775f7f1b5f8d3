//! Whatever is whole of a damaged store, world by world.
//!
//! Nothing that is stored is believed but what links: each world's commits are taken from wherever
//! they stand, in runs, in shared frames, in exports, as long as each follows the one before it.
//! Everything else that a store has beside its commits is made of them again. The old store is only
//! read.

use std::collections::BTreeMap;
use std::path::Path;

use folkmoot_core::ids::{Position, WorldId, WorldName};
use serde::Serialize;

use crate::engine::{Engine, EngineError, FrameNumber, Table};
use crate::engines::MemoryEngine;
use crate::engines::content::ContentFolder;
use crate::read::runs;
use crate::read::runs::entry;
use crate::verify::{DamageKind, Integrity, StoreDamage};
use export::Exported;
use scribe::{Scribe, Task};
pub(crate) use source::Found;
pub(crate) use source::OldStore;

pub(crate) mod export;
mod frames;
pub(crate) mod scribe;
pub(crate) mod source;
mod tables;

/// A world, and how much of it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RebuiltWorld {
    /// Its id.
    pub world: WorldId,
    /// Its name, if anything still tells it.
    pub name: Option<WorldName>,
    /// The last event that was kept; 0 if none was.
    pub kept: Position,
    /// The last event that anything tells of.
    pub known: Position,
    /// The faults that it had in the old store, also where nothing is lost by them.
    pub found: Option<String>,
    /// The parts that are not in the new one, and why.
    pub lost: Option<String>,
}

impl RebuiltWorld {
    /// Tells whether all of it was kept that anything tells of.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.lost.is_none()
    }
}

/// Writes what is whole into an empty engine.
pub(crate) fn fill(
    (source, home): (&mut OldStore, &Path),
    exports: &[Exported],
    engine: &dyn Engine,
) -> Result<Vec<RebuiltWorld>, EngineError> {
    let content = &ContentFolder::of(home);
    let worlds = Rebuilding {
        source,
        exports,
        content,
        target: engine,
    }
    .worlds()?;
    tables::copy(source, engine)?;
    let entries = worlds
        .iter()
        .filter(|world| world.kept > Position::ZERO)
        .count();
    let swept = (
        runs::SWEPT.to_vec(),
        entry::write_swept(FrameNumber(0), entries),
    );
    engine.put(Table::Meta, &[swept])?;
    Ok(worlds)
}

/// The parts of a damaged store that are whole, and those that are not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Survey {
    /// The worlds, by id, with how much of each is whole. Deleted ones are not among them.
    pub worlds: Vec<RebuiltWorld>,
    /// The faults beside them.
    pub store: Vec<StoreDamage>,
}

/// Puts what is whole of a damaged store into an engine in memory: what
/// [`rebuild`](crate::copies::rebuild()) would save of it.
pub(crate) fn mend(home: &Path, found: Found) -> Result<(MemoryEngine, Survey), EngineError> {
    let mut source = OldStore::open(home, found)?;
    let engine = MemoryEngine::new();
    let worlds = fill((&mut source, home), &[], &engine)?;
    Ok((
        engine,
        Survey {
            worlds,
            store: source.finish(),
        },
    ))
}

/// A rebuilding under way.
#[derive(Debug)]
struct Rebuilding<'a> {
    source: &'a OldStore,
    exports: &'a [Exported],
    /// The content beside the frames of the old store.
    content: &'a ContentFolder,
    target: &'a dyn Engine,
}

impl Rebuilding<'_> {
    /// Writes all worlds, those first that others were forked from.
    fn worlds(&self) -> Result<Vec<RebuiltWorld>, EngineError> {
        let mut tasks = BTreeMap::new();
        let exported = self.exports.iter().map(|export| export.world);
        for world in self.source.worlds.iter().copied().chain(exported) {
            if !self.source.is_deleted(world) && !tasks.contains_key(&world) {
                tasks.insert(world, self.task(world)?);
            }
        }
        let mut order: Vec<WorldId> = tasks.keys().copied().collect();
        order.sort_by_key(|world| depth(&tasks, *world));
        let mut done: BTreeMap<WorldId, RebuiltWorld> = BTreeMap::new();
        for world in order {
            let Some(mut task) = tasks.remove(&world) else {
                continue;
            };
            if let Some(base) = &mut task.base {
                let parent = done
                    .get(&base.parent)
                    .map_or(Position::ZERO, |parent| parent.kept);
                base.is_copied |= parent < base.at;
            }
            let taken: Vec<WorldName> = done
                .values()
                .filter_map(|world| world.name.clone())
                .collect();
            done.insert(world, self.world(&task, &taken)?);
        }
        Ok(done.into_values().collect())
    }

    /// Returns what is known of a world before it is written.
    fn task(&self, world: WorldId) -> Result<Task, EngineError> {
        let found = self.source.found.iter().find(|found| found.world == world);
        let own = |export: &&Exported| export.world == world;
        let exported = self
            .exports
            .iter()
            .filter(own)
            .find_map(|export| export.base);
        let base = self.source.base(world)?.or(exported);
        let known = self.source.known(world);
        Ok(Task {
            world,
            base,
            limit: found.map_or(Position::new(u64::MAX), limit),
            known,
        })
    }

    fn world(&self, task: &Task, taken: &[WorldName]) -> Result<RebuiltWorld, EngineError> {
        let mut scribe = Scribe::new((self.target, self.content), task, taken);
        loop {
            let before = scribe.next();
            self.source.offer(task, &mut scribe)?;
            for export in self
                .exports
                .iter()
                .filter(|export| export.world == task.world)
            {
                export.offer(&mut scribe)?;
            }
            // What an export has of it is better than an event without its content.
            if scribe.next() == before && !scribe.bear_loss() {
                break;
            }
        }
        let found = self
            .source
            .found
            .iter()
            .find(|found| found.world == task.world);
        let mut rebuilt = scribe.finish()?;
        rebuilt.name = rebuilt.name.or_else(|| found?.name.clone());
        if let Some(damage) = found.and_then(|found| found.damage.as_ref()) {
            let said = format!("{} at event {}: {}", damage.kind, damage.at, damage.what);
            let is_lost = matches!(damage.kind, DamageKind::File | DamageKind::TakenOut);
            rebuilt.lost = if is_lost || !rebuilt.is_whole() {
                Some(said.clone())
            } else {
                None
            };
            rebuilt.found = Some(said);
        }
        if rebuilt.is_whole() && self.source.may_have_had_more(task.world) {
            rebuilt.lost = Some("nothing tells where it ended".to_owned());
        }
        Ok(rebuilt)
    }
}

/// Returns how many worlds a world comes from.
fn depth(tasks: &BTreeMap<WorldId, Task>, world: WorldId) -> usize {
    let parent = |world: &WorldId| Some(tasks.get(world)?.base?.parent);
    std::iter::successors(Some(world), parent)
        .take(folkmoot_core::world::FORKS_DEEP_MAX.saturating_add(1))
        .count()
}

/// The last event that may be kept. What links is kept, unless somebody vouches for another log.
fn limit(found: &Integrity) -> Position {
    let Some(damage) = &found.damage else {
        return Position::new(u64::MAX);
    };
    match damage.kind {
        DamageKind::Rewritten | DamageKind::Fabricated => damage.at.previous(),
        DamageKind::FlippedByte
        | DamageKind::Reordered
        | DamageKind::Deleted
        | DamageKind::CutTail
        | DamageKind::RolledBack
        | DamageKind::Spliced
        | DamageKind::Unreadable
        | DamageKind::Index
        | DamageKind::File
        | DamageKind::Content
        | DamageKind::TakenOut => Position::new(u64::MAX),
    }
}
