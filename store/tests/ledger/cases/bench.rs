//! A ledger to ask, and rows to append to it.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{
    Digest, Incarnation, NodeId, Position, Seed, Stamp, Time, WorldId, WorldName,
};
use folkmoot_core::port::{Inbox, Members, NodeCard};
use folkmoot_store::{
    BesideRow, Birth, Demands, Landing, Ledger, LedgerError, NewRow, PieceMax, Row, RowChain,
};

pub(crate) const TTL: Duration = Duration::from_secs(5);

pub(crate) const ALL: PieceMax = PieceMax {
    rows: 1_000,
    bytes: 64 * 1024 * 1024,
};

/// A ledger that nobody else has, and that is empty.
#[async_trait]
pub(crate) trait Bench: Send + Sync {
    fn ledger(&self) -> &dyn Ledger;
    fn members(&self) -> &dyn Members;
    fn inbox(&self) -> &dyn Inbox;
    /// Has the ledger's time pass.
    async fn pass(&self, by: Duration);
}

pub(crate) fn node(number: u8) -> NodeId {
    NodeId::from_stamp(&stamp(number))
}

pub(crate) fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&stamp(number))
}

pub(crate) fn stamp(number: u8) -> Stamp {
    Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    }
}

pub(crate) fn name(number: u8) -> WorldName {
    WorldName::new(format!("world-{number}")).unwrap()
}

pub(crate) fn at(position: u64) -> Position {
    Position::new(position)
}

pub(crate) fn key(word: &str) -> Digest {
    Digest::of(&[word.as_bytes()])
}

/// A record with a link of `word`.
pub(crate) fn record(word: &str, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    bytes.extend_from_slice(key(word).as_bytes());
    bytes.extend_from_slice(word.as_bytes());
    bytes.resize(bytes.len().max(len), 7);
    bytes
}

/// A row of one event, which says `word`.
pub(crate) fn row(number: u8, first: u64, word: &str) -> NewRow {
    NewRow {
        row: Row {
            world: world(number),
            first: at(first),
            last: at(first),
            time: Time(first),
            incarnation: Incarnation(1),
            key: None,
            record: record(word, 0),
            beside: Vec::new(),
        },
        gone: Vec::new(),
        labelled: None,
        demands: None,
        birth: None,
    }
}

/// The first row of a world: two events.
pub(crate) fn first(number: u8) -> RowChain {
    let mut new = row(number, 1, &format!("birth of {number}"));
    new.row.last = at(2);
    new.birth = Some(Birth {
        name: name(number),
        base: None,
        is_sealed: false,
    });
    new.demands = Some(Demands {
        needs: Some(BTreeSet::new()),
        schema: 1,
    });
    chain(0, [new])
}

/// The first row of a fork of world `parent`, behind its event `base`.
pub(crate) fn fork(number: u8, parent: u8, base: u64) -> RowChain {
    let mut new = row(number, base + 1, &format!("fork {number}"));
    new.birth = Some(Birth {
        name: name(number),
        base: Some((world(parent), at(base))),
        is_sealed: false,
    });
    chain(0, [new])
}

pub(crate) fn chain<const N: usize>(prev: u64, rows: [NewRow; N]) -> RowChain {
    RowChain {
        world: rows[0].row.world,
        prev: at(prev),
        rows: rows.into(),
    }
}

pub(crate) fn beside(position: u64, bytes: Vec<u8>) -> BesideRow {
    BesideRow {
        at: at(position),
        bytes,
    }
}

/// Appends one chain for node 1.
pub(crate) async fn append(bench: &dyn Bench, chain: RowChain) -> Landing {
    append_by(bench, 1, chain).await
}

pub(crate) async fn append_by(bench: &dyn Bench, by: u8, chain: RowChain) -> Landing {
    let landings = bench.ledger().append(node(by), &[chain]).await.unwrap();
    assert_eq!(landings.len(), 1);
    landings.into_iter().next().unwrap()
}

/// Makes world `number` for node 1, with one-event rows up to event `head`.
pub(crate) async fn fill(bench: &dyn Bench, number: u8, head: u64) {
    assert_eq!(append(bench, first(number)).await, Landing::Appended);
    for position in 3..=head {
        let prev = if position == 3 { 1 } else { position - 1 };
        let word = format!("{number} says {position}");
        let chain = chain(prev, [row(number, position, &word)]);
        assert_eq!(append(bench, chain).await, Landing::Appended);
    }
}

pub(crate) async fn rows(bench: &dyn Bench, number: u8, from: u64) -> Vec<Row> {
    bench
        .ledger()
        .read(world(number), at(from), ALL)
        .await
        .unwrap()
}

pub(crate) async fn places(bench: &dyn Bench, number: u8) -> Vec<(u64, u64)> {
    let rows = rows(bench, number, 1).await;
    rows.iter()
        .map(|row| (row.first.get(), row.last.get()))
        .collect()
}

pub(crate) fn is_invalid<T>(result: &Result<T, LedgerError>) -> bool {
    matches!(result, Err(LedgerError::Invalid(_)))
}

pub(crate) fn card(number: u8) -> NodeCard {
    NodeCard {
        node: node(number),
        name: format!("node-{number}"),
        offers: BTreeSet::new(),
        schema: 1,
        room: 100,
        draining: false,
        advertise: None,
    }
}

pub(crate) async fn join(bench: &dyn Bench, number: u8) {
    bench.members().join(&card(number), TTL).await.unwrap();
}
