//! Blobs: one file each in a folder of their world, whole or not there.
//!
//! A file is written, synced, renamed into place, and its folders are synced, before its name is
//! given away: whatever the log says of a blob, the blob is there. Files are named by the world and
//! the bytes together, so that nobody who sees the names of two worlds' blobs can tell that they
//! are the same.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use folkmoot_core::ids::{Digest, WorldId};
use folkmoot_core::port::BlobError;
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;

use crate::engine::is_full;
use crate::home;
use crate::home::keys::{FILE_OVERHEAD, Keyring};

#[cfg(test)]
mod tests;

/// The folder in the store's directory.
const FOLDER: &str = "blobs";

/// The folder beside it for what is derived of blobs, and can be derived again.
const DERIVED: &str = "derived";

/// The place there where a folder goes before it is removed: no name leads to it any more.
const GONE: &str = ".gone";

/// The place where blobs are kept.
#[derive(Debug)]
pub(crate) enum Vault {
    /// In memory.
    Memory(Mutex<HashMap<(WorldId, Digest), Vec<u8>>>),
    /// In files of this folder.
    Files {
        /// The folder.
        folder: PathBuf,
        /// Held while one is written: what two put at once is written once.
        writing: Mutex<()>,
    },
}

impl Vault {
    /// In the store's directory, or in memory if it has none.
    pub(crate) fn new(home: Option<&Path>) -> Self {
        home.map_or_else(
            || Self::Memory(Mutex::default()),
            |home| Self::Files {
                folder: home.join(FOLDER),
                writing: Mutex::default(),
            },
        )
    }

    /// Keeps bytes; returns once they survive power loss, if the store does.
    pub(crate) fn put(
        &self,
        world: WorldId,
        bytes: Vec<u8>,
        keys: Option<&Keyring>,
    ) -> Result<Digest, BlobError> {
        if bytes.len() > BLOB_BYTES_MAX {
            return Err(BlobError::TooLarge {
                bytes: bytes.len(),
                max: BLOB_BYTES_MAX,
            });
        }
        // The name is that of the plain bytes, so that two worlds that say the same make the same
        // request (decision 0010).
        let blob = Digest::sha256(&bytes);
        let bytes = match keys {
            Some(keys) => keys.seal_file(world, &bytes).map_err(failed)?,
            None => bytes,
        };
        self.keep(world, blob, bytes)?;
        Ok(blob)
    }

    /// Keeps a blob in the bytes that another store has of it, sealed or not.
    pub(crate) fn take_over(
        &self,
        world: WorldId,
        blob: Digest,
        bytes: Vec<u8>,
        keys: Option<&Keyring>,
    ) -> Result<(), BlobError> {
        if digest(world, &bytes, keys)? == Some(blob) {
            self.keep(world, blob, bytes)
        } else {
            Err(BlobError::Damaged { blob })
        }
    }

