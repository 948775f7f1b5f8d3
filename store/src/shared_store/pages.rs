//! The lists of a ledger, which gives them a page at a time.

use std::future::Future;

use folkmoot_core::ids::{Digest, Time, WorldId, WorldName};
use folkmoot_core::port::Labels;

use super::Inner;
use crate::ledger::{LedgerEntry, LedgerError};

/// The most of one page.
const PAGE: usize = 1_000;

/// No labels: all worlds.
static NO_LABELS: &Labels = &Labels::new();

impl Inner {
    /// All worlds, by their names.
    pub(super) async fn all_worlds(&self) -> Result<Vec<LedgerEntry>, LedgerError> {
        let page = |after: Option<WorldName>| async move {
            self.ledger.worlds(NO_LABELS, after.as_ref(), PAGE).await
        };
        self.all(page, |entry| entry.name.clone()).await
    }

    /// All tombstones, by the ids of their worlds.
    pub(super) async fn all_tombstones(&self) -> Result<Vec<(WorldId, Vec<u8>)>, LedgerError> {
        let page = |after| self.ledger.tombstones(after, PAGE);
        self.all(page, |(world, _)| *world).await
    }

    /// The names of all blobs of a world, and when each was put last.
    pub(super) async fn all_blobs(
        &self,
        world: WorldId,
    ) -> Result<Vec<(Digest, Time)>, LedgerError> {
        let page = |after| self.ledger.blobs(world, after, PAGE);
        self.all(page, |(blob, _)| *blob).await
    }

    /// All items of a list. `page` gives those behind a key, in the order of their keys.
    async fn all<T, K, F>(
        &self,
        page: impl Fn(Option<K>) -> F,
        key: impl Fn(&T) -> K,
    ) -> Result<Vec<T>, LedgerError>
    where
        K: Clone,
        F: Future<Output = Result<Vec<T>, LedgerError>>,
    {
        let mut all: Vec<T> = Vec::new();
        loop {
            let last = all.last().map(&key);
            let next = self.read(|| page(last.clone())).await?;
            if next.is_empty() {
                return Ok(all);
            }
            all.extend(next);
        }
    }
}
