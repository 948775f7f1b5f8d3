//! Files that are written for people: whole or not at all, and never in the place of another unless
//! that is asked for.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::exit::{CliError, FAILED, USAGE};

/// Refuses a path that is taken, before any work is done for it.
pub(crate) fn check(path: &Path, force: bool) -> Result<(), CliError> {
    if !force && path.exists() {
        Err(exists(path))
    } else {
        Ok(())
    }
}

fn exists(path: &Path) -> CliError {
    CliError::other(
        USAGE,
        format!(
            "{} exists: name another file, or overwrite it with --force",
            path.display()
        ),
    )
}

/// A file that gets its name once it is whole. Until then, and if it never is, nothing stands under
/// that name.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    file: File,
}

impl NewFile {
    pub(crate) fn beside(target: &Path) -> Result<Self, CliError> {
        let Some(name) = target.file_name() else {
            return Err(CliError::other(
                USAGE,
                format!("{} names no file", target.display()),
            ));
        };
        let refused = |why: &str| {
            let what = format!("cannot write {}: {why}", target.display());
            CliError::other(USAGE, what)
        };
        if target.is_dir() {
            return Err(refused("it is a folder"));
        }
        let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        let path = target.with_file_name(name);
        let words = [
            (io::ErrorKind::NotFound, "there is no such folder"),
            (
                io::ErrorKind::PermissionDenied,
                "this user may not write there",
            ),
        ];
        let file = File::create_new(&path).map_err(|error| {
            let known = words.iter().find(|(kind, _)| *kind == error.kind());
            known.map_or_else(|| failed(target, &error), |(_, why)| refused(why))
        })?;
        Ok(Self { path, file })
    }

    pub(crate) fn write(&mut self, piece: &[u8]) -> Result<(), CliError> {
        self.file
            .write_all(piece)
            .map_err(|error| failed(&self.path, &error))
    }

    pub(crate) fn finish(self, target: &Path, force: bool) -> Result<(), CliError> {
        self.file
            .sync_all()
            .map_err(|error| failed(target, &error))?;
        let flags = if force {
            RenameFlags::empty()
        } else {
            RenameFlags::NOREPLACE
        };
        renameat_with(CWD, &self.path, CWD, target, flags).map_err(
            |error| match io::Error::from(error) {
                error if error.kind() == io::ErrorKind::AlreadyExists => exists(target),
                error => failed(target, &error),
            },
        )?;
        let folder = target
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| failed(target, &error))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Once it has its name, nothing is left under the old one.
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %self.path.display(), %error, "a part of an export stays behind");
        }
    }
}

fn failed(path: &Path, error: &io::Error) -> CliError {
    CliError::other(FAILED, format!("cannot write {}: {error}", path.display()))
}
