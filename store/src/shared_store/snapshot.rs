//! Verifying and proving logs, as they stand at one moment.

use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::ReadError;
use folkmoot_proof::Hash;

use super::SharedStore;
use super::lineage::{self, Source};
use super::reaches::base;
use super::rows_engine::RowsEngine;
use crate::audit::{Evidence, Inclusion, Wanted};
use crate::ledger::LedgerEntry;
use crate::local::LocalStore;
use crate::read::runs::entry;
use crate::state::index::{Index, IndexedWorld, Reach};
use crate::state::shared::read_error;
use crate::sync::threads::blocking;
use crate::verify::plan::{Known, LogPlan};
use crate::verify::run::{Verification, verify};
use crate::verify::scan::Scan;
use crate::verify::tables::TablesPlace;
use crate::verify::walk::Stretch;
use crate::verify::{Against, DamageKind, Integrity};

impl SharedStore {
    /// Verifies the log of a world as it stands now; what is appended meanwhile is left out. Reads every byte of it, a piece
    /// at a time, and the files that it names. A log that was cut shows against anchors, and against what was saved of its
    /// reach.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or the ledger does not read or is closed. What is damaged is no error, but for rows that
    /// are found by another place than their record has.
    pub async fn verify(&self, world: WorldId, against: Against) -> Result<Integrity, ReadError> {
        // Before the entry: what this node appends meanwhile is behind it.
        let own = self.inner.reaches.own(world).map(|own| own.reach);
        let entry = self.inner.entry(world).await?;
        let sources = lineage::sources(&self.inner, world).await?;
        let engine = self.engine(sources.iter().map(|source| {
            let until = source.until.min(entry.head);
            (source.world, until)
        }))?;
        let plan = plan(&entry, &sources, own);
        let upcasters = self.inner.upcasters.clone();
        blocking(move || {
            let stage = Verification {
                plan: &plan,
                scan: &Scan::default(),
                place: TablesPlace {
                    engine: &engine,
                    files: &engine,
                    world,
                    runs_end: plan.runs_end,
                    has_keys: false,
                    is_still: true,
                },
                against: &against,
                upcasters: &upcasters,
            };
            // Content may have been erased since its record was read.
            let is_content = |found: &Integrity| {
                let damage = found.damage.as_ref();
                damage.is_some_and(|damage| damage.kind == DamageKind::Content)
            };
            let found = match verify(&stage) {
                Ok(found) if is_content(&found) => verify(&stage),
                found => found,
            };
            found.map_err(|error| read_error(error, entry.head))
        })
        .await
    }

    /// Gives commits as they are stored, with proofs. Reads the whole log of the world, and keeps a hash of each commit
    /// meanwhile.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if the log is not the one whose tree the ledger has kept.
    pub async fn evidence(&self, wanted: Wanted) -> Result<Evidence, ReadError> {
        self.logs(wanted.world).await?.evidence(wanted).await
    }

    /// Proves that the commit with the event at `position` is in the log of `world` as it stands now.
    ///
    /// # Errors
    /// As [`Store::inclusion_proof`](crate::Store::inclusion_proof).
    pub async fn inclusion_proof(
        &self,
        world: WorldId,
        position: Position,
    ) -> Result<Inclusion, ReadError> {
        let logs = self.logs(world).await?;
        logs.inclusion_proof(world, position).await
    }

    /// Proves that the log of `world` with `new` commits begins with the one of `old` commits.
    ///
    /// # Errors
    /// As [`Store::consistency_proof`](crate::Store::consistency_proof).
    pub async fn consistency_proof(
        &self,
        world: WorldId,
        old: u64,
        new: u64,
    ) -> Result<Vec<Hash>, ReadError> {
        let logs = self.logs(world).await?;
        logs.consistency_proof(world, old, new).await
    }

    /// The log of a world as a store that is only read.
    async fn logs(&self, world: WorldId) -> Result<LocalStore, ReadError> {
        self.check_open()?;
        let mut index = Index::default();
        let mut heads = Vec::new();
        for source in lineage::sources(&self.inner, world).await? {
            let known = self.inner.reach(source.world).await?;
            let reach = known.ok_or(ReadError::NoSuchWorld(source.world))?.reach;
            let head = reach.head;
            heads.push((source.world, head));
            index.insert(source.world, IndexedWorld::new(reach, head));
        }
        let engine = Arc::new(self.engine(heads)?);
        Ok(LocalStore::of_logs(engine, index))
    }

    /// The rows of worlds up to an event of each, as an engine.
    fn engine(
        &self,
        heads: impl IntoIterator<Item = (WorldId, Position)>,
    ) -> Result<RowsEngine, ReadError> {
        self.check_open()?;
        let heads = heads.into_iter().collect();
        Ok(RowsEngine::new(Arc::clone(&self.inner), heads))
    }
}

/// What is to be verified: the rows of a world and of those that it shares rows with.
fn plan(entry: &LedgerEntry, sources: &[Source], own: Option<Reach>) -> LogPlan {
    let stretch = |source: &Source| {
        let up_to = source.until.min(entry.head);
        Stretch {
            owner: source.world,
            up_to,
            runs_end: up_to,
            tail: Vec::new(),
        }
    };
    let saved = || {
        let (reach, knows_tree) = entry::read(entry.reach.as_deref()?).ok()?;
        knows_tree.then_some(reach)
    };
    LogPlan {
        world: entry.world,
        name: Some(entry.name.clone()),
        stretches: sources.iter().map(stretch).collect(),
        known: own.or_else(saved).map(|reach| Known {
            head: reach.head,
            link: reach.link,
            tree: Some(reach.tree),
        }),
        base: base(entry),
        runs_end: entry.head,
    }
}
