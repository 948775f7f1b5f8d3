//! Taking in the worlds of a store of one process.
//!
//! Records and links stay as they are, so proofs that were made before still fit. All of it may be done again: what is there
//! already is left as it is.

use std::sync::Arc;

use folkmoot_core::event::Event;
use folkmoot_core::ids::{Incarnation, NodeId, Position, WorldId, WorldName};
use folkmoot_core::port::{BlobError, ReadError};

use super::event_log::demands;
use super::reaches::PIECE;
use super::settle::blob_error;
use super::{Inner, SharedStore, lineage};
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::record::RecordRef;
use crate::home::blobs::StoredBlob;
use crate::ledger::{
    BesideRow, Birth, Landing, LedgerError, NewRow, Row, RowChain, RowRange, check_chains,
};
use crate::local::LocalStore;
use crate::read::reader::Reader;
use crate::read::runs::lift_failed;
use crate::state::content::{self, Parting};
use crate::state::index::{Base, Reach};
use crate::state::summary::{Summary, decode, key_digest};
use crate::sync::threads::blocking;

/// The worlds that were taken in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TakenIn {
    /// The number of worlds.
    pub worlds: usize,
    /// The number of their events, together.
    pub events: u64,
    /// The number of their files.
    pub blobs: usize,
    /// The number of files that were left out because they are damaged.
    pub blobs_damaged: usize,
}

/// The reason that worlds were not taken in. Those before it were; do it again once the cause is mended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TakeInError {
    /// A world does not read where it is.
    #[error("the world {name} cannot be copied")]
    Source {
        /// Its name.
        name: WorldName,
        /// The cause.
        #[source]
        source: ReadError,
    },
    /// A record is none.
    #[error("the world {name} cannot be copied: {what}")]
    Damaged {
        /// Its name.
        name: WorldName,
        /// What is wrong.
        what: String,
    },
    /// A file does not read, or is not kept.
    #[error("the files of the world {name} cannot be copied")]
    Blobs {
        /// The world's name.
        name: WorldName,
        /// The cause.
        #[source]
        source: BlobError,
    },
    /// The source is a store that nodes share.
    #[error("a shared store is copied into a folder first: make a backup of it, and copy that")]
    Shared,
    /// Another world has the name there.
    #[error("another world is called {0} there; delete it, or copy into another store")]
    NameTaken(WorldName),
    /// The world went on there, or is another one.
    #[error("the world {0} is there already, and is not what is copied")]
    Different(WorldName),
    /// The world is there, and another node holds it.
    #[error("a node holds the world {name} there; let it go first")]
    Held {
        /// The world's name.
        name: WorldName,
        /// The node; `None`: nobody does.
        holder: Option<NodeId>,
    },
    /// The world was deleted there, or the one that it was forked from is not there.
    #[error("the world {name} cannot be copied: {missing} was deleted, or is not there")]
    Gone {
        /// The world's name.
        name: WorldName,
        /// The world that is missing.
        missing: WorldId,
    },
    /// The ledger did not take it.
    #[error("the world {name} cannot be copied")]
    Ledger {
        /// The world's name.
        name: WorldName,
        /// The cause.
        #[source]
        source: LedgerError,
    },
}

/// A world on its way.
struct Coming {
    world: WorldId,
    name: WorldName,
    base: Option<Base>,
    head: Position,
    is_sealed: bool,
}

impl SharedStore {
    /// Takes in all worlds of `from`, as far as each has come, with their files. Worlds that are deleted there, saved folds
    /// and the keys of sealed worlds are left out. This node holds what it took in.
    pub(crate) async fn take_in(&self, from: &LocalStore) -> Result<TakenIn, TakeInError> {
        let mut taken = TakenIn::default();
        for coming in worlds(from) {
            self.log(from, &coming).await?;
            self.blobs(from, &coming, &mut taken).await?;
            taken.worlds += 1;
            taken.events += coming.head.get();
        }
        Ok(taken)
    }

