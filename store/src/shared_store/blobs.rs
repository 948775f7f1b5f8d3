//! Blobs.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use async_trait::async_trait;
use folkmoot_core::ids::{Digest, Time, WorldId};
use folkmoot_core::port::{BlobError, Blobs, ReadError};
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;

use super::settle::blob_error;
use super::{SharedStore, lineage};
use crate::home::keys::FILE_OVERHEAD;
use crate::ledger::{LedgerEntry, PutRange};
use crate::state::shared::Phase;

/// The number of names that are looked at at once.
pub(super) const NAMES_MAX: usize = 1_000;

#[async_trait]
impl Blobs for SharedStore {
    async fn put(&self, world: WorldId, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        if let Some(why) = self.inner.ended() {
            return Err(BlobError::Stopped(why));
        }
        let entry = self.of_world(world).await?;
        if bytes.len() > BLOB_BYTES_MAX {
            return Err(BlobError::TooLarge {
                bytes: bytes.len(),
                max: BLOB_BYTES_MAX,
            });
        }
        // The name is that of the plain bytes (decision 0010).
        let blob = Digest::sha256(&bytes);
        let bytes = if entry.is_sealed {
            let sealed = self.inner.keys.seal_file(world, &bytes);
            sealed.map_err(BlobError::Io)?
        } else {
            bytes
        };
        let ledger = &self.inner.ledger;
        let put = self
            .inner
            .work(|| ledger.put_blob(world, blob, bytes.clone()))
            .await;
        put.map(|()| blob).map_err(|error| blob_error(&error))
    }

    async fn get(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        let ledger = &self.inner.ledger;
        let is_sealed = self.of_world(world).await?.is_sealed;
        for world in self.lineage(world).await? {
            let found = self.inner.read(|| ledger.blob(world, blob)).await;
            let Some(bytes) = found.map_err(|error| blob_error(&error))? else {
                continue;
            };
            let bytes = if is_sealed {
                let opened = self.inner.keys.open_file(world, &bytes);
                opened.map_err(BlobError::Io)?.unwrap_or_default()
            } else {
                bytes
            };
            if Digest::sha256(&bytes) != blob {
                return Err(BlobError::Damaged { blob });
            }
            return Ok(Some(bytes));
        }
        Ok(None)
    }

    async fn size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, BlobError> {
        let ledger = &self.inner.ledger;
        let is_sealed = self.of_world(world).await?.is_sealed;
        for world in self.lineage(world).await? {
            let found = self.inner.read(|| ledger.blob_size(world, blob)).await;
            if let Some(bytes) = found.map_err(|error| blob_error(&error))? {
                let beside = if is_sealed { FILE_OVERHEAD } else { 0 };
                return Ok(Some(bytes.saturating_sub(beside)));
            }
        }
        Ok(None)
    }

    /// The file may be that of a parent. Who only reads has the holder note it, which gets the post.
    async fn touch(&self, world: WorldId, blobs: &[Digest]) -> Result<(), BlobError> {
        match self.inner.ended() {
            Some(_) if self.inner.phase() == Phase::Reading => return Ok(()),
            Some(why) => return Err(BlobError::Stopped(why)),
            None => {}
        }
        let ledger = &self.inner.ledger;
        for world in self.lineage(world).await? {
            for blobs in blobs.chunks(NAMES_MAX) {
                let touched = self.inner.read(|| ledger.touch_blobs(world, blobs));
                touched.await.map_err(|error| blob_error(&error))?;
            }
        }
        Ok(())
    }

    /// None: what is derived of files would stand on one of many nodes, and stay there.
    fn derived(&self, _world: WorldId) -> Option<PathBuf> {
        None
    }

    async fn forget_derived(&self, _world: WorldId) -> Result<(), BlobError> {
        Ok(())
    }
}

