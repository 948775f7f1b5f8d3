//! The landings of chains that a statement did not append: one query says why.

use folkmoot_core::ids::{NodeId, Position};
use tokio_postgres::Row;
use uuid::Uuid;

use super::birth::{begin, first};
use super::{APPEND, Placed};
use crate::ledger::{Landing, LedgerError, RowChain};
use crate::postgres::lanes::Lane;
use crate::postgres::rows::{columns, row};
use crate::postgres::session::Values;
use crate::postgres::values::{column, count, position, read_whole};

/// The facts of each chain, all of one moment. The columns of a row are those of the row with its key.
const FACTS: &str = concat!(
    "WITH there AS (
        SELECT n.place, bool_and(p.first IS NOT NULL) AS is_there
        FROM unnest($6::int8[], $7::uuid[], $8::int8[], $9::bytea[]) AS n(place, world, first, link)
        LEFT JOIN fm.commit p ON p.world = n.world AND p.first = n.first AND substring(p.record FROM 5 FOR 32) = n.link
        GROUP BY n.place
    )
    SELECT n.place, there.is_there, w.world IS NOT NULL AS is_known, w.holder, l.first AS end_first, l.last AS end_last,
        EXISTS (SELECT FROM fm.tombstone t WHERE t.world = n.world) AS is_deleted,
        EXISTS (SELECT FROM fm.world m WHERE m.name = n.name) AS is_named,
        n.parent IS NULL OR EXISTS (SELECT FROM fm.world m WHERE m.world = n.parent) AS has_parent, ",
    columns!(),
    " FROM unnest($1::int8[], $2::uuid[], $3::bytea[], $4::text[], $5::uuid[]) AS n(place, world, key, name, parent)
    JOIN there ON there.place = n.place
    LEFT JOIN fm.world w ON w.world = n.world
    LEFT JOIN LATERAL (
        SELECT p.first, p.last FROM fm.commit p WHERE p.world = n.world ORDER BY p.first DESC LIMIT 1
    ) l ON true
    LEFT JOIN fm.commit c ON c.world = n.world AND c.key = n.key"
);

/// Looks up what became of chains that were not appended. One that nothing stands in the way of any more is left out.
pub(super) async fn look_up(
    lane: &mut Lane<'_>,
    node: NodeId,
    chains: &[Placed<'_>],
) -> Result<Vec<(usize, Landing)>, LedgerError> {
    if chains.is_empty() {
        return Ok(Vec::new());
    }
    let asked = Asked::of(chains)?;
    let values: Values<'_> = &[
        &asked.place,
        &asked.world,
        &asked.key,
        &asked.name,
        &asked.parent,
        &asked.row_place,
        &asked.row_world,
        &asked.row_first,
        &asked.row_link,
    ];
    let rows = lane.query(FACTS, values, APPEND);
    // Looking up changes nothing, but what was appended before it may have landed.
    let rows = rows.await?;
    let mut landings = Vec::with_capacity(chains.len());
    for facts in &rows {
        let place: i64 = column(facts, "place")?;
        let found = chains.iter().find(|(chain, _)| count(*chain) == place);
        if let Some((place, chain)) = found
            && let Some(landing) = landing(facts, node, chain)?
        {
            landings.push((*place, landing));
        }
    }
    Ok(landings)
}

/// The values of the query's places.
#[derive(Default)]
struct Asked<'c> {
    place: Vec<i64>,
    world: Vec<Uuid>,
    key: Vec<Option<&'c [u8]>>,
    name: Vec<Option<&'c str>>,
    parent: Vec<Option<Uuid>>,
    row_place: Vec<i64>,
    row_world: Vec<Uuid>,
    row_first: Vec<i64>,
    row_link: Vec<Vec<u8>>,
}

impl<'c> Asked<'c> {
    fn of(chains: &[Placed<'c>]) -> Result<Self, LedgerError> {
        let mut asked = Self::default();
        for (place, chain) in chains {
            let key = chain.rows.first().and_then(|new| new.row.key.as_ref());
            let birth = first(chain).map(|(_, birth)| birth);
            asked.place.push(count(*place));
            asked.world.push(chain.world.0);
            asked.key.push(key.map(|key| key.as_bytes().as_slice()));
            asked.name.push(birth.map(|birth| birth.name.as_str()));
            let parent = birth.and_then(|birth| birth.base);
            asked.parent.push(parent.map(|(parent, _)| parent.0));
            for new in &chain.rows {
                let link = new.row.link().unwrap_or_default();
                asked.row_place.push(count(*place));
                asked.row_world.push(chain.world.0);
                asked.row_first.push(position(new.row.first)?);
                asked.row_link.push(link.as_bytes().to_vec());
            }
        }
        Ok(asked)
    }
}

/// The first rule of [`crate::Rows::append`] that holds.
fn landing(facts: &Row, node: NodeId, chain: &RowChain) -> Result<Option<Landing>, LedgerError> {
    let is_true = |name: &str| column::<bool>(facts, name);
    if is_true("is_there")? {
        return Ok(Some(Landing::Appended));
    }
    let birth = first(chain).map(|(_, birth)| birth);
    let is_known = is_true("is_known")?;
    if is_true("is_deleted")? || (!is_known && birth.is_none()) {
        return Ok(Some(Landing::NoSuchWorld(chain.world)));
    }
    if !is_known
        && !is_true("has_parent")?
        && let Some((parent, _)) = birth.and_then(|birth| birth.base)
    {
        return Ok(Some(Landing::NoSuchWorld(parent)));
    }
    if column::<Option<i64>>(facts, "first")?.is_some() {
        return Ok(Some(Landing::KeyKnown(row(facts)?)));
    }
    let holder = column::<Option<Uuid>>(facts, "holder")?.map(NodeId);
    if is_known && holder != Some(node) {
        return Ok(Some(Landing::Fenced { holder }));
    }
    if !stands(facts, chain, is_known)? {
        return Ok(Some(Landing::Conflict));
    }
    Ok(is_true("is_named")?.then_some(Landing::NameTaken))
}

/// Tells whether a chain stands behind the last row of its world, or begins one that is not there.
fn stands(facts: &Row, chain: &RowChain, is_known: bool) -> Result<bool, LedgerError> {
    let Some(new) = chain.rows.first() else {
        return Ok(false);
    };
    if let Some(birth) = &new.birth {
        return Ok(!is_known && new.row.first == begin(birth));
    }
    let end = |name: &str| {
        let end: Option<i64> = column(facts, name)?;
        end.map(|end| read_whole(end, name).map(Position::new))
            .transpose()
    };
    let first = end("end_first")?;
    let last = end("end_last")?;
    Ok(first == Some(chain.prev) && last.map(Position::next) == Some(new.row.first))
}