    async fn log(&self, from: &LocalStore, coming: &Coming) -> Result<(), TakeInError> {
        let ledger = &self.inner.ledger;
        let there = self.inner.work(|| ledger.last(coming.world)).await;
        let there = there.map_err(|source| coming.refused(source))?;
        let begin = coming.base.map_or(Position::ZERO, |base| base.at).next();
        let shared = Arc::clone(&from.inner.shared);
        let mut reader = Reader::new(shared, coming.world, begin).with_stored();
        let mut rows = RowsOf {
            inner: &self.inner,
            coming,
            there,
            prev: Position::ZERO,
            incarnation: None,
            waiting: Vec::new(),
            bytes: 0,
        };
        loop {
            let read = blocking(move || {
                let piece = reader.piece().map(|piece| piece.is_empty());
                (piece, reader)
            });
            let (is_over, back) = read.await;
            reader = back;
            let failed = |source| TakeInError::Source {
                name: coming.name.clone(),
                source,
            };
            if is_over.map_err(failed)? {
                break;
            }
            for bytes in reader.take_stored() {
                rows.add(&bytes).await?;
            }
        }
        rows.send().await?;
        if rows
            .there
            .as_ref()
            .is_some_and(|there| there.first > rows.prev)
        {
            return Err(TakeInError::Different(coming.name.clone()));
        }
        if coming.base.is_some_and(|base| base.is_copied) {
            self.copy_shared(coming).await?;
        }
        Ok(())
    }

    /// Gives a fork that has a copy of what it shares the same here.
    async fn copy_shared(&self, coming: &Coming) -> Result<(), TakeInError> {
        let inner = &self.inner;
        let sources = lineage::sources(inner, coming.world).await;
        let sources = sources.map_err(|source| TakeInError::Source {
            name: coming.name.clone(),
            source,
        })?;
        let of: Vec<RowRange> = sources
            .iter()
            .filter(|source| source.world != coming.world)
            .map(|source| RowRange {
                world: source.world,
                from: source.from,
                to: source.until,
            })
            .collect();
        let copied = inner
            .work(|| inner.ledger.copy_base(coming.world, &of))
            .await;
        copied.map_err(|source| coming.refused(source))
    }

    async fn blobs(
        &self,
        from: &LocalStore,
        coming: &Coming,
        taken: &mut TakenIn,
    ) -> Result<(), TakeInError> {
        let failed = |source| TakeInError::Blobs {
            name: coming.name.clone(),
            source,
        };
        let (source, world, is_sealed) = (Arc::clone(&from.inner), coming.world, coming.is_sealed);
        let names = blocking(move || source.vault.names(world)).await;
        for name in names.map_err(failed)? {
            let source = Arc::clone(&from.inner);
            let found = blocking(move || {
                let keys = is_sealed.then_some(&source.shared.keys);
                source.vault.stored(world, &name, keys)
            });
            match found.await.map_err(failed)? {
                Some(StoredBlob {
                    blob: Some(blob),
                    bytes,
                }) => {
                    let ledger = &self.inner.ledger;
                    let put = || ledger.put_blob(world, blob, bytes.clone());
                    let put = self.inner.work(put).await;
                    put.map_err(|error| failed(blob_error(&error)))?;
                    taken.blobs += 1;
                }
                Some(StoredBlob { blob: None, .. }) => taken.blobs_damaged += 1,
                // It was removed meanwhile.
                None => {}
            }
        }
        Ok(())
    }
}

impl Coming {
    fn refused(&self, source: LedgerError) -> TakeInError {
        TakeInError::Ledger {
            name: self.name.clone(),
            source,
        }
    }
}

/// All worlds of a store, those first that others were forked from.
fn worlds(from: &LocalStore) -> Vec<Coming> {
    let index = from.inner.shared.index();
    let depth = |mut base: Option<Base>| {
        let mut depth = 0_usize;
        while let Some(parent) = base.and_then(|base| index.worlds.get(&base.parent)) {
            depth += 1;
            base = parent.reach.base.filter(|_| depth < index.worlds.len());
        }
        depth
    };
    let mut all: Vec<(usize, Coming)> = index
        .worlds
        .iter()
        .map(|(id, known)| {
            let Reach {
                name,
                head,
                base,
                is_sealed,
                ..
            } = &known.reach;
            let coming = Coming {
                world: *id,
                name: WorldName::clone(name),
                base: *base,
                head: *head,
                is_sealed: *is_sealed,
            };
            (depth(*base), coming)
        })
        .collect();
    all.sort_by(|(depth, one), (other_depth, other)| {
        (depth, &one.name).cmp(&(other_depth, &other.name))
    });
    all.into_iter().map(|(_, coming)| coming).collect()
}

/// The rows of a world, which go to the ledger some at a time.
struct RowsOf<'a> {
    inner: &'a Inner,
    coming: &'a Coming,
    /// The last row that was there before.
    there: Option<Row>,
    /// The first position of the last row that was sent.
    prev: Position,
    /// The incarnation behind the last row.
    incarnation: Option<Incarnation>,
    waiting: Vec<NewRow>,
    bytes: usize,
}

