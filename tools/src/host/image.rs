//! The folder and the file of a program, as they are meant: each is opened once, compared, and then
//! used.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::FolderId;
use rustix::fs::OFlags;
use rustix::io::FdFlags;

/// The most bytes of a program that is pinned.
const PINNED_BYTES_MAX: u64 = 512 << 20;
/// The path at which the system shows an open file of the process that looks.
#[cfg(target_os = "linux")]
const OPEN_FILES: Option<&str> = Some("/proc/self/fd");
#[cfg(not(target_os = "linux"))]
const OPEN_FILES: Option<&str> = None;

/// A reason why a program is not started.
#[derive(Debug)]
pub(super) enum StartFault {
    /// Something is not what is meant.
    Changed(String),
    /// The sandbox is required and cannot be applied.
    Unconfined(String),
    /// The system refused.
    Failed(io::Error),
}

impl From<io::Error> for StartFault {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// The identity of an open folder among all that are there while it is open.
pub(crate) fn id_of(folder: &File) -> io::Result<FolderId> {
    let metadata = folder.metadata()?;
    Ok(FolderId {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}

/// Goes to the folder at `path`, if that is the one that is meant.
pub(super) fn go_to(path: &Path, meant: Option<FolderId>) -> Result<(), StartFault> {
    let flags = i32::try_from(OFlags::DIRECTORY.bits()).map_err(io::Error::other)?;
    let opened = fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path);
    let folder = opened.map_err(|error| {
        let why = format!("{error}: {} is not a folder", path.display());
        io::Error::new(io::ErrorKind::NotFound, why)
    })?;
    // ADR 0030: the runtime has this folder open, so that its numbers are not given to another one.
    if meant.is_some_and(|meant| id_of(&folder).is_ok_and(|found| found != meant)) {
        return Err(StartFault::Changed(format!(
            "{} is not the folder that it was when the room was opened",
            path.display()
        )));
    }
    Ok(rustix::process::fchdir(&folder).map_err(io::Error::from)?)
}

/// The command that runs `program`: by its name, or the very file that was compared with `pins`. That file has to stay
/// open until the program has started.
pub(super) fn command(
    program: &str,
    pins: &[Digest],
) -> Result<(Command, Option<File>), StartFault> {
    if pins.is_empty() {
        return Ok((Command::new(program), None));
    }
    let path = find(program)?;
    // ADR 0030: opened once and run from the handle, so that nobody can change the file in between.
    let mut file = File::open(&path)?;
    let mut bytes = Vec::new();
    file.by_ref()
        .take(PINNED_BYTES_MAX)
        .read_to_end(&mut bytes)?;
    let found = Digest::sha256(&bytes);
    if pins.iter().any(|pin| *pin != found) {
        let path = path.display();
        return Err(StartFault::Changed(format!(
            "{path} has the digest {found}, which is not the one that `pin` names"
        )));
    }
    let Some(open_files) = OPEN_FILES else {
        let mut command = Command::new(&path);
        command.arg0(program);
        return Ok((command, Some(file)));
    };
    if bytes.starts_with(b"#!") {
        // Its interpreter opens it once more, by this name.
        rustix::io::fcntl_setfd(&file, FdFlags::empty()).map_err(io::Error::from)?;
    }
    let mut command = Command::new(format!("{open_files}/{}", file.as_raw_fd()));
    command.arg0(program);
    Ok((command, Some(file)))
}

/// The file that a program's name stands for, as the system finds it.
pub(super) fn find(program: &str) -> io::Result<PathBuf> {
    if program.contains('/') {
        return Ok(PathBuf::from(program));
    }
    let paths = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/bin:/usr/bin"));
    let is_program = |path: &PathBuf| {
        fs::metadata(path)
            .is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
    };
    let found = std::env::split_paths(&paths)
        .map(|folder| folder.join(program))
        .find(is_program);
    found.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("{program} is in no folder of PATH"),
        )
    })
}
