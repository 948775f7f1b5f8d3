//! Facts about a store, for people who look after it.

use std::fs;
use std::io;
use std::path::Path;

use crate::engines::EngineKind;
use crate::format::STORE_FORMAT;
use crate::state::shared::Shared;

#[cfg(test)]
mod tests;

/// Facts about a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The format of its files.
    pub format: u32,
    /// The engine that its directory has; `None` in memory.
    pub engine: Option<EngineKind>,
    /// The number of worlds.
    pub worlds: usize,
    /// The number of worlds that were deleted.
    pub deleted: usize,
    /// The number of events of all worlds.
    pub events: u64,
    /// The number of frames that were ever appended.
    pub frames: u64,
    /// The number of frames that are not in runs yet.
    pub frames_shared: u64,
    /// The number of bytes of its files; 0 in memory.
    pub bytes_on_disk: u64,
}

impl Stats {
    pub(crate) fn of(shared: &Shared, home: Option<&Path>) -> io::Result<Self> {
        let engine = home
            .map(EngineKind::of)
            .transpose()
            .map_err(io::Error::other)?
            .flatten();
        let bytes_on_disk = home.map_or(Ok(0), folder_bytes)?;
        let index = shared.index();
        Ok(Self {
            format: u32::from(STORE_FORMAT),
            engine,
            worlds: index.worlds.len(),
            deleted: index.ended_count(),
            events: index
                .worlds
                .values()
                .map(|world| world.reach.head.get())
                .sum(),
            frames: index.head.0,
            frames_shared: index.head.0.saturating_sub(index.swept.0),
            bytes_on_disk,
        })
    }
}

fn folder_bytes(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() {
            folder_bytes(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}
