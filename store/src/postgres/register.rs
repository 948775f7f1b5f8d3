//! The worlds of a database.

use async_trait::async_trait;
use folkmoot_core::ids::{NodeId, Position, Time, WorldId, WorldName};
use folkmoot_core::port::Labels;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLedger;
use super::session::Values;
use super::values::{
    self, bound, column, count, damaged, incarnation, read_incarnation, read_position, read_time,
    read_whole,
};
use crate::ledger::{ForkBase, GoneRange, LedgerEntry, LedgerError, Register};

/// The columns of an entry, and the last row that they are taken from. Each world has one.
macro_rules! entry {
    () => {
        "SELECT w.world, w.name, w.owner, w.labels, w.parent, w.base, w.shares IS NULL AS is_copied, w.sealed, w.holder, w.barred,
            w.reach, l.last AS head, l.time, l.incarnation
        FROM fm.world w CROSS JOIN LATERAL (
            SELECT c.last, c.time, c.incarnation FROM fm.commit c WHERE c.world = w.world ORDER BY c.first DESC LIMIT 1
        ) l"
    };
}

const ENTRY: &str = concat!(entry!(), " WHERE w.world = $1");

const FIND: &str = concat!(entry!(), " WHERE w.name = $1");

const FORKS: &str = concat!(entry!(), " WHERE w.parent = $1 ORDER BY w.world");

const ALL: &str = concat!(
    entry!(),
    " WHERE w.name > $1::text COLLATE \"C\" ORDER BY w.name LIMIT $2"
);

/// Those with the labels first, by their index: of many worlds few have them.
const LABELLED: &str = concat!(
    "WITH labelled AS MATERIALIZED (
        SELECT world FROM fm.world WHERE labels @> $3::jsonb AND name > $1::text COLLATE \"C\" ORDER BY name LIMIT $2
    ) ",
    entry!(),
    " JOIN labelled USING (world) ORDER BY w.name"
);

/// Those of the owner first, by their index.
const GROWN: &str = concat!(
    "WITH theirs AS MATERIALIZED (SELECT world FROM fm.world WHERE owner = $3 AND name > $1::text COLLATE \"C\") ",
    entry!(),
    " JOIN theirs USING (world) WHERE l.time >= $4 ORDER BY w.name LIMIT $2"
);

const HEADS: &str = "
    SELECT n.world, l.last FROM unnest($1::uuid[]) AS n(world) CROSS JOIN LATERAL (
        SELECT c.last FROM fm.commit c WHERE c.world = n.world ORDER BY c.first DESC LIMIT 1
    ) l";

const GONE: &str =
    "SELECT at FROM fm.gone WHERE world = $1 AND at >= $2 AND at < $3 AND by <= $4 ORDER BY at";

#[async_trait]
impl Register for PostgresLedger {
    async fn entry(&self, world: WorldId) -> Result<Option<LedgerEntry>, LedgerError> {
        let rows = self.read_with(ENTRY, &[&world.0]).await?;
        rows.first().map(entry).transpose()
    }

    async fn find(&self, name: &WorldName) -> Result<Option<LedgerEntry>, LedgerError> {
        let rows = self.read_with(FIND, &[&name.as_str()]).await?;
        rows.first().map(entry).transpose()
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        // No name is empty.
        let after = after.map_or("", WorldName::as_str);
        let limit = count(limit);
        let rows = if labels.is_empty() {
            self.read_with(ALL, &[&after, &limit]).await?
        } else {
            let labels = values::labels(labels);
            self.read_with(LABELLED, &[&after, &limit, &labels]).await?
        };
        rows.iter().map(entry).collect()
    }

    async fn grown(
        &self,
        (owner, since): (&str, Time),
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let after = after.map_or("", WorldName::as_str);
        let values: Values<'_> = &[&after, &count(limit), &values::text(owner), &bound(since.0)];
        let rows = self.read_with(GROWN, values).await?;
        rows.iter().map(entry).collect()
    }

    async fn forks(&self, parent: WorldId) -> Result<Vec<LedgerEntry>, LedgerError> {
        let rows = self.read_with(FORKS, &[&parent.0]).await?;
        rows.iter().map(entry).collect()
    }

    async fn heads(&self, worlds: &[WorldId]) -> Result<Vec<(WorldId, Position)>, LedgerError> {
        let worlds: Vec<Uuid> = worlds.iter().map(|world| world.0).collect();
        let rows = self.read_with(HEADS, &[&worlds]).await?;
        let head = |row: &Row| Ok((WorldId(column(row, "world")?), read_position(row, "last")?));
        rows.iter().map(head).collect()
    }

    async fn gone(&self, world: WorldId, range: GoneRange) -> Result<Vec<Position>, LedgerError> {
        let [from, to, until] = [range.from, range.to, range.until].map(|at| bound(at.get()));
        let rows = self
            .read_with(GONE, &[&world.0, &from, &to, &until])
            .await?;
        rows.iter().map(|row| read_position(row, "at")).collect()
    }
}

fn entry(row: &Row) -> Result<LedgerEntry, LedgerError> {
    let name: &str = column(row, "name")?;
    let owner: Option<&str> = column(row, "owner")?;
    let labels: Value = column(row, "labels")?;
    let barred: Option<i64> = column(row, "barred")?;
    let holder: Option<Uuid> = column(row, "holder")?;
    Ok(LedgerEntry {
        world: WorldId(column(row, "world")?),
        name: WorldName::new(name)
            .map_err(|error| damaged(&format!("the name of a world: {error}")))?,
        head: read_position(row, "head")?,
        time: read_time(row, "time")?,
        incarnation: read_incarnation(row, "incarnation")?,
        labelled: values::read_labelled(owner, &labels)?,
        base: base(row)?,
        is_sealed: column(row, "sealed")?,
        holder: holder.map(NodeId),
        barred: barred.map(incarnation).transpose()?,
        reach: column(row, "reach")?,
    })
}

fn base(row: &Row) -> Result<Option<ForkBase>, LedgerError> {
    let parent: Option<Uuid> = column(row, "parent")?;
    let at: Option<i64> = column(row, "base")?;
    let (Some(parent), Some(at)) = (parent, at) else {
        return Ok(None);
    };
    Ok(Some(ForkBase {
        parent: WorldId(parent),
        at: Position::new(read_whole(at, "base")?),
        is_copied: column(row, "is_copied")?,
    }))
}
