//! The rows of one append.

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{Position, WorldName};
use folkmoot_core::port::AppendError;

use super::{RowParts, digest_of};
use crate::ledger::{Birth, NewRow, Row, RowChain};
use crate::shared_store::reaches::Known;
use crate::state::index::Reach;
use crate::state::summary::Summary;
use crate::write::group;
use crate::write::queue::EncodedCommit;

/// What the first row of a chain begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    Nothing,
    World,
    Fork,
}

/// Links the commits of a request behind a world, which goes on by them.
pub(super) fn chain(
    commits: Vec<EncodedCommit>,
    parts: Vec<RowParts>,
    (known, begins): (&mut Known, Begins),
) -> Result<RowChain, AppendError> {
    let world = commits.first().map(|commit| commit.summary.world);
    let world = world.ok_or_else(|| AppendError::Invalid(group::EMPTY.to_owned()))?;
    let prev = match begins {
        Begins::Nothing => known.last_first,
        Begins::World | Begins::Fork => Position::ZERO,
    };
    let mut rows = Vec::with_capacity(commits.len());
    for (EncodedCommit { summary, record }, parts) in commits.into_iter().zip(parts) {
        let birth = birth(&summary, &known.reach, begins);
        let leaf = record.leaf();
        let (record, _) = record.link(&known.reach.link);
        known.reach.advance(&summary, leaf);
        known.last_first = summary.first;
        let key = summary.key.as_ref();
        let row = Row {
            world,
            first: summary.first,
            last: summary.last,
            time: summary.time,
            incarnation: known.reach.incarnation,
            key: key.map(|keyed| digest_of(&keyed.key)).transpose()?,
            record,
            beside: parts.beside,
        };
        rows.push(NewRow {
            row,
            gone: summary.gone,
            // A fork has those of its parent there until it says otherwise.
            labelled: match begins {
                Begins::Fork => Some(Labelled::clone(&known.reach.labelled)),
                Begins::Nothing | Begins::World => summary.labelled,
            },
            demands: parts.demands,
            birth,
        });
    }
    Ok(RowChain { world, prev, rows })
}

fn birth(summary: &Summary, reach: &Reach, begins: Begins) -> Option<Birth> {
    let name = WorldName::clone(&reach.name);
    match begins {
        Begins::Nothing => None,
        Begins::World => Some(Birth {
            name,
            base: None,
            is_sealed: summary.is_sealed,
        }),
        Begins::Fork => Some(Birth {
            name,
            base: reach.base.map(|base| (base.parent, base.at)),
            is_sealed: reach.is_sealed,
        }),
    }
}
