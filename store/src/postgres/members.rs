//! The nodes that share a database, by its clock.

use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{NodeId, Time, WorldId};
use folkmoot_core::port::{
    ANSWER_KEPT, CLAIM_MAX, MemberError, Members, NodeCard, NodeState, Renewal, Taken,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLedger;
use super::session::Values;
use super::values::{self, bound, count};
use crate::ledger::LedgerError;

/// The longest wait for a renewal and its like. A server that is slower than this keeps nobody alive. It is shorter than a node
/// waits, so that what became of a statement is seen here.
pub(super) const LEASE: Duration = Duration::from_millis(1_200);

/// How often something is tried again that somebody else changed in between.
const TRIES_MAX: usize = 5;

const JOIN: &str = "
    INSERT INTO fm.node (node, name, offers, schema, room, draining, advertise, until)
    VALUES ($1, $2, $3, $4, $5, $6, $7, fm.now_ms() + $8)
    ON CONFLICT (node) DO UPDATE SET name = excluded.name, offers = excluded.offers, schema = excluded.schema,
        room = excluded.room, draining = excluded.draining, advertise = excluded.advertise, until = excluded.until
    RETURNING fm.now_ms() AS now, floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 AS clock";

const RENEW: &str = "
    UPDATE fm.node SET until = fm.now_ms() + $4, room = $2, draining = $3 WHERE node = $1
    RETURNING fm.now_ms() AS now, floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 AS clock";

/// Waits for those who take a world for the node just now.
const LEAVE: &str = "DELETE FROM fm.node WHERE node = $1";

/// Tells the time, and whether there is anything to reap: most of the time there is not.
const IS_LATE: &str = "
    SELECT fm.now_ms() AS now, EXISTS (SELECT FROM fm.node WHERE until < fm.now_ms()) OR EXISTS (SELECT FROM fm.world WHERE stray)
        OR EXISTS (SELECT FROM fm.ask WHERE answered < fm.now_ms() - $1) AS is_so";

/// `$2` is the time of the look before, which was answered within [`LEASE`]. Behind a server that stood still since then
/// everybody would be late by its clock, and nobody by that time: whoever reaps has renewed right before the look, and so
/// could the others. A node that is claiming just now is left for the next time.
const REAP: &str = "
    WITH late AS (SELECT node FROM fm.node WHERE until < $2 ORDER BY node FOR UPDATE SKIP LOCKED),
        forgotten AS (DELETE FROM fm.ask WHERE answered < $2::int8 - $1)
    DELETE FROM fm.node n USING late WHERE n.node = late.node RETURNING n.node";

/// Frees the worlds of nodes that are gone, once the statement that deleted those has ended: it waited for whoever was taking
/// one for them, and only a statement behind it sees that. Worlds are locked by their ids, as in appends: whoever appends to
/// one is waited for. Whether one is still held by them is asked again behind its lock. `$2`: also those of who never was one.
const FREE: &str = "
    WITH free AS (
            SELECT w.world FROM fm.world w WHERE w.holder = ANY($1)
            UNION SELECT w.world FROM fm.world w
                WHERE $2 AND w.stray AND NOT EXISTS (SELECT FROM fm.node n WHERE n.node = w.holder)
        ),
        held AS (SELECT w.world FROM fm.world w WHERE w.world IN (SELECT world FROM free) ORDER BY w.world FOR UPDATE)
    UPDATE fm.world w SET holder = NULL, stray = false, due = fm.now_ms() FROM held WHERE w.world = held.world
        AND (w.holder = ANY($1) OR $2 AND w.stray AND NOT EXISTS (SELECT FROM fm.node n WHERE n.node = w.holder))";

/// Tells whether there is anything to claim.
const IS_DUE: &str =
    "SELECT EXISTS (SELECT FROM fm.world WHERE holder IS NULL AND due <= fm.now_ms()) AS is_so";

/// No more worlds are counted than the greatest claim makes a difference for.
const CLAIM: &str = "
    WITH me AS (
            SELECT offers, schema FROM fm.node WHERE node = $1 AND NOT draining AND until >= fm.now_ms() FOR KEY SHARE
        ),
        live AS (SELECT count(*) AS nodes FROM fm.node WHERE NOT draining AND until >= fm.now_ms()),
        due AS (
            SELECT count(*) AS worlds FROM (
                SELECT FROM fm.world w WHERE w.holder IS NULL AND w.due <= fm.now_ms()
                    AND w.needs <@ (SELECT offers FROM me) AND w.schema <= (SELECT schema FROM me) LIMIT (SELECT nodes * $3 FROM live)
            ) d
        ),
        free AS (
            SELECT w.world, w.due FROM fm.world w WHERE w.holder IS NULL AND w.due <= fm.now_ms()
                AND w.needs <@ (SELECT offers FROM me) AND w.schema <= (SELECT schema FROM me)
            ORDER BY w.due, w.world LIMIT (SELECT least($2, $3, ceil(due.worlds::float8 / greatest(live.nodes, 1))::int8) FROM due, live)
            FOR UPDATE OF w SKIP LOCKED
        ),
        claimed AS (
            UPDATE fm.world w SET holder = $1, stray = false, due = NULL FROM free WHERE w.world = free.world
            RETURNING w.world, free.due
        )
    SELECT world FROM claimed ORDER BY due, world";

/// The facts are those from before the change.
const TAKE: &str = "
    WITH me AS (SELECT node, offers, schema FROM fm.node WHERE node = $1 FOR KEY SHARE),
        taken AS (
            UPDATE fm.world w SET holder = $1, stray = false, due = NULL FROM me
            WHERE w.world = $2 AND (w.holder IS NULL OR w.holder = $1) AND w.needs <@ me.offers AND w.schema <= me.schema
            RETURNING w.world
        )
    SELECT EXISTS (SELECT FROM me) AS is_member, EXISTS (SELECT FROM taken) AS is_taken, w.world IS NOT NULL AS is_known,
        w.holder, w.schema, coalesce(w.schema > me.schema, false) AS is_newer,
        ARRAY(SELECT need FROM unnest(w.needs) AS need WHERE NOT need = ANY(me.offers)) AS lacks
    FROM (VALUES (1)) one LEFT JOIN fm.world w ON w.world = $2 LEFT JOIN me ON true";

/// Locks a world, so that nobody asks it something while it is let go of.
pub(super) const LOCK: &str = "SELECT world, holder FROM fm.world WHERE world = $1 FOR UPDATE";

const RELEASE: &str = "
    UPDATE fm.world w SET holder = NULL, stray = false, due = CASE
        WHEN EXISTS (SELECT FROM fm.ask a WHERE a.world = w.world AND a.answer IS NULL) THEN fm.now_ms() ELSE $3::int8 END
    WHERE w.world = $1 AND w.holder = $2";

const HELD: &str = "
    SELECT w.world FROM fm.world w JOIN fm.node n ON n.node = w.holder WHERE w.holder = $1 ORDER BY w.world";

const HOLDER: &str = "
    SELECT n.*, n.until < fm.now_ms() AS is_late, 0::int8 AS held FROM fm.node n JOIN fm.world w ON w.holder = n.node WHERE w.world = $1";

const NODES: &str = "
    SELECT n.*, n.until < fm.now_ms() AS is_late, (SELECT count(*) FROM fm.world w WHERE w.holder = n.node) AS held
    FROM fm.node n ORDER BY n.node";

#[async_trait]
impl Members for PostgresLedger {
    async fn join(&self, card: &NodeCard, ttl: Duration) -> Result<Time, MemberError> {
        card.check()?;
        self.dialer.clock().check()?;
        let values: Values<'_> = &[
            &card.node.0,
            &values::text(&card.name),
            &values::texts(&card.offers),
            &i64::from(card.schema),
            &i64::from(card.room),
            &card.draining,
            &card.advertise.as_deref().map(values::text),
            &ms(ttl),
        ];
        let now = self.timed(JOIN, values).await?;
        let now = now.ok_or(MemberError::NoMember(card.node))?;
        self.keeper.begin((&self.dialer, &self.readers), card.node);
        Ok(now)
    }

    async fn renew(&self, renewal: Renewal) -> Result<Option<Time>, MemberError> {
        let values: Values<'_> = &[
            &renewal.node.0,
            &i64::from(renewal.room),
            &renewal.draining,
            &ms(renewal.ttl),
        ];
        self.timed(RENEW, values).await
    }

    async fn leave(&self, node: NodeId) -> Result<(), MemberError> {
        let mut lane = self.leases.take().await?;
        lane.begin(LEASE).await?;
        lane.query(LEAVE, &[&node.0], LEASE).await?;
        lane.query(FREE, &[&vec![node.0], &false], LEASE).await?;
        Ok(lane.commit(LEASE).await?)
    }

    async fn reap(&self) -> Result<Vec<NodeId>, MemberError> {
        let kept = ms(ANSWER_KEPT);
        let looked = self.lease(IS_LATE, &[&kept]).await?;
        let Some(now) = reaps_at(&looked)? else {
            return Ok(Vec::new());
        };
        let mut lane = self.leases.take().await?;
        lane.begin(LEASE).await?;
        let rows = lane.query(REAP, &[&kept, &now], LEASE).await?;
        let dead = rows.iter().map(|row| column(row, "node"));
        let mut dead: Vec<Uuid> = dead.collect::<Result<_, _>>()?;
        dead.sort_unstable();
        lane.query(FREE, &[&dead, &true], LEASE).await?;
        lane.commit(LEASE).await?;
        Ok(dead.into_iter().map(NodeId).collect())
    }

    async fn claim(&self, node: NodeId, limit: usize) -> Result<Vec<WorldId>, MemberError> {
        self.dialer.clock().check()?;
        if !self.is_so(IS_DUE, &[]).await? {
            return Ok(Vec::new());
        }
        let values: Values<'_> = &[&node.0, &count(limit), &count(CLAIM_MAX)];
        let rows = self.lease(CLAIM, values).await?;
        if !rows.is_empty() {
            self.hints.tell();
        }
        rows.iter()
            .map(|row| column(row, "world").map(WorldId))
            .collect()
    }

    async fn take(&self, node: NodeId, world: WorldId) -> Result<Taken, MemberError> {
        self.dialer.clock().check()?;
        for _ in 0..TRIES_MAX {
            let rows = self.lease(TAKE, &[&node.0, &world.0]).await?;
            let taken = rows.first().map(|facts| taken(facts, node)).transpose()?;
            if let Some(taken) = taken.flatten() {
                if taken == Taken::Taken {
                    self.hints.tell();
                }
                return Ok(taken);
            }
        }
        let why = "its holder changed again and again";
        Err(MemberError::Unreachable(why.into()))
    }

    async fn release(
        &self,
        node: NodeId,
        world: WorldId,
        due: Option<Time>,
    ) -> Result<(), MemberError> {
        let due = due.map(|due| bound(due.0));
        let mut lane = self.leases.take().await?;
        lane.begin(LEASE).await?;
        lane.query(LOCK, &[&world.0], LEASE).await?;
        lane.query(RELEASE, &[&world.0, &node.0, &due], LEASE)
            .await?;
        Ok(lane.commit(LEASE).await?)
    }

    async fn held(&self, node: NodeId) -> Result<Vec<WorldId>, MemberError> {
        let rows = self.lease(HELD, &[&node.0]).await?;
        rows.iter()
            .map(|row| column(row, "world").map(WorldId))
            .collect()
    }

    async fn holder(&self, world: WorldId) -> Result<Option<NodeCard>, MemberError> {
        // Nobody's lease depends on it, and it may be asked often.
        let mut lane = self.readers.take().await?;
        let rows = lane.query(HOLDER, &[&world.0], LEASE).await?;
        let holder = rows.first().map(state).transpose()?;
        Ok(holder.map(|holder| holder.card))
    }

    async fn nodes(&self) -> Result<Vec<NodeState>, MemberError> {
        let rows = self.lease(NODES, &[]).await?;
        rows.iter().map(state).collect()
    }
}

