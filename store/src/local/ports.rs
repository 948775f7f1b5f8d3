//! The ports beside the event log: saved folds, blobs, and the tree.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use folkmoot_core::event::{Span, TreeHead};
use folkmoot_core::ids::{CopyId, Digest, Position, WorldId};
use folkmoot_core::port::{
    AppendError, BlobError, Blobs, Checkpoints, Custody, Erasure, ForkPoint, ReadError,
};

use super::{Inner, LocalStore};
use crate::home::blobs::Vault;
use crate::home::checkpoints::Saved;
use crate::home::keys::Keyring;
use crate::read::reader;
use crate::read::reader::Reader;
use crate::state::index::Reach;
use crate::state::shared::{CLOSED, LostContent, Phase, READS_ONLY, Shared};
use crate::sync::threads::blocking;
use crate::write::committer::append_error;
use crate::write::erase::{Eraser, Lost, Meant};
use crate::write::lineage;

#[async_trait]
impl Checkpoints for LocalStore {
    async fn save(
        &self,
        world: WorldId,
        at: Position,
        decider: Digest,
        state: Vec<u8>,
    ) -> Result<(), AppendError> {
        // A fold holds what all of them wrote: there is no one key for it.
        if self.seals(world) {
            return Ok(());
        }
        if self.inner.shared.phase() == Phase::Reading {
            return Err(AppendError::Stopped(READS_ONLY.to_owned()));
        }
        // Nor is a fold saved that something may be missing in.
        if self.lost.is_some() {
            return Ok(());
        }
        let inner = Arc::clone(&self.inner);
        blocking(move || {
            let _stays = inner.shared.files();
            {
                let index = inner.shared.index();
                let known = index
                    .worlds
                    .get(&world)
                    .ok_or(AppendError::NoSuchWorld(world))?;
                if known.barred == Some(known.reach.incarnation) {
                    return Ok(());
                }
            }
            let link = link_at((&inner.shared, None), world, at).ok_or_else(|| {
                AppendError::Invalid(format!(
                    "no commit ends at event {at}, so nothing is the fold up to there"
                ))
            })?;
            inner.shelter.save(Saved {
                world,
                at,
                link,
                decider,
                state,
            })
        })
        .await
    }

    async fn latest(
        &self,
        world: WorldId,
        decider: Digest,
        up_to: Option<Position>,
    ) -> Option<(Position, Vec<u8>)> {
        let inner = Arc::clone(&self.inner);
        let lost = self.lost.clone();
        let link = move |inner: &Inner, at| link_at((&inner.shared, lost.as_ref()), world, at);
        blocking(move || {
            inner
                .shelter
                .latest(world, decider, up_to, |at| link(&inner, at))
        })
        .await
    }

    async fn places(&self, world: WorldId) -> Vec<(Position, Digest)> {
        let inner = Arc::clone(&self.inner);
        blocking(move || inner.shelter.places(world)).await
    }
}

#[async_trait]
impl Custody for LocalStore {
    fn copy(&self) -> Option<CopyId> {
        self.inner.copy
    }

    async fn tree_head(&self, world: WorldId) -> Result<TreeHead, ReadError> {
        let index = self.inner.shared.index();
        let reach = &index
            .worlds
            .get(&world)
            .ok_or(ReadError::NoSuchWorld(world))?
            .reach;
        Ok(tree_head(reach))
    }

    async fn erase(
        &self,
        world: WorldId,
        events: &[Span],
        by: Position,
    ) -> Result<Erasure, AppendError> {
        self.inner.shared.check_writes()?;
        if !self.inner.shared.index().worlds.contains_key(&world) {
            return Err(AppendError::NoSuchWorld(world));
        }
        let inner = Arc::clone(&self.inner);
        let meant = Meant::new(events, by);
        let lost = if self.lost.is_some() {
            Lost::Passes
        } else {
            Lost::Fails
        };
        blocking(move || {
            let Inner {
                shared,
                vault,
                shelter,
                ..
            } = &*inner;
            Eraser {
                shared,
                vault,
                shelter,
                lost,
            }
            .erase(world, &meant)
            .map_err(|error| append_error(&error))
        })
        .await
    }

    async fn fork_point(&self, world: WorldId, at: Position) -> Result<ForkPoint, ReadError> {
        let shared = Arc::clone(&self.inner.shared);
        let reach = blocking(move || lineage::reach(&shared, world, at)).await?;
        Ok(ForkPoint {
            base: tree_head(&reach),
            link: reach.link,
        })
    }

    async fn copy_base(&self, world: WorldId) -> Result<(), AppendError> {
        if !self.inner.shared.index().worlds.contains_key(&world) {
            return Err(AppendError::NoSuchWorld(world));
        }
        let shared = Arc::clone(&self.inner.shared);
        shared.check_writes()?;
        blocking(move || lineage::copy_base(&shared, world))
            .await
            .map_err(|error| append_error(&error))
    }
}

