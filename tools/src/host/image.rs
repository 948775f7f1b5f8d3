//! The folder and the file of a program, as they are meant: each is opened once, compared, and then
//! used.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::FolderId;
use rustix::fs::OFlags;
use rustix::io::FdFlags;

use super::wire::Variables;

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

/// A program's file, opened once.
pub(super) struct Program {
    /// Its name, as the order has it.
    name: String,
    /// The path at which it was found.
    path: PathBuf,
    /// Open until the program has started.
    pub(super) file: File,
    /// True if it was compared with pins.
    is_pinned: bool,
    /// True if another program reads it to run it.
    is_script: bool,
}

/// Opens the file that `name` stands for and compares it with `pins`.
pub(super) fn open(
    name: &str,
    pins: &[Digest],
    variables: &Variables,
) -> Result<Program, StartFault> {
    let path = find(name, variables)?;
    // A pipe that lies there would keep whoever opens it waiting.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    let opened = fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(&path);
    let mut file = match opened {
        // Some files may be run and not read.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && pins.is_empty() => {
            handle_of(&path)?
        }
        other => other?,
    };
    if !file.metadata()?.is_file() {
        let why = format!("{} is not a file", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why).into());
    }
    let is_script = if pins.is_empty() {
        let mut first = [0; 2];
        // One that cannot be read is no script: its interpreter could not read it either.
        file.read_exact(&mut first).is_ok() && &first == b"#!"
    } else {
        compare(&mut file, &path, pins)?
    };
    Ok(Program {
        name: name.to_owned(),
        path,
        file,
        is_pinned: !pins.is_empty(),
        is_script,
    })
}

/// A handle on what is at `path`, whatever that is, without opening it.
pub(crate) fn handle_of(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    let flags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let flags = OFlags::empty();
    let flags = flags | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, rustix::fs::Mode::empty())?.into())
}

/// Compares `file` with `pins` and tells whether it is a script.
fn compare(file: &mut File, path: &Path, pins: &[Digest]) -> Result<bool, StartFault> {
    let mut bytes = Vec::new();
    file.take(PINNED_BYTES_MAX).read_to_end(&mut bytes)?;
    let found = Digest::sha256(&bytes);
    if pins.iter().any(|pin| *pin != found) {
        let path = path.display();
        return Err(StartFault::Changed(format!(
            "{path} has the digest {found}, which is not the one that `pin` names"
        )));
    }
    Ok(bytes.starts_with(b"#!"))
}

impl Program {
    /// The path of the very file that is open, as the system tells it.
    #[cfg(target_os = "linux")]
    pub(super) fn place(&self) -> io::Result<PathBuf> {
        let number = self.file.as_raw_fd();
        fs::read_link(Path::new("/proc/self/fd").join(number.to_string()))
    }

    /// The command that runs the program with `variables` alone. The program has to stay open until it has started.
    /// `is_exact`: the very file that is open, also if another one has taken its name.
    pub(super) fn command(&self, variables: &Variables, is_exact: bool) -> io::Result<Command> {
        let mut command = match OPEN_FILES {
            // ADR 0030: run from the handle, so that nobody can change the file in between.
            Some(open_files) if is_exact || self.is_pinned => {
                if self.is_script {
                    // Its interpreter opens it once more, by this name.
                    rustix::io::fcntl_setfd(&self.file, FdFlags::empty())?;
                }
                Command::new(format!("{open_files}/{}", self.file.as_raw_fd()))
            }
            Some(_) | None => Command::new(&self.path),
        };
        command
            .arg0(&self.name)
            .env_clear()
            .envs(variables.0.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }
}

/// The file that a program's name stands for, as the system finds it.
fn find(program: &str, variables: &Variables) -> io::Result<PathBuf> {
    if program.contains('/') {
        return Ok(PathBuf::from(program));
    }
    let usual = OsString::from("/bin:/usr/bin");
    let paths = variables.get("PATH").unwrap_or(&usual);
    let is_program = |path: &PathBuf| {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    };
    let found = std::env::split_paths(paths)
        .map(|folder| folder.join(program))
        .find(is_program);
    found.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("{program} is in no folder of PATH"),
        )
    })
}
