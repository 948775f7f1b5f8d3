//! Rewriting: what the file keeps is copied into a fresh one, which then takes its place.
//!
//! The copy has another name until it is whole, synced and read back. Renaming it is the one step
//! that counts: a copy that a process left before that is removed at the next opening.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use super::head::{self, FileHead};
use super::row::{self, Row};
use super::scan::{self, GroupScan};
use super::{FOLDER, FilesEngine, ROWS, ReadState, from_io, group};
use crate::engine::EngineError;
use crate::home::{gone, half_written, sync_folder};

#[cfg(test)]
mod tests;

/// About how many bytes of rows make a group of the copy.
const GROUP_BYTES: usize = 256 * 1024;

/// Copies the rows into a fresh file and puts that in the place of the old one. Nobody writes
/// meanwhile; reading goes on. A copy that cannot be made changes nothing; after a failure behind
/// it the engine refuses all writing.
pub(super) fn compact(engine: &FilesEngine) -> Result<(), EngineError> {
    let mut writer = engine.writer();
    writer.run(|_| Ok(()))?;
    let folder = engine.home.path().join(FOLDER);
    let generation = writer.generation.saturating_add(1);
    let (file, copy) = match copy(&engine.state(), &folder, generation) {
        Ok(copied) => copied,
        Err(error) => {
            if let Err(error) = gone(fs::remove_file(folder.join(half_written(ROWS)))) {
                tracing::warn!(%error, "an unfinished copy of the log stays until the store is opened again");
            }
            return Err(error);
        }
    };
    writer.run(|writer| {
        fs::rename(folder.join(half_written(ROWS)), folder.join(ROWS)).map_err(from_io)?;
        sync_folder(&folder).map_err(from_io)?;
        (writer.file, writer.generation, writer.len) = (Arc::clone(&file), generation, copy.end);
        writer.note()?;
        let mut state = engine.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = ReadState {
            file,
            index: copy.index,
        };
        Ok(())
    })
}

/// Makes a copy that survives power loss, and reads it back.
fn copy(
    state: &ReadState,
    folder: &Path,
    generation: u64,
) -> Result<(Arc<File>, GroupScan), EngineError> {
    let options = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .to_owned();
    let file = options
        .open(folder.join(half_written(ROWS)))
        .map_err(from_io)?;
    let len = fill(state, &file)?;
    file.write_all_at(&head::encode(FileHead { generation, len }), 0)
        .map_err(from_io)?;
    file.sync_all().map_err(from_io)?;
    let copy = scan::scan(&file)?;
    let is_whole =
        copy.troubles.is_empty() && copy.end == len && copy.index.has_the_values_of(&state.index);
    if is_whole {
        Ok((Arc::new(file), copy))
    } else {
        Err(EngineError::Damaged(
            "a copy of the log is not what was written".to_owned(),
        ))
    }
}

/// Writes all rows, a group at a time; gives the length of the file.
fn fill(state: &ReadState, file: &File) -> Result<u64, EngineError> {
    let mut at = head::LEN as u64;
    let mut rows = Vec::new();
    let mut bytes = 0;
    for (key, place) in state.index.all() {
        let value = state.value(place)?;
        bytes += row::HEADER_LEN + key.len() + value.len();
        rows.push((key.clone(), value));
        if bytes >= GROUP_BYTES {
            at = write(file, at, &std::mem::take(&mut rows))?;
            bytes = 0;
        }
    }
    if rows.is_empty() {
        Ok(at)
    } else {
        write(file, at, &rows)
    }
}

fn write(file: &File, at: u64, rows: &[(Vec<u8>, Vec<u8>)]) -> Result<u64, EngineError> {
    let rows: Vec<Row<'_>> = rows
        .iter()
        .map(|(key, value)| Row::put(key.clone(), value))
        .collect();
    let group = group::encode(at, &row::encode(&rows)?)?;
    file.write_all_at(&group, at).map_err(from_io)?;
    Ok(at + group.len() as u64)
}
