//! Rebuilding: whatever is whole of a damaged store, world by world, in a new one.
//!
//! Nothing that is stored is believed but what links: each world's commits are taken from wherever they stand, in runs, in
//! shared frames, in exports, as long as each follows the one before it. Everything else that a store has beside its
//! commits is made of them again. The old store is only read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_proof::bundle::Bundle;
use serde::Serialize;

use crate::backup::{self, BackupError};
use crate::blobs::Vault;
use crate::engine::content::ContentFolder;
use crate::engine::{Engine, EngineError, EngineKind, FrameNumber, MemoryEngine, Table};
use crate::home::{self, Home};
use crate::keys::Keyring;
use crate::runs::{self, entry};
use crate::verify::{DamageKind, Integrity, StoreDamage};
use export::Exported;
use scribe::{Scribe, Task};
pub(crate) use source::Found;
use source::Source;

mod beside;
mod export;
mod salvage;
mod scribe;
mod source;

/// What is rebuilt, and into what.
#[derive(Debug, Clone)]
pub struct Rebuild {
    /// The directory of the old store. Nothing is changed in it.
    pub from: PathBuf,
    /// The directory of the new one, which must not exist or be empty.
    pub to: PathBuf,
    /// The engine that the new one gets.
    pub kind: EngineKind,
    /// Bundles of whole worlds: what the old store has lost is taken from them.
    pub exports: Vec<Bundle>,
}

/// A new store, and what it has of the old one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rebuilt {
    /// Where it is.
    pub path: PathBuf,
    /// The worlds, by id. Deleted ones are not among them.
    pub worlds: Vec<RebuiltWorld>,
    /// What is wrong with the old store beside its worlds.
    pub store: Vec<StoreDamage>,
    /// How many blobs were copied.
    pub blobs: usize,
    /// How many blobs were left out because they are damaged.
    pub blobs_damaged: usize,
    /// The keys of sealed worlds, if the old store has any. They are not copied.
    pub keys: Option<PathBuf>,
}

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
    /// What was wrong with it in the old store, also where nothing is lost by that.
    pub found: Option<String>,
    /// What is not in the new one, and why.
    pub lost: Option<String>,
}

impl RebuiltWorld {
    /// Tells whether all of it was kept that anything tells of.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.lost.is_none()
    }
}

impl Rebuilt {
    /// Tells whether nothing was left behind.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.store.is_empty()
            && self.blobs_damaged == 0
            && self.worlds.iter().all(RebuiltWorld::is_whole)
    }
}

/// Makes a new store of whatever is whole of an old one. Saved folds are left out: they are made again.
///
/// # Errors
/// [`BackupError`]; nothing that opens is left behind. What is damaged is no error.
pub fn rebuild(order: &Rebuild) -> Result<Rebuilt, BackupError> {
    backup::refuse_inside(Some(&order.from), &order.to)?;
    let old = source::lock(order)?;
    let home = backup::begin(&order.to)?;
    let rebuilt = write(order, old, home).and_then(|rebuilt| {
        backup::check(&heads(&rebuilt.worlds), &order.to)?;
        home::finish_half(&order.to)?;
        Ok(rebuilt)
    });
    if rebuilt.is_err() {
        backup::empty_or_warn(&order.to);
    }
    rebuilt
}

fn write(order: &Rebuild, old: Option<Home>, home: Home) -> Result<Rebuilt, BackupError> {
    let to = order.to.as_path();
    let target = |error: EngineError| BackupError::Target(home::open_error(to, error));
    let engine = order.kind.open_home(home).map_err(target)?;
    let mut source = match old {
        Some(old) => source::look(old).and_then(|found| Source::open(&order.from, found)),
        None => Ok(Source::default()),
    }
    .map_err(BackupError::Source)?;
    let exports = export::read_all(&order.exports).map_err(BackupError::Source)?;
    let worlds = fill((&mut source, &order.from), &exports, engine.as_ref())?;
    let (blobs, blobs_damaged) = copy_blobs(order, &worlds, engine.as_ref())?;
    drop(engine);
    let keys = Keyring::new(Some(&order.from))
        .folder()
        .filter(|folder| folder.exists())
        .map(Path::to_owned);
    Ok(Rebuilt {
        path: to.to_owned(),
        worlds,
        store: source.finish(),
        blobs,
        blobs_damaged,
        keys,
    })
}

/// Writes what is whole into an empty engine.
fn fill(
    (source, home): (&mut Source, &Path),
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
    beside::copy(source, engine)?;
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

/// What of a damaged store is whole, and what is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Survey {
    /// The worlds, by id, with how much of each is whole. Deleted ones are not among them.
    pub worlds: Vec<RebuiltWorld>,
    /// What is wrong beside them.
    pub store: Vec<StoreDamage>,
}

/// Puts what is whole of a damaged store into an engine in memory: what [`rebuild`] would save of it.
pub(crate) fn mend(home: &Path, found: Found) -> Result<(MemoryEngine, Survey), EngineError> {
    let mut source = Source::open(home, found)?;
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

fn heads(worlds: &[RebuiltWorld]) -> Vec<(WorldId, Position)> {
    worlds
        .iter()
        .filter(|world| world.kept > Position::ZERO)
        .map(|world| (world.world, world.kept))
        .collect()
}

fn copy_blobs(
    order: &Rebuild,
    worlds: &[RebuiltWorld],
    target: &dyn Engine,
) -> Result<(usize, usize), BackupError> {
    let from = Vault::new(Some(&order.from));
    let to = Vault::new(Some(&order.to));
    let keyring = Keyring::new(Some(&order.from));
    let mut whole = 0;
    let mut damaged = 0;
    for (world, _) in heads(worlds) {
        let entry = target
            .get(Table::Worlds, world.0.as_bytes())?
            .unwrap_or_default();
        let is_sealed = entry::read(&entry).is_ok_and(|(reach, _)| reach.is_sealed);
        let copied = from.copy(world, &to, is_sealed.then_some(&keyring));
        let copied = copied.map_err(|source| BackupError::Blobs { source })?;
        whole += copied.whole;
        damaged += copied.damaged;
    }
    Ok((whole, damaged))
}

/// A rebuilding under way.
#[derive(Debug)]
struct Rebuilding<'a> {
    source: &'a Source,
    exports: &'a [Exported],
    /// What stands beside the frames of the old store.
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
        DamageKind::Rewritten | DamageKind::Fabricated => {
            Position::new(damage.at.get().saturating_sub(1))
        }
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
