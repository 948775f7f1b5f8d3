//! The directory of a store: whose it is, and that nobody else has it open.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{EngineError, is_full};
use crate::format::STORE_FORMAT;
use crate::home::opening::{OpenError, OpenMode};

pub(crate) mod blobs;
pub(crate) mod checkpoints;
pub(crate) mod copy;
pub(crate) mod head_record;
pub(crate) mod keys;
pub(crate) mod opening;
#[cfg(test)]
mod tests;

/// The file that says that this is a store, and of which format.
pub(crate) const FORMAT_FILE: &str = "format";

/// The words before the number in it.
const MARK: &str = "folkmoot store ";

/// The words there in a backup that is not whole yet.
const HALF_MARK: &[u8] = b"folkmoot backup, unfinished\n";

/// The file that the process which has the store open holds a lock on; its pid stands in it.
const LOCK_FILE: &str = "lock";

/// A store's directory, locked. The last of its copies to be dropped ends the lock.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    path: PathBuf,
    /// `None` for a reader, where nobody ever locked it.
    lock: Option<Arc<File>>,
}

impl Home {
    /// Finds or makes the directory, and locks it.
    pub(crate) fn open(path: PathBuf, mode: OpenMode) -> Result<Self, OpenError> {
        match (PathContent::of(&path)?, mode) {
            // Whoever made it may have died before its name was for good.
            (PathContent::Store, _) => {
                sync_above(&path).map_err(|source| io_error(&path, source))?
            }
            (PathContent::HalfBackup, _) => return Err(OpenError::HalfBackup { path }),
            (PathContent::Nothing | PathContent::Empty, OpenMode::Existing) => {
                return Err(OpenError::Missing { path });
            }
            (PathContent::Nothing | PathContent::Empty, OpenMode::Create) => create_folder(&path)?,
        }
        let lock = lock(&path)?;
        // Another process may have begun to make it, too: only who holds the lock does.
        match PathContent::of(&path)? {
            PathContent::Store => {}
            PathContent::HalfBackup => return Err(OpenError::HalfBackup { path }),
            PathContent::Nothing | PathContent::Empty => create(&path, &whole_mark())?,
        }
        Ok(Self {
            path,
            lock: Some(Arc::new(lock)),
        })
    }

    /// Finds the directory to read in it: nothing is written, and nobody can write while this
    /// lives. Others may read.
    pub(crate) fn look(path: PathBuf) -> Result<Self, OpenError> {
        match PathContent::of(&path)? {
            PathContent::Store => {}
            PathContent::HalfBackup => return Err(OpenError::HalfBackup { path }),
            PathContent::Nothing | PathContent::Empty => return Err(OpenError::Missing { path }),
        }
        let lock = lock_to_read(&path)?;
        Ok(Self {
            path,
            lock: lock.map(Arc::new),
        })
    }

    /// Makes the directory of a backup, which does not open as a store until it is finished.
    /// Returns `None` if there is something already.
    pub(crate) fn begin_half(path: PathBuf) -> Result<Option<Self>, OpenError> {
        if !is_free(&path)? {
            return Ok(None);
        }
        create_folder(&path)?;
        let lock = lock(&path)?;
        // Another process may have begun to make a store there.
        if !is_free(&path)? {
            return Ok(None);
        }
        create(&path, HALF_MARK)?;
        Ok(Some(Self {
            path,
            lock: Some(Arc::new(lock)),
        }))
    }

    /// Locks the directory of a backup that is not finished.
    pub(crate) fn open_half(path: PathBuf) -> Result<Self, OpenError> {
        match PathContent::of(&path)? {
            PathContent::HalfBackup => {}
            PathContent::Nothing | PathContent::Empty | PathContent::Store => {
                return Err(OpenError::Foreign { path });
            }
        }
        let lock = lock(&path)?;
        Ok(Self {
            path,
            lock: Some(Arc::new(lock)),
        })
    }

