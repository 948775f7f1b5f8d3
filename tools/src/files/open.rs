use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use folkmoot_core::tool::constraint::path::parts;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use rustix::fs::{AtFlags, FileType, OFlags, statat};
use rustix::io::Errno;

use super::{Links, Root, failed, io_failure};
use crate::roots::{along, link, open_in};

/// The most bytes of a path: as many as systems take.
const PATH_MAX: usize = 4095;

/// The thing that a path names, opened.
pub(super) enum OpenedPath {
    File(File),
    Folder(Dir),
}

/// The purpose for which it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenFor {
    /// Reading.
    Read,
    /// Adding to its end; a file that is not there is made.
    Append,
}

/// A thing that stands under a name, with no link followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Link,
    /// A device, a pipe or a socket.
    Special,
}

impl EntryKind {
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Self::Special,
        }
    }
}

/// A name in a folder that is open: where a path leads.
pub(super) struct Spot<'p> {
    /// The whole path, for errors.
    path: &'p str,
    /// The folder. Whatever becomes of its path, it is the one that the path led to.
    pub(super) folder: Dir,
    pub(super) name: &'p str,
}

impl Spot<'_> {
    /// The thing that stands there now; `None`: nothing does.
    pub(super) fn kind(&self) -> Result<Option<EntryKind>, ToolFailure> {
        match statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(EntryKind::of(FileType::from_raw_mode(stat.st_mode)))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.failure(&error.into())),
        }
    }

    /// The thing that stands there, which is a file or a folder.
    pub(super) fn plain_kind(&self) -> Result<EntryKind, ToolFailure> {
        match self.kind()? {
            Some(EntryKind::Link) => Err(self.failure(&link())),
            Some(EntryKind::Special) => Err(special(self.path)),
            Some(kind @ (EntryKind::File | EntryKind::Folder)) => Ok(kind),
            None => Err(self.failure(&io::ErrorKind::NotFound.into())),
        }
    }

    /// Opens what stands there, if it is a file or a folder.
    pub(super) fn open(&self, access: OpenFor) -> Result<OpenedPath, ToolFailure> {
        // Looked at first: opening a pipe or a device can already do something.
        match self.kind()? {
            Some(EntryKind::Link) => return Err(self.failure(&link())),
            Some(EntryKind::Special) => return Err(special(self.path)),
            Some(EntryKind::File | EntryKind::Folder) | None => {}
        }
        let opened = open_in(&self.folder, self.name, access.flags());
        let file = opened.map_err(|error| self.failure(&error))?;
        told(self.path, File::from(file))
    }

    pub(super) fn failure(&self, error: &io::Error) -> ToolFailure {
        io_failure(self.path, error)
    }

    /// The folder as a file: syncing it makes a change of its names survive power loss. Opened before the change, so that
    /// a folder that cannot be read is told of before anything is done.
    pub(super) fn to_sync(&self) -> Result<cap_std::fs::File, ToolFailure> {
        self.folder.open(".").map_err(|error| self.failure(&error))
    }
}

impl Root {
    /// Opens what `path` names, if it is a file or a folder. A pipe or a device is refused and never waited for.
    pub(super) fn open(&self, path: &str, access: OpenFor) -> Result<OpenedPath, ToolFailure> {
        match (names(path)?.is_empty(), self.links) {
            (true, _) => self
                .dir
                .try_clone()
                .map(OpenedPath::Folder)
                .map_err(|error| io_failure(path, &error)),
            (false, Links::Refuse) => self.spot(path)?.open(access),
            (false, Links::Follow) => self.open_behind(path, access),
        }
    }

