//! Files that people name: opened without waiting for anybody.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Opens the file `path` to read it. A named pipe would wait for whoever writes to it, and is refused; what a shell hands over, as
/// `/dev/stdin` or `<(…)`, is read.
///
/// # Errors
/// Those of [`File::open`]; [`io::ErrorKind::InvalidInput`] for a named pipe or a socket.
pub fn open(path: &Path) -> io::Result<File> {
    // A pipe without a name has no path that could be found.
    let Ok(real) = path.canonicalize() else {
        return File::open(path);
    };
    let kind = std::fs::metadata(&real)?.file_type();
    if kind.is_file() || kind.is_dir() || real.starts_with("/dev") {
        return File::open(path);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is a pipe or a socket, not a file",
    ))
}

/// Reads the text of the file `path`, as [`open`] opens it.
///
/// # Errors
/// Those of [`open`]; [`io::ErrorKind::InvalidData`] for a file that is no text.
pub fn text(path: &Path) -> io::Result<String> {
    io::read_to_string(open(path)?)
}

/// Returns why a file could not be read, for whoever wrote its name.
#[must_use]
pub fn why(error: &io::Error) -> String {
    // An error of ours says it itself.
    if error.get_ref().is_some() {
        return error.to_string();
    }
    let words = [
        (io::ErrorKind::NotFound, "there is no such file"),
        (io::ErrorKind::IsADirectory, "it is a folder"),
        (io::ErrorKind::PermissionDenied, "this user may not read it"),
        (io::ErrorKind::InvalidData, "it is not UTF-8 text"),
    ];
    let known = words.iter().find(|(kind, _)| *kind == error.kind());
    known.map_or_else(|| error.to_string(), |(_, words)| (*words).to_owned())
}

/// The absolute path of a folder, the same wherever a program was started: one that goes up by `..` is resolved, and any
/// other keeps its links, so that a link can be set to another folder later.
///
/// # Errors
/// The error of the system, for a folder that cannot be resolved.
pub fn absolute_folder(folder: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(folder)?;
    let goes_up = absolute
        .components()
        .any(|part| part == Component::ParentDir);
    if goes_up {
        absolute.canonicalize()
    } else {
        Ok(absolute)
    }
}
