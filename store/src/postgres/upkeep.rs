//! The upkeep of what is there already. Each piece of work is one transaction.

use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{NodeId, Position, WorldId, WorldName};
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLedger;
use super::lanes::Lane;
use super::session::Values;
use super::values::{column, count, damaged, position, read_whole, whole};
use crate::ledger::{
    Burial, Compaction, LedgerError, LedgerUpkeep, REACH_BYTES_MAX, Rewrite, RowRange,
    TOMBSTONE_BYTES_MAX, check_rewrite, not_whole, within,
};

pub(super) mod compact;

/// The longest wait for a change of a few rows.
pub(super) const CHANGE: Duration = Duration::from_secs(30);

/// The longest wait for work on a whole world.
const WORK: Duration = Duration::from_secs(600);

const SAVE_REACH: &str = "UPDATE fm.world SET reach = $3 WHERE world = $1 AND holder = $2";

const STORED: &str = "SELECT record FROM fm.commit WHERE world = $1 AND first = $2 FOR UPDATE";

/// Notes tables for [`LedgerUpkeep::compact`].
macro_rules! note_leftovers {
    ($of:literal) => {
        concat!(
            "INSERT INTO fm.leftover AS l (part) ",
            $of,
            " ON CONFLICT (part) DO UPDATE SET times = l.times + 1"
        )
    };
}
pub(super) use note_leftovers;

/// Puts the record in its place, and counts anew what stands beside it.
const REWRITE: &str = concat!(
    "WITH dropped AS (
        DELETE FROM fm.content b USING fm.commit c WHERE c.world = $1 AND c.first = $2
            AND b.world = c.world AND b.at BETWEEN c.first AND c.last AND b.at = ANY($4) RETURNING b.at
    ), kept AS (
        SELECT sum(octet_length(b.bytes))::int8 AS bytes FROM fm.commit c JOIN fm.content b
            ON b.world = c.world AND b.at BETWEEN c.first AND c.last
        WHERE c.world = $1 AND c.first = $2 AND NOT b.at = ANY($4)
    ), put AS (
        UPDATE fm.commit SET record = $3, beside = (SELECT bytes FROM kept) WHERE world = $1 AND first = $2 RETURNING tableoid
    ) ",
    note_leftovers!("SELECT tableoid::regclass::text FROM put UNION SELECT 'fm.content' FROM dropped")
);

/// The last incarnations of worlds, which are locked: no fold is being saved.
const BAR: &str = "
    UPDATE fm.world w SET barred = (
        SELECT c.incarnation FROM fm.commit c WHERE c.world = w.world ORDER BY c.first DESC LIMIT 1
    ) WHERE w.world = ANY($1)";

const DROP_FOLDS: &str = "DELETE FROM fm.checkpoint WHERE world = ANY($1)";

/// The greatest number counts; the world stays until it is noted.
const NOTE_FILES: &str = "
    WITH known AS (SELECT world FROM fm.world WHERE world = $1 FOR KEY SHARE)
    INSERT INTO fm.erasure AS e (world, by, files) SELECT world, $2::int8, $3::int8 FROM known
    ON CONFLICT (world, by) DO UPDATE SET files = greatest(e.files, excluded.files) RETURNING files";

const FORK: &str = "SELECT parent IS NOT NULL AS is_fork, shares IS NULL AS is_copied FROM fm.world WHERE world = $1 FOR UPDATE";

const COPY: &str = "
    WITH copied AS (
        INSERT INTO fm.commit (world, first, last, time, incarnation, beside, record)
        SELECT $1::uuid, c.first, c.last, c.time, c.incarnation, c.beside, c.record FROM fm.commit c
        WHERE c.world = $2 AND c.first BETWEEN $3 AND $4 RETURNING first
    ), content AS (
        INSERT INTO fm.content (world, at, bytes)
        SELECT $1::uuid, b.at, b.bytes FROM fm.commit c JOIN fm.content b ON b.world = c.world AND b.at BETWEEN c.first AND c.last
        WHERE c.world = $2 AND c.first BETWEEN $3 AND $4
    )
    INSERT INTO fm.gone (world, at, by) SELECT $1::uuid, g.at, g.by FROM fm.gone g
    WHERE g.world = $2 AND g.by BETWEEN $3 AND $4
        AND EXISTS (SELECT FROM fm.commit c WHERE c.world = g.world AND c.first = g.by)
    ON CONFLICT (world, at) DO UPDATE SET by = excluded.by";

/// Locks the worlds whose rows are copied: whoever bars them comes before that or behind it.
const SOURCES: &str = "SELECT FROM fm.world WHERE world = ANY($1) ORDER BY world FOR SHARE";

