//! How far worlds have come, as far as a node remembers it.
//!
//! Rows never change but for content, which no link covers. So what is remembered of a world is old at worst, unless a database
//! lost its last rows in a fail-over. Therefore it is compared with the row that it ends with before more is read on it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::ReadError;

use super::Inner;
use super::settle::read_error;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::record::RecordRef;
use crate::ledger::{LedgerEntry, PieceMax, Row};
use crate::read::decode;
use crate::read::runs::entry;
use crate::state::index::{Base, Reach};
use crate::state::summary::Summary;

/// The most worlds that are remembered. A node has room for fewer.
const WORLDS_MAX: usize = 16_384;

/// The number of commits after which the ledger is told how far a world has come.
pub(super) const SAVED_EVERY: u64 = 1_024;

/// The most of one piece of rows.
pub(super) const PIECE: PieceMax = PieceMax {
    rows: 512,
    bytes: 1024 * 1024,
};

/// How far a world has come.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) reach: Reach,
    /// The first position of its last row; zero if it has none of its own.
    pub(super) last_first: Position,
    /// True if this node was the last that appended, as far as it knows.
    pub(super) is_own: bool,
}

impl Known {
    /// A world that has no row of its own.
    pub(super) const fn rowless(reach: Reach) -> Self {
        Self {
            reach,
            last_first: Position::ZERO,
            is_own: false,
        }
    }
}

/// The worlds that are remembered.
#[derive(Debug, Default)]
pub(super) struct Reaches(Mutex<HashMap<WorldId, Known>>);

impl Reaches {
    pub(super) fn known(&self, world: WorldId) -> Option<Known> {
        self.all().get(&world).cloned()
    }

    /// The reach of a world that this node appends to: nobody else moves it.
    pub(super) fn own(&self, world: WorldId) -> Option<Known> {
        self.known(world).filter(|known| known.is_own)
    }

    pub(super) fn remember(&self, world: WorldId, known: Known) {
        let mut all = self.all();
        if all.len() >= WORLDS_MAX {
            all.clear();
        }
        all.insert(world, known);
    }