impl RowsOf<'_> {
    /// Takes the next record, with all content inside.
    async fn add(&mut self, bytes: &[u8]) -> Result<(), TakeInError> {
        let damaged = |Malformed(what): Malformed| TakeInError::Damaged {
            name: self.coming.name.clone(),
            what,
        };
        let Some(row) = self.row(bytes).map_err(damaged)? else {
            return Ok(());
        };
        if let Some(there) = self
            .there
            .as_ref()
            .filter(|there| row.row.first <= there.first)
        {
            // What is before it gave its link.
            if row.row.first == there.first && row.row.link() != there.link() {
                return Err(TakeInError::Different(self.coming.name.clone()));
            }
            self.prev = row.row.first;
            return Ok(());
        }
        let is_alone = row.birth.is_some();
        if row.row.key.is_some() || is_alone {
            self.send().await?;
        }
        self.bytes = self.bytes.saturating_add(row.row.bytes());
        self.waiting.push(row);
        if is_alone || self.waiting.len() >= PIECE.rows || self.bytes >= PIECE.bytes {
            self.send().await?;
        }
        Ok(())
    }

    /// The row of a record; `None` behind what is copied.
    fn row(&mut self, bytes: &[u8]) -> Result<Option<NewRow>, Malformed> {
        let whole = RecordRef::read(&mut Bytes(bytes))?;
        let first = whole.fixed.first;
        if first > self.coming.head {
            return Ok(None);
        }
        let mut parting = Parting::of(self.coming.world, first);
        let events = whole.events()?;
        let parted: Vec<_> = events.iter().map(|event| parting.part(event)).collect();
        let record = whole.restored(&parted)?;
        let beside = parting.finish().into_iter().filter_map(|(key, bytes)| {
            let (_, at) = content::read_key(&key)?;
            Some(BesideRow { at, bytes })
        });
        let upcasters = &self.inner.upcasters;
        let summary = Summary::read(&whole, upcasters).map_err(lift_failed)?;
        let decoded = events.iter().map(|event| decode(event, upcasters));
        let decoded: Vec<Event> = decoded.collect::<Result<_, _>>().map_err(lift_failed)?;
        let before = self.incarnation.unwrap_or(Incarnation(0));
        let incarnation = summary.opened.unwrap_or(before);
        self.incarnation = Some(incarnation);
        let key = summary.key.as_ref();
        let key = key.map(|keyed| key_digest(&keyed.key)).transpose()?;
        let is_birth = first
            == self
                .coming
                .base
                .map_or(Position::ZERO, |base| base.at)
                .next();
        let birth = is_birth.then(|| Birth {
            name: self.coming.name.clone(),
            base: self.coming.base.map(|base| (base.parent, base.at)),
            is_sealed: self.coming.is_sealed,
        });
        Ok(Some(NewRow {
            row: Row {
                world: self.coming.world,
                first,
                last: summary.last,
                time: summary.time,
                incarnation,
                key,
                record,
                beside: beside.collect(),
            },
            gone: summary.gone,
            labelled: summary.labelled,
            demands: demands(&decoded),
            birth,
        }))
    }

    /// Sends what waits.
    async fn send(&mut self) -> Result<(), TakeInError> {
        let rows = std::mem::take(&mut self.waiting);
        let Some(last) = rows.last().map(|row| row.row.first) else {
            return Ok(());
        };
        let chain = RowChain {
            world: self.coming.world,
            prev: self.prev,
            rows,
        };
        let chains = std::slice::from_ref(&chain);
        check_chains(chains).map_err(|source| self.coming.refused(source))?;
        let (ledger, node) = (&self.inner.ledger, self.inner.node.node_id());
        let landings = self.inner.settle(|| ledger.append(node, chains)).await;
        let landings = landings.map_err(|source| self.coming.refused(source))?;
        let name = || self.coming.name.clone();
        match landings.into_iter().next() {
            Some(Landing::Appended) => {}
            Some(Landing::NameTaken) => return Err(TakeInError::NameTaken(name())),
            Some(Landing::NoSuchWorld(missing)) => {
                return Err(TakeInError::Gone {
                    name: name(),
                    missing,
                });
            }
            Some(Landing::Fenced { holder }) => {
                return Err(TakeInError::Held {
                    name: name(),
                    holder,
                });
            }
            Some(Landing::Conflict | Landing::KeyKnown(_)) | None => {
                return Err(TakeInError::Different(name()));
            }
        }
        self.prev = last;
        self.bytes = 0;
        Ok(())
    }
}
