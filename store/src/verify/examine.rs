//! Examining a store that nobody has open, also one that does not open.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::world::FORKS_DEEP_MAX;

use super::against::Against;
use super::origin::origin;
use super::plan::{Known, LogPlan};
use super::report::{Damage, DamageKind, Examined, Integrity, StoreDamage};
use super::run::{Verification, verify};
use super::scan::Scan;
use super::tables::TablesPlace;
use super::walk::{Stretch, Trouble};
use crate::engine::{Engine, EngineError, FrameNumber, Table, each_row};
use crate::engines::EngineKind;
use crate::format::header;
use crate::format::upcast::Upcasters;
use crate::home::blobs::Vault;
use crate::home::head_record::{self, Head};
use crate::home::opening::OpenError;
use crate::home::{self, Home};
use crate::read::runs;
use crate::read::runs::entry;
use crate::state::index::{Base, Reach};

/// Examines the store in `dir`, also one that [`Store::open`](crate::Store::open) refuses because
/// it is damaged. Nothing is written, and nobody may write to it meanwhile. If only one `world` is
/// wanted, the others are not walked.
///
/// # Errors
/// [`OpenError`], if there is no store to examine or if reading fails. What is damaged is no error.
pub fn examine(
    dir: impl Into<PathBuf>,
    world: Option<WorldId>,
    against: &Against,
) -> Result<Examined, OpenError> {
    let dir = dir.into();
    let home = Home::look(dir.clone())?;
    let examined = EngineKind::look(home).and_then(|(engine, troubles)| {
        let head = head_record::read(&dir).map_err(EngineError::Io)?;
        let mut examined = examine_engine(engine.as_ref(), Some(&dir), head, world, against)?;
        examined.store.extend(troubles.into_iter().map(unreadable));
        Ok(examined)
    });
    match examined {
        Ok(examined) => Ok(examined),
        Err(EngineError::Damaged(what)) => Ok(Examined {
            worlds: Vec::new(),
            store: vec![unreadable(what)],
        }),
        Err(error) => Err(home::open_error(&dir, error)),
    }
}

/// Returns what is said of what an engine does not read, or of all of it.
fn unreadable(what: String) -> StoreDamage {
    StoreDamage {
        frame: None,
        kind: Some(DamageKind::Unreadable),
        what,
    }
}

/// Examines what an engine keeps.
pub(crate) fn examine_engine(
    engine: &dyn Engine,
    home: Option<&Path>,
    recorded: Option<Head>,
    wanted: Option<WorldId>,
    against: &Against,
) -> Result<Examined, EngineError> {
    let entries = read_entries(engine)?;
    let mut known: BTreeSet<WorldId> = entries.iter().map(|(world, _)| *world).collect();
    let mut store = Vec::new();
    let swept = read_swept(engine, entries.len(), &mut store)?;
    let mut scan = Scan::read(engine, swept)?;
    scan.set_orphans_apart(engine, &known)?;
    known.extend(scan.units.keys());
    known.extend(with_runs(engine)?);
    let last = engine.head()?.max(scan.head);
    store.extend(of_frames(&scan, last, recorded));
    let origins = origins(engine, &scan, &known, &entries)?;
    let vault = Vault::new(home);
    let upcasters = Upcasters::default();
    let mut worlds = Vec::new();
    for world in known
        .into_iter()
        .filter(|world| wanted.is_none_or(|wanted| wanted == *world))
    {
        let entry = entries
            .iter()
            .find(|(id, _)| *id == world)
            .map(|(_, entry)| entry);
        let plan = plan(world, &entries, &origins, &scan);
        let place = TablesPlace {
            engine,
            files: &vault,
            world,
            runs_end: plan.runs_end,
            has_keys: true,
            is_still: true,
        };
        let stage = Verification {
            plan: &plan,
            scan: &scan,
            place,
            against,
            upcasters: &upcasters,
        };
        let mut found = verify(&stage)?;
        of_entry(engine, entry, &plan, &mut found)?;
        worlds.push(found);
    }
    Ok(Examined { worlds, store })
}