impl SharedStore {
    /// Tells whether files of a world are kept.
    ///
    /// # Errors
    /// [`BlobError`].
    pub async fn has_blobs(&self, world: WorldId) -> Result<bool, BlobError> {
        self.of_world(world).await?;
        let ledger = &self.inner.ledger;
        let names = self.inner.read(|| ledger.blobs(world, None, 1)).await;
        names
            .map(|names| !names.is_empty())
            .map_err(|error| blob_error(&error))
    }

    /// The time by the ledger's clock.
    ///
    /// # Errors
    /// [`BlobError`].
    pub async fn blob_time(&self) -> Result<Time, BlobError> {
        self.check_open().map_err(unkept)?;
        let ledger = &self.inner.ledger;
        let time = self.inner.read(|| ledger.blob_time()).await;
        time.map_err(|error| blob_error(&error))
    }

    /// The worlds in which files were kept at a time in `range`, each with such a time: by time and world, from the one
    /// behind `after`, at most `limit`. A world comes once for each time.
    ///
    /// # Errors
    /// [`BlobError`].
    pub async fn puts(
        &self,
        range: PutRange,
        after: Option<(Time, WorldId)>,
        limit: usize,
    ) -> Result<Vec<(Time, WorldId)>, BlobError> {
        self.check_open().map_err(unkept)?;
        let ledger = &self.inner.ledger;
        let puts = self.inner.read(|| ledger.puts(range, after, limit)).await;
        puts.map_err(|error| blob_error(&error))
    }

    /// Removes the files of a world that were kept before `before`, by the ledger's clock, and are none of `named`: uploads
    /// that no message took up. Returns their number. A world with forks keeps all of its files, which those may name. One
    /// that a message takes up meanwhile was [touched](Blobs::touch) before, and stays.
    ///
    /// # Errors
    /// [`BlobError`]; files may be gone by then.
    pub async fn sweep_blobs(
        &self,
        world: WorldId,
        named: BTreeSet<Digest>,
        before: SystemTime,
    ) -> Result<usize, BlobError> {
        self.of_world(world).await?;
        let ledger = &self.inner.ledger;
        let forks = self.inner.read(|| ledger.forks(world)).await;
        if !forks.map_err(|error| blob_error(&error))?.is_empty() {
            return Ok(0);
        }
        let since = before.duration_since(SystemTime::UNIX_EPOCH);
        let before = Time(0).after(since.unwrap_or_default());
        let all = self.inner.all_blobs(world).await;
        let all = all.map_err(|error| blob_error(&error))?.into_iter();
        let left = all.filter(|(blob, kept)| *kept < before && !named.contains(blob));
        let left: Vec<Digest> = left.map(|(blob, _)| blob).collect();
        let mut removed = 0;
        for left in left.chunks(NAMES_MAX) {
            let gone = self.inner.work(|| ledger.remove_blobs(world, left, before));
            removed += gone.await.map_err(|error| blob_error(&error))?;
        }
        Ok(usize::try_from(removed).unwrap_or(usize::MAX))
    }

    /// The entry of a world that exists. What a stopped store has can still be read.
    async fn of_world(&self, world: WorldId) -> Result<LedgerEntry, BlobError> {
        self.check_open().map_err(unkept)?;
        self.inner.entry(world).await.map_err(unkept)
    }

    /// A blob may be attached to what a fork shares.
    async fn lineage(&self, world: WorldId) -> Result<Vec<WorldId>, BlobError> {
        lineage::worlds(&self.inner, world).await.map_err(unkept)
    }
}

fn unkept(error: ReadError) -> BlobError {
    match error {
        ReadError::NoSuchWorld(world) => BlobError::NoSuchWorld(world),
        ReadError::Stopped(why) => BlobError::Stopped(why),
        error @ (ReadError::Damaged { .. } | ReadError::Newer { .. } | ReadError::Io(_) | _) => {
            BlobError::Io(std::io::Error::other(error))
        }
    }
}
