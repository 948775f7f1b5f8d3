//! The inbox of the worlds' holders: a table, and notifications that only hasten what polling finds as well.

use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{AskId, NodeId, WorldId};
use folkmoot_core::port::{
    ANSWER_BYTES_MAX, ASK_BYTES_MAX, ASKS_BYTES_MAX, ASKS_WAITING_MAX, Ask, AskState, Asked,
    AsksWanted, Inbox, MemberError, WaitingAsk,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLedger;
use super::lanes::Lane;
use super::members::{LEASE, LOCK, column, time};
use super::session::Values;
use super::values::count;
use crate::ledger::within;

/// How often to look while notifications come, in case that one is lost with its connection.
const LOOK_SELDOM: Duration = Duration::from_secs(2);

/// How often to look while nobody listens.
const LOOK_OFTEN: Duration = Duration::from_millis(250);

/// Leaves an ask, behind the lock of its world: whoever lets go of that comes before it, or finds it. The channel's name begins
/// with the schema's.
const ASK: &str = "
    WITH known AS (SELECT id FROM fm.ask WHERE id = $1),
        waiting AS (SELECT count(*) AS asks FROM fm.ask WHERE world = $2 AND answer IS NULL),
        put AS (
            INSERT INTO fm.ask (id, world, command, principal) SELECT $1::uuid, $2::uuid, $3::bytea, $4::bytea
            WHERE NOT EXISTS (SELECT FROM known) AND (SELECT asks FROM waiting) < $5
            ON CONFLICT DO NOTHING RETURNING id
        ),
        woken AS (
            UPDATE fm.world SET due = least(due, fm.now_ms())
            WHERE world = $2 AND holder IS NULL AND EXISTS (SELECT FROM put)
        ),
        told AS MATERIALIZED (SELECT pg_notify($6 || '_ask', '') FROM put)
    SELECT EXISTS (SELECT FROM known) AS is_known, EXISTS (SELECT FROM put) AS is_put, (SELECT count(*) FROM told) AS told";

/// From the open asks, which are few, to their worlds. Their sizes are known without their bytes. An ask is given if those
/// before it have fewer bytes than `$3`.
const ASKS: &str = "
    SELECT id, world, command, principal, login, asked FROM (
        SELECT a.id, a.world, a.command, a.principal, a.login, a.asked,
            sum(octet_length(a.command) + coalesce(octet_length(a.principal), 0)) OVER (
                ORDER BY a.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS before
        FROM fm.ask a JOIN fm.world w ON w.world = a.world
        WHERE a.answer IS NULL AND (w.holder = $1) IS TRUE AND NOT a.world = ANY($4)
    ) asked WHERE coalesce(before, 0) < $3 ORDER BY id LIMIT $2";

const ANSWER: &str = "
    WITH put AS (
        UPDATE fm.ask SET answer = $2, answered = fm.now_ms() WHERE id = $1 AND answer IS NULL RETURNING id
    ) SELECT pg_notify($3 || '_answer', '') FROM put";

const ANSWERS: &str = "
    SELECT a.id IS NOT NULL AS is_there, a.answer FROM unnest($1::uuid[]) WITH ORDINALITY AS n(id, place)
    LEFT JOIN fm.ask a ON a.id = n.id ORDER BY n.place";

#[async_trait]
impl Inbox for PostgresLedger {
    async fn ask(&self, ask: &Ask) -> Result<Asked, MemberError> {
        within_most("an ask", ask.bytes(), ASK_BYTES_MAX)?;
        let mut lane = self.leases.take().await?;
        lane.begin(LEASE).await?;
        let asked = leave(&mut lane, ask, self.dialer.url().schema()).await?;
        lane.commit(LEASE).await?;
        Ok(asked)
    }

    async fn asks(
        &self,
        node: NodeId,
        wanted: AsksWanted<'_>,
    ) -> Result<Vec<WaitingAsk>, MemberError> {
        let not_of: Vec<Uuid> = wanted.not_of.iter().map(|world| world.0).collect();
        let limit = count(wanted.limit);
        let values: Values<'_> = &[&node.0, &limit, &count(ASKS_BYTES_MAX), &not_of];
        let rows = self.lease(ASKS, values).await?;
        rows.iter().map(waiting).collect()
    }

    async fn answer(&self, ask: AskId, answer: Vec<u8>) -> Result<(), MemberError> {
        within_most("an answer", answer.len(), ANSWER_BYTES_MAX)?;
        let schema = self.dialer.url().schema();
        self.lease(ANSWER, &[&ask.0, &answer, &schema]).await?;
        Ok(())
    }

    async fn answers(&self, asks: &[AskId]) -> Result<Vec<AskState>, MemberError> {
        let asks: Vec<Uuid> = asks.iter().map(|ask| ask.0).collect();
        let rows = self.lease(ANSWERS, &[&asks]).await?;
        rows.iter().map(answered).collect()
    }

    async fn hint(&self, heard: u64) -> u64 {
        self.hints.wait(heard).await
    }

    fn look_every(&self) -> Duration {
        if self.hints.is_listening() {
            LOOK_SELDOM
        } else {
            LOOK_OFTEN
        }
    }
}

fn within_most(what: &str, len: usize, max: usize) -> Result<(), MemberError> {
    within(what, len, max).map_err(|error| MemberError::Invalid(error.to_string()))
}

async fn leave(lane: &mut Lane<'_>, ask: &Ask, schema: &str) -> Result<Asked, MemberError> {
    let is_there = !lane.query(LOCK, &[&ask.world.0], LEASE).await?.is_empty();
    let values: Values<'_> = &[
        &ask.id.0,
        &ask.world.0,
        &ask.command,
        &ask.principal,
        &if is_there { count(ASKS_WAITING_MAX) } else { 0 },
        &schema,
    ];
    let rows = lane.query(ASK, values, LEASE).await?;
    let is_true = |name: &str| rows.first().map_or(Ok(false), |row| column(row, name));
    Ok(
        match (is_there, is_true("is_known")? || is_true("is_put")?) {
            (_, true) => Asked::Waits,
            (true, false) => Asked::Busy,
            (false, false) => Asked::NoSuchWorld,
        },
    )
}

fn waiting(row: &Row) -> Result<WaitingAsk, MemberError> {
    Ok(WaitingAsk {
        ask: Ask {
            id: AskId(column(row, "id")?),
            world: WorldId(column(row, "world")?),
            command: column(row, "command")?,
            principal: column(row, "principal")?,
        },
        login: column(row, "login")?,
        asked: time(row, "asked")?,
    })
}

fn answered(row: &Row) -> Result<AskState, MemberError> {
    let is_there: bool = column(row, "is_there")?;
    let answer: Option<Vec<u8>> = column(row, "answer")?;
    Ok(match answer {
        Some(answer) => AskState::Answered(answer),
        None if is_there => AskState::Waits,
        None => AskState::Gone,
    })
}
