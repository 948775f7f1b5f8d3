//! The folders and files that are open to a program, each opened once.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use folkmoot_core::port::{Sandbox, SandboxPlace};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::files::SYSTEM;
use crate::host::image::{Program, StartFault, id_of};
use crate::host::sandbox::step::OPEN_FILES;

/// A place that is open to a program.
pub(super) struct Place {
    /// The very place that was compared.
    pub(super) handle: File,
    /// True if the program may write there.
    pub(super) is_written: bool,
    pub(super) is_folder: bool,
}

/// The places of a sandbox.
pub(super) struct Places(Vec<Place>);

impl Places {
    /// Opens the places of `sandbox`, without what nobody has said the identity of and is not there.
    pub(super) fn open(sandbox: &Sandbox) -> Result<Self, StartFault> {
        let read = sandbox.read.iter().map(|place| (place, false));
        let write = sandbox.write.iter().map(|place| (place, true));
        let mut places = Vec::new();
        for (place, is_written) in read.chain(write) {
            if let Some(handle) = open(place)? {
                let is_folder = handle.metadata()?.is_dir();
                places.push(Place {
                    handle,
                    is_written,
                    is_folder,
                });
            }
        }
        Ok(Self(places))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Place> {
        self.0.iter()
    }

    /// The places that the program may write to.
    pub(super) fn written(&self) -> impl Iterator<Item = &Place> {
        self.iter().filter(|place| place.is_written)
    }

    /// Tells whether `program` may be run anyway, as whatever lies beside it. If that is not certain, it has a rule of its own.
    pub(super) fn cover(&self, program: &Program) -> bool {
        let Ok(path) = program.place() else {
            return false;
        };
        let beneath = |place: &Place| place.path().is_ok_and(|place| path.starts_with(place));
        SYSTEM.iter().any(|place| path.starts_with(place)) || self.iter().any(beneath)
    }
}

impl Place {
    /// The path of the place as it is now, for what does no harm if it is another one.
    pub(super) fn path(&self) -> io::Result<PathBuf> {
        let number = self.handle.as_raw_fd().to_string();
        fs::read_link(Path::new(OPEN_FILES).join(number))
    }
}

fn open(place: &SandboxPlace) -> Result<Option<File>, StartFault> {
    let path = &place.path;
    let changed = || {
        let path = path.display();
        StartFault::Changed(format!(
            "{path} is not what it was when the room was opened; the tool's `sandbox` names it"
        ))
    };
    let opened = match place.id {
        Some(_) => open_exact(path),
        None => rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()),
    };
    let handle = match (opened, place.id) {
        (Ok(handle), _) => File::from(handle),
        (Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP), Some(_)) => return Err(changed()),
        (Err(Errno::NOENT | Errno::ACCESS), None) => return Ok(None),
        (Err(error), _) => {
            let why = format!("{}: {error}", path.display());
            return Err(io::Error::new(io::Error::from(error).kind(), why).into());
        }
    };
    match place.id {
        Some(meant) if id_of(&handle)? != meant => Err(changed()),
        Some(_) | None => Ok(Some(handle)),
    }
}

/// Opens `path`, in which no link stood when it was found.
fn open_exact(path: &Path) -> rustix::io::Result<std::os::fd::OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // An older kernel, or one that a filter guards. The identity decides.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, flags, Mode::empty()),
        other => other,
    }
}
