//! The records of a ledger in memory.

use std::collections::BTreeSet;
use std::ops::Bound;

use async_trait::async_trait;
use folkmoot_core::ids::{CopyId, Digest, NodeId, Position, WorldId};

use super::{MemoryLedger, State, World};
use crate::engine::Ack;
use crate::ledger::{Landing, LedgerError, PieceMax, Row, RowChain, Rows, check_chains};

#[async_trait]
impl Rows for MemoryLedger {
    fn ack(&self) -> Ack {
        Ack::Process
    }

    fn copy(&self) -> Option<CopyId> {
        self.state().copy
    }

    async fn append(&self, node: NodeId, chains: &[RowChain]) -> Result<Vec<Landing>, LedgerError> {
        check_chains(chains)?;
        let mut state = self.state();
        Ok(chains
            .iter()
            .map(|chain| state.append(node, chain))
            .collect())
    }

    async fn last(&self, world: WorldId) -> Result<Option<Row>, LedgerError> {
        let state = self.state();
        Ok(state.worlds.get(&world).and_then(World::last).cloned())
    }

    async fn read(
        &self,
        world: WorldId,
        from: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError> {
        let state = self.state();
        let Some(known) = state.worlds.get(&world) else {
            return Ok(Vec::new());
        };
        let holds = known.rows.range(..=from).next_back();
        let first = holds.map_or(from, |(first, _)| *first);
        let rows = known.rows.range(first..).map(|(_, row)| row);
        Ok(piece(rows.filter(|row| row.last >= from), most))
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError> {
        let state = self.state();
        let Some(known) = state.worlds.get(&world) else {
            return Ok(Vec::new());
        };
        let rows = known
            .rows
            .range((Bound::Unbounded, Bound::Excluded(before)))
            .rev()
            .map(|(_, row)| row);
        Ok(piece(rows.filter(|row| row.last < before), most))
    }

    async fn by_key(&self, world: WorldId, key: Digest) -> Result<Option<Row>, LedgerError> {
        let state = self.state();
        Ok(state
            .worlds
            .get(&world)
            .and_then(|known| known.keyed(key))
            .cloned())
    }
}

/// As many of `rows` as one piece has.
fn piece<'r>(rows: impl Iterator<Item = &'r Row>, most: PieceMax) -> Vec<Row> {
    let mut piece = Vec::new();
    let mut bytes = 0_usize;
    for row in rows.take(most.rows.max(1)) {
        bytes = bytes.saturating_add(row.bytes());
        if bytes > most.bytes && !piece.is_empty() {
            break;
        }
        piece.push(row.clone());
    }
    piece
}

impl World {
    fn keyed(&self, key: Digest) -> Option<&Row> {
        self.rows.get(self.keys.get(&key)?)
    }

    /// Tells whether all rows of a chain are there, under the same links.
    fn has(&self, chain: &RowChain) -> bool {
        chain.rows.iter().all(|new| {
            let stored = self.rows.get(&new.row.first);
            stored.is_some_and(|stored| stored.link() == new.row.link())
        })
    }
}

impl State {
    /// Appends a chain that was checked.
    fn append(&mut self, node: NodeId, chain: &RowChain) -> Landing {
        let Some(first) = chain.rows.first() else {
            return Landing::Conflict;
        };
        let known = self.worlds.get(&chain.world);
        if known.is_some_and(|known| known.has(chain)) {
            return Landing::Appended;
        }
        if let Some(missing) = self.missing(chain) {
            return Landing::NoSuchWorld(missing);
        }
        if let Some(known) = known {
            if let Some(row) = first.row.key.and_then(|key| known.keyed(key)) {
                return Landing::KeyKnown(row.clone());
            }
            if known.holder != Some(node) {
                return Landing::Fenced {
                    holder: known.holder,
                };
            }
            let follows = known.last().is_some_and(|last| {
                last.first == chain.prev && last.last.next() == first.row.first
            });
            if first.birth.is_some() || !follows {
                return Landing::Conflict;
            }
        }
        if let Some(birth) = &first.birth {
            let begin = birth.base.map_or(Position::new(1), |(_, at)| at.next());
            if first.row.first != begin {
                return Landing::Conflict;
            }
            if self.names.contains_key(&birth.name) {
                return Landing::NameTaken;
            }
            self.names.insert(birth.name.clone(), chain.world);
            let parent = birth.base.and_then(|(parent, _)| self.worlds.get(&parent));
            let needs = parent.map_or_else(BTreeSet::new, |parent| parent.needs.clone());
            self.worlds
                .insert(chain.world, World::born(birth, needs, node));
        }
        if let Some(world) = self.worlds.get_mut(&chain.world) {
            chain.rows.iter().for_each(|new| world.take(new));
        }
        Landing::Appended
    }

    /// The world that a chain needs and that is not there, if there is one.
    fn missing(&self, chain: &RowChain) -> Option<WorldId> {
        let birth = chain.rows.first().and_then(|new| new.birth.as_ref());
        let is_there = self.worlds.contains_key(&chain.world);
        if self.tombstones.contains_key(&chain.world) || (!is_there && birth.is_none()) {
            return Some(chain.world);
        }
        let parent = birth.and_then(|birth| birth.base).map(|(parent, _)| parent);
        parent.filter(|parent| !is_there && !self.worlds.contains_key(parent))
    }
}