    /// Keeps a blob in the bytes that are stored of it.
    fn keep(&self, world: WorldId, blob: Digest, bytes: Vec<u8>) -> Result<(), BlobError> {
        match self {
            Self::Memory(all) => {
                all.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert((world, blob), bytes);
            }
            Self::Files { folder, writing } => {
                let _alone = writing.lock().unwrap_or_else(PoisonError::into_inner);
                write(folder, world, blob, &bytes).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Reads bytes back, and verifies that they are those that were put.
    pub(crate) fn get(
        &self,
        world: WorldId,
        blob: Digest,
        keys: Option<&Keyring>,
    ) -> Result<Option<Vec<u8>>, BlobError> {
        let found = match self {
            Self::Memory(all) => all
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(&(world, blob))
                .cloned(),
            Self::Files { folder, .. } => {
                // A file that has grown is not read whole: its size says enough.
                if self
                    .size(world, blob, keys)?
                    .is_some_and(|size| size > BLOB_BYTES_MAX as u64)
                {
                    return Err(BlobError::Damaged { blob });
                }
                there(fs::read(path(folder, world, blob)))?
            }
        };
        let found = match keys {
            Some(keys) => found
                .map(|bytes| opened(keys.open_file(world, &bytes)))
                .transpose()?
                .map(Option::unwrap_or_default),
            None => found,
        };
        match found {
            Some(bytes) if Digest::sha256(&bytes) != blob => Err(BlobError::Damaged { blob }),
            found => Ok(found),
        }
    }

    /// Copies the whole blobs of a world to another place, sealed as they are. `keys` opens those
    /// that are.
    pub(crate) fn copy(
        &self,
        world: WorldId,
        to: &Self,
        keys: Option<&Keyring>,
    ) -> Result<Copied, BlobError> {
        let mut copied = Copied::default();
        for name in self.names(world)? {
            match self.stored(world, &name, keys)? {
                Some(StoredBlob {
                    blob: Some(blob),
                    bytes,
                }) => {
                    to.keep(world, blob, bytes)?;
                    copied.whole += 1;
                }
                Some(StoredBlob { blob: None, .. }) => copied.damaged += 1,
                // It was removed meanwhile.
                None => {}
            }
        }
        Ok(copied)
    }

    /// The names under which the blobs of a world are stored.
    pub(crate) fn names(&self, world: WorldId) -> Result<Vec<String>, BlobError> {
        match self {
            Self::Memory(all) => {
                let all = all.lock().unwrap_or_else(PoisonError::into_inner);
                let own = all.keys().filter(|(of, _)| *of == world);
                Ok(own.map(|(_, blob)| file_name(world, *blob)).collect())
            }
            Self::Files { folder, .. } => names(&folder_of(folder, world)).map_err(failed),
        }
    }

    /// The bytes that are stored under a name; `None` if there are none. `keys` opens those that are sealed.
    pub(crate) fn stored(
        &self,
        world: WorldId,
        name: &str,
        keys: Option<&Keyring>,
    ) -> Result<Option<StoredBlob>, BlobError> {
        let found = match self {
            Self::Memory(all) => {
                let all = all.lock().unwrap_or_else(PoisonError::into_inner);
                let is_it = |(of, blob): &(WorldId, Digest)| {
                    *of == world && file_name(world, *blob) == name
                };
                all.iter()
                    .find(|(key, _)| is_it(key))
                    .map(|(_, bytes)| bytes.clone())
            }
            Self::Files { folder, .. } => there(fs::read(folder_of(folder, world).join(name)))?,
        };
        let Some(bytes) = found else {
            return Ok(None);
        };
        let blob = digest(world, &bytes, keys)?;
        Ok(Some(StoredBlob {
            blob: blob.filter(|blob| name == file_name(world, *blob)),
            bytes,
        }))
    }

    /// Tells whether a world has any.
    pub(crate) fn has_any(&self, world: WorldId) -> io::Result<bool> {
        match self {
            Self::Memory(all) => Ok(all
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .keys()
                .any(|(of, _)| *of == world)),
            Self::Files { folder, .. } => Ok(!names(&folder_of(folder, world))?.is_empty()),
        }
    }

    /// Removes all blobs of a world; returns once their names are gone for good. Nobody may put any
    /// meanwhile.
    pub(crate) fn remove(&self, world: WorldId) -> io::Result<()> {
        match self {
            Self::Memory(all) => {
                all.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .retain(|(of, _), _| *of != world);
                Ok(())
            }
            Self::Files { folder, .. } => {
                self.forget_derived(world)?;
                home::remove_folder(&folder_of(folder, world))
            }
        }
    }

    /// The folder for what is derived of a world's blobs.
    pub(crate) fn derived(&self, world: WorldId) -> Option<PathBuf> {
        Some(folder_of(&self.all_derived()?, world))
    }

    fn all_derived(&self) -> Option<PathBuf> {
        match self {
            Self::Memory(_) => None,
            Self::Files { folder, .. } => Some(folder.with_file_name(DERIVED)),
        }
    }

    /// Removes that folder with all that is in it. Whoever derives something meanwhile has named its
    /// file there before, and finds it gone.
    pub(crate) fn forget_derived(&self, world: WorldId) -> io::Result<()> {
        let (Some(all), Self::Files { writing, .. }) = (self.all_derived(), self) else {
            return Ok(());
        };
        let _alone = writing.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = all.join(GONE);
        home::remove_folder(&gone)?;
        home::gone(fs::rename(folder_of(&all, world), &gone))?;
        home::remove_folder(&gone)
    }

    /// Removes what is derived of all worlds: nobody knows whether what a process that died has left
    /// is whole.
    pub(crate) fn forget_all_derived(&self) -> io::Result<()> {
        self.all_derived()
            .map_or(Ok(()), |all| home::remove_folder(&all))
    }

    /// Removes the blobs of a world that were put before `before` and are none of `named`; returns
    /// their number. Those in memory stay: they have no time, and go with the store.
    pub(crate) fn remove_unnamed(
        &self,
        world: WorldId,
        named: &BTreeSet<Digest>,
        before: SystemTime,
    ) -> io::Result<usize> {
        let Self::Files { folder, writing } = self else {
            return Ok(0);
        };
        let own = folder_of(folder, world);
        let named: BTreeSet<String> = named.iter().map(|blob| file_name(world, *blob)).collect();
        let mut removed = 0;
        for name in names(&own)? {
            if named.contains(&name) {
                continue;
            }
            // Whoever puts the same bytes meanwhile makes the file young.
            let _alone = writing.lock().unwrap_or_else(PoisonError::into_inner);
            if fs::metadata(own.join(&name))?.modified()? < before {
                home::remove(&own, &name)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Returns how many bytes a blob has.
    pub(crate) fn size(
        &self,
        world: WorldId,
        blob: Digest,
        keys: Option<&Keyring>,
    ) -> Result<Option<u64>, BlobError> {
        let more = if keys.is_some() { FILE_OVERHEAD } else { 0 };
        let stored = match self {
            Self::Memory(all) => {
                let all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all.get(&(world, blob)).map(|bytes| bytes.len() as u64)
            }
            Self::Files { folder, .. } => {
                there(fs::metadata(path(folder, world, blob)))?.map(|metadata| metadata.len())
            }
        };
        Ok(stored.map(|stored| stored.saturating_sub(more)))
    }

    /// Removes a blob, and what a process that died may have left of it.
    pub(crate) fn remove_one(&self, world: WorldId, blob: Digest) -> io::Result<()> {
        match self {
            Self::Memory(all) => {
                all.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(&(world, blob));
                Ok(())
            }
            Self::Files { folder, writing } => {
                let _alone = writing.lock().unwrap_or_else(PoisonError::into_inner);
                home::remove(&folder_of(folder, world), &file_name(world, blob))
            }
        }
    }
}

/// A blob as it is stored.
#[derive(Debug)]
pub(crate) struct StoredBlob {
    /// Its name; `None` if the bytes are damaged.
    pub(crate) blob: Option<Digest>,
    /// The bytes, sealed or not.
    pub(crate) bytes: Vec<u8>,
}

/// The numbers of blobs that were copied, and that were not because they are damaged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Copied {
    pub(crate) whole: usize,
    pub(crate) damaged: usize,
}

/// The names of the files in a folder, without those that are half written.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names
        .filter(|name: &io::Result<String>| !name.as_ref().is_ok_and(|name| name.starts_with('.')))
        .collect()
}

/// The digest of what stored bytes are; `None` if they cannot be those of a blob.
fn digest(
    world: WorldId,
    bytes: &[u8],
    keys: Option<&Keyring>,
) -> Result<Option<Digest>, BlobError> {
    let plain = match keys {
        Some(keys) => opened(keys.open_file(world, bytes))?,
        None => Some(bytes.to_vec()),
    };
    Ok(plain
        .filter(|plain| plain.len() <= BLOB_BYTES_MAX)
        .map(|plain| Digest::sha256(&plain)))
}

/// The bytes of a sealed file. Without the right key they are not those of any blob.
fn opened(opened: io::Result<Option<Vec<u8>>>) -> Result<Option<Vec<u8>>, BlobError> {
    match opened {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        opened => opened.map_err(failed),
    }
}

/// The folder of a world's blobs.
fn folder_of(folder: &Path, world: WorldId) -> PathBuf {
    folder.join(world.to_string())
}

fn file_name(world: WorldId, blob: Digest) -> String {
    Digest::of(&[b"folkmoot blob 1", world.0.as_bytes(), blob.as_bytes()]).to_string()
}

fn path(folder: &Path, world: WorldId, blob: Digest) -> PathBuf {
    folder_of(folder, world).join(file_name(world, blob))
}

/// Writes a file, unless the same bytes are there. Those may be of a process that died before it
/// synced them.
fn write(folder: &Path, world: WorldId, blob: Digest, bytes: &[u8]) -> io::Result<()> {
    let own = folder_of(folder, world);
    let name = file_name(world, blob);
    fs::create_dir_all(&own)?;
    let path = own.join(&name);
    if fs::read(&path).is_ok_and(|known| known == bytes) {
        let file = File::options().write(true).open(&path)?;
        file.set_modified(SystemTime::now())?;
        file.sync_all()?;
        home::sync_folder(&own)?;
    } else {
        home::replace(&own, &name, bytes)?;
    }
    home::sync_folder(folder)?;
    folder.parent().map_or(Ok(()), home::sync_folder)
}

/// Returns what is there, if it is there.
fn there<T>(found: io::Result<T>) -> Result<Option<T>, BlobError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: io::Error) -> BlobError {
    if is_full(&error) {
        BlobError::Full(error)
    } else {
        BlobError::Io(error)
    }
}
