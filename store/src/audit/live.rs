//! Verifying a world of an open store, while appends go on.

use std::ops::ControlFlow;
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::ReadError;
use folkmoot_core::world::FORKS_DEEP_MAX;

use crate::engine::{Engine, FrameNumber};
use crate::local::{Inner, LocalStore};
use crate::state::index::{Index, IndexedWorld};
use crate::state::shared::{CLOSED, Phase, Shared, read_error};
use crate::sync::threads::blocking;
use crate::verify::against::Against;
use crate::verify::examine::last_run;
use crate::verify::plan::{Known, LogPlan};
use crate::verify::report::{Damage, DamageKind, Integrity};
use crate::verify::run::{Verification, begin, conclude, name};
use crate::verify::scan::Scan;
use crate::verify::tables::TablesPlace;
use crate::verify::walk::{Each, End, Item, Stretch};

/// The number of records that are walked before it is looked whether the store was closed.
const LOOK_EVERY: u32 = 1_024;

impl LocalStore {
    /// Verifies the log of a world as it stands now; what is appended meanwhile is left out. Reads
    /// every byte of it, a piece at a time.
    pub(crate) async fn verify(
        &self,
        world: WorldId,
        against: Against,
    ) -> Result<Integrity, ReadError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || verify(&inner, world, &against)).await
    }
}

fn verify(inner: &Inner, world: WorldId, against: &Against) -> Result<Integrity, ReadError> {
    let shared = inner.shared.as_ref();
    let plan = cut(&shared.index(), world).ok_or(ReadError::NoSuchWorld(world))?;
    let is_short = |stretch: &&Stretch| stretch.tail.is_empty() && stretch.runs_end < stretch.up_to;
    let short = plan
        .stretches
        .iter()
        .filter(|stretch| stretch.owner != world)
        .find(is_short);
    if let Some(stretch) = short {
        let what = format!(
            "it shares events up to {} with a world that ends before",
            stretch.up_to
        );
        return Err(ReadError::Damaged {
            at: stretch.up_to,
            what,
        });
    }
    let mut found = verify_to(inner, &plan, against)?;
    // What stands beside the frames may have been erased since its record was read.
    if found
        .damage
        .as_ref()
        .is_some_and(|damage| damage.kind == DamageKind::Content)
    {
        found = verify_to(inner, &plan, against)?;
    }
    behind_index(shared, found)
}

/// Verifies what was there at the cut.
fn verify_to(inner: &Inner, plan: &LogPlan, against: &Against) -> Result<Integrity, ReadError> {
    let shared = inner.shared.as_ref();
    let world = plan.world;
    let lease = shared.lease();
    let engine = lease.engine().map_err(|_| closed())?;
    let place = TablesPlace {
        engine,
        files: &inner.vault,
        world,
        runs_end: plan.runs_end,
        has_keys: true,
        is_still: false,
    };
    let stage = Verification {
        plan,
        scan: &Scan::default(),
        place,
        against,
        upcasters: &shared.upcasters,
    };
    let mut checker = begin(&stage);
    let mut anomaly = None;
    walk(shared, engine, plan, &mut |item| match checker.take(item) {
        Ok(()) => ControlFlow::Continue(()),
        Err(found) => {
            anomaly = Some(found);
            ControlFlow::Break(())
        }
    })?;
    let end = checker.end();
    let found = match anomaly {
        Some(anomaly) => name(&stage, checker, anomaly),
        None => conclude(&stage, checker),
    };
    found.map_err(|error| read_error(error, end))
}

fn closed() -> ReadError {
    ReadError::Stopped(CLOSED.to_owned())
}

