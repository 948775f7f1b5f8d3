//! Writing a file whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::exit::{CliError, STORE};

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Older {
    /// It stays, and nothing is written.
    Keep,
    /// The new one takes its place.
    Replace,
}

/// Writes `text` to the file `path`, durably. Nobody ever sees half of it.
pub(super) fn write(path: &Path, text: &str, older: Older) -> Result<(), CliError> {
    let failed = |error: io::Error| CliError::other(STORE, format!("cannot write {}: {error}", path.display()));
    if path.is_dir() {
        return Err(CliError::other(STORE, format!("cannot write {}: it is a folder", path.display())));
    }
    if older == Older::Keep {
        // Takes the name: nobody can come in between.
        OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                let what = format!("{} exists, and is replaced only with --force", path.display());
                return CliError::other(STORE, what);
            }
            failed(error)
        })?;
    }
    let new = beside(path);
    put(&new, path, text).map_err(|error| {
        // What is left of it is of no use: the name as well, if it was taken here.
        let _gone = fs::remove_file(&new);
        if older == Older::Keep {
            let _gone = fs::remove_file(path);
        }
        failed(error)
    })
}

fn put(new: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path)?;
    File::open(folder(path))?.sync_all()
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name in the same folder, of this process alone.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    folder(path).join(format!(".{name}.{}.new", std::process::id()))
}