    pub(super) fn forget(&self, world: WorldId) -> Option<Known> {
        self.all().remove(&world)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<WorldId, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// How far a world has come, as the ledger has it; `None` if there is no such world.
    pub(super) async fn reach(&self, world: WorldId) -> Result<Option<Known>, ReadError> {
        let entry = self.read(|| self.ledger.entry(world)).await;
        let entry = entry.map_err(|error| read_error(error, Position::ZERO))?;
        let Some(entry) = entry else {
            self.reaches.forget(world);
            return Ok(None);
        };
        let before = self.reaches.known(world);
        let before = before.filter(|known| known.reach.head <= entry.head);
        let is_there = match &before {
            Some(known) => self.last_first(world, &known.reach).await?.is_some(),
            None => false,
        };
        let start = match before {
            Some(known) if is_there => known,
            Some(_) | None => {
                self.reaches.forget(world);
                self.start(&entry, entry.head).await?
            }
        };
        let is_own = start.is_own && start.reach.head == entry.head;
        let folded = self.fold(&entry, start, entry.head).await;
        let mut known = folded.inspect_err(|error| {
            if matches!(error, ReadError::Damaged { .. }) {
                self.reaches.forget(world);
            }
        })?;
        known.is_own = is_own;
        known.reach.base = base(&entry);
        self.reaches.remember(world, known.clone());
        Ok(Some(known))
    }

    /// How far a world had come with the commit that holds the event at `at`.
    pub(super) async fn reach_at(&self, world: WorldId, at: Position) -> Result<Reach, ReadError> {
        let entry = self.entry(world).await?;
        let missing = || ReadError::Damaged {
            at,
            what: "the event is not there".to_owned(),
        };
        if at > entry.head {
            return Err(missing());
        }
        if at == entry.head {
            let known = self.reach(world).await?;
            return Ok(known.ok_or(ReadError::NoSuchWorld(world))?.reach);
        }
        // What it shares with its parent the parent's log says.
        if let Some(base) = entry.base.filter(|base| !base.is_copied && at <= base.at) {
            return Box::pin(self.reach_at(base.parent, at)).await;
        }
        let start = self.start(&entry, at).await?;
        let found = self.fold(&entry, start, at).await?.reach;
        if found.head < at {
            return Err(missing());
        }
        Ok(found)
    }

    /// What is known of a world at `at` or before it without its rows.
    async fn start(&self, entry: &LedgerEntry, at: Position) -> Result<Known, ReadError> {
        if let Some(saved) = self.saved(entry, at).await? {
            return Ok(saved);
        }
        match entry.base.filter(|base| !base.is_copied) {
            Some(base) => {
                let reach = Box::pin(self.reach_at(base.parent, base.at)).await?;
                Ok(Known::rowless(reach))
            }
            None => Ok(Known::rowless(Reach::unborn(entry.name.clone()))),
        }
    }

    /// The reach that the ledger keeps, if it is one of this log and not behind `at`.
    async fn saved(&self, entry: &LedgerEntry, at: Position) -> Result<Option<Known>, ReadError> {
        let saved = entry.reach.as_deref();
        let Some((reach, true)) = saved.and_then(|saved| entry::read(saved).ok()) else {
            return Ok(None);
        };
        if reach.head > at {
            return Ok(None);
        }
        let last_first = self.last_first(entry.world, &reach).await?;
        Ok(last_first.map(|last_first| Known {
            last_first,
            reach,
            is_own: false,
        }))
    }

    /// The first position of the row that a reach ends with; `None` if the log has another one there, or none.
    async fn last_first(
        &self,
        world: WorldId,
        reach: &Reach,
    ) -> Result<Option<Position>, ReadError> {
        let one = PieceMax { rows: 1, ..PIECE };
        let rows = self.read(|| self.ledger.read(world, reach.head, one));
        let rows = rows.await.map_err(|error| read_error(error, reach.head))?;
        let row = rows.first();
        let row = row.filter(|row| row.last == reach.head && row.link() == Some(reach.link));
        Ok(row.map(|row| row.first))
    }

    /// Goes on from `known` to the commit that holds the event at `until`.
    async fn fold(
        &self,
        entry: &LedgerEntry,
        mut known: Known,
        until: Position,
    ) -> Result<Known, ReadError> {
        while known.reach.head < until {
            let next = known.reach.head.next();
            let rows = self.read(|| self.ledger.read(entry.world, next, PIECE));
            let rows = rows.await.map_err(|error| read_error(error, next))?;
            if rows.is_empty() {
                let what = "rows of it are missing".to_owned();
                return Err(ReadError::Damaged { at: next, what });
            }
            for row in rows.iter().take_while(|row| row.first <= until) {
                self.advance(&mut known, row)?;
            }
        }
        Ok(known)
    }

    fn advance(&self, known: &mut Known, row: &Row) -> Result<(), ReadError> {
        let next = known.reach.head.next();
        let damaged = |error: &Malformed| decode::malformed(next, error);
        let record = RecordRef::read(&mut Bytes(&row.record)).map_err(|error| damaged(&error))?;
        let summary = Summary::read(&record, &self.upcasters)
            .map_err(|error| decode::lift_error(next, error))?;
        if row.first != next || summary.first != next || summary.last != row.last {
            let what = format!("event {} stands there", row.first);
            return Err(ReadError::Damaged { at: next, what });
        }
        if let Some(origin) = &summary.origin {
            known.reach = crate::write::lineage::begin(origin, known.reach.clone())
                .map_err(|error| damaged(&error))?;
        }
        let leaf = record.leaf().map_err(|error| damaged(&error))?;
        known.reach.advance(&summary, leaf);
        if known.reach.link != record.link {
            let what = "its link is not that of its bytes".to_owned();
            return Err(ReadError::Damaged { at: next, what });
        }
        known.last_first = row.first;
        Ok(())
    }

    /// Tells the ledger how far a world has come. Failing to loses nothing.
    pub(super) async fn save_reach(&self, world: WorldId, reach: &Reach) {
        let saved = match entry::write(reach) {
            Ok(saved) => saved,
            Err(Malformed(error)) => return tracing::warn!(error, "a reach cannot be saved"),
        };
        let node = self.node.node_id();
        let save = || self.ledger.save_reach(node, world, saved.clone());
        if let Err(error) = self.read(save).await {
            tracing::warn!(%error, "a reach cannot be saved");
        }
    }
}

/// The base of a world, as the index has it.
pub(super) fn base(entry: &LedgerEntry) -> Option<Base> {
    entry.base.map(|base| Base {
        parent: base.parent,
        at: base.at,
        is_copied: base.is_copied,
    })
}