/// The link of the commit of a world that ends at `at`. Where the log does not tell, whoever reads
/// it will be told why.
fn link_at(
    (shared, lost): (&Arc<Shared>, Option<&LostContent>),
    world: WorldId,
    at: Position,
) -> Option<Digest> {
    {
        let index = shared.index();
        let reach = &index.worlds.get(&world)?.reach;
        if reach.head == at {
            return Some(reach.link);
        }
    }
    let stored =
        reader::commit_at(Reader::new(Arc::clone(shared), world, at).passing_over(lost)).ok()?;
    (stored.commit.last() == at).then_some(stored.link)
}

fn tree_head(reach: &Reach) -> TreeHead {
    TreeHead {
        of: reach.head,
        commits: reach.tree.size(),
        root: Digest::new(reach.tree.root()),
    }
}

#[async_trait]
impl Blobs for LocalStore {
    async fn put(&self, world: WorldId, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        self.inner.shared.check_writes()?;
        self.of_world(world, move |vault, keys| vault.put(world, bytes, keys))
            .await
    }

    async fn get(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        self.of_lineage(world, move |vault, world, keys| {
            vault.get(world, blob, keys)
        })
        .await
    }

    async fn size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, BlobError> {
        self.of_lineage(world, move |vault, world, keys| {
            vault.size(world, blob, keys)
        })
        .await
    }

    async fn touch(&self, _: WorldId, _: &[Digest]) -> Result<(), BlobError> {
        Ok(())
    }

    fn derived(&self, world: WorldId) -> Option<PathBuf> {
        // What is sealed must not stand on the disk as it is.
        if self.seals(world) || self.inner.shared.phase() == Phase::Reading {
            return None;
        }
        self.inner.vault.derived(world)
    }

    async fn forget_derived(&self, world: WorldId) -> Result<(), BlobError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || inner.vault.forget_derived(world).map_err(BlobError::Io)).await
    }
}

impl LocalStore {
    /// Tells whether files of a world are kept.
    pub(crate) async fn has_blobs(&self, world: WorldId) -> Result<bool, BlobError> {
        self.of_world(world, move |vault, _| {
            vault.has_any(world).map_err(BlobError::Io)
        })
        .await
    }

    /// Removes the files of a world that were kept before `before` and are none of `named`: uploads
    /// that no message took up. Returns their number. A world with forks keeps all of its files,
    /// which those may name. The caller sees to it that no message takes one up meanwhile.
    pub(crate) async fn sweep_blobs(
        &self,
        world: WorldId,
        named: BTreeSet<Digest>,
        before: SystemTime,
    ) -> Result<usize, BlobError> {
        self.inner.shared.check_writes()?;
        if self.inner.shared.index().forks(world).next().is_some() {
            return Ok(0);
        }
        self.of_world(world, move |vault, _| {
            vault
                .remove_unnamed(world, &named, before)
                .map_err(BlobError::Io)
        })
        .await
    }

    /// Looks for a blob in a world and, as it may be attached to what a fork shares, in those that
    /// it comes from. A fork is sealed if its parent is.
    async fn of_lineage<T: Send + 'static>(
        &self,
        world: WorldId,
        look: impl Fn(&Vault, WorldId, Option<&Keyring>) -> Result<Option<T>, BlobError>
        + Send
        + 'static,
    ) -> Result<Option<T>, BlobError> {
        let lineage = lineage::worlds(&self.inner.shared.index(), world);
        self.of_world(world, move |vault, keys| {
            let mut found = lineage.iter().map(|world| look(vault, *world, keys));
            found
                .find(|found| !matches!(found, Ok(None)))
                .unwrap_or(Ok(None))
        })
        .await
    }

    /// Works on the blobs of a world that exists, with the keys if they are sealed. What a stopped
    /// store has can still be read.
    async fn of_world<T: Send + 'static>(
        &self,
        world: WorldId,
        work: impl FnOnce(&Vault, Option<&Keyring>) -> Result<T, BlobError> + Send + 'static,
    ) -> Result<T, BlobError> {
        if self.inner.shared.phase() == Phase::Closed {
            return Err(BlobError::Stopped(CLOSED.to_owned()));
        }
        let inner = Arc::clone(&self.inner);
        let is_sealed = self.seals(world);
        blocking(move || {
            let _stays = inner.shared.files();
            if !inner.shared.index().worlds.contains_key(&world) {
                return Err(BlobError::NoSuchWorld(world));
            }
            work(&inner.vault, is_sealed.then_some(&inner.shared.keys))
        })
        .await
    }
}
