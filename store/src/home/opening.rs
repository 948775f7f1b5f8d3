//! The ways to open a store, and the reasons that one does not open.

use std::io;
use std::path::PathBuf;

use folkmoot_core::ids::{Position, WorldName};

folkmoot_core::debug_in_words!(OpenError);

/// The answer to whether opening may make a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// Opening may make one.
    Create,
    /// There must be one.
    Existing,
}

/// The reason that a store does not open: what, where, and what to do about it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no store, and the caller wanted an existing one.
    #[error("there is no store at {path}; run a world to make one, or name another directory")]
    Missing {
        /// The directory.
        path: PathBuf,
    },
    /// Another process has it open.
    #[error("the store {path} is in use by {}; stop it, or work through it", holder(*pid))]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The other process, if it said so.
        pid: Option<u32>,
    },
    /// The path names a file.
    #[error("{path} is a file; a store is a directory, name another path")]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The directory holds something else.
    #[error("the directory {path} is not empty and is not a store; name another one")]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// The directory is a backup whose writer died.
    #[error("the directory {path} is half a backup; remove it, and back up again")]
    HalfBackup {
        /// The directory.
        path: PathBuf,
    },
    /// A newer build wrote it.
    #[error(
        "the store {path} has format {found}; this build reads formats up to {known}, use a newer one"
    )]
    NewerFormat {
        /// The directory.
        path: PathBuf,
        /// The format that was found.
        found: u32,
        /// The newest that this build reads.
        known: u32,
    },
    /// The stored data is not what was written.
    #[error(
        "the store {path} is damaged: {what}; `folkmoot verify --all` says what is lost, and `folkmoot rebuild --to DIR` saves \
         what is whole"
    )]
    Damaged {
        /// The directory.
        path: PathBuf,
        /// The damage.
        what: String,
    },
    /// Content of the world that it was to be opened for is missing or damaged. The rest of the store is not looked at.
    #[error(
        "{what}{}; nothing was written. `folkmoot verify {world}` names all that is lost, `folkmoot rebuild --to DIR` makes a \
         store of the rest, and `folkmoot erase {world} {at} --basis TEXT` gives that content up",
        others(*more)
    )]
    LostContent {
        /// The world.
        world: WorldName,
        /// The first event whose content is lost.
        at: Position,
        /// A sentence that names the world, the event and the file.
        what: String,
        /// The number of others that are lost.
        more: usize,
    },
    /// The log ends before commits that were acknowledged.
    #[error(
        "the log of the store {path} ends at frame {found}, but frame {recorded} was written; `folkmoot verify --all` says \
         what is lost, and `folkmoot rebuild --to DIR` saves what is whole"
    )]
    CutTail {
        /// The directory.
        path: PathBuf,
        /// The last frame that is there.
        found: u64,
        /// The last frame that the head record names.
        recorded: u64,
    },
    /// The directory cannot be written.
    #[error(
        "the store {path} is read-only for this user; change its permissions or name another directory"
    )]
    ReadOnly {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// There is no room.
    #[error("the disk with the store {path} is full; make room and try again")]
    Full {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The directory cannot be made.
    #[error("cannot create the store {path}; check the directory above it")]
    CannotCreate {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// Anything else that the system said.
    #[error("cannot open the store {path}")]
    Io {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

fn others(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => " (and that of another event)".to_owned(),
        more => format!(" (and that of {more} other events)"),
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "another process".to_owned(),
        |pid| format!("process {pid}"),
    )
}
