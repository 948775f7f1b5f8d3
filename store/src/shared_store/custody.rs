//! The tree over the log, forks and erasure.

use async_trait::async_trait;
use folkmoot_core::event::{Span, TreeHead};
use folkmoot_core::ids::{CopyId, Digest, Position, WorldId};
use folkmoot_core::port::{AppendError, Custody, Erasure, ForkPoint, ReadError};

use super::settle::{append_error, unread};
use super::{SharedStore, erase, lineage};
use crate::ledger::RowRange;
use crate::state::index::Reach;
use crate::write::erase::Meant;

#[async_trait]
impl Custody for SharedStore {
    /// A ledger has one log of each world, unless the whole ledger is a copy: then the commits may be missing that were the
    /// last ones elsewhere, and what they led to has happened.
    fn copy(&self) -> Option<CopyId> {
        self.inner.ledger.copy()
    }

    async fn tree_head(&self, world: WorldId) -> Result<TreeHead, ReadError> {
        // By what the ledger says: another node may have the world by now.
        let known = self.inner.reach(world).await?;
        let known = known.ok_or(ReadError::NoSuchWorld(world))?;
        Ok(tree_head(&known.reach))
    }

    /// As the port says, as far as what is read from the ledger goes. A database keeps old bytes longer: in the files of its
    /// tables until a member has written those anew, which it does every few minutes, and later if others use them for long
    /// or they are large; in its journal, on standbys and in backups until those are past their time. Sealed worlds, whose
    /// keys no ledger has, reach further.
    async fn erase(
        &self,
        world: WorldId,
        events: &[Span],
        by: Position,
    ) -> Result<Erasure, AppendError> {
        if let Some(why) = self.inner.ended() {
            return Err(AppendError::Stopped(why));
        }
        let entry = self.inner.entry(world).await.map_err(unread)?;
        self.inner.check_keys(&entry).map_err(AppendError::Io)?;
        let passes = self.lost.is_some();
        erase::erase((&self.inner, passes), world, &Meant::new(events, by)).await
    }

    async fn fork_point(&self, world: WorldId, at: Position) -> Result<ForkPoint, ReadError> {
        let reach = self.inner.reach_at(world, at).await?;
        Ok(ForkPoint {
            base: tree_head(&reach),
            link: reach.link,
        })
    }

    async fn copy_base(&self, world: WorldId) -> Result<(), AppendError> {
        let base = self.inner.entry(world).await.map_err(unread)?.base;
        if base.is_none_or(|base| base.is_copied) {
            return Ok(());
        }
        let sources = lineage::sources(&self.inner, world).await.map_err(unread)?;
        let shared = sources.iter().filter(|source| source.world != world);
        let ranges: Vec<RowRange> = shared
            .map(|source| RowRange {
                world: source.world,
                from: source.from,
                to: source.until,
            })
            .collect();
        let ledger = &self.inner.ledger;
        let copied = self.inner.work(|| ledger.copy_base(world, &ranges)).await;
        copied.map_err(|error| append_error(&error))
    }
}

fn tree_head(reach: &Reach) -> TreeHead {
    TreeHead {
        of: reach.head,
        commits: reach.tree.size(),
        root: Digest::new(reach.tree.root()),
    }
}
