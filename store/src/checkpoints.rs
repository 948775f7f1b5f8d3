//! Saved folds: one file per world, whole or not there.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::AppendError;

use crate::engine::is_full;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::home;

#[cfg(test)]
mod tests;

/// Their folder in the store's directory.
const FOLDER: &str = "checkpoints";

/// What every file begins with.
const MARK: &[u8; 8] = b"fmcheck1";

/// Where checkpoints are kept.
#[derive(Debug)]
pub(crate) enum Shelter {
    /// In memory.
    Memory(Mutex<HashMap<WorldId, Saved>>),
    /// In files of this folder.
    Files(PathBuf),
}

/// A checkpoint.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    at: Position,
    decider: Digest,
    state: Vec<u8>,
}

impl Shelter {
    /// In the store's directory, or in memory if it has none.
    pub(crate) fn new(home: Option<&Path>) -> Self {
        home.map_or_else(|| Self::Memory(Mutex::default()), |home| Self::Files(home.join(FOLDER)))
    }

    /// Replaces the checkpoint of a world.
    pub(crate) fn save(
        &self,
        world: WorldId,
        at: Position,
        decider: Digest,
        state: Vec<u8>,
    ) -> Result<(), AppendError> {
        let saved = Saved { at, decider, state };
        match self {
            Self::Memory(all) => {
                all.lock().unwrap_or_else(PoisonError::into_inner).insert(world, saved);
                Ok(())
            }
            Self::Files(folder) => {
                let write = || {
                    fs::create_dir_all(folder)?;
                    home::replace(folder, &world.to_string(), &encode(&saved))
                };
                write().map_err(|error| if is_full(&error) { AppendError::Full(error) } else { AppendError::Io(error) })
            }
        }
    }

    /// The checkpoint of a world, if it is whole and made by `decider`.
    pub(crate) fn latest(&self, world: WorldId, decider: Digest) -> Option<(Position, Vec<u8>)> {
        let saved = match self {
            Self::Memory(all) => all.lock().unwrap_or_else(PoisonError::into_inner).get(&world).cloned(),
            Self::Files(folder) => fs::read(folder.join(world.to_string())).ok().and_then(|bytes| decode(&bytes).ok()),
        };
        saved.filter(|saved| saved.decider == decider).map(|saved| (saved.at, saved.state))
    }
}

fn encode(saved: &Saved) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.extend_from_slice(&saved.at.get().to_le_bytes());
    bytes.extend_from_slice(saved.decider.as_bytes());
    bytes.extend_from_slice(&saved.state);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Result<Saved, Malformed> {
    let broken = || Malformed::new("a broken checkpoint");
    let (body, checksum) = bytes.split_last_chunk::<4>().ok_or_else(broken)?;
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return Err(broken());
    }
    let mut body = Bytes(body.strip_prefix(MARK).ok_or_else(broken)?);
    let (at, decider) = (Position::new(body.u64()?), Digest::new(body.array()?));
    Ok(Saved { at, decider, state: body.0.to_vec() })
}
