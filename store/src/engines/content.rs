//! The table of large content in engines with a directory: one file for each row, since a database
//! is made for small values.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::engine::{EngineError, Pair, from_io};
use crate::home;

#[cfg(test)]
mod tests;

/// The folder in a store's directory.
pub(crate) const FOLDER: &str = "content";

/// The number of bytes of a key that name the folder of a row: the world's id.
const FOLDER_KEY_LEN: usize = 16;

/// The first letter of each file's name, so that no name is empty.
const PREFIX: char = 'c';

/// Rows in files: `content/WORLD/cREST`, both in hexadecimal digits, so that names sort as keys do.
///
/// A file is written under its own name. Until its record is appended nobody refers to it, and
/// whoever reads it compares it with its commitment.
#[derive(Debug)]
pub(crate) struct ContentFolder {
    home: PathBuf,
    /// The folders of worlds whose names this process knows to survive power loss.
    synced: Mutex<BTreeSet<PathBuf>>,
}

impl ContentFolder {
    /// In the store's directory.
    pub(crate) fn of(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            synced: Mutex::default(),
        }
    }

    /// Writes rows; returns once they survive power loss.
    pub(super) fn put(&self, pairs: &[Pair]) -> Result<(), EngineError> {
        pairs
            .iter()
            .try_for_each(|(key, value)| self.write(key, value))
            .map_err(from_io)
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        read(&self.path(key)).map_err(from_io)
    }

    /// The keys from `from` to before `to`, in order, at most `count_max`.
    pub(super) fn keys(
        &self,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        let mut keys = Vec::new();
        let root = self.home.join(FOLDER);
        for folder in names(&root).map_err(from_io)? {
            let Some(start) = decode(&folder) else {
                continue;
            };
            // Nothing of a folder is before its own name, and nothing behind what goes on from it.
            let is_before = start.as_slice() < from.get(..FOLDER_KEY_LEN).unwrap_or(from);
            if is_before || start.as_slice() >= to || keys.len() >= count_max {
                continue;
            }
            let rest = names(&root.join(&folder)).map_err(from_io)?;
            let rest = rest
                .iter()
                .filter_map(|name| decode(name.strip_prefix(PREFIX)?));
            let found = rest.map(|rest| [start.as_slice(), &rest].concat());
            keys.extend(found.filter(|key| from <= key.as_slice() && key.as_slice() < to));
        }
        keys.truncate(count_max);
        Ok(keys)
    }

    /// The rows from `from` to before `to`, in order, until about `bytes_max` bytes are read.
    pub(super) fn range(
        &self,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        let mut pairs = Vec::new();
        let mut read = 0_usize;
        for key in self.keys(from, to, usize::MAX)? {
            let Some(value) = self.get(&key)? else {
                continue;
            };
            read += value.len() + 1;
            pairs.push((key, value));
            if read >= bytes_max {
                break;
            }
        }
        Ok(pairs)
    }

    /// The row with the greatest key that is at most `key`.
    pub(super) fn floor(&self, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        let behind = [key, &[0]].concat();
        let Some(last) = self.keys(&[], &behind, usize::MAX)?.pop() else {
            return Ok(None);
        };
        Ok(self.get(&last)?.map(|value| (last, value)))
    }

    /// Removes rows for good.
    pub(super) fn remove(&self, keys: &[Vec<u8>]) -> Result<(), EngineError> {
        keys.iter()
            .try_for_each(|key| self.remove_one(key))
            .map_err(from_io)
    }

    /// The bytes of the first row, of whatever world, whose key ends with `rest`.
    pub(crate) fn find(&self, rest: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let root = self.home.join(FOLDER);
        for folder in names(&root)? {
            let found = read(&root.join(folder).join(file_name(rest)))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn write(&self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let path = self.path(key);
        let folder = self.folder(key);
        self.make(&folder)?;
        let mut file = match File::create(&path) {
            // The last other file of the world was just removed, and the folder with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.make(&folder).and_then(|()| File::create(&path))?
            }
            file => file?,
        };
        file.write_all(value)?;
        file.sync_all()?;
        home::sync_folder(&folder)
    }

    /// Makes the folder of a world, and returns once its name survives power loss. Older builds
    /// would take what stands in it for damage: the store says first that it is not for them.
    fn make(&self, folder: &Path) -> io::Result<()> {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if synced.contains(folder) && folder.is_dir() {
            return Ok(());
        }
        home::raise_mark(&self.home)?;
        fs::create_dir_all(folder)?;
        home::sync_folder(&self.home.join(FOLDER))?;
        home::sync_folder(&self.home)?;
        synced.insert(folder.to_owned());
        Ok(())
    }

    fn remove_one(&self, key: &[u8]) -> io::Result<()> {
        let folder = self.folder(key);
        home::remove(
            &folder,
            &file_name(key.get(FOLDER_KEY_LEN..).unwrap_or_default()),
        )?;
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        // A folder that is not empty stays.
        if fs::remove_dir(&folder).is_ok() {
            synced.remove(&folder);
            home::gone(home::sync_folder(&self.home.join(FOLDER)))?;
        }
        Ok(())
    }

    fn folder(&self, key: &[u8]) -> PathBuf {
        self.home
            .join(FOLDER)
            .join(encode(key.get(..FOLDER_KEY_LEN).unwrap_or(key)))
    }

    fn path(&self, key: &[u8]) -> PathBuf {
        self.folder(key)
            .join(file_name(key.get(FOLDER_KEY_LEN..).unwrap_or_default()))
    }
}

/// Returns how the file of a row is called in a store's directory.
pub(crate) fn name_of(key: &[u8]) -> String {
    let (folder, rest) = key.split_at_checked(FOLDER_KEY_LEN).unwrap_or((key, &[]));
    format!("{FOLDER}/{}/{}", encode(folder), file_name(rest))
}

/// The bytes of a file, if there is one.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match fs::read(path) {
        Err(error) if matches!(error.kind(), NotFound | IsADirectory | NotADirectory) => Ok(None),
        read => read.map(Some),
    }
}

fn file_name(rest: &[u8]) -> String {
    format!("{PREFIX}{}", encode(rest))
}

/// The names in a folder, sorted; none if it is not there.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Vec::new());
        }
        entries => entries?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect::<io::Result<_>>()?;
    names.sort_unstable();
    Ok(names)
}

fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that a name stands for; `None` if somebody else gave it.
fn decode(name: &str) -> Option<Vec<u8>> {
    let digits = name.as_bytes();
    let is_ours = digits.len().is_multiple_of(2)
        && digits
            .iter()
            .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if is_ours {
        digits.chunks(2).map(byte).collect()
    } else {
        None
    }
}
