use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use folkmoot_core::tool::constraint::path::parts;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use rustix::fs::OFlags;

use super::{Links, Root, failed, io_failure};
use crate::roots::{along, open_in};

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

impl Root {
    /// Opens what `path` names, if it is a file or a folder. A pipe or a device is refused and never waited for.
    pub(super) fn open(&self, path: &str, access: OpenFor) -> Result<OpenedPath, ToolFailure> {
        let failure = |error: io::Error| io_failure(path, &error);
        let names = plain(path)?;
        // Opened first and looked at then: what is looked at first may be another file when it is
        // opened.
        let file = match self.links {
            Links::Refuse => self.open_along(&names, access).map_err(failure)?,
            Links::Follow => self.open_behind(path, access).map_err(failure)?,
        };
        let metadata = file.metadata().map_err(failure)?;
        if metadata.is_dir() {
            return Ok(OpenedPath::Folder(Dir::from_std_file(file)));
        }
        if metadata.is_file() {
            return Ok(OpenedPath::File(file));
        }
        Err(failed(
            ToolErrorCode::BadArguments,
            format!("{path} is neither a file nor a folder"),
        ))
    }

    /// The folder that `path` stands in, and its name there.
    pub(super) fn parent<'p>(&self, path: &'p str) -> Result<(Dir, &'p str), ToolFailure> {
        let failure = |error: io::Error| io_failure(path, &error);
        let names = plain(path)?;
        let unnamed = || failed(ToolErrorCode::BadArguments, format!("{path} names no file"));
        let (name, folders) = names.split_last().ok_or_else(unnamed)?;
        let folder = match (self.links, folders) {
            (_, []) => self.dir.try_clone(),
            (Links::Refuse, folders) => self
                .open_along(folders, OpenFor::Read)
                .map(Dir::from_std_file),
            (Links::Follow, folders) => self.dir.open_dir(folders.join("/")),
        };
        let folder = folder.map_err(failure)?;
        // A file in its place could be opened as well, and is no folder.
        if folder.dir_metadata().map_err(failure)?.is_dir() {
            Ok((folder, name))
        } else {
            Err(failure(io::ErrorKind::NotADirectory.into()))
        }
    }

    /// Along the names, and along no link.
    fn open_along(&self, names: &[&str], access: OpenFor) -> io::Result<File> {
        let Some((name, folders)) = names.split_last() else {
            return self.dir.try_clone().map(Dir::into_std_file);
        };
        let folder: Option<OwnedFd> = along(&self.dir, folders.iter().copied())?;
        // The first flag has no meaning for files; for a pipe it makes opening return at once.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | access.flags();
        match folder {
            Some(folder) => open_in(folder, name, flags).map(File::from),
            None => open_in(&self.dir, name, flags).map(File::from),
        }
    }

    /// Along links as well, as far as they stay in the folder.
    fn open_behind(&self, path: &str, access: OpenFor) -> io::Result<File> {
        let flags =
            i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).map_err(io::Error::other)?;
        let mut options = OpenOptions::new();
        match access {
            OpenFor::Read => options.read(true),
            OpenFor::Append => options.append(true).create(true),
        };
        self.dir
            .open_with(path, options.custom_flags(flags))
            .map(cap_std::fs::File::into_std)
    }
}

impl OpenFor {
    const fn flags(self) -> OFlags {
        match self {
            Self::Read => OFlags::RDONLY,
            Self::Append => OFlags::WRONLY.union(OFlags::APPEND).union(OFlags::CREATE),
        }
    }
}

/// The names along a path that has one spelling. Rules and people have read this one.
fn plain(path: &str) -> Result<Vec<&str>, ToolFailure> {
    parts(path).map_err(|fault| {
        failed(
            ToolErrorCode::BadArguments,
            format!("{path:?} is no path for this tool: {fault}"),
        )
    })
}