/// Tells whether the rows of a fork up to its base follow one another.
const IS_WHOLE: &str = "
    SELECT coalesce(max(r.last) = max(w.base) AND bool_and(r.first = r.before + 1), false) AS is_whole FROM fm.world w CROSS JOIN LATERAL (
        SELECT c.first, c.last, lag(c.last, 1, 0::int8) OVER (ORDER BY c.first) AS before FROM fm.commit c
        WHERE c.world = w.world AND c.first <= w.base
    ) r WHERE w.world = $1";

const COPIED: &str = "UPDATE fm.world SET shares = NULL WHERE world = $1";

/// The worlds that are to go, locked in the order of all.
const DOOMED: &str =
    "SELECT world, holder FROM fm.world WHERE world = ANY($1) ORDER BY world FOR UPDATE";

const STAYING: &str = "
    SELECT shares AS world, name FROM fm.world WHERE shares = ANY($1) AND NOT world = ANY($1) ORDER BY world LIMIT 1";

/// All that is kept of worlds. The statement that locked them has seen every append end.
const DELETE: &str = concat!(
    "WITH commits AS (DELETE FROM fm.commit WHERE world = ANY($1) RETURNING tableoid),
        content AS (DELETE FROM fm.content WHERE world = ANY($1) RETURNING world),
        gone AS (DELETE FROM fm.gone WHERE world = ANY($1)),
        checkpoints AS (DELETE FROM fm.checkpoint WHERE world = ANY($1)),
        blobs AS (DELETE FROM fm.blob WHERE world = ANY($1) RETURNING world),
        erasures AS (DELETE FROM fm.erasure WHERE world = ANY($1)),
        buried AS (INSERT INTO fm.tombstone (world, value) SELECT * FROM unnest($1::uuid[], $2::bytea[])),
        worlds AS (DELETE FROM fm.world WHERE world = ANY($1)) ",
    note_leftovers!(
        "SELECT DISTINCT tableoid::regclass::text FROM commits
        UNION SELECT 'fm.content' FROM content UNION SELECT 'fm.blob' FROM blobs UNION SELECT 'fm.world'"
    )
);

const TOMBSTONES: &str = "SELECT world, value FROM fm.tombstone WHERE $1::uuid IS NULL OR world > $1 ORDER BY world LIMIT $2";

#[async_trait]
impl LedgerUpkeep for PostgresLedger {
    async fn save_reach(
        &self,
        node: NodeId,
        world: WorldId,
        reach: Vec<u8>,
    ) -> Result<(), LedgerError> {
        within("the reach of a world", reach.len(), REACH_BYTES_MAX)?;
        self.change(SAVE_REACH, &[&world.0, &node.0, &reach])
            .await?;
        Ok(())
    }

    async fn rewrite(&self, rewrite: Rewrite) -> Result<bool, LedgerError> {
        let world = rewrite.world.0;
        let first = position(rewrite.first)?;
        let without = rewrite.without.iter().map(|at| position(*at));
        let without: Vec<i64> = without.collect::<Result<_, _>>()?;
        let mut lane = self.writer().await?;
        lane.begin(CHANGE).await?;
        let stored = lane.query(STORED, &[&world, &first], CHANGE).await?;
        let checked = match stored.first() {
            Some(stored) => check_rewrite(&rewrite, column(stored, "record")?),
            None => Err(LedgerError::Invalid(format!(
                "no row of the world {} begins at event {}",
                rewrite.world, rewrite.first
            ))),
        };
        if !matches!(checked, Ok(true)) {
            lane.roll_back(CHANGE).await?;
            return checked;
        }
        let values: Values<'_> = &[&world, &first, &rewrite.record, &without];
        lane.query(REWRITE, values, CHANGE).await?;
        lane.commit(CHANGE).await?;
        Ok(true)
    }

    async fn bar(&self, worlds: &[WorldId]) -> Result<(), LedgerError> {
        let worlds: Vec<Uuid> = worlds.iter().map(|world| world.0).collect();
        let mut lane = self.writer().await?;
        lane.begin(CHANGE).await?;
        lane.query(BAR, &[&worlds], CHANGE).await?;
        // Behind the locks: whoever was saving a fold has done so.
        lane.query(DROP_FOLDS, &[&worlds], CHANGE).await?;
        Ok(lane.commit(CHANGE).await?)
    }

