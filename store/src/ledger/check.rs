//! The requests that no ledger takes, so that all refuse the same.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::NodeCard;

use super::{
    BESIDE_BYTES_MAX, BLOB_ROW_BYTES_MAX, CHECKPOINT_BYTES_MAX, CheckpointRow, LedgerError, NewRow,
    RECORD_BYTES_MAX, Rewrite, Row, RowChain,
};
use crate::format::record::{LINK_AT, LINK_LEN};

/// Checks chains before they are appended.
///
/// # Errors
/// [`LedgerError::Invalid`] names the first fault: no rows, two chains of one world, rows that do not follow one another in
/// that world, a key or a birth behind the first row, a birth with rows behind it or with a predecessor, a record or content
/// that is too large or has no link, content that is of no event of its row, and labels or needs that are too many or too
/// long.
pub fn check_chains(chains: &[RowChain]) -> Result<(), LedgerError> {
    let mut worlds = BTreeMap::new();
    for chain in chains {
        if worlds.insert(chain.world, ()).is_some() {
            return invalid(format!("two chains are of the world {}", chain.world));
        }
        check_chain(chain)?;
    }
    Ok(())
}

fn check_chain(chain: &RowChain) -> Result<(), LedgerError> {
    let world = chain.world;
    let Some((first, rest)) = chain.rows.split_first() else {
        return invalid(format!("the chain of the world {world} has no rows"));
    };
    let is_born = first.birth.is_some();
    if is_born && !rest.is_empty() {
        return invalid(format!("the row that begins the world {world} comes alone"));
    }
    if is_born != (chain.prev == Position::ZERO) || chain.prev >= first.row.first {
        return invalid(format!(
            "event {} of the world {world} cannot follow event {}",
            first.row.first, chain.prev
        ));
    }
    let mut next = first.row.first;
    for (place, new) in chain.rows.iter().enumerate() {
        if new.row.world != world || new.row.first != next {
            return invalid(format!(
                "the rows of the world {world} do not follow one another"
            ));
        }
        if place > 0 && (new.row.key.is_some() || new.birth.is_some()) {
            return invalid(format!(
                "only the first row of the world {world} may have a key or begin it"
            ));
        }
        check_row(new)?;
        next = new.row.last.next();
    }
    Ok(())
}

fn check_row(new: &NewRow) -> Result<(), LedgerError> {
    let row = &new.row;
    if row.first == Position::ZERO || row.last < row.first {
        return invalid(format!(
            "a row has the events {} to {}",
            row.first, row.last
        ));
    }
    check_record((row.world, row.first), &row.record)?;
    check_beside(row)?;
    if let Some(labelled) = &new.labelled {
        labelled
            .check()
            .map_err(|fault| LedgerError::Invalid(fault.to_string()))?;
    }
    new.demands
        .as_ref()
        .and_then(|demands| demands.needs.as_ref())
        .map_or(Ok(()), check_needs)
}

fn check_beside(row: &Row) -> Result<(), LedgerError> {
    let mut before = row.first.previous();
    for beside in &row.beside {
        if beside.at <= before || beside.at > row.last {
            return invalid(format!(
                "the content of event {} does not stand in order beside the events {} to {}",
                beside.at, row.first, row.last
            ));
        }
        before = beside.at;
        let max = BESIDE_BYTES_MAX;
        within(
            &format!("the content of event {}", beside.at),
            beside.bytes.len(),
            max,
        )?;
    }
    Ok(())
}

fn check_record((world, first): (WorldId, Position), record: &[u8]) -> Result<(), LedgerError> {
    let what = || format!("the record of event {first} of the world {world}");
    if link(record).is_none() {
        return invalid(format!("{} has no link", what()));
    }
    within(&what(), record.len(), RECORD_BYTES_MAX)
}

fn check_needs(needs: &BTreeSet<String>) -> Result<(), LedgerError> {
    if needs.len() > NodeCard::OFFERS_MAX {
        let max = NodeCard::OFFERS_MAX;
        return invalid(format!(
            "a world needs {} things; at most {max} are allowed",
            needs.len()
        ));
    }
    needs
        .iter()
        .try_for_each(|need| within("a need", need.len(), NodeCard::OFFER_MAX))
}

/// Checks a blob before it is kept.
///
/// # Errors
/// [`LedgerError::Invalid`] if it has more than [`BLOB_ROW_BYTES_MAX`].
pub fn check_blob(blob: Digest, bytes: &[u8]) -> Result<(), LedgerError> {
    within(&format!("the blob {blob}"), bytes.len(), BLOB_ROW_BYTES_MAX)
}

/// Checks a fold before it is saved.
///
/// # Errors
/// [`LedgerError::Invalid`] if it has more than [`CHECKPOINT_BYTES_MAX`].
pub fn check_checkpoint(row: &CheckpointRow) -> Result<(), LedgerError> {
    within(
        &format!("the fold at event {}", row.at),
        row.state.len(),
        CHECKPOINT_BYTES_MAX,
    )
}

/// Checks a record that is to stand in the place of `stored`; tells whether that is the one that it replaces, or itself.
///
/// # Errors
/// [`LedgerError::Invalid`] if it has another link, or is larger than a record may be.
pub fn check_rewrite(rewrite: &Rewrite, stored: &[u8]) -> Result<bool, LedgerError> {
    check_record((rewrite.world, rewrite.first), &rewrite.record)?;
    if link(&rewrite.record) == link(stored) {
        return Ok(rewrite.record == stored || rewrite.replaces == Digest::of(&[stored]));
    }
    Err(LedgerError::Invalid(format!(
        "the record of event {} of the world {} would have another link",
        rewrite.first, rewrite.world
    )))
}

/// The error of a fork whose copy of the rows of its parents would not be whole.
pub(crate) fn not_whole(fork: WorldId) -> LedgerError {
    LedgerError::Damaged(format!(
        "the rows that the world {fork} shares do not run from event 1 to where it was forked"
    ))
}

/// The link in a record.
pub(super) fn link(record: &[u8]) -> Option<Digest> {
    let link = record.get(LINK_AT..LINK_AT + LINK_LEN)?;
    link.try_into().ok().map(Digest::new)
}

/// Fails if something is larger than it may be.
pub(crate) fn within(what: &str, len: usize, max: usize) -> Result<(), LedgerError> {
    if len <= max {
        return Ok(());
    }
    invalid(format!("{what} has {len} bytes; at most {max} are allowed"))
}

fn invalid(why: String) -> Result<(), LedgerError> {
    Err(LedgerError::Invalid(why))
}
