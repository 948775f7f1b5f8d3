//! The world that another one was forked from, where the index does not tell.

use std::ops::ControlFlow;

use folkmoot_core::ids::{Position, WorldId};

use super::scan::Scan;
use super::walk::{Item, Stretch};
use crate::engine::{Engine, EngineError};
use crate::format::record::RecordRef;
use crate::format::upcast::Upcasters;
use crate::state::index::Base;
use crate::state::summary::Summary;

/// All of a world's own records, from wherever they stand: those in runs, then those in shared
/// frames.
pub(crate) fn anywhere(scan: &Scan, owner: WorldId, up_to: Position) -> [Stretch; 2] {
    let tail = scan
        .units
        .get(&owner)
        .or_else(|| scan.orphans.get(&owner))
        .cloned()
        .unwrap_or_default();
    let all = Position::new(u64::MAX - 1);
    [
        Stretch {
            owner,
            up_to,
            runs_end: all,
            tail: Vec::new(),
        },
        Stretch {
            owner,
            up_to,
            runs_end: Position::ZERO,
            tail,
        },
    ]
}

/// Returns what the first record of a world's own says that it was forked from; `None` if that says
/// nothing of it.
pub(crate) fn origin(
    engine: &dyn Engine,
    scan: &Scan,
    world: WorldId,
) -> Result<Option<Base>, EngineError> {
    let mut found = None;
    let mut is_copied = false;
    for stretch in anywhere(scan, world, Position::new(u64::MAX - 1)) {
        let walked = stretch.walk(engine, Position::new(1), &mut |item| match item {
            Item::Record(record) if record.fixed.world == world => {
                found = Some(base(&record, is_copied));
                ControlFlow::Break(())
            }
            Item::Record(_) => {
                is_copied = true;
                ControlFlow::Continue(())
            }
            Item::Broken(_) => ControlFlow::Continue(()),
        });
        match walked {
            Ok(_) | Err(EngineError::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Returns what a world's first record of its own says that it was forked from.
pub(crate) fn base(record: &RecordRef<'_>, is_copied: bool) -> Option<Base> {
    let origin = Summary::read(record, &Upcasters::default()).ok()?.origin?;
    Some(Base {
        parent: origin.forked.parent,
        at: origin.forked.base.of,
        is_copied,
    })
}