    async fn note_files(
        &self,
        world: WorldId,
        by: Position,
        files: u64,
    ) -> Result<u64, LedgerError> {
        let values: Values<'_> = &[&world.0, &position(by)?, &whole(files)?];
        let noted = self.change(NOTE_FILES, values).await?;
        match noted.first() {
            Some(noted) => read_whole(column(noted, "files")?, "files"),
            None => Err(LedgerError::Invalid(format!("there is no world {world}"))),
        }
    }

    async fn copy_base(&self, fork: WorldId, of: &[RowRange]) -> Result<(), LedgerError> {
        let mut lane = self.writer().await?;
        lane.begin(CHANGE).await?;
        let state = lane.query(FORK, &[&fork.0], CHANGE).await?;
        let is_true = |name: &str| state.first().map_or(Ok(false), |row| column(row, name));
        let is_fork: bool = is_true("is_fork")?;
        if !is_fork || is_true("is_copied")? {
            lane.roll_back(CHANGE).await?;
            return if is_fork {
                Ok(())
            } else {
                Err(LedgerError::Invalid(format!("the world {fork} is no fork")))
            };
        }
        let sources: Vec<Uuid> = of.iter().map(|range| range.world.0).collect();
        lane.query(SOURCES, &[&sources], CHANGE).await?;
        for range in of {
            let [from, to] = [position(range.from)?, position(range.to)?];
            lane.query(COPY, &[&fork.0, &range.world.0, &from, &to], WORK)
                .await?;
        }
        let whole = lane.query(IS_WHOLE, &[&fork.0], WORK).await?;
        let is_whole = whole
            .first()
            .map_or(Ok(false), |row| column::<bool>(row, "is_whole"));
        if !is_whole? {
            lane.roll_back(CHANGE).await?;
            return Err(not_whole(fork));
        }
        lane.query(COPIED, &[&fork.0], CHANGE).await?;
        Ok(lane.commit(WORK).await?)
    }

    async fn delete(
        &self,
        node: NodeId,
        worlds: &[(WorldId, Vec<u8>)],
    ) -> Result<Burial, LedgerError> {
        for (_, tombstone) in worlds {
            within("a tombstone", tombstone.len(), TOMBSTONE_BYTES_MAX)?;
        }
        let ids: Vec<Uuid> = worlds.iter().map(|(world, _)| world.0).collect();
        let tombstones: Vec<&[u8]> = worlds.iter().map(|(_, value)| value.as_slice()).collect();
        let mut lane = self.writer().await?;
        lane.begin(WORK).await?;
        if let Some(refusal) = refusal(&mut lane, node, &ids).await? {
            lane.roll_back(CHANGE).await?;
            return Ok(refusal);
        }
        lane.query(DELETE, &[&ids, &tombstones], WORK).await?;
        lane.commit(WORK).await?;
        Ok(Burial::Deleted)
    }

    async fn tombstones(
        &self,
        after: Option<WorldId>,
        limit: usize,
    ) -> Result<Vec<(WorldId, Vec<u8>)>, LedgerError> {
        let after = after.map(|after| after.0);
        let rows = self.read_with(TOMBSTONES, &[&after, &count(limit)]).await?;
        let tombstone = |row: &Row| Ok((WorldId(column(row, "world")?), column(row, "value")?));
        rows.iter().map(tombstone).collect()
    }

    async fn compact(&self) -> Result<Compaction, LedgerError> {
        compact::compact(&self.dialer, &self.readers).await
    }
}

/// The reason that worlds are not deleted, if there is one. They are locked from here on.
async fn refusal(
    lane: &mut Lane<'_>,
    node: NodeId,
    ids: &Vec<Uuid>,
) -> Result<Option<Burial>, LedgerError> {
    let doomed = lane.query(DOOMED, &[ids], WORK).await?;
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    for id in sorted {
        let is_it = |row: &&Row| row.try_get("world").is_ok_and(|world: Uuid| world == id);
        let Some(row) = doomed.iter().find(is_it) else {
            return Ok(Some(Burial::NoSuchWorld(WorldId(id))));
        };
        let holder: Option<Uuid> = column(row, "holder")?;
        if holder != Some(node.0) {
            let holder = holder.map(NodeId);
            let world = WorldId(id);
            return Ok(Some(Burial::Fenced { world, holder }));
        }
    }
    // What is read behind the locks is what other transactions have left.
    let staying = lane.query(STAYING, &[ids], WORK).await?;
    let Some(fork) = staying.first() else {
        return Ok(None);
    };
    let name: &str = column(fork, "name")?;
    let name = WorldName::new(name).map_err(|_| damaged("a world has a bad name"))?;
    Ok(Some(Burial::HasForks {
        world: WorldId(column(fork, "world")?),
        fork: name,
    }))
}
