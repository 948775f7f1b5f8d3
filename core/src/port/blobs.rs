//! The blob port: bytes that are too large for the log, named by what they are.

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;

use async_trait::async_trait;

use crate::ids::{Digest, WorldId};

/// The blobs of all worlds of one store. A world has its own; what is deleted with it is nobody
/// else's.
#[async_trait]
pub trait Blobs: Send + Sync + Debug {
    /// Keeps `bytes` for `world` and returns, once they survive power loss, their name:
    /// [`Digest::sha256`]. The same bytes are kept once, however often they are put.
    ///
    /// # Errors
    /// [`BlobError::NoSuchWorld`] and [`BlobError::TooLarge`] keep nothing; else see [`BlobError`].
    async fn put(&self, world: WorldId, bytes: Vec<u8>) -> Result<Digest, BlobError>;

    /// The bytes of `blob`, exactly as they were put; `None` if `world` has none of that name.
    ///
    /// # Errors
    /// [`BlobError::Damaged`] if they are not what was put; else see [`BlobError`].
    async fn get(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError>;

    /// Returns the bytes that `blob` has; `None` if `world` has none of that name. Says nothing of
    /// damage.
    ///
    /// # Errors
    /// [`BlobError`].
    async fn size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, BlobError>;

    /// Notes that an event is about to name `blobs`, so that a sweep of what nothing names leaves those that are there.
    /// Whether they are is asked behind it. A store of one process has nothing to note: whoever sweeps it holds posts off.
    ///
    /// # Errors
    /// [`BlobError`].
    async fn touch(&self, world: WorldId, blobs: &[Digest]) -> Result<(), BlobError>;

    /// Returns the folder for what is derived of the world's files, which need not be there yet;
    /// `None`: there is none, as for a sealed world. It is emptied when the store is opened.
    fn derived(&self, world: WorldId) -> Option<PathBuf>;

    /// Removes that folder with all that is in it; returns once no name leads there.
    ///
    /// # Errors
    /// [`BlobError::Io`]: some of it may be left.
    async fn forget_derived(&self, world: WorldId) -> Result<(), BlobError>;
}

/// The reason that a blob could not be kept or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlobError {
    /// There is no such world.
    #[error("there is no world {0}")]
    NoSuchWorld(WorldId),
    /// The blob is larger than any may be. Permanent.
    #[error("the file has {bytes} bytes, at most {max} are allowed")]
    TooLarge {
        /// The bytes that it has.
        bytes: usize,
        /// The bytes that are allowed.
        max: usize,
    },
    /// The stored bytes are not those that were put. Putting the same bytes again mends it.
    #[error("the stored file {blob} is damaged: its bytes have changed")]
    Damaged {
        /// The blob's name.
        blob: Digest,
    },
    /// The disk is full. Nothing is kept.
    #[error("the disk is full")]
    Full(#[source] io::Error),
    /// Reading or writing failed.
    #[error("the store cannot read or write a file")]
    Io(#[source] io::Error),
    /// The store stopped after an earlier error, or is closed.
    #[error("the store is stopped: {0}")]
    Stopped(String),
}
