//! The reasons that a store is not backed up.

use std::path::PathBuf;

use folkmoot_core::port::BlobError;

use crate::engine::EngineError;
use crate::home::opening::OpenError;

/// The reason that a store is not backed up. Nothing that opens is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// There is something already.
    #[error("{path} is not empty; name a directory that is, or one that does not exist")]
    Occupied {
        /// The directory.
        path: PathBuf,
    },
    /// The copy would be a part of what it is a copy of.
    #[error("{path} is inside the store; name a directory outside of it")]
    InsideStore {
        /// The directory.
        path: PathBuf,
    },
    /// The copy cannot be written.
    #[error(transparent)]
    Target(#[from] OpenError),
    /// The store itself does not read.
    #[error("the store cannot be copied")]
    Source(#[from] EngineError),
    /// The blobs cannot be copied.
    #[error("the attachments cannot be copied")]
    Blobs {
        /// The cause.
        #[source]
        source: BlobError,
    },
    /// The copy is not what was there.
    #[error("the copy at {path} is not what was copied: {what}")]
    Different {
        /// The directory.
        path: PathBuf,
        /// The difference.
        what: String,
    },
    /// The store stopped after an earlier error, or is closed.
    #[error("the store is stopped: {0}")]
    Stopped(String),
}