impl PostgresLedger {
    /// Asks a question whose answer is no most of the time, so that what is done on a yes may cost more.
    async fn is_so(&self, sql: &'static str, values: Values<'_>) -> Result<bool, MemberError> {
        let rows = self.lease(sql, values).await?;
        rows.first().map_or(Ok(false), |row| column(row, "is_so"))
    }

    /// Runs a statement that tells the time; `None`: it changed nothing.
    async fn timed(
        &self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Option<Time>, MemberError> {
        let mut lane = self.renewals.take().await?;
        let clock = self.dialer.clock();
        let before = clock.now_ms();
        let rows = lane.query(sql, values, LEASE).await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        clock.heed(before, column(row, "clock")?);
        time(row, "now").map(Some)
    }
}

/// The time of a look at what is to be reaped; `None`: there is nothing.
fn reaps_at(looked: &[Row]) -> Result<Option<i64>, MemberError> {
    let Some(facts) = looked.first() else {
        return Ok(None);
    };
    let is_late: bool = column(facts, "is_so")?;
    is_late.then(|| column(facts, "now")).transpose()
}

fn ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4)
}

/// Reads a column.
pub(super) fn column<'r, T: tokio_postgres::types::FromSql<'r>>(
    row: &'r Row,
    name: &str,
) -> Result<T, MemberError> {
    values::column(row, name).map_err(|error| damaged(&error))
}

