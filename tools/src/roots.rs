//! The places that tools may reach, and those that they may not.

use std::io;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;
mod walk;

pub(crate) use walk::{along, link, open_folder, open_in};

/// Tells whether a tool beneath `root` could reach into `store`, or `root` lies inside it. Either
/// may not exist yet.
///
/// A tool whose root touches the store's folder must be refused: it could write approvals into the log.
///
/// # Errors
/// When a path cannot be resolved for another reason than that its end is missing. Refuse the tool then.
pub fn roots_touch(root: &Path, store: &Path) -> io::Result<bool> {
    let root = resolve(root)?;
    let store = resolve(store)?;
    // Both ways: a tool at the parent folder reaches the store as well.
    Ok(root.starts_with(&store) || store.starts_with(&root))
}

/// Tells whether `place` is `root` or lies beneath it: what a tool with that root may change. Either may not exist yet.
///
/// # Errors
/// When a path cannot be resolved for another reason than that its end is missing. Refuse the tool then.
pub fn root_holds(root: &Path, place: &Path) -> io::Result<bool> {
    Ok(resolve(place)?.starts_with(resolve(root)?))
}

/// Follows all symlinks in what exists of `path`.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut missing = Vec::new();
    for part in path.ancestors() {
        match part.canonicalize() {
            Ok(there) => {
                return Ok(missing
                    .iter()
                    .rev()
                    .fold(there, |path, name| path.join(name)));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !part.is_symlink() => {
                missing.push(part.file_name().ok_or(error)?);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}