    /// The place that `path` names, which is not the root itself. Nothing need stand there.
    pub(super) fn spot<'p>(&self, path: &'p str) -> Result<Spot<'p>, ToolFailure> {
        let failure = |error: io::Error| io_failure(path, &error);
        let names = names(path)?;
        let unnamed = || failed(ToolErrorCode::BadArguments, format!("{path} names no file"));
        let (name, folders) = names.split_last().ok_or_else(unnamed)?;
        let folder = match (self.links, folders) {
            (_, []) => self.dir.try_clone(),
            (Links::Refuse, folders) => along(&self.dir, folders).map(dir),
            (Links::Follow, folders) => self.dir.open_dir(folders.join("/")),
        };
        Ok(Spot {
            path,
            folder: folder.map_err(failure)?,
            name,
        })
    }

    /// Along links as well, as far as they stay in the folder.
    fn open_behind(&self, path: &str, access: OpenFor) -> Result<OpenedPath, ToolFailure> {
        let failure = |error: io::Error| io_failure(path, &error);
        match self.dir.metadata(path) {
            Ok(metadata) if !metadata.is_dir() && !metadata.is_file() => return Err(special(path)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failure(error)),
        }
        let flags = i32::try_from(WAITING_FOR_NOTHING.bits()).map_err(io::Error::other);
        let mut options = OpenOptions::new();
        match access {
            OpenFor::Read => options.read(true),
            OpenFor::Append => options.append(true).create(true),
        };
        let options = options.custom_flags(flags.map_err(failure)?);
        let file = self.dir.open_with(path, options).map_err(failure)?;
        told(path, file.into_std())
    }
}

/// The first has no meaning for files; for a pipe it makes opening return at once.
const WAITING_FOR_NOTHING: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

impl OpenFor {
    const fn flags(self) -> OFlags {
        WAITING_FOR_NOTHING.union(match self {
            Self::Read => OFlags::RDONLY,
            Self::Append => OFlags::WRONLY.union(OFlags::APPEND).union(OFlags::CREATE),
        })
    }
}

/// Opens for reading what is called `name` in `folder`; `None`: that is no file or folder, or not there any more.
pub(super) fn open_entry(folder: &Dir, name: &OsStr) -> io::Result<Option<OpenedPath>> {
    let kind = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => EntryKind::of(FileType::from_raw_mode(stat.st_mode)),
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if matches!(kind, EntryKind::Link | EntryKind::Special) {
        return Ok(None);
    }
    let file = File::from(open_in(folder, name, OpenFor::Read.flags())?);
    let metadata = file.metadata()?;
    Ok(if metadata.is_dir() {
        Some(OpenedPath::Folder(Dir::from_std_file(file)))
    } else {
        metadata.is_file().then_some(OpenedPath::File(file))
    })
}

/// The file as what it is. It may be another than the one that was looked at before it was opened.
fn told(path: &str, file: File) -> Result<OpenedPath, ToolFailure> {
    let metadata = file.metadata().map_err(|error| io_failure(path, &error))?;
    if metadata.is_dir() {
        Ok(OpenedPath::Folder(Dir::from_std_file(file)))
    } else if metadata.is_file() {
        Ok(OpenedPath::File(file))
    } else {
        Err(special(path))
    }
}

fn dir(folder: OwnedFd) -> Dir {
    Dir::from_std_file(File::from(folder))
}

/// The failure of a tool for files alone.
pub(super) fn folder(path: &str) -> ToolFailure {
    failed(ToolErrorCode::BadArguments, format!("{path} is a folder"))
}

pub(super) fn special(path: &str) -> ToolFailure {
    failed(
        ToolErrorCode::BadArguments,
        format!("{path} is neither a file nor a folder"),
    )
}

/// The names along a path that has one spelling. Rules and people have read this one.
fn names(path: &str) -> Result<Vec<&str>, ToolFailure> {
    let refused = |why: String| failed(ToolErrorCode::BadArguments, why);
    if path.len() > PATH_MAX {
        return Err(refused(format!("a path has at most {PATH_MAX} bytes")));
    }
    parts(path).map_err(|fault| refused(format!("{path:?} is no path for this tool: {fault}")))
}
