//! The folder of a script: every life has a copy of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How deep a folder may be.
const DEPTH_MAX: usize = 32;

/// A copy of a folder; it is gone with this.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Copies the folder `from`.
    pub(super) fn copy_of(from: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Self(
            std::env::temp_dir().join(format!("folkmoot-sim-{}-{number}", std::process::id())),
        );
        copy(from, &folder.0, DEPTH_MAX)?;
        Ok(folder)
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::debug!(%error, "a copied folder stays");
        }
    }
}

/// Copies folders and files; links and whatever else there is are left out.
fn copy(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    if depth == 0 {
        return Err(io::Error::other(format!(
            "{} has too many folders in one another",
            from.display()
        )));
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let to = to.join(entry.file_name());
        if kind.is_dir() {
            copy(&entry.path(), &to, depth.saturating_sub(1))?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
