//! The files of a room, as a tool sees them.

use std::fmt::Debug;
use std::path::PathBuf;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::BlobError;
use crate::event::Attachment;
use crate::ids::principal::Person;
use crate::ids::{Digest, FileId};

/// A file of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomFile {
    /// The file's id.
    pub id: FileId,
    /// The file.
    pub file: Attachment,
    /// The person who brought it; `None`: it belongs to all, as the world or a program brought it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Person>,
}

/// The files that one call may see, and a place for what is derived of them.
#[async_trait]
pub trait CallFiles: Send + Sync + Debug {
    /// Returns the files, oldest first.
    fn seen(&self) -> &[RoomFile];

    /// Reads the bytes of a file that the call may see: of its [blob](Attachment::blobs) with this
    /// number, from 0. `None` if there is none, if the bytes are gone, or if the call may not.
    ///
    /// # Errors
    /// [`BlobError`].
    async fn read(&self, file: FileId, number: usize) -> Result<Option<Vec<u8>>, BlobError>;

    /// Keeps at most as many bytes as a blob may have, for a file that the run brings in; returns
    /// their digest once they survive power loss.
    ///
    /// # Errors
    /// [`BlobError`].
    async fn keep(&self, bytes: Vec<u8>) -> Result<Digest, BlobError>;

    /// Returns the folder for what is derived of the world's files, and can be derived again. It is removed, with all that
    /// is in it, once one of the files is gone, and when the store is opened: whoever writes there names a file in it
    /// before they read what they derive it of. `None`: what is derived stays in memory, and only for the run.
    fn derived(&self) -> Option<PathBuf>;
}
