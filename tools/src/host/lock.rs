//! The lock that a helper holds while anything of its program lives.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use folkmoot_core::ids::Digest;
use folkmoot_core::port::ToolCall;
use rustix::fs::{FlockOperation, flock};

/// Names the lock of a call. The same for every attempt: a rerun waits until nothing of the lost run lives.
pub(crate) fn lock_of(call: &ToolCall) -> String {
    Digest::of(&[call.idempotency_key.as_bytes()]).to_string()
}

/// A held lock. The kernel releases it when this process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    /// The path of the lock's file.
    path: PathBuf,
    /// The file, locked as long as it is open.
    file: File,
}

impl Lock {
    /// Waits until nobody else holds the lock at `path`, and holds it.
    pub(super) fn wait(path: PathBuf) -> io::Result<Self> {
        loop {
            let file = open(&path)?;
            match flock(&file, FlockOperation::LockExclusive) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            }
            // Its last holder removed the file while we waited: that lock guards nothing any more.
            if is_at(&file, &path)? {
                return Ok(Self { path, file });
            }
        }
    }

    /// Removes the file and lets the next one in.
    pub(super) fn release(self) -> io::Result<()> {
        // Removed while it is held: whoever waits for it finds that the file is another one, and
        // opens anew.
        fs::remove_file(&self.path)?;
        drop(self.file);
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        // Another user who could open the file could hold it, and stop the room.
        .mode(0o600)
        .open(path)
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
