//! Files of records, a line of JSON each: tokens and sessions.
//!
//! A change writes the whole file anew beside the old one, and puts it in its place. So a reader
//! finds the old file or the new one, also after a power cut.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most bytes of a file: some 40,000 records.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The rights on a file that others than its owner have.
const OTHERS: u32 = 0o077;

/// The reason that a file of records cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// It cannot be read.
    #[error("{} cannot be read", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// It is a folder, a pipe or the like, or too large.
    #[error("{} is not a regular file of at most {FILE_BYTES_MAX} bytes", file.display())]
    NotAFile {
        /// The file.
        file: PathBuf,
    },
    /// Others than its owner can read or change it.
    #[error("other users may use {} (mode {mode:04o}): `chmod 600` it", file.display())]
    Exposed {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A line is no record.
    #[error("{}, line {line}: {why}; mend the line or remove it", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The fault.
        why: String,
    },
    /// It cannot be written.
    #[error("{} cannot be written", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

/// A state of a file: another one has other bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl From<&Metadata> for FileStamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            bytes: metadata.len(),
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec(),
        }
    }
}

/// A file of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordFile(PathBuf);

impl RecordFile {
    pub(super) fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The state in which the file is; `None` if it is not there.
    pub(super) fn stamp(&self) -> Result<Option<FileStamp>, RecordsError> {
        match fs::metadata(&self.0) {
            Ok(metadata) => Ok(Some(FileStamp::from(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unread(error)),
        }
    }

    /// All records, in order and with the numbers of their lines, and the state of the file that
    /// they are of.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
    ) -> Result<(FileStamp, Vec<(usize, T)>), RecordsError> {
        // Opening a pipe would wait for whoever writes to it.
        let metadata = fs::metadata(&self.0).map_err(|error| self.unread(error))?;
        if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
            return Err(RecordsError::NotAFile {
                file: self.0.clone(),
            });
        }
        let file = File::open(&self.0).map_err(|error| self.unread(error))?;
        let metadata = file.metadata().map_err(|error| self.unread(error))?;
        let mode = metadata.permissions().mode() & 0o7777;
        if mode & OTHERS != 0 {
            return Err(RecordsError::Exposed {
                file: self.0.clone(),
                mode,
            });
        }
        let mut text = String::new();
        file.take(FILE_BYTES_MAX)
            .read_to_string(&mut text)
            .map_err(|error| self.unread(error))?;
        Ok((FileStamp::from(&metadata), self.parsed(&text)?))
    }

    fn parsed<T: DeserializeOwned>(&self, text: &str) -> Result<Vec<(usize, T)>, RecordsError> {
        let lines = (1..).zip(text.lines());
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        let record = |(number, line)| match serde_json::from_str(line) {
            Ok(record) => Ok((number, record)),
            Err(error) => Err(self.broken(number, &error.to_string())),
        };
        lines.map(record).collect()
    }

    /// The error of a line, counted from 1.
    pub(super) fn broken(&self, line: usize, why: &str) -> RecordsError {
        RecordsError::Line {
            file: self.0.clone(),
            line,
            // The place in the line is said in words of its own; the line number would be 1.
            why: why.replace(" at line 1 column ", " at column "),
        }
    }

    /// Changes the records: all that others change meanwhile is kept. A file that is not there
    /// counts as an empty one, and is made for its owner alone.
    pub(super) fn change<T, R, E>(
        &self,
        change: impl FnOnce(&mut Vec<T>) -> Result<R, E>,
    ) -> Result<R, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<RecordsError>,
    {
        let unwritten = |source| RecordsError::Write {
            file: self.0.clone(),
            source,
        };
        // The file itself is replaced, so the lock is another one. It stays behind, empty.
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.beside(".lock"));
        let lock = lock.map_err(unwritten)?;
        lock.lock().map_err(unwritten)?;
        let mut records = match self.stamp()? {
            Some(_) => {
                let (_, numbered) = self.read()?;
                numbered.into_iter().map(|(_, record)| record).collect()
            }
            None => Vec::new(),
        };
        let result = change(&mut records)?;
        self.replace(&records).map_err(unwritten)?;
        Ok(result)
    }

    /// Writes the file whole: under another name, synced, renamed, and its folder synced.
    fn replace<T: Serialize>(&self, records: &[T]) -> io::Result<()> {
        let folder = match self.0.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        };
        // Its mode is 0600 from the beginning.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        for record in records {
            let mut line = serde_json::to_vec(record)?;
            line.push(b'\n');
            file.write_all(&line)?;
        }
        file.as_file().sync_all()?;
        file.persist(&self.0).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.0.as_os_str().to_owned();
        name.push(ending);
        name.into()
    }

    fn unread(&self, source: io::Error) -> RecordsError {
        RecordsError::Read {
            file: self.0.clone(),
            source,
        }
    }
}