    /// Writes into the lock whose it is. Until somebody knows that the store opens, nothing is
    /// written.
    pub(crate) fn sign(&self) -> Result<(), OpenError> {
        let write = |mut file: &File| {
            file.set_len(0)?;
            writeln!(file, "{}", std::process::id())
        };
        self.lock
            .as_deref()
            .map_or(Ok(()), write)
            .map_err(|source| io_error(&self.path, source))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether frames were ever written here: then there must be a log.
    pub(crate) fn has_been_used(&self) -> io::Result<bool> {
        self.path.join(head_record::FILE).try_exists()
    }
}

/// The thing at a path.
enum PathContent {
    Nothing,
    Empty,
    Store,
    HalfBackup,
}

impl PathContent {
    fn of(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| io_error(path, source);
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(OpenError::CannotCreate {
                    path: path.to_owned(),
                    source: error,
                });
            }
            Err(error) => return Err(failed(error)),
            Ok(metadata) if !metadata.is_dir() => {
                return Err(OpenError::NotADirectory {
                    path: path.to_owned(),
                });
            }
            Ok(_) => {}
        }
        match fs::read(path.join(FORMAT_FILE)) {
            Ok(mark) if mark == HALF_MARK => Ok(Self::HalfBackup),
            Ok(mark) => check_mark(path, &mark).map(|()| Self::Store),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if is_empty(path).map_err(failed)? {
                    Ok(Self::Empty)
                } else {
                    Err(OpenError::Foreign {
                        path: path.to_owned(),
                    })
                }
            }
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => Err(OpenError::Foreign {
                path: path.to_owned(),
            }),
            Err(error) => Err(failed(error)),
        }
    }
}

/// Tells whether a directory is free to become a store. One that a process died in while it was
/// made is.
fn is_empty(path: &Path) -> io::Result<bool> {
    let half_made = half_written(FORMAT_FILE);
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        // Whoever makes a store locks it first, and writes into the lock last.
        let is_fresh_lock = name == LOCK_FILE && entry.metadata()?.len() == 0;
        if name != half_made.as_str() && !is_fresh_lock {
            return Ok(false);
        }
    }
    Ok(true)
}

fn check_mark(path: &Path, mark: &[u8]) -> Result<(), OpenError> {
    let number = std::str::from_utf8(mark)
        .ok()
        .and_then(|mark| mark.strip_prefix(MARK));
    let number: Option<u32> = number.and_then(|number| number.trim_end().parse().ok());
    let known = u32::from(STORE_FORMAT);
    match number {
        Some(1) => Ok(()),
        Some(found) if found == known => Ok(()),
        Some(found) if found > known => Err(OpenError::NewerFormat {
            path: path.to_owned(),
            found,
            known,
        }),
        Some(_) | None => Err(OpenError::Foreign {
            path: path.to_owned(),
        }),
    }
}

/// Tells whether a backup may be put at `path`.
fn is_free(path: &Path) -> Result<bool, OpenError> {
    match PathContent::of(path) {
        Ok(PathContent::Nothing | PathContent::Empty) => Ok(true),
        Ok(PathContent::Store | PathContent::HalfBackup)
        | Err(OpenError::Foreign { .. } | OpenError::NewerFormat { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn create_folder(path: &Path) -> Result<(), OpenError> {
    fs::create_dir_all(path).map_err(|source| cannot_create(path, source))
}

/// Makes the directory. The mark is renamed into place, so that a directory has a whole one or
/// none.
fn create(path: &Path, mark: &[u8]) -> Result<(), OpenError> {
    let make = || {
        fs::create_dir_all(path)?;
        replace(path, FORMAT_FILE, mark)?;
        sync_above(path)
    };
    make().map_err(|source| cannot_create(path, source))
}

fn cannot_create(path: &Path, source: io::Error) -> OpenError {
    match DirectoryTrouble::of(&source) {
        DirectoryTrouble::Other => OpenError::CannotCreate {
            path: path.to_owned(),
            source,
        },
        DirectoryTrouble::ReadOnly | DirectoryTrouble::Full => io_error(path, source),
    }
}

fn whole_mark() -> Vec<u8> {
    format!("{MARK}{STORE_FORMAT}\n").into_bytes()
}

/// Says of a store of an older format that it has this one, before something is written that older
/// builds cannot read.
pub(crate) fn raise_mark(path: &Path) -> io::Result<()> {
    let mark = whole_mark();
    let found = fs::read(path.join(FORMAT_FILE))?;
    if found == mark || found == HALF_MARK {
        Ok(())
    } else {
        replace(path, FORMAT_FILE, &mark)
    }
}

/// Makes a store of a backup that is whole, and marks it as a copy.
pub(crate) fn finish_half(path: &Path) -> Result<(), OpenError> {
    copy::mark(path).map_err(|source| io_error(path, source))?;
    replace(path, FORMAT_FILE, &whole_mark()).map_err(|source| io_error(path, source))
}

/// Writes a file whole: under another name, synced, renamed, and its folder synced.
pub(crate) fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let new = folder.join(half_written(name));
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    // Renamed only once its bytes are durable: a power cut leaves the old file or the new one, and
    // never half of one.
    fs::rename(&new, folder.join(name))?;
    sync_folder(folder)
}

/// Removes a folder with what is in it, if it is there; returns when its name is gone for good.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    gone(fs::remove_dir_all(folder))?;
    match folder.parent() {
        Some(parent) if parent.try_exists()? => sync_folder(parent),
        Some(_) | None => Ok(()),
    }
}

/// A file that is not there need not be removed.
pub(crate) fn gone(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            Ok(())
        } else {
            Err(error)
        }
    })
}

