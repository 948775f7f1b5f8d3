//! Rows for tests, whose records are of no format: a ledger looks at nothing but the link.

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{Digest, Incarnation, NodeId, Position, Time, WorldId, WorldName};
use folkmoot_store::{
    Birth, Landing, Ledger, NewRow, OpenMode, PieceMax, PostgresLedger, Row, RowChain,
};
use uuid::Uuid;

/// Opens a ledger in a schema, with its tables.
pub(crate) async fn open(url: &str) -> PostgresLedger {
    let url = url.parse().unwrap();
    PostgresLedger::open(&url, OpenMode::Create)
        .await
        .unwrap_or_else(|error| panic!("{url}: {error}: {error:?}"))
}

pub(crate) fn node() -> NodeId {
    NodeId(Uuid::now_v7())
}

pub(crate) fn world() -> WorldId {
    WorldId(Uuid::now_v7())
}

/// A row of one event, whose link is of `salt` and its place.
pub(crate) fn row(world: WorldId, at: u64, salt: &str) -> NewRow {
    let link = Digest::of(&[salt.as_bytes(), &at.to_be_bytes()]);
    let mut record = vec![0; 4];
    record.extend_from_slice(link.as_bytes());
    record.extend_from_slice(salt.as_bytes());
    NewRow {
        row: Row {
            world,
            first: Position::new(at),
            last: Position::new(at),
            time: Time(at),
            incarnation: Incarnation(1),
            key: None,
            record,
            beside: Vec::new(),
        },
        gone: Vec::new(),
        labelled: None,
        demands: None,
        birth: None,
    }
}

/// The first row of a world called after its id.
pub(crate) fn birth(world: WorldId) -> RowChain {
    let mut first = row(world, 1, "birth");
    first.labelled = Some(Labelled::default());
    first.birth = Some(Birth {
        name: WorldName::new(format!("w{}", world.0.simple())).unwrap(),
        base: None,
        is_sealed: false,
    });
    chain(world, 0, vec![first])
}

/// The row at `at`, behind rows of one event each.
pub(crate) fn next(world: WorldId, at: u64, salt: &str) -> RowChain {
    chain(world, at - 1, vec![row(world, at, salt)])
}

pub(crate) fn chain(world: WorldId, prev: u64, rows: Vec<NewRow>) -> RowChain {
    RowChain {
        world,
        prev: Position::new(prev),
        rows,
    }
}

/// Begins a world.
pub(crate) async fn begin(ledger: &dyn Ledger, holder: NodeId) -> WorldId {
    let world = world();
    let landed = ledger.append(holder, &[birth(world)]).await.unwrap();
    assert_eq!(landed, [Landing::Appended]);
    world
}

/// All rows of a world, as text: the salt of each record.
pub(crate) async fn salts(ledger: &dyn Ledger, world: WorldId) -> Vec<String> {
    let mut all: Vec<Row> = Vec::new();
    loop {
        let from = all.last().map_or(Position::new(1), |row| row.last.next());
        let most = PieceMax {
            rows: 1_000,
            bytes: 1 << 20,
        };
        let piece = ledger.read(world, from, most).await.unwrap();
        if piece.is_empty() {
            break;
        }
        all.extend(piece);
    }
    for (place, row) in all.iter().enumerate() {
        assert_eq!(row.first.get(), place as u64 + 1, "a gap or a double");
    }
    let salt = |row: &Row| String::from_utf8(row.record[36..].to_vec()).unwrap();
    all.iter().map(salt).collect()
}
