//! Appending: chains of many worlds in one statement, and what became of each.
//!
//! A chain lands if its first row does: that one takes the only place behind the last row, which nobody else can take then. The
//! primary key `(world, first)` guards that place, and the row of the world is locked from the check of its holder to the end of
//! the statement, so that taking a world away waits for an append or comes before it.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use folkmoot_core::ids::NodeId;

use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLedger;
use super::fault::Fault;
use super::lanes::Lane;
use super::session::Values;
use super::values::column;
use crate::ledger::{Landing, LedgerError, RowChain, check_chains};
use columns::Columns;

mod birth;
mod columns;
mod landing;

/// The longest wait for an append. It is not cancelled: it may land later.
pub(super) const APPEND: Duration = Duration::from_secs(15);

/// The most rows of one statement.
const ROWS_MAX: usize = 256;

/// The bytes from which on a statement takes no more chains.
const BYTES_MAX: usize = 8 << 20;

/// How often a chain is tried again that nothing stands in the way of any more.
const TRIES_MAX: usize = 5;

/// The chains whose worlds `$1` holds and whose predecessor is there. The caller sorts them by world, so that all appends lock
/// in one order. A world is found by its id: the index of holders would give all that the node has.
macro_rules! put {
    ($taken:literal) => {
        concat!(
            "WITH put AS (
                INSERT INTO fm.commit (world, first, last, time, incarnation, key, beside, record)
                SELECT c.world, c.first, c.last, c.time, c.incarnation, c.key, c.beside, c.record
                FROM unnest($2::uuid[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::bytea[], $9::int8[],
                    $10::bytea[]) AS c(world, prev, first, last, time, incarnation, key, beside, record)
                JOIN fm.world w ON w.world = c.world AND (w.holder = $1) IS TRUE
                WHERE EXISTS (
                    SELECT FROM fm.commit p WHERE p.world = c.world AND p.first = c.prev AND p.last = c.first - 1
                )
                FOR SHARE OF w ",
            $taken,
            " RETURNING world
            )"
        )
    };
}

/// The rows behind the first ones.
macro_rules! rest {
    () => {
        ", rest AS (
            INSERT INTO fm.commit (world, first, last, time, incarnation, beside, record)
            SELECT c.world, c.first, c.last, c.time, c.incarnation, c.beside, c.record
            FROM unnest($11::uuid[], $12::int8[], $13::int8[], $14::int8[], $15::int8[], $16::int8[], $17::bytea[])
                AS c(world, first, last, time, incarnation, beside, record)
            JOIN put USING (world)
        )"
    };
}

/// What rows say beside.
macro_rules! more {
    () => {
        ", content AS (
            INSERT INTO fm.content (world, at, bytes)
            SELECT c.world, c.at, c.bytes FROM unnest($18::uuid[], $19::int8[], $20::bytea[]) AS c(world, at, bytes)
            JOIN put USING (world)
        ), gone AS (
            INSERT INTO fm.gone (world, at, by)
            SELECT c.world, c.at, c.by FROM unnest($21::uuid[], $22::int8[], $23::int8[]) AS c(world, at, by)
            JOIN put USING (world) ON CONFLICT DO NOTHING
        ), said AS (
            UPDATE fm.world w SET
                owner = CASE WHEN c.labels IS NULL THEN w.owner ELSE c.owner END,
                labels = coalesce(c.labels, w.labels),
                needs = CASE WHEN c.needs IS NULL THEN w.needs ELSE ARRAY(SELECT jsonb_array_elements_text(c.needs)) END,
                schema = greatest(w.schema, c.schema)
            FROM unnest($24::uuid[], $25::text[], $26::jsonb[], $27::jsonb[], $28::int8[])
                AS c(world, owner, labels, needs, schema)
            JOIN put USING (world) WHERE w.world = c.world
        )"
    };
}

/// One append: of single rows that say nothing beside, of chains of such, and of chains with all that their rows say.
struct Statements {
    alone: &'static str,
    chains: &'static str,
    whole: &'static str,
}

macro_rules! statements {
    ($taken:literal) => {
        Statements {
            alone: concat!(put!($taken), " SELECT world FROM put"),
            chains: concat!(put!($taken), rest!(), " SELECT world FROM put"),
            whole: concat!(put!($taken), rest!(), more!(), " SELECT world FROM put"),
        }
    };
}

/// All chains or, if the place or the key of one is taken, none: the cheapest.
const ALL: Statements = statements!("");

/// Those whose place and key are free.
const THOSE_THAT_FIT: Statements = statements!("ON CONFLICT DO NOTHING");