/// Removes a file, and what a process that died may have left of it, for good.
pub(crate) fn remove(folder: &Path, name: &str) -> io::Result<()> {
    gone(fs::remove_file(folder.join(name)))?;
    gone(fs::remove_file(folder.join(half_written(name))))?;
    // Whoever removed it may have died before that was for good.
    gone(sync_folder(folder))
}

/// Returns what a file is called until it is whole.
pub(crate) fn half_written(name: &str) -> String {
    format!(".{name}.new")
}

/// Returns when the names in a folder survive power loss.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns when the name of a folder survives power loss, and those of the folders above it, which
/// may be just as new. One that this user cannot read or write was made by somebody else, and ends
/// that.
fn sync_above(folder: &Path) -> io::Result<()> {
    for above in folder.canonicalize()?.ancestors().skip(1) {
        match sync_folder(above) {
            Err(error) if is_not_ours(&error) => return Ok(()),
            synced => synced?,
        }
    }
    Ok(())
}

fn is_not_ours(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, ReadOnlyFilesystem, Unsupported};
    matches!(
        error.kind(),
        PermissionDenied | ReadOnlyFilesystem | InvalidInput | Unsupported
    )
}

fn lock(path: &Path) -> Result<File, OpenError> {
    let failed = |source| io_error(path, source);
    let options = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .to_owned();
    let file = options.open(path.join(LOCK_FILE)).map_err(failed)?;
    match try_lock(&file, File::try_lock) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(locked(path, file)),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Keeps writers out while somebody reads.
fn lock_to_read(path: &Path) -> Result<Option<File>, OpenError> {
    let file = match File::open(path.join(LOCK_FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|source| io_error(path, source))?,
    };
    // Readers share the lock and write no pid: they work where nobody can write (decision 0024).
    match try_lock(&file, File::try_lock_shared) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(locked(path, file)),
        Err(TryLockError::Error(source)) => Err(io_error(path, source)),
    }
}

/// Says who has the lock. Readers do not write into it: where others can read as well, the pid is
/// an old one.
fn locked(path: &Path, mut file: File) -> OpenError {
    let mut text = String::new();
    let is_read = file.try_lock_shared().is_ok();
    let pid = file
        .read_to_string(&mut text)
        .ok()
        .filter(|_| !is_read)
        .and_then(|_| text.trim().parse().ok());
    OpenError::Locked {
        path: path.to_owned(),
        pid,
    }
}

/// The number of tries for the lock, with a pause in between.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock. A process that is just being started holds a copy of the last holder's handle
/// until it has become another program, so that a lock that was let go may still look held for a
/// moment.
fn try_lock(
    file: &File,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<(), TryLockError> {
    for _ in 1..LOCK_TRIES {
        match lock(file) {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            locked => return locked,
        }
    }
    lock(file)
}

/// Says what an engine's error means to whoever opens the store at `path`.
pub(crate) fn open_error(path: &Path, error: EngineError) -> OpenError {
    let path = path.to_owned();
    match error {
        EngineError::Damaged(what) => OpenError::Damaged { path, what },
        EngineError::Full(source) => OpenError::Full { path, source },
        EngineError::Io(source) => io_error(&path, source),
        EngineError::WrongHead { .. } | EngineError::Fenced { .. } => OpenError::Io {
            path,
            source: io::Error::other(error),
        },
    }
}

/// The kinds of trouble with a directory that call for different measures.
enum DirectoryTrouble {
    ReadOnly,
    Full,
    Other,
}

impl DirectoryTrouble {
    fn of(error: &io::Error) -> Self {
        if matches!(
            error.kind(),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
        ) {
            Self::ReadOnly
        } else if is_full(error) {
            Self::Full
        } else {
            Self::Other
        }
    }
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    let path = path.to_owned();
    match DirectoryTrouble::of(&source) {
        DirectoryTrouble::ReadOnly => OpenError::ReadOnly { path, source },
        DirectoryTrouble::Full => OpenError::Full { path, source },
        DirectoryTrouble::Other => OpenError::Io { path, source },
    }
}
