//! The blobs and saved folds of all worlds.

use async_trait::async_trait;
use folkmoot_core::ids::{Digest, Position, Time, WorldId};
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLedger;
use super::session::Values;
use super::upkeep::note_leftovers;
use super::values::{
    bound, column, count, damaged, digest, position, read_incarnation, read_position, read_time,
    read_whole,
};
use crate::ledger::{
    BlobTable, CheckpointRow, CheckpointTable, LedgerError, PutRange, Saving, check_blob,
    check_checkpoint,
};

/// The world stays until the blob is kept.
const PUT_BLOB: &str = "
    WITH known AS (SELECT world FROM fm.world WHERE world = $1 FOR KEY SHARE)
    INSERT INTO fm.blob (world, digest, put, bytes) SELECT world, $2::bytea, fm.now_ms(), $3::bytea FROM known
    ON CONFLICT (world, digest) DO UPDATE SET put = excluded.put, bytes = excluded.bytes RETURNING world";

const BLOB: &str = "SELECT bytes FROM fm.blob WHERE world = $1 AND digest = $2";

const BLOB_SIZE: &str =
    "SELECT octet_length(bytes)::int8 AS size FROM fm.blob WHERE world = $1 AND digest = $2";

const BLOBS: &str =
    "SELECT digest, put FROM fm.blob WHERE world = $1 AND digest > $2 ORDER BY digest LIMIT $3";

const BLOB_TIME: &str = "SELECT fm.now_ms() AS now";

/// The index on both gives them in order: it is read from the last page on.
const PUTS: &str = "
    SELECT DISTINCT put, world FROM fm.blob WHERE put >= $1 AND put < $2 AND (put, world) > ($3, $4)
    ORDER BY put, world LIMIT $5";

/// All who touch the same blobs lock them in one order.
const TOUCH_BLOBS: &str = "
    WITH found AS (
        SELECT world, digest FROM fm.blob WHERE world = $1 AND digest = ANY($2) ORDER BY digest FOR NO KEY UPDATE
    )
    UPDATE fm.blob AS b SET put = greatest(b.put, fm.now_ms()) FROM found
    WHERE b.world = found.world AND b.digest = found.digest";

const REMOVE_BLOBS: &str = concat!(
    "WITH removed AS (DELETE FROM fm.blob WHERE world = $1 AND digest = ANY($2) AND put < $3 RETURNING world), noted AS (",
    note_leftovers!("SELECT DISTINCT 'fm.blob' FROM removed"),
    ") SELECT world FROM removed"
);

/// The world's row is locked, so that a bar comes before it and is heeded, or behind it and takes the fold away.
const SAVE: &str = "
    WITH known AS (SELECT world, barred FROM fm.world WHERE world = $1 FOR SHARE), saved AS (
        INSERT INTO fm.checkpoint (world, at, incarnation, decider, link, state)
        SELECT world, $2::int8, $3::int8, $4::bytea, $5::bytea, $6::bytea FROM known WHERE barred IS NULL OR barred < $3
        ON CONFLICT (world, at) DO UPDATE SET incarnation = excluded.incarnation, decider = excluded.decider,
            link = excluded.link, state = excluded.state
        RETURNING world
    ) SELECT EXISTS (SELECT FROM known) AS is_known, EXISTS (SELECT FROM saved) AS is_saved";

const CHECKPOINTS: &str = "SELECT at, decider FROM fm.checkpoint WHERE world = $1 ORDER BY at";

const CHECKPOINT: &str =
    "SELECT at, incarnation, decider, link, state FROM fm.checkpoint WHERE world = $1 AND at = $2";

const REMOVE: &str = "DELETE FROM fm.checkpoint WHERE world = $1 AND at = ANY($2)";

#[async_trait]
impl BlobTable for PostgresLedger {
    async fn put_blob(
        &self,
        world: WorldId,
        blob: Digest,
        bytes: Vec<u8>,
    ) -> Result<(), LedgerError> {
        check_blob(blob, &bytes)?;
        let blob = blob.as_bytes().as_slice();
        let put = self.change(PUT_BLOB, &[&world.0, &blob, &bytes]).await?;
        if put.is_empty() {
            return Err(LedgerError::Invalid(format!("there is no world {world}")));
        }
        Ok(())
    }

