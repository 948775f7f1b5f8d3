//! Copying tables and frames from any engine.

use super::{BackupCut, BackupError};
use crate::engine::{BEHIND, Engine, EngineError, FrameNumber, READ_BYTES, Table, trimmed_row};

/// About how many bytes of frames are appended at once.
const APPEND_BYTES: usize = 110 * 1024;

/// The tables: what stands beside the frames before the records that name it, and the one of single
/// facts last, which says how many worlds there are.
const TABLES: [Table; 7] = [
    Table::Content,
    Table::Runs,
    Table::Keys,
    Table::Gone,
    Table::Deleted,
    Table::Worlds,
    Table::Meta,
];

/// Copies all rows. Opened again, the copy goes on behind the frame `swept`.
pub(super) fn tables(
    from: &dyn Engine,
    to: &dyn Engine,
    swept: FrameNumber,
    target: impl Fn(EngineError) -> BackupError,
) -> Result<(), BackupError> {
    for table in TABLES {
        let mut next = Vec::new();
        loop {
            let rows = from.range(table, &next, &BEHIND, READ_BYTES)?;
            let Some((last, _)) = rows.last() else { break };
            next.clone_from(last);
            next.push(0);
            to.put(table, &rows).map_err(&target)?;
        }
    }
    to.put(Table::Meta, &[trimmed_row(swept)]).map_err(target)
}

/// Copies the shared frames up to the cut, under their numbers.
pub(super) fn frames(
    from: &dyn Engine,
    to: &dyn Engine,
    cut: &BackupCut,
    target: impl Fn(EngineError) -> BackupError,
) -> Result<(), BackupError> {
    let term = to.take_over().map_err(&target)?;
    let mut head = cut.swept;
    while head < cut.head {
        let frames = from.read(head.plus(1), APPEND_BYTES)?;
        let wanted = frames
            .into_iter()
            .take_while(|(number, _)| *number <= cut.head);
        let mut some = Vec::new();
        for ((number, frame), expected) in wanted.zip(head.0.saturating_add(1)..) {
            if number.0 != expected {
                return Err(EngineError::Damaged(format!("frame {expected} is missing")).into());
            }
            some.push(frame);
        }
        if some.is_empty() {
            return Err(EngineError::Damaged(format!("frame {} is missing", head.plus(1))).into());
        }
        to.append(term, head, &some).map_err(&target)?;
        head = head.plus(some.len() as u64);
    }
    Ok(())
}
