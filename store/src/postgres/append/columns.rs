//! Chains as columns: one array for each, as the statement takes them apart again.

use folkmoot_core::ids::WorldId;
use serde_json::Value;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::ledger::{LedgerError, NewRow, Row, RowChain};
use crate::postgres::values::{labels, position, text, texts, whole};

/// The columns of chains, in the order of the statement's places.
#[derive(Debug, Default)]
pub(super) struct Columns<'c> {
    first: RowColumns<'c>,
    rest: RowColumns<'c>,
    content: Content<'c>,
    gone: Gone,
    said: Said,
}

/// The columns of rows.
#[derive(Debug, Default)]
struct RowColumns<'c> {
    world: Vec<Uuid>,
    /// Of first rows alone.
    prev: Vec<i64>,
    first: Vec<i64>,
    last: Vec<i64>,
    time: Vec<i64>,
    incarnation: Vec<i64>,
    /// Of first rows alone.
    key: Vec<Option<&'c [u8]>>,
    beside: Vec<Option<i64>>,
    record: Vec<&'c [u8]>,
}

#[derive(Debug, Default)]
struct Content<'c> {
    world: Vec<Uuid>,
    at: Vec<i64>,
    bytes: Vec<&'c [u8]>,
}

#[derive(Debug, Default)]
struct Gone {
    world: Vec<Uuid>,
    at: Vec<i64>,
    by: Vec<i64>,
}

/// What rows say of their worlds: one line for each world, with the last word of its rows.
#[derive(Debug, Default)]
struct Said {
    world: Vec<Uuid>,
    owner: Vec<Option<String>>,
    /// `None`: owner and labels stay.
    labels: Vec<Option<Value>>,
    /// `None`: they stay.
    needs: Vec<Option<Value>>,
    schema: Vec<i64>,
}

impl<'c> Columns<'c> {
    pub(super) fn of(chains: impl Iterator<Item = &'c RowChain>) -> Result<Self, LedgerError> {
        let mut columns = Self::default();
        for chain in chains {
            for (place, new) in chain.rows.iter().enumerate() {
                if place == 0 {
                    columns.first.prev.push(position(chain.prev)?);
                    let key = new.row.key.as_ref();
                    columns
                        .first
                        .key
                        .push(key.map(|key| key.as_bytes().as_slice()));
                    columns.first.push(&new.row)?;
                } else {
                    columns.rest.push(&new.row)?;
                }
                columns.beside(new)?;
            }
            columns.said.push(chain);
        }
        Ok(columns)
    }

    fn beside(&mut self, new: &'c NewRow) -> Result<(), LedgerError> {
        let row = &new.row;
        for beside in &row.beside {
            self.content.world.push(row.world.0);
            self.content.at.push(position(beside.at)?);
            self.content.bytes.push(&beside.bytes);
        }
        for gone in &new.gone {
            self.gone.world.push(row.world.0);
            self.gone.at.push(position(*gone)?);
            self.gone.by.push(position(row.first)?);
        }
        Ok(())
    }

    pub(super) const fn has_rest(&self) -> bool {
        !self.rest.world.is_empty()
    }

    /// Tells whether other tables than that of the commits change.
    pub(super) const fn says_more(&self) -> bool {
        !(self.content.world.is_empty() && self.gone.world.is_empty() && self.said.world.is_empty())
    }

    /// The values of all places, from `$1` on.
    pub(super) fn values<'v>(&'v self, node: &'v Uuid) -> [&'v (dyn ToSql + Sync); 28] {
        let Self {
            first,
            rest,
            content,
            gone,
            said,
        } = self;
        [
            node,
            &first.world,
            &first.prev,
            &first.first,
            &first.last,
            &first.time,
            &first.incarnation,
            &first.key,
            &first.beside,
            &first.record,
            &rest.world,
            &rest.first,
            &rest.last,
            &rest.time,
            &rest.incarnation,
            &rest.beside,
            &rest.record,
            &content.world,
            &content.at,
            &content.bytes,
            &gone.world,
            &gone.at,
            &gone.by,
            &said.world,
            &said.owner,
            &said.labels,
            &said.needs,
            &said.schema,
        ]
    }
}

/// Refuses chains with numbers that no column takes.
///
/// # Errors
/// [`LedgerError::Invalid`].
pub(super) fn check(chains: &[RowChain]) -> Result<(), LedgerError> {
    for new in chains.iter().flat_map(|chain| &chain.rows) {
        position(new.row.last)?;
        whole(new.row.time.0)?;
        let mut gone = new.gone.iter();
        gone.try_for_each(|gone| position(*gone).map(drop))?;
    }
    Ok(())
}

impl<'c> RowColumns<'c> {
    fn push(&mut self, row: &'c Row) -> Result<(), LedgerError> {
        self.world.push(row.world.0);
        self.first.push(position(row.first)?);
        self.last.push(position(row.last)?);
        self.time.push(whole(row.time.0)?);
        self.incarnation.push(i64::from(row.incarnation.0));
        self.beside.push(beside_bytes(row)?);
        self.record.push(&row.record);
        Ok(())
    }
}

/// The bytes of the content beside a record; `None`: there is none.
pub(super) fn beside_bytes(row: &Row) -> Result<Option<i64>, LedgerError> {
    if row.beside.is_empty() {
        return Ok(None);
    }
    let bytes: usize = row.beside.iter().map(|beside| beside.bytes.len()).sum();
    whole(bytes as u64).map(Some)
}

impl Said {
    fn push(&mut self, chain: &RowChain) {
        let rows = &chain.rows;
        let last = rows.iter().rev();
        let labelled = last.clone().find_map(|new| new.labelled.as_ref());
        let demands = || last.clone().filter_map(|new| new.demands.as_ref());
        if labelled.is_none() && demands().next().is_none() {
            return;
        }
        let WorldId(world) = chain.world;
        self.world.push(world);
        let owner = labelled.and_then(|labelled| labelled.owner.as_deref());
        self.owner.push(owner.map(text));
        self.labels
            .push(labelled.map(|labelled| labels(&labelled.labels)));
        let needs = demands().find_map(|demands| demands.needs.as_ref());
        self.needs
            .push(needs.map(|needs| Value::from(texts(needs))));
        let schema = demands().map(|demands| i64::from(demands.schema)).max();
        self.schema.push(schema.unwrap_or(0));
    }
}