    async fn blob(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, LedgerError> {
        let blob = blob.as_bytes().as_slice();
        let rows = self.read_with(BLOB, &[&world.0, &blob]).await?;
        rows.first().map(|row| column(row, "bytes")).transpose()
    }

    async fn blob_size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, LedgerError> {
        let blob = blob.as_bytes().as_slice();
        let rows = self.read_with(BLOB_SIZE, &[&world.0, &blob]).await?;
        let size = |row: &Row| read_whole(column(row, "size")?, "size");
        rows.first().map(size).transpose()
    }

    async fn blobs(
        &self,
        world: WorldId,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(Digest, Time)>, LedgerError> {
        let after = after.map_or_else(Vec::new, |after| after.as_bytes().to_vec());
        let rows = self
            .read_with(BLOBS, &[&world.0, &after, &count(limit)])
            .await?;
        let blob = |row: &Row| Ok((digest(column(row, "digest")?)?, read_time(row, "put")?));
        rows.iter().map(blob).collect()
    }

    async fn blob_time(&self) -> Result<Time, LedgerError> {
        let rows = self.read_with(BLOB_TIME, &[]).await?;
        let now = rows.first().map(|row| read_time(row, "now"));
        now.unwrap_or_else(|| Err(damaged("the database does not tell its time")))
    }

    async fn puts(
        &self,
        range: PutRange,
        after: Option<(Time, WorldId)>,
        limit: usize,
    ) -> Result<Vec<(Time, WorldId)>, LedgerError> {
        let (put, world) = after.map_or((-1, Uuid::nil()), |(put, world)| (bound(put.0), world.0));
        let since = bound(range.since.0);
        let before = bound(range.before.0);
        let values: Values<'_> = &[&since, &before, &put, &world, &count(limit)];
        let rows = self.read_with(PUTS, values).await?;
        let found = |row: &Row| Ok((read_time(row, "put")?, WorldId(column(row, "world")?)));
        rows.iter().map(found).collect()
    }

    async fn touch_blobs(&self, world: WorldId, blobs: &[Digest]) -> Result<(), LedgerError> {
        let blobs = names(blobs);
        self.change(TOUCH_BLOBS, &[&world.0, &blobs]).await?;
        Ok(())
    }

    async fn remove_blobs(
        &self,
        world: WorldId,
        blobs: &[Digest],
        before: Time,
    ) -> Result<u64, LedgerError> {
        let blobs = names(blobs);
        let removed = self
            .change(REMOVE_BLOBS, &[&world.0, &blobs, &bound(before.0)])
            .await?;
        Ok(removed.len() as u64)
    }
}

#[async_trait]
impl CheckpointTable for PostgresLedger {
    async fn save_checkpoint(&self, row: CheckpointRow) -> Result<Saving, LedgerError> {
        check_checkpoint(&row)?;
        let values: Values<'_> = &[
            &row.world.0,
            &position(row.at)?,
            &i64::from(row.incarnation.0),
            &row.decider.as_bytes().as_slice(),
            &row.link.as_bytes().as_slice(),
            &row.state,
        ];
        let rows = self.change(SAVE, values).await?;
        let is_true = |name: &str| rows.first().map_or(Ok(false), |row| column(row, name));
        Ok(match (is_true("is_known")?, is_true("is_saved")?) {
            (_, true) => Saving::Saved,
            (true, false) => Saving::Barred,
            (false, false) => Saving::NoSuchWorld,
        })
    }

    async fn checkpoints(&self, world: WorldId) -> Result<Vec<(Position, Digest)>, LedgerError> {
        let rows = self.read_with(CHECKPOINTS, &[&world.0]).await?;
        let place = |row: &Row| Ok((read_position(row, "at")?, digest(column(row, "decider")?)?));
        rows.iter().map(place).collect()
    }

    async fn checkpoint(
        &self,
        world: WorldId,
        at: Position,
    ) -> Result<Option<CheckpointRow>, LedgerError> {
        let rows = self
            .read_with(CHECKPOINT, &[&world.0, &position(at)?])
            .await?;
        let read = |row: &Row| {
            Ok(CheckpointRow {
                world,
                at: read_position(row, "at")?,
                incarnation: read_incarnation(row, "incarnation")?,
                decider: digest(column(row, "decider")?)?,
                link: digest(column(row, "link")?)?,
                state: column(row, "state")?,
            })
        };
        rows.first().map(read).transpose()
    }

    async fn remove_checkpoints(&self, world: WorldId, at: &[Position]) -> Result<(), LedgerError> {
        let at: Vec<i64> = at
            .iter()
            .map(|at| position(*at))
            .collect::<Result<_, _>>()?;
        self.change(REMOVE, &[&world.0, &at]).await?;
        Ok(())
    }
}

/// The names of blobs as an array.
fn names(blobs: &[Digest]) -> Vec<&[u8]> {
    let names = blobs.iter().map(|blob| blob.as_bytes().as_slice());
    names.collect()
}
