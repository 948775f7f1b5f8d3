//! Saved folds.

use async_trait::async_trait;
use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::{AppendError, Checkpoints, ReadError};

use super::settle::{append_error, unread};
use super::{SharedStore, reader};
use crate::home::checkpoints::thin;
use crate::ledger::{CheckpointRow, Saving};

#[async_trait]
impl Checkpoints for SharedStore {
    async fn save(
        &self,
        world: WorldId,
        at: Position,
        decider: Digest,
        state: Vec<u8>,
    ) -> Result<(), AppendError> {
        // No fold is saved that something may be missing in.
        if self.lost.is_some() {
            return Ok(());
        }
        self.save_frontier(world, at).await;
        // A fold holds what all of them wrote: there is no one key for it.
        if self.seals(world).await.map_err(unread)? {
            return Ok(());
        }
        self.inner.entry(world).await.map_err(unread)?;
        let link = self.link_at(world, at).await.map_err(unread)?;
        let link = link.ok_or_else(|| {
            AppendError::Invalid(format!(
                "no commit ends at event {at}, so nothing is the fold up to there"
            ))
        })?;
        // The incarnation is the one that folded. Another node may have the world by now, and may have erased what is in the
        // fold since: its incarnation would get past the bar.
        let Some(own) = self.inner.reaches.own(world) else {
            return Ok(());
        };
        let row = CheckpointRow {
            world,
            at,
            incarnation: own.reach.incarnation,
            decider,
            link,
            state,
        };
        let ledger = &self.inner.ledger;
        let saved = self
            .inner
            .work(|| ledger.save_checkpoint(row.clone()))
            .await;
        match saved.map_err(|error| append_error(&error))? {
            Saving::Saved => {}
            Saving::Barred => return Ok(()),
            Saving::NoSuchWorld => return Err(AppendError::NoSuchWorld(world)),
        }
        let needless = thin::needless(&self.places(world).await, decider);
        let removed = self
            .inner
            .work(|| ledger.remove_checkpoints(world, &needless))
            .await;
        removed.map_err(|error| append_error(&error))
    }

    async fn latest(
        &self,
        world: WorldId,
        decider: Digest,
        up_to: Option<Position>,
    ) -> Option<(Position, Vec<u8>)> {
        let ledger = &self.inner.ledger;
        let places = self.places(world).await;
        let usable = places
            .into_iter()
            .rev()
            .filter(|(at, rules)| *rules == decider && up_to.is_none_or(|up_to| *at <= up_to));
        for (at, _) in usable {
            let row = self.inner.read(|| ledger.checkpoint(world, at)).await;
            let row = row.ok().flatten().filter(|row| row.decider == decider);
            // One of another log has another link.
            if let Some(row) = row
                && self.link_at(world, at).await.ok().flatten() == Some(row.link)
            {
                return Some((at, row.state));
            }
        }
        None
    }

    async fn places(&self, world: WorldId) -> Vec<(Position, Digest)> {
        let ledger = &self.inner.ledger;
        let places = self.inner.read(|| ledger.checkpoints(world)).await;
        places.unwrap_or_default()
    }
}

impl SharedStore {
    /// Tells the ledger how far a world has come whose fold is saved: before it is given back, that is its head. Whoever
    /// opens it next begins there.
    async fn save_frontier(&self, world: WorldId, at: Position) {
        let own = self.inner.reaches.own(world);
        if let Some(own) = own.filter(|own| own.reach.head == at) {
            self.inner.save_reach(world, &own.reach).await;
        }
    }

    /// The link of the commit of a world that ends at `at`; `None` if none does.
    async fn link_at(&self, world: WorldId, at: Position) -> Result<Option<Digest>, ReadError> {
        if let Some(known) = self.inner.reaches.own(world)
            && known.reach.head == at
        {
            return Ok(Some(known.reach.link));
        }
        let lost = self.lost.as_ref();
        let before = (world, at.next());
        let found = reader::back((&self.inner, lost), before, 1).await?;
        let last = found.into_iter().next();
        Ok(last
            .filter(|stored| stored.commit.last() == at)
            .map(|stored| stored.link))
    }
}
