//! The reserve of a disk: the store stops when the system refuses to write, so nothing is written
//! once there is little room left.

use std::path::PathBuf;

use async_trait::async_trait;
use folkmoot::Gatekeeper;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Digest, Incarnation, WorldId};
use folkmoot::core::port::{AppendError, Appended, BlobError, Blobs, EventLog};

/// Refuses all appends while the disk of a store has less room than the reserve, as if it were full,
/// and files that would leave less.
/// The store goes on reading, and writes again once there is room.
///
/// A store whose disk really is full stops until it is opened again: it cannot know what is kept of
/// a write that broke off.
#[derive(Debug)]
pub struct DiskReserve {
    directory: PathBuf,
    bytes_min: u64,
}

impl DiskReserve {
    /// Keeps `bytes_min` free on the disk that has `directory`.
    #[must_use]
    pub fn of(directory: impl Into<PathBuf>, bytes_min: u64) -> Self {
        Self {
            directory: directory.into(),
            bytes_min,
        }
    }

    /// Refuses a write of `bytes` after which less than the reserve is free.
    fn check(&self, bytes: u64) -> std::io::Result<()> {
        let free = match rustix::fs::statvfs(&self.directory) {
            Ok(disk) => disk.f_bavail.saturating_mul(disk.f_frsize),
            Err(error) => {
                let error = std::io::Error::from(error);
                tracing::warn!(%error, "the room on the disk cannot be told");
                return Ok(());
            }
        };
        if self.is_left(free, bytes) {
            Ok(())
        } else {
            Err(std::io::ErrorKind::StorageFull.into())
        }
    }

    /// Tells whether the reserve is still free once `bytes` of `free` are written.
    const fn is_left(&self, free: u64, bytes: u64) -> bool {
        free.saturating_sub(bytes) >= self.bytes_min
    }
}

#[async_trait]
impl Gatekeeper for DiskReserve {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        // A few commits are small beside the reserve.
        self.check(0).map_err(AppendError::Full)?;
        log.append(incarnation, commits).await
    }

    async fn keep(
        &self,
        blobs: &dyn Blobs,
        world: WorldId,
        bytes: Vec<u8>,
    ) -> Result<Digest, BlobError> {
        self.check(bytes.len() as u64).map_err(BlobError::Full)?;
        blobs.put(world, bytes).await
    }

    fn read(&self, _commits: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_leaves_the_reserve_free() {
        let reserve = DiskReserve::of(".", 64);
        assert!(reserve.is_left(64, 0) && !reserve.is_left(63, 0));
        assert!(reserve.is_left(100, 36) && !reserve.is_left(100, 37));
        assert!(!reserve.is_left(100, u64::MAX));
    }
}