/// Appends chains for a node, as [`crate::Rows::append`] says.
pub(super) async fn append(
    ledger: &PostgresLedger,
    node: NodeId,
    chains: &[RowChain],
) -> Result<Vec<Landing>, LedgerError> {
    check_chains(chains)?;
    columns::check(chains)?;
    let mut lane = ledger.writer().await?;
    let mut landings = Landings::new();
    let settled = settle(&mut lane, node, chains, &mut landings).await;
    match settled {
        Ok(()) => {}
        // Some have landed, and the answer can only be that of all.
        Err(error) if landings.values().any(|one| *one == Landing::Appended) => {
            return Err(LedgerError::Unknown(error.into()));
        }
        Err(error) => return Err(error),
    }
    // Where somebody changes the world all the time, whoever asks reads it again.
    let landing = |place| landings.remove(&place).unwrap_or(Landing::Conflict);
    Ok((0..chains.len()).map(landing).collect())
}

/// The landings that are settled, by the places of their chains.
type Landings = BTreeMap<usize, Landing>;

/// Tries until it is known of all chains what became of them, or too often.
async fn settle(
    lane: &mut Lane<'_>,
    node: NodeId,
    chains: &[RowChain],
    landings: &mut Landings,
) -> Result<(), LedgerError> {
    for _ in 0..TRIES_MAX {
        let open = chains.iter().enumerate();
        let open: Vec<Placed<'_>> = open
            .filter(|(place, _)| !landings.contains_key(place))
            .collect();
        if open.is_empty() {
            break;
        }
        attempt(lane, node, &open, landings).await?;
    }
    Ok(())
}

/// A chain, and its place among those that were asked for.
type Placed<'c> = (usize, &'c RowChain);

/// Tries once to append chains, and notes what became of each, as far as that is settled.
async fn attempt(
    lane: &mut Lane<'_>,
    node: NodeId,
    chains: &[Placed<'_>],
    landings: &mut Landings,
) -> Result<(), LedgerError> {
    let is_born = |(_, chain): &&Placed<'_>| birth::first(chain).is_some();
    let (births, mut others): (Vec<_>, Vec<_>) =
        chains.iter().copied().partition(|one| is_born(&one));
    // All appends lock worlds in one order. Births follow one another as they came: one may need what another makes.
    others.sort_by_key(|(_, chain)| chain.world);
    let mut failed = Vec::new();
    for group in groups(&others) {
        let landed = put(lane, node, group).await?;
        for (place, chain) in group {
            if landed.contains(&chain.world.0) {
                landings.insert(*place, Landing::Appended);
            } else {
                failed.push((*place, *chain));
            }
        }
    }
    landings.extend(landing::look_up(lane, node, &failed).await?);
    for one in births {
        if birth::bear(lane, node, one.1).await? {
            landings.insert(one.0, Landing::Appended);
        } else {
            // At once: one behind it may make what it lacked.
            landings.extend(landing::look_up(lane, node, &[one]).await?);
        }
    }
    Ok(())
}

/// Cuts chains into statements that no buffer is too small for.
fn groups<'g, 'c>(chains: &'g [Placed<'c>]) -> Vec<&'g [Placed<'c>]> {
    let mut groups = Vec::new();
    let mut rest = chains;
    while !rest.is_empty() {
        let (group, behind) = rest.split_at(fitting(rest));
        groups.push(group);
        rest = behind;
    }
    groups
}

/// How many of the first chains make one statement; at least one.
fn fitting(chains: &[Placed<'_>]) -> usize {
    let mut rows = 0_usize;
    let mut bytes = 0_usize;
    let is_room = |(_, chain): &&Placed<'_>| {
        let is_room = rows < ROWS_MAX && bytes < BYTES_MAX;
        rows += chain.rows.len();
        bytes += chain.rows.iter().map(|new| new.row.bytes()).sum::<usize>();
        is_room
    };
    chains.iter().take_while(is_room).count()
}

/// Runs the statement; gives the worlds whose chains landed by it.
async fn put(
    lane: &mut Lane<'_>,
    node: NodeId,
    chains: &[Placed<'_>],
) -> Result<HashSet<Uuid>, LedgerError> {
    let columns = Columns::of(chains.iter().map(|(_, chain)| *chain))?;
    let values = columns.values(&node.0);
    let appended = run(lane, &ALL, &columns, &values).await;
    let appended = match appended {
        Err(fault) if fault.is_taken() => run(lane, &THOSE_THAT_FIT, &columns, &values).await,
        appended => appended,
    };
    let world = |row: &Row| column(row, "world");
    appended?.iter().map(world).collect()
}

async fn run(
    lane: &mut Lane<'_>,
    statements: &Statements,
    columns: &Columns<'_>,
    values: Values<'_>,
) -> Result<Vec<Row>, Fault> {
    let (sql, places) = match (columns.says_more(), columns.has_rest()) {
        (true, _) => (statements.whole, values.len()),
        (false, true) => (statements.chains, 17),
        (false, false) => (statements.alone, 10),
    };
    let values = values.get(..places).unwrap_or_default();
    let mut tries = 0;
    loop {
        tries += 1;
        match lane.query(sql, values, APPEND).await {
            Err(fault) if fault.is_passing() && tries < TRIES_MAX => {}
            ran => return ran,
        }
    }
}
