//! Going along a path by its names, from a handle, and along no symbolic link.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
#[cfg(target_os = "linux")]
use rustix::fs::{ResolveFlags, openat2};
use rustix::io::Errno;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

/// The name of a link on the way in errors.
const LINK: &str = "a symbolic link stands there, and this tool follows none";

/// The folder at an absolute path that has no link in it any more, with every symbolic link that came there since refused.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    let mut folder = openat(CWD, "/", folder_flags(), Mode::empty())?;
    for part in path.components() {
        match part {
            Component::Normal(name) => folder = enter(&folder, name.as_ref())?,
            Component::RootDir => {}
            Component::Prefix(_) | Component::CurDir | Component::ParentDir => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "the path is not a plain one",
                ));
            }
        }
    }
    // A handle that is only a place cannot be listed or synced.
    Ok(File::from(openat(
        &folder,
        ".",
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?))
}

/// A handle on the place of the folder that `names` lead to from `folder`, along no link.
pub(crate) fn along(folder: impl AsFd, names: &[&str]) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    match at_once(&folder, names) {
        // A kernel before 5.6, or a filter of system calls that does not know this one.
        Err(Errno::NOSYS | Errno::PERM) => {}
        Err(Errno::LOOP) => return Err(link()),
        opened => return opened.map_err(io::Error::from),
    }
    step_by_step(folder, names)
}

/// The way of [`along`] where the kernel goes the whole of it.
#[cfg(target_os = "linux")]
fn at_once(folder: impl AsFd, names: &[&str]) -> Result<OwnedFd, Errno> {
    let path = if names.is_empty() {
        ".".to_owned()
    } else {
        names.join("/")
    };
    // With `NOFOLLOW` a link at the end would be opened itself, and not be told of as one.
    let flags = folder_flags().difference(OFlags::NOFOLLOW);
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    openat2(folder, path, flags, Mode::empty(), resolve)
}

/// The way of [`along`] on every system: one handle after the other.
fn step_by_step(folder: impl AsFd, names: &[&str]) -> io::Result<OwnedFd> {
    let mut last = enter(folder, ".".as_ref())?;
    for name in names {
        last = enter(&last, name.as_ref())?;
    }
    Ok(last)
}

/// Opens what is called `name` in `folder`, unless it is a link.
pub(crate) fn open_in(
    folder: impl AsFd,
    name: impl AsRef<Path>,
    flags: OFlags,
) -> io::Result<OwnedFd> {
    let name = name.as_ref();
    // One name without a slash: this leads nowhere but to what stands in `folder`.
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(&folder, name, flags, Mode::from_raw_mode(0o666))
        .map_err(|error| told(&folder, name, error))
}

/// A handle on the place of a folder. Linux asks for no right to read it.
fn folder_flags() -> OFlags {
    #[cfg(target_os = "linux")]
    let access = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let access = OFlags::RDONLY;
    access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn enter(folder: impl AsFd, name: &Path) -> io::Result<OwnedFd> {
    openat(&folder, name, folder_flags(), Mode::empty()).map_err(|error| told(&folder, name, error))
}

/// The error of opening `name`, which says so if a link is the reason.
fn told(folder: impl AsFd, name: &Path, error: Errno) -> io::Error {
    let is_link =
        |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
    let may_be = matches!(error, Errno::LOOP | Errno::NOTDIR | Errno::MLINK);
    if may_be && statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(is_link) {
        return link();
    }
    error.into()
}

/// The error of meeting a link.
pub(crate) fn link() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, LINK)
}
