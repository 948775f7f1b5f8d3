//! Saved folds: a file each, whole or not there, in a folder of their world.
//!
//! A world keeps its newest, and older ones far enough apart that going back in a long log does not
//! begin at its first event.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::AppendError;

use crate::engine::is_full;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::header;
use crate::home;

mod memory;
pub(crate) mod thin;

use memory::InMemory;

#[cfg(test)]
mod tests;

/// The folder in the store's directory.
const FOLDER: &str = "checkpoints";

/// The first bytes of every file.
const MARK: &[u8; 8] = b"fmcheck2";

/// The first bytes of files of older builds, which do not say which log they are of.
const OLD_MARK: &[u8; 8] = b"fmcheck1";

/// mark, position, decider
const HEAD_LEN: usize = 8 + 8 + 32;

/// The place where checkpoints are kept.
#[derive(Debug)]
pub(crate) enum Shelter {
    /// In memory.
    Memory(Mutex<InMemory>),
    /// In files below this folder.
    Files(PathBuf),
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Saved {
    /// The world that it is the fold of.
    pub(crate) world: WorldId,
    pub(crate) at: Position,
    /// The link of the commit that ends there: no other log has it.
    pub(crate) link: Digest,
    pub(crate) decider: Digest,
    pub(crate) state: Vec<u8>,
}

/// The position of a checkpoint, and the rules that made it.
pub(crate) type Place = (Position, Digest);

impl Shelter {
    /// In the store's directory, or in memory if it has none.
    pub(crate) fn new(home: Option<&Path>) -> Self {
        home.map_or_else(
            || Self::Memory(Mutex::default()),
            |home| Self::Files(home.join(FOLDER)),
        )
    }

    /// Keeps a checkpoint, and lets go of those that nobody needs beside it.
    pub(crate) fn save(&self, saved: Saved) -> Result<(), AppendError> {
        let world = saved.world;
        let decider = saved.decider;
        self.keep(world, saved).map_err(failed)?;
        let needless = thin::needless(&self.places(world), decider);
        needless
            .into_iter()
            .try_for_each(|at| self.drop_one(world, at))
            .map_err(failed)
    }

    /// The newest checkpoint of a world that is at `up_to` or before it, whole, made by `decider`,
    /// and of the log whose commit at a position has the link that `link_at` gives.
    pub(crate) fn latest(
        &self,
        world: WorldId,
        decider: Digest,
        up_to: Option<Position>,
        link_at: impl Fn(Position) -> Option<Digest>,
    ) -> Option<(Position, Vec<u8>)> {
        let is_usable =
            |place: &&Place| place.1 == decider && up_to.is_none_or(|up_to| place.0 <= up_to);
        let is_of_this = |saved: &Saved| {
            saved.world == world
                && saved.decider == decider
                // One that somebody brought here from another log has another link.
                && link_at(saved.at) == Some(saved.link)
        };
        let places = self.places(world);
        let mut whole = places
            .iter()
            .rev()
            .filter(is_usable)
            .filter_map(|(at, _)| self.read(world, *at));
        whole.find(is_of_this).map(|saved| (saved.at, saved.state))
    }

    /// Returns where a world's checkpoints stand, oldest first, whole or not.
    pub(crate) fn places(&self, world: WorldId) -> Vec<Place> {
        match self {
            Self::Memory(all) => all
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .places(world),
            Self::Files(folder) => places_in(&folder.join(world.to_string())),
        }
    }

    /// Removes all checkpoints of a world; returns once their names are gone for good.
    pub(crate) fn remove(&self, world: WorldId) -> io::Result<()> {
        match self {
            Self::Memory(all) => {
                all.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(world);
                Ok(())
            }
            Self::Files(folder) => {
                remove_old_form(folder, world)?;
                home::remove_folder(&folder.join(world.to_string()))
            }
        }
    }

    fn keep(&self, world: WorldId, saved: Saved) -> io::Result<()> {
        match self {
            Self::Memory(all) => {
                all.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .keep(world, saved);
                Ok(())
            }
            Self::Files(folder) => {
                let own = folder.join(world.to_string());
                if own.is_file() {
                    remove_old_form(folder, world)?;
                }
                fs::create_dir_all(&own)?;
                home::replace(&own, &saved.at.to_string(), &encode(&saved))
            }
        }
    }

    fn drop_one(&self, world: WorldId, at: Position) -> io::Result<()> {
        match self {
            Self::Memory(all) => {
                all.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .drop_one(world, at);
                Ok(())
            }
            Self::Files(folder) => home::gone(fs::remove_file(
                folder.join(world.to_string()).join(at.to_string()),
            )),
        }
    }

    fn read(&self, world: WorldId, at: Position) -> Option<Saved> {
        let saved = match self {
            Self::Memory(all) => all
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .read(world, at),
            Self::Files(folder) => {
                let bytes = fs::read(folder.join(world.to_string()).join(at.to_string())).ok()?;
                decode(&bytes).ok()
            }
        };
        saved.filter(|saved| saved.at == at)
    }
}

/// Older builds kept one checkpoint, in a file with the world's name.
fn remove_old_form(folder: &Path, world: WorldId) -> io::Result<()> {
    let name = world.to_string();
    let own = folder.join(&name);
    if own.is_file() {
        fs::remove_file(&own)?;
    }
    home::gone(fs::remove_file(folder.join(home::half_written(&name))))
}

/// Returns where the checkpoints in a folder stand. One whose first bytes do not read is nowhere.
fn places_in(folder: &Path) -> Vec<Place> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut places: Vec<Place> = entries
        .filter_map(|entry| place(&entry.ok()?.path()))
        .collect();
    places.sort_unstable_by_key(|(at, _)| *at);
    places
}

fn place(path: &Path) -> Option<Place> {
    let at = Position::new(path.file_name()?.to_str()?.parse().ok()?);
    let mut head = [0; HEAD_LEN];
    File::open(path).ok()?.read_exact(&mut head).ok()?;
    if head.starts_with(OLD_MARK) {
        // One that nobody uses any more, so that it goes.
        return Some((at, Digest::new([0; 32])));
    }
    let mut head = Bytes(head.strip_prefix(MARK)?);
    let written = head.u64().ok()?;
    let decider = head.array().ok()?;
    (written == at.get()).then_some((at, Digest::new(decider)))
}

fn failed(error: io::Error) -> AppendError {
    if is_full(&error) {
        AppendError::Full(error)
    } else {
        AppendError::Io(error)
    }
}

/// Reads a checkpoint and writes it again, for tests.
#[cfg(feature = "testing")]
pub(crate) fn rewrite(bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
    decode(bytes).map(|saved| encode(&saved))
}

fn encode(saved: &Saved) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.extend_from_slice(&saved.at.get().to_le_bytes());
    bytes.extend_from_slice(saved.decider.as_bytes());
    bytes.extend_from_slice(saved.world.0.as_bytes());
    bytes.extend_from_slice(saved.link.as_bytes());
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
    let at = Position::new(body.u64()?);
    let decider = Digest::new(body.array()?);
    let world = header::world(body.array()?);
    let link = Digest::new(body.array()?);
    Ok(Saved {
        world,
        at,
        link,
        decider,
        state: body.0.to_vec(),
    })
}