/// Looks for runs behind what the index knows: somebody put an older index in its place. No sweep
/// writes any meanwhile.
fn behind_index(shared: &Shared, mut found: Integrity) -> Result<Integrity, ReadError> {
    let _no_sweep = shared.chores();
    let lease = shared.lease();
    let engine = lease.engine().map_err(|_| closed())?;
    let runs_end = shared
        .index()
        .worlds
        .get(&found.world)
        .map(|world| world.runs_end);
    let last = last_run(engine, found.world).map_err(|error| read_error(error, found.events))?;
    if let (None, Some(runs_end), Some(last)) = (&found.damage, runs_end, last)
        && last > runs_end
    {
        let what =
            format!("the index ends the log at event {runs_end}, and event {last} is in its runs");
        found.damage = Some(Damage {
            at: runs_end.next(),
            until: None,
            kind: DamageKind::RolledBack,
            what,
        });
    }
    Ok(found)
}

/// Walks what was there at the cut, wherever it is moved meanwhile.
pub(super) fn walk(
    shared: &Shared,
    engine: &dyn Engine,
    plan: &LogPlan,
    each: &mut Each<'_>,
) -> Result<(), ReadError> {
    let mut next = Position::new(1);
    let mut count = 0_u32;
    let mut is_closed = false;
    for stretch in &plan.stretches {
        let mut stretch = stretch.clone();
        loop {
            let end = stretch.walk(engine, next, &mut |item| {
                count = count.wrapping_add(1);
                is_closed = count.is_multiple_of(LOOK_EVERY) && shared.phase() == Phase::Closed;
                if is_closed {
                    return ControlFlow::Break(());
                }
                if let Item::Record(record) = &item {
                    next = next.max(record.fixed.last().next());
                }
                each(item)
            });
            match end.map_err(|error| read_error(error, next))? {
                End::Stopped if is_closed => return Err(ReadError::Stopped(CLOSED.to_owned())),
                End::Stopped => return Ok(()),
                End::Done => break,
                End::Moved => follow(shared, &mut stretch, next)?,
            }
        }
    }
    Ok(())
}

/// Finds the commits that were in shared frames in the runs that they were copied into.
fn follow(shared: &Shared, stretch: &mut Stretch, next: Position) -> Result<(), ReadError> {
    let index = shared.index();
    let now = index
        .worlds
        .get(&stretch.owner)
        .map(tail)
        .filter(|(runs_end, _)| *runs_end > stretch.runs_end);
    let gone = || ReadError::Damaged {
        at: next,
        what: "frames of it are missing".to_owned(),
    };
    (stretch.runs_end, stretch.tail) = now.ok_or_else(gone)?;
    Ok(())
}

/// Up to where a world is in runs, and the shared frames with the rest.
fn tail(world: &IndexedWorld) -> (Position, Vec<FrameNumber>) {
    let mut frames: Vec<FrameNumber> = world.tail.iter().map(|commit| commit.frame).collect();
    frames.dedup();
    (world.runs_end, frames)
}

/// Returns what there is of a world now.
pub(super) fn cut(index: &Index, world: WorldId) -> Option<LogPlan> {
    let own = index.worlds.get(&world)?;
    let stretch = |owner: WorldId, known: &IndexedWorld, up_to: Position| {
        let (runs_end, tail) = tail(known);
        Stretch {
            owner,
            up_to,
            runs_end,
            tail,
        }
    };
    let mut stretches = vec![stretch(world, own, own.reach.head)];
    let mut base = own.reach.base;
    let mut up_to = own.reach.head;
    while let Some(shared) =
        base.filter(|base| !base.is_copied && stretches.len() <= FORKS_DEEP_MAX)
    {
        let parent = index.worlds.get(&shared.parent)?;
        // A fork may leave its parent before that one left its own.
        up_to = up_to.min(shared.at);
        stretches.insert(0, stretch(shared.parent, parent, up_to));
        base = parent.reach.base;
    }
    let known = Known {
        head: own.reach.head,
        link: own.reach.link,
        tree: Some(own.reach.tree.clone()),
    };
    Some(LogPlan {
        world,
        name: Some((*own.reach.name).clone()),
        stretches,
        known: Some(known),
        base: own.reach.base,
        runs_end: own.runs_end,
    })
}
