//! The rows of a world, as they are read.

use async_trait::async_trait;
use folkmoot_core::ids::{CopyId, Digest, NodeId, Position, WorldId};

use super::PostgresLedger;
use super::facts::Identity;
use super::values::{
    bound, column, count, damaged, digest, read_incarnation, read_position, read_time,
};
use crate::engine::Ack;
use crate::ledger::{BesideRow, Landing, LedgerError, PieceMax, Row, RowChain, Rows};

/// The columns of a row of `c`. What stands beside the record is looked up only if there is anything.
macro_rules! columns {
    () => {
        "c.world, c.first, c.last, c.time, c.incarnation, c.key, c.record,
        CASE WHEN c.beside IS NOT NULL THEN (SELECT array_agg(b.at ORDER BY b.at) FROM fm.content b
            WHERE b.world = c.world AND b.at BETWEEN c.first AND c.last) END AS beside_at,
        CASE WHEN c.beside IS NOT NULL THEN (SELECT array_agg(b.bytes ORDER BY b.at) FROM fm.content b
            WHERE b.world = c.world AND b.at BETWEEN c.first AND c.last) END AS beside_bytes"
    };
}
pub(super) use columns;

const LAST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM fm.commit c WHERE c.world = $1 ORDER BY c.first DESC LIMIT 1"
);

const BY_KEY: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM fm.commit c WHERE c.world = $1 AND c.key = $2"
);

/// The bytes are summed up in order; the first row is given whatever it has.
const READ: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM (
        SELECT c.*, row_number() OVER piece AS place,
            sum(octet_length(c.record) + coalesce(c.beside, 0)) OVER piece AS bytes
        FROM fm.commit c
        WHERE c.world = $1 AND c.last >= $2
            AND c.first >= coalesce((SELECT max(b.first) FROM fm.commit b WHERE b.world = $1 AND b.first <= $2), 0)
        WINDOW piece AS (ORDER BY c.first ROWS UNBOUNDED PRECEDING)
        ORDER BY c.first LIMIT $3
    ) c WHERE c.place = 1 OR c.bytes <= $4::int8 ORDER BY c.first"
);

const READ_BACK: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM (
        SELECT c.*, row_number() OVER piece AS place,
            sum(octet_length(c.record) + coalesce(c.beside, 0)) OVER piece AS bytes
        FROM fm.commit c
        WHERE c.world = $1 AND c.first < $2 AND c.last < $2
        WINDOW piece AS (ORDER BY c.first DESC ROWS UNBOUNDED PRECEDING)
        ORDER BY c.first DESC LIMIT $3
    ) c WHERE c.place = 1 OR c.bytes <= $4::int8 ORDER BY c.first DESC"
);

#[async_trait]
impl Rows for PostgresLedger {
    fn ack(&self) -> Ack {
        Ack::Server {
            is_synchronous: self.is_synchronous(),
        }
    }

    fn copy(&self) -> Option<CopyId> {
        let now = self.identity()?;
        let is_whole = |origin: &Identity| now.has_all_of(origin, self.is_lossless());
        (!self.origin.as_ref().is_some_and(is_whole)).then(|| now.as_copy())
    }

    async fn append(&self, node: NodeId, chains: &[RowChain]) -> Result<Vec<Landing>, LedgerError> {
        super::append::append(self, node, chains).await
    }

    async fn last(&self, world: WorldId) -> Result<Option<Row>, LedgerError> {
        let rows = self.read_with(LAST, &[&world.0]).await?;
        rows.first().map(row).transpose()
    }

    async fn read(
        &self,
        world: WorldId,
        from: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError> {
        self.piece(READ, world, from, most).await
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError> {
        self.piece(READ_BACK, world, before, most).await
    }

    async fn by_key(&self, world: WorldId, key: Digest) -> Result<Option<Row>, LedgerError> {
        let key = key.as_bytes().as_slice();
        let rows = self.read_with(BY_KEY, &[&world.0, &key]).await?;
        rows.first().map(row).transpose()
    }
}

impl PostgresLedger {
    async fn piece(
        &self,
        sql: &'static str,
        world: WorldId,
        at: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError> {
        let at = bound(at.get());
        let rows_max = count(most.rows.max(1));
        let bytes_max = count(most.bytes);
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&world.0, &at, &rows_max, &bytes_max];
        let rows = self.read_with(sql, &values).await?;
        rows.iter().map(row).collect()
    }
}

/// Reads a row out of its columns.
pub(super) fn row(row: &tokio_postgres::Row) -> Result<Row, LedgerError> {
    let key: Option<&[u8]> = column(row, "key")?;
    Ok(Row {
        world: WorldId(column(row, "world")?),
        first: read_position(row, "first")?,
        last: read_position(row, "last")?,
        time: read_time(row, "time")?,
        incarnation: read_incarnation(row, "incarnation")?,
        key: key.map(digest).transpose()?,
        record: column(row, "record")?,
        beside: beside(row)?,
    })
}

fn beside(row: &tokio_postgres::Row) -> Result<Vec<BesideRow>, LedgerError> {
    let places: Option<Vec<i64>> = column(row, "beside_at")?;
    let bytes: Option<Vec<Vec<u8>>> = column(row, "beside_bytes")?;
    let (places, bytes) = (places.unwrap_or_default(), bytes.unwrap_or_default());
    let one = |(at, bytes): (i64, Vec<u8>)| {
        let at = u64::try_from(at).map_err(|_| damaged("content stands at no event"))?;
        let at = Position::new(at);
        Ok(BesideRow { at, bytes })
    };
    places.into_iter().zip(bytes).map(one).collect()
}
