//! A recording in a file: one JSON object a line.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Exchange, Recorder};

#[cfg(test)]
mod tests;

/// A reason why a recording cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingFileError {
    /// Something is recorded there already.
    #[error("{} is not empty: a recording begins with a new file", path.display())]
    NotEmpty {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be made.
    #[error("cannot make the recording {}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

/// A recording that is being written. Only its owner may read the file.
#[derive(Debug)]
pub struct RecordingFile {
    /// The file's path.
    path: PathBuf,
    /// The file and its counts, one exchange at a time.
    state: Mutex<FileState>,
}

#[derive(Debug)]
struct FileState {
    /// The file, at its end.
    file: File,
    /// The length of the file.
    bytes: u64,
    /// The number of exchanges in the file.
    count: usize,
    /// The reason why nothing is recorded any more, if there is one.
    failure: Option<String>,
    /// The way to tell people of a failure, once.
    tell: fn(&str),
}

impl RecordingFile {
    /// Begins one at `path`, where there is no file, or an empty one. `tell` is told at once, and
    /// once, if a line cannot be written; nothing is recorded after that.
    ///
    /// # Errors
    /// [`RecordingFileError`].
    pub fn create(path: impl Into<PathBuf>, tell: fn(&str)) -> Result<Self, RecordingFileError> {
        let path = path.into();
        let unwritable = |source| RecordingFileError::Unwritable {
            path: path.clone(),
            source,
        };
        let file = open(&path).map_err(unwritable)?;
        if file.metadata().map_err(unwritable)?.len() > 0 {
            return Err(RecordingFileError::NotEmpty { path });
        }
        Ok(Self {
            state: Mutex::new(FileState {
                file,
                bytes: 0,
                count: 0,
                failure: None,
                tell,
            }),
            path,
        })
    }

    /// Returns the file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of exchanges in the file.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state().count
    }

    /// Returns the reason why the recording ends before the run does, if it does.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    fn state(&self) -> MutexGuard<'_, FileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder for RecordingFile {
    fn record(&self, exchange: &Exchange) {
        let mut state = self.state();
        if state.failure.is_some() {
            return;
        }
        match state.append(exchange) {
            Ok(()) => state.count += 1,
            Err(error) => {
                let path = self.path.display();
                let count = state.count;
                let failure = format!("the recording {path} ends after {count} exchanges: {error}");
                (state.tell)(&failure);
                state.failure = Some(failure);
            }
        }
    }
}

impl FileState {
    /// Writes a whole line or none: what a full disk took of it is cut off again.
    fn append(&mut self, exchange: &Exchange) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(exchange)?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        match written {
            Ok(()) => self.bytes += line.len() as u64,
            // If this fails as well, the first error is still the one to tell.
            Err(_) => drop(self.file.set_len(self.bytes)),
        }
        written
    }
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    let metadata = file.metadata()?;
    // An empty file may have been made with other rights.
    if metadata.is_file() && metadata.len() == 0 {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}
