//! The files of the room that a call may see.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use folkmoot_core::ids::{AgentName, CallId, Digest, FileId, WorldId};
use folkmoot_core::port::{BlobError, Blobs, CallFiles, RoomFile};

use crate::task::WorldTask;

/// How many files of a world are gone, for the calls that are under way.
pub(in crate::task) type FilesGone = Arc<AtomicU64>;

/// The files that one call sees, as they were when it started.
#[derive(Debug)]
struct SeenFiles {
    world: WorldId,
    blobs: Arc<dyn Blobs>,
    seen: Vec<RoomFile>,
    /// How many were gone by then.
    gone_then: u64,
    gone: FilesGone,
}

impl WorldTask {
    /// The files that a call may see.
    pub(super) fn files_of(&self, agent: &AgentName, call: CallId) -> Option<Arc<dyn CallFiles>> {
        Some(Arc::new(SeenFiles {
            world: self.world.id()?,
            blobs: Arc::clone(&self.means.blobs),
            seen: self.world.files_of(agent, call),
            gone_then: self.world.files_gone(),
            gone: Arc::clone(&self.files_gone),
        }))
    }

    /// Removes what was derived of files that are gone by now, before anybody is told that they are.
    pub(in crate::task) async fn forget_derived(&mut self) -> Result<(), BlobError> {
        let gone = self.world.files_gone();
        if self.files_gone.swap(gone, Ordering::AcqRel) == gone {
            return Ok(());
        }
        match self.world.id() {
            Some(world) => self.means.blobs.forget_derived(world).await,
            None => Ok(()),
        }
    }
}

#[async_trait]
impl CallFiles for SeenFiles {
    fn seen(&self) -> &[RoomFile] {
        &self.seen
    }

    async fn read(&self, file: FileId, number: usize) -> Result<Option<Vec<u8>>, BlobError> {
        let seen = self.seen.iter().find(|seen| seen.id == file);
        let Some(part) = seen.and_then(|seen| seen.file.blobs().nth(number)) else {
            return Ok(None);
        };
        let bytes = self.blobs.get(self.world, part.blob).await?;
        // What was derived of files that are gone is removed by now, and must not come again.
        let is_as_then = self.gone.load(Ordering::Acquire) == self.gone_then;
        Ok(bytes.filter(|_| is_as_then))
    }

    async fn keep(&self, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        self.blobs.put(self.world, bytes).await
    }

    fn derived(&self) -> Option<PathBuf> {
        self.blobs.derived(self.world)
    }
}
