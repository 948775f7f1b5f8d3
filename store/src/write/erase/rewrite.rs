//! Rewriting runs, so that content is gone and commitments to it stay.

use folkmoot_core::ids::{Position, WorldId};

use super::units::{StoredUnit, UnitPlace, damaged};
use super::{Meant, journal};
use crate::engine::{EngineError, Pair, Table};
use crate::format::Malformed;
use crate::format::event::{ContentRef, EventRef};
use crate::format::record::{RecordRef, records};
use crate::read::runs::run_key;
use crate::read::runs::sheet::pack;
use crate::state::shared::Shared;

/// Rewrites the units of `world` that hold what is meant. Gives how many events have lost their
/// content to this request.
pub(super) fn rewrite(shared: &Shared, world: WorldId, meant: &Meant) -> Result<u64, EngineError> {
    let mut place = {
        let lease = shared.lease();
        UnitPlace::new(lease.engine()?, world, meant.first(), meant.last())?
    };
    let mut erased = 0_u64;
    loop {
        let units = {
            let lease = shared.lease();
            place.read(lease.engine()?)?
        };
        if units.is_empty() {
            return Ok(erased);
        }
        let mut single: Vec<Pair> = Vec::new();
        for unit in &units {
            let bare = bare(unit, meant).map_err(damaged)?;
            erased += bare.erased;
            let Some(commits) = bare.commits else {
                continue;
            };
            let mut frames = pack(&commits).map_err(damaged)?;
            // One value is replaced whole or not at all; several need a note that they count
            // (decision 0020).
            if unit.parts == 1 && frames.len() == 1 {
                single.extend(
                    frames
                        .pop()
                        .map(|frame| (run_key(world, unit.first, 0), frame)),
                );
            } else {
                journal::replace(shared, world, unit.first, frames)?;
            }
        }
        let lease = shared.lease();
        lease.engine()?.put(Table::Runs, &single)?;
    }
}

/// A unit without what is meant.
struct Bare {
    /// Its commits; `None` if nothing changes.
    commits: Option<Vec<u8>>,
    /// The number of its events that have lost their content to this request, now or before.
    erased: u64,
}

fn bare(unit: &StoredUnit, meant: &Meant) -> Result<Bare, Malformed> {
    let mut commits = Vec::with_capacity(unit.commits.len());
    let mut has_changed = false;
    let mut erased = 0;
    for record in records(&unit.commits) {
        let record = record?;
        match without(&record, meant, &mut erased)? {
            Some(bytes) => {
                has_changed = true;
                commits.extend_from_slice(&bytes);
            }
            None => commits.extend_from_slice(record.bytes),
        }
    }
    Ok(Bare {
        commits: has_changed.then_some(commits),
        erased,
    })
}

/// A commit without what is meant; `None` if nothing changes. Counts in `erased` the events that have lost their content to
/// this request, now or before.
pub(crate) fn without(
    record: &RecordRef<'_>,
    meant: &Meant,
    erased: &mut u64,
) -> Result<Option<Vec<u8>>, Malformed> {
    if record.fixed.last() < meant.first() || record.fixed.first > meant.last() {
        return Ok(None);
    }
    let mut events = record.events()?;
    let mut has_changed = false;
    for (at, event) in (record.fixed.first.get()..)
        .map(Position::new)
        .zip(&mut events)
    {
        if !meant.covers(at) {
            continue;
        }
        let is_to_go = match event.content {
            // One that is gone without a request was lost.
            ContentRef::Present { .. }
            | ContentRef::Sealed { .. }
            | ContentRef::Beside(_)
            | ContentRef::Erased { by: None, .. } => true,
            ContentRef::None | ContentRef::Erased { by: Some(_), .. } => false,
        };
        if let Some(commitment) = event.commitment().filter(|_| is_to_go) {
            *event = EventRef {
                content: ContentRef::Erased {
                    by: Some(meant.by),
                    commitment,
                },
                ..*event
            };
            has_changed = true;
        }
        if let ContentRef::Erased { by, .. } = event.content
            && by == Some(meant.by)
        {
            *erased += 1;
        }
    }
    if has_changed {
        record.with(&events).map(Some)
    } else {
        Ok(None)
    }
}