/// Returns what the worlds without an entry were forked from: those that were not swept yet have
/// none.
fn origins(
    engine: &dyn Engine,
    scan: &Scan,
    known: &BTreeSet<WorldId>,
    entries: &[(WorldId, Entry)],
) -> Result<BTreeMap<WorldId, Base>, EngineError> {
    let with_entry: BTreeSet<WorldId> = entries.iter().map(|(world, _)| *world).collect();
    let mut origins = BTreeMap::new();
    for world in known.difference(&with_entry) {
        origins.extend(origin(engine, scan, *world)?.map(|base| (*world, base)));
    }
    Ok(origins)
}

/// A world's entry, if it reads.
pub(crate) type Entry = Result<(Reach, bool), Trouble>;

pub(crate) fn read_entries(engine: &dyn Engine) -> Result<Vec<(WorldId, Entry)>, EngineError> {
    let mut entries = Vec::new();
    let from = vec![0; 16];
    each_row(engine, Table::Worlds, from, &[0xff; 17], |(key, value)| {
        let Ok(id) = <[u8; 16]>::try_from(key.as_slice()) else {
            return Ok(());
        };
        let is_newer = entry::is_newer(&value);
        entries.push((
            header::world(id),
            entry::read(&value).map_err(|error| Trouble {
                is_newer,
                what: error.0,
            }),
        ));
        Ok(())
    })?;
    Ok(entries)
}

/// The frame up to which everything is in runs.
fn read_swept(
    engine: &dyn Engine,
    entries: usize,
    store: &mut Vec<StoreDamage>,
) -> Result<FrameNumber, EngineError> {
    let index = |what| StoreDamage {
        frame: None,
        kind: Some(DamageKind::Index),
        what,
    };
    let Some(note) = engine.get(Table::Meta, runs::SWEPT)? else {
        return Ok(FrameNumber(0));
    };
    match entry::read_swept(&note) {
        Ok((frame, worlds)) => {
            if (entries as u64) < worlds {
                store.push(index(format!(
                    "{entries} of at least {worlds} worlds are in the index"
                )));
            }
            Ok(frame)
        }
        Err(error) => {
            store.push(index(error.0));
            let first = engine
                .read(FrameNumber(0), 0)?
                .first()
                .map_or(0, |(number, _)| number.0);
            Ok(FrameNumber(first.saturating_sub(1)))
        }
    }
}

/// The frame up to which everything is in runs, if that reads.
pub(crate) fn swept(engine: &dyn Engine) -> Result<Option<FrameNumber>, EngineError> {
    let note = engine.get(Table::Meta, runs::SWEPT)?;
    Ok(note.map_or(Some(FrameNumber(0)), |note| {
        entry::read_swept(&note).ok().map(|(frame, _)| frame)
    }))
}

/// The worlds that have runs.
pub(crate) fn with_runs(engine: &dyn Engine) -> Result<BTreeSet<WorldId>, EngineError> {
    let mut from = Vec::new();
    let mut worlds = BTreeSet::new();
    loop {
        let rows = engine.range(Table::Runs, &from, &[0xff; 27], 0)?;
        let Some((key, _)) = rows.first() else {
            return Ok(worlds);
        };
        let Some(id) = key.first_chunk::<16>() else {
            return Ok(worlds);
        };
        worlds.insert(header::world(*id));
        from = [id.as_slice(), &[0xff; 11]].concat();
    }
}

/// Returns what is wrong with the shared frames, beside what is known of certain worlds.
fn of_frames(scan: &Scan, last: FrameNumber, recorded: Option<Head>) -> Vec<StoreDamage> {
    let of = |frame: FrameNumber, kind, what| StoreDamage {
        frame: Some(frame.0),
        kind,
        what,
    };
    let mut found: Vec<StoreDamage> = Vec::new();
    for broken in &scan.broken {
        let kind = (!broken.trouble.is_newer).then_some(DamageKind::Unreadable);
        found.push(of(broken.number, kind, broken.trouble.what.clone()));
    }
    if let Some(missing) = scan.missing {
        found.push(of(
            missing,
            Some(DamageKind::Deleted),
            format!("frame {missing} is missing, and later ones are there"),
        ));
    }
    match recorded {
        Some(head) if head.frame > last => {
            let what = format!(
                "the log ends at frame {last}, and frame {} was written",
                head.frame
            );
            found.push(of(last.plus(1), Some(DamageKind::CutTail), what));
        }
        Some(head)
            if head.frame == last && scan.last_link.is_some_and(|link| link != head.link) =>
        {
            let what = format!(
                "the last commit of frame {last} is not the one that the head record names"
            );
            found.push(of(last, Some(DamageKind::Rewritten), what));
        }
        Some(_) | None => {}
    }
    found
}

