//! The first row of a world, and the world with it, in one transaction.

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{NodeId, Position};
use uuid::Uuid;

use super::APPEND;
use super::columns::beside_bytes;
use crate::ledger::{Birth, LedgerError, NewRow, RowChain};
use crate::postgres::lanes::Lane;
use crate::postgres::session::Values;
use crate::postgres::values::{labels, position, text, texts, whole};

/// Makes the world, unless its id or name is taken. A fork needs what its parent needs. The membership of the holder, if it has
/// one, is kept from ending meanwhile.
const WORLD: &str = "
    WITH member AS (SELECT node FROM fm.node WHERE node = $2 FOR KEY SHARE)
    INSERT INTO fm.world (world, holder, name, parent, base, shares, owner, labels, sealed, needs, schema, stray)
    SELECT $1::uuid, $2::uuid, $3::text, $4::uuid, $5::int8, $4::uuid, $6::text, $7::jsonb, $8::bool,
        coalesce($9::text[], (SELECT p.needs FROM fm.world p WHERE p.world = $4), '{}'), $10::int8, NOT EXISTS (SELECT FROM member)
    WHERE NOT EXISTS (SELECT FROM fm.tombstone WHERE world = $1)
    ON CONFLICT DO NOTHING RETURNING world";

/// Appends its row. A row comes back if the world was deleted while the first statement waited for that: its id is used up.
const ROW: &str = "
    WITH put AS (
        INSERT INTO fm.commit (world, first, last, time, incarnation, key, beside, record) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ), content AS (
        INSERT INTO fm.content (world, at, bytes) SELECT $1, c.at, c.bytes FROM unnest($9::int8[], $10::bytea[]) AS c(at, bytes)
    ), gone AS (
        INSERT INTO fm.gone (world, at, by) SELECT DISTINCT $1::uuid, c.at, $2::int8 FROM unnest($11::int8[]) AS c(at)
    ) SELECT world FROM fm.tombstone WHERE world = $1";

/// The position at which a world has to begin.
pub(super) fn begin(birth: &Birth) -> Position {
    birth.base.map_or(Position::new(1), |(_, at)| at.next())
}

/// Tries to begin a world; tells whether that was possible.
pub(super) async fn bear(
    lane: &mut Lane<'_>,
    node: NodeId,
    chain: &RowChain,
) -> Result<bool, LedgerError> {
    let Some((new, birth)) = first(chain) else {
        return Ok(false);
    };
    if new.row.first != begin(birth) {
        return Ok(false);
    }
    lane.begin(APPEND).await?;
    let is_born = match world(lane, node, new, birth).await {
        Ok(is_born) => is_born && row(lane, new).await?,
        Err(BirthFault::Orphan) => false,
        Err(BirthFault::Ledger(error)) => {
            lane.roll_back(APPEND).await?;
            return Err(error);
        }
    };
    if is_born {
        lane.commit(APPEND).await?;
    } else {
        lane.roll_back(APPEND).await?;
    }
    Ok(is_born)
}

/// The reasons that a world is not made.
enum BirthFault {
    /// Its parent was deleted meanwhile.
    Orphan,
    Ledger(LedgerError),
}

pub(super) fn first(chain: &RowChain) -> Option<(&NewRow, &Birth)> {
    let new = chain.rows.first()?;
    Some((new, new.birth.as_ref()?))
}

async fn world(
    lane: &mut Lane<'_>,
    node: NodeId,
    new: &NewRow,
    birth: &Birth,
) -> Result<bool, BirthFault> {
    let none = Labelled::default();
    let labelled = new.labelled.as_ref().unwrap_or(&none);
    let demands = new.demands.as_ref();
    let needs = demands.and_then(|demands| demands.needs.as_ref());
    let parent: Option<Uuid> = birth.base.map(|(parent, _)| parent.0);
    let base = birth.base.map(|(_, at)| position(at)).transpose();
    let values: Values<'_> = &[
        &new.row.world.0,
        &node.0,
        &birth.name.as_str(),
        &parent,
        &base.map_err(BirthFault::Ledger)?,
        &labelled.owner.as_deref().map(text),
        &labels(&labelled.labels),
        &birth.is_sealed,
        &needs.map(texts),
        &demands.map_or(0, |demands| i64::from(demands.schema)),
    ];
    let made = lane.query(WORLD, values, APPEND);
    match made.await {
        Ok(made) => Ok(!made.is_empty()),
        Err(fault) if fault.is_orphan() => Err(BirthFault::Orphan),
        Err(fault) => Err(BirthFault::Ledger(fault.into())),
    }
}

async fn row(lane: &mut Lane<'_>, new: &NewRow) -> Result<bool, LedgerError> {
    let row = &new.row;
    let at = row.beside.iter().map(|beside| position(beside.at));
    let at: Vec<i64> = at.collect::<Result<_, _>>()?;
    let bytes: Vec<&[u8]> = row.beside.iter().map(|one| one.bytes.as_slice()).collect();
    let gone = new.gone.iter().map(|gone| position(*gone));
    let gone: Vec<i64> = gone.collect::<Result<_, _>>()?;
    let values: Values<'_> = &[
        &row.world.0,
        &position(row.first)?,
        &position(row.last)?,
        &whole(row.time.0)?,
        &i64::from(row.incarnation.0),
        &row.key.as_ref().map(|key| key.as_bytes().as_slice()),
        &beside_bytes(row)?,
        &row.record,
        &at,
        &bytes,
        &gone,
    ];
    let deleted = lane.query(ROW, values, APPEND);
    Ok(deleted.await?.is_empty())
}