/// Members have no error of their own for rows that do not read.
fn damaged(error: &LedgerError) -> MemberError {
    MemberError::Refused(error.to_string())
}

pub(super) fn time(row: &Row, name: &str) -> Result<Time, MemberError> {
    values::read_time(row, name).map_err(|error| damaged(&error))
}

/// The result of taking a world; `None`: somebody else let go of it in between.
fn taken(facts: &Row, node: NodeId) -> Result<Option<Taken>, MemberError> {
    let is_true = |name: &str| column::<bool>(facts, name);
    if !is_true("is_member")? {
        return Err(MemberError::NoMember(node));
    }
    if !is_true("is_known")? {
        return Ok(Some(Taken::NoSuchWorld));
    }
    if is_true("is_taken")? {
        return Ok(Some(Taken::Taken));
    }
    let holder: Option<Uuid> = column(facts, "holder")?;
    if let Some(by) = holder.map(NodeId).filter(|by| *by != node) {
        return Ok(Some(Taken::Held { by }));
    }
    if is_true("is_newer")? {
        let schema = u32_of(facts, "schema")?;
        return Ok(Some(Taken::Newer { schema }));
    }
    let lacks: Vec<String> = column(facts, "lacks")?;
    Ok((!lacks.is_empty()).then(|| Taken::Lacks(values::read_texts(&lacks))))
}

fn u32_of(row: &Row, name: &str) -> Result<u32, MemberError> {
    let number: i64 = column(row, name)?;
    let number = u32::try_from(number);
    number.map_err(|_| MemberError::Refused(format!("the column {name} does not read")))
}

fn state(row: &Row) -> Result<NodeState, MemberError> {
    let name: &str = column(row, "name")?;
    let offers: Vec<String> = column(row, "offers")?;
    let advertise: Option<&str> = column(row, "advertise")?;
    let held: i64 = column(row, "held")?;
    Ok(NodeState {
        card: NodeCard {
            node: NodeId(column(row, "node")?),
            name: values::read_text(name),
            offers: values::read_texts(&offers),
            schema: u32_of(row, "schema")?,
            room: u32_of(row, "room")?,
            draining: column(row, "draining")?,
            advertise: advertise.map(values::read_text),
        },
        until: time(row, "until")?,
        is_late: column(row, "is_late")?,
        held: held.unsigned_abs(),
    })
}
