//! Deleting worlds, with all that a ledger keeps of them.

use std::collections::BTreeSet;
use std::io;

use folkmoot_core::ids::{NodeId, Position, WorldId};
use folkmoot_core::port::ReadError;
use folkmoot_core::port::causes::with_causes;

use super::settle::read_error;
use super::{Inner, SharedStore};
use crate::engine::EngineError;
use crate::format::Malformed;
use crate::ledger::{Burial, LedgerError};
use crate::state::shared::CLOSED;
use crate::write::deletion::{
    DeleteError, DeleteOrder, Tombstone, read_tombstone, write_tombstone,
};

impl SharedStore {
    /// Deletes worlds that this node holds: their commits, keys, blobs and checkpoints, in one step. Of each a [`Tombstone`]
    /// stays. No read finds anything of them from here on. Bytes of them stay in the ledger's own files until a member writes
    /// those anew, which it does every few minutes ([`LedgerUpkeep::compact`](crate::LedgerUpkeep::compact)), and in journals,
    /// on standbys and in backups until those are past their time.
    ///
    /// # Errors
    /// [`DeleteError::NoSuchWorld`], [`DeleteError::HasForks`] and [`DeleteError::Held`] delete nothing. After
    /// [`DeleteError::Unfinished`] the worlds are gone, but perhaps not the keys of sealed ones, or not from the files.
    pub async fn delete(
        &self,
        worlds: &[WorldId],
        order: &DeleteOrder,
    ) -> Result<Vec<Tombstone>, DeleteError> {
        self.check_deletion(worlds).await?;
        let inner = &self.inner;
        let mut tombstones = Vec::with_capacity(worlds.len());
        let mut rows = Vec::with_capacity(worlds.len());
        for world in worlds.iter().collect::<BTreeSet<_>>() {
            let known = inner.reach(*world).await.map_err(unread)?;
            let known = known.ok_or(DeleteError::NoSuchWorld(*world))?;
            let tombstone = Tombstone {
                is_clean: true,
                ..Tombstone::of(*world, &known.reach, order)
            };
            let (_, value) = write_tombstone(&tombstone)
                .map_err(|Malformed(what)| DeleteError::Engine(EngineError::Damaged(what)))?;
            rows.push((*world, value));
            tombstones.push(tombstone);
        }
        inner.bury(&rows).await?;
        let unfinished = |source| DeleteError::Unfinished {
            worlds: tombstones.len(),
            source,
        };
        for (world, _) in &rows {
            inner.reaches.forget(*world);
            inner.followers.end(*world);
            let destroyed = inner.keys.destroy_all(*world);
            destroyed.map_err(|error| unfinished(EngineError::Io(error)))?;
        }
        Ok(tombstones)
    }

    /// Verifies that [`SharedStore::delete`] would find no reason to refuse, but for who holds the worlds. Nothing is
    /// changed, and a fork that is made later is a reason again.
    ///
    /// # Errors
    /// [`DeleteError::NoSuchWorld`] and [`DeleteError::HasForks`], as [`SharedStore::delete`]. [`DeleteError::Engine`] for a
    /// sealed world if the store has no place for keys.
    pub async fn check_deletion(&self, worlds: &[WorldId]) -> Result<(), DeleteError> {
        if let Some(why) = self.inner.ended() {
            return Err(DeleteError::Stopped(why));
        }
        for world in worlds {
            let entry = self.inner.entry(*world).await.map_err(unread)?;
            let has_keys = self.inner.check_keys(&entry);
            has_keys.map_err(|error| DeleteError::Engine(EngineError::Io(error)))?;
            let ledger = &self.inner.ledger;
            let forks = self.inner.read(|| ledger.forks(*world)).await;
            let blobs = self.inner.read(|| ledger.blobs(*world, None, 1)).await;
            // A copy of a sealed world is read with its keys, one of a fork is found from there when content is erased, and
            // one of a world with files reads them there.
            let are_copies_bound =
                entry.is_sealed || entry.base.is_some() || !blobs.map_err(failed)?.is_empty();
            let needs = |is_copied: bool| are_copies_bound || !is_copied;
            let fork = forks.map_err(failed)?.into_iter().find(|fork| {
                let is_bound = fork.base.is_some_and(|base| needs(base.is_copied));
                is_bound && !worlds.contains(&fork.world)
            });
            if let Some(fork) = fork {
                return Err(DeleteError::HasForks {
                    world: *world,
                    fork: fork.name,
                });
            }
        }
        Ok(())
    }