/// Returns what is to be walked of a world.
fn plan(
    world: WorldId,
    entries: &[(WorldId, Entry)],
    origins: &BTreeMap<WorldId, Base>,
    scan: &Scan,
) -> LogPlan {
    let reach_of = |world: WorldId| {
        let entry = entries
            .iter()
            .find(|(id, _)| *id == world)
            .map(|(_, entry)| entry.as_ref());
        entry.transpose().ok().flatten()
    };
    let has_entry = entries.iter().any(|(id, _)| *id == world);
    let own = reach_of(world);
    // Without an entry that reads, every run counts.
    let unknown = if has_entry {
        Position::new(u64::MAX - 1)
    } else {
        Position::ZERO
    };
    let runs_end = own.map_or(unknown, |(reach, _)| reach.head);
    let tail = |world| scan.units.get(&world).cloned().unwrap_or_default();
    let end = Position::new(u64::MAX - 1);
    let mut stretches = vec![Stretch {
        owner: world,
        up_to: end,
        runs_end,
        tail: tail(world),
    }];
    let base_of = |world| {
        reach_of(world).map_or_else(|| origins.get(&world).copied(), |(reach, _)| reach.base)
    };
    let base_of_own = base_of(world);
    let mut base = base_of_own;
    let mut up_to = end;
    // What entries say is not believed: they may name one another as parents.
    while let Some(shared) =
        base.filter(|base| !base.is_copied && stretches.len() <= FORKS_DEEP_MAX)
    {
        let parent = reach_of(shared.parent);
        let runs_end = parent.map_or(Position::ZERO, |(reach, _)| reach.head);
        // A fork may leave its parent before that one left its own.
        up_to = up_to.min(shared.at);
        stretches.insert(
            0,
            Stretch {
                owner: shared.parent,
                up_to,
                runs_end,
                tail: tail(shared.parent),
            },
        );
        base = base_of(shared.parent);
    }
    let known = own.map(|(reach, knows_tree)| Known {
        head: reach.head,
        link: reach.link,
        tree: knows_tree.then(|| reach.tree.clone()),
    });
    let name = own.map(|(reach, _)| (*reach.name).clone());
    LogPlan {
        world,
        name,
        stretches,
        known,
        base: base_of_own,
        runs_end,
    }
}

/// Returns what is wrong with the index of a world whose log is right.
fn of_entry(
    engine: &dyn Engine,
    entry: Option<&Entry>,
    plan: &LogPlan,
    found: &mut Integrity,
) -> Result<(), EngineError> {
    if found.damage.is_some() {
        return Ok(());
    }
    let end = found.events;
    let damage = |at, kind, what| {
        Some(Damage {
            at,
            until: None,
            kind,
            what,
        })
    };
    found.damage = match entry {
        Some(Err(trouble)) if trouble.is_newer => {
            found.newer.get_or_insert_with(|| super::report::Newer {
                at: end,
                what: trouble.what.clone(),
            });
            None
        }
        Some(Err(trouble)) => damage(end, DamageKind::Index, trouble.what.clone()),
        // Behind what a newer build wrote nothing was walked.
        Some(Ok(_)) | None if found.newer.is_some() => None,
        Some(Ok(_)) | None => match last_run(engine, plan.world)? {
            Some(first) if first > end => {
                let what = format!(
                    "the index ends the log at event {end}, and event {first} is in its runs"
                );
                damage(end.next(), DamageKind::RolledBack, what)
            }
            Some(_) | None => None,
        },
    };
    Ok(())
}

/// The first event of the last run.
pub(crate) fn last_run(
    engine: &dyn Engine,
    world: WorldId,
) -> Result<Option<Position>, EngineError> {
    let last = engine.floor(
        Table::Runs,
        &runs::run_key(world, Position::new(u64::MAX), u16::MAX),
    )?;
    let last = last.filter(|(key, _)| key.starts_with(world.0.as_bytes()));
    Ok(last
        .and_then(|(key, _)| runs::read_run_key(&key).ok())
        .map(|(_, first, _)| first))
}