    /// The tombstones of all deleted worlds, oldest first.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if one does not read, [`ReadError::Stopped`] if the store is closed.
    pub async fn deleted(&self) -> Result<Vec<Tombstone>, ReadError> {
        self.check_open()?;
        let rows = self.inner.all_tombstones().await;
        let rows = rows.map_err(|error| read_error(error, Position::ZERO))?;
        let read = |(_, value): &(WorldId, Vec<u8>)| {
            read_tombstone(value).map_err(|Malformed(what)| ReadError::Damaged {
                at: Position::ZERO,
                what,
            })
        };
        let mut all: Vec<Tombstone> = rows.iter().map(read).collect::<Result<_, _>>()?;
        all.sort_by_key(|tombstone| tombstone.at);
        Ok(all)
    }
}

impl Inner {
    /// Deletes worlds in one step.
    async fn bury(&self, rows: &[(WorldId, Vec<u8>)]) -> Result<(), DeleteError> {
        // An answer that was lost may have been the one that they are deleted.
        let is_again = std::sync::atomic::AtomicBool::new(false);
        let delete = async || {
            let deleted = self.ledger.delete(self.node.node_id(), rows).await;
            if matches!(deleted, Err(LedgerError::Unknown(_))) {
                is_again.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            deleted
        };
        match self.settle(delete).await.map_err(failed)? {
            Burial::Deleted => Ok(()),
            Burial::NoSuchWorld(world) => {
                let is_again = is_again.load(std::sync::atomic::Ordering::Relaxed);
                if is_again && self.are_gone(rows).await? {
                    return Ok(());
                }
                Err(DeleteError::NoSuchWorld(world))
            }
            Burial::Fenced { world, holder } => Err(DeleteError::Held {
                world,
                by: held_by(holder),
            }),
            Burial::HasForks { world, fork } => Err(DeleteError::HasForks { world, fork }),
        }
    }

    async fn are_gone(&self, rows: &[(WorldId, Vec<u8>)]) -> Result<bool, DeleteError> {
        let worlds: Vec<WorldId> = rows.iter().map(|(world, _)| *world).collect();
        let heads = self.read(|| self.ledger.heads(&worlds)).await;
        Ok(heads.map_err(failed)?.is_empty())
    }
}

fn held_by(holder: Option<NodeId>) -> String {
    holder.map_or_else(|| "nobody".to_owned(), |node| format!("the node {node}"))
}

fn unread(error: ReadError) -> DeleteError {
    match error {
        ReadError::NoSuchWorld(world) => DeleteError::NoSuchWorld(world),
        ReadError::Stopped(why) => DeleteError::Stopped(why),
        error @ (ReadError::Damaged { .. } | ReadError::Newer { .. } | ReadError::Io(_) | _) => {
            DeleteError::Engine(EngineError::Io(io::Error::other(error)))
        }
    }
}

fn failed(error: LedgerError) -> DeleteError {
    match error {
        LedgerError::Closed => DeleteError::Stopped(CLOSED.to_owned()),
        error @ (LedgerError::Full(_)
        | LedgerError::Invalid(_)
        | LedgerError::Refused(_)
        | LedgerError::Damaged(_)
        | LedgerError::Unknown(_)
        | LedgerError::Unreachable(_)) => DeleteError::Engine(engine_error(error)),
    }
}

fn engine_error(error: LedgerError) -> EngineError {
    match error {
        LedgerError::Damaged(what) => EngineError::Damaged(what),
        LedgerError::Full(_) => EngineError::Full(io::Error::new(
            io::ErrorKind::StorageFull,
            with_causes(&error),
        )),
        error @ (LedgerError::Invalid(_)
        | LedgerError::Refused(_)
        | LedgerError::Unknown(_)
        | LedgerError::Unreachable(_)
        | LedgerError::Closed) => EngineError::Io(io::Error::other(with_causes(&error))),
    }
}
