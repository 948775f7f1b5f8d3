//! Writing tables anew, so that no old bytes stay in their files.
//!
//! Whoever appends to a table, or reads it, waits while it is written anew. So nobody who deletes or erases does it: one
//! member does every few minutes, on a connection of its own. It waits for a table for a moment alone, as everybody else
//! waits behind it, and leaves those alone that would take long.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use folkmoot_core::ids::NodeId;
use folkmoot_core::port::causes::with_causes;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::Row;

use super::{CHANGE, WORK};
use crate::ledger::{Compaction, LedgerError};
use crate::postgres::dialer::Dialer;
use crate::postgres::fault::Fault;
use crate::postgres::lanes::Lanes;
use crate::postgres::session::Session;
use crate::postgres::values::column;

/// How often a member looks whether tables are to be written anew.
const LOOK_EVERY: Duration = Duration::from_secs(300);

/// The largest table that is written anew without anybody's order: it takes some seconds, and appends wait for longer.
const PART_BYTES_MAX: i64 = 256 * 1024 * 1024;

/// The session waits for a table for so long, and everybody who comes behind it.
const WAITS_SHORT: &str = "SET lock_timeout = '250ms'";

/// The tables with old bytes, and whether this login may write them anew. Folds and asks are replaced and removed all the
/// time, so they come with others. Worlds and nodes are in everybody's way, so what they had is only given free.
const LEFT: &str = "
    SELECT p.part, p.times, pg_has_role(c.relowner, 'USAGE') AS is_ours, pg_total_relation_size(c.oid) AS bytes,
        c.oid = 'fm.world'::regclass AS is_kept
    FROM (
        SELECT part, times FROM fm.leftover
        UNION ALL SELECT part, 0 FROM (VALUES ('fm.checkpoint'), ('fm.ask')) v(part) WHERE EXISTS (SELECT FROM fm.leftover)
    ) p JOIN pg_class c ON c.oid = to_regclass(p.part) ORDER BY p.part";

/// Forgets a table, unless more was left in it meanwhile.
const FORGET: &str = "DELETE FROM fm.leftover WHERE part = $1 AND times = $2";

/// Tells whether there is something to do, and `$1` is the member that does it: the one that has lived longest.
const IS_MINE: &str = "
    SELECT EXISTS (SELECT FROM fm.leftover) AND $1::uuid = (
        SELECT node FROM fm.node WHERE NOT draining AND until >= fm.now_ms() ORDER BY node LIMIT 1
    ) AS is_mine";

/// A table with old bytes.
struct Part {
    name: String,
    times: i64,
    bytes: i64,
    is_ours: bool,
    is_kept: bool,
}

impl Part {
    fn read(row: &Row) -> Result<Self, LedgerError> {
        Ok(Self {
            name: column(row, "part")?,
            times: column(row, "times")?,
            bytes: column(row, "bytes")?,
            is_ours: column(row, "is_ours")?,
            is_kept: column(row, "is_kept")?,
        })
    }

    /// Writes it anew, if that can be done soon.
    async fn write_anew(&self, session: &mut Session) -> Result<Compaction, LedgerError> {
        let Self { name, .. } = self;
        if !self.is_ours {
            let why = format!(
                "the table {name} belongs to another role, which alone can write it anew: run `VACUUM FULL` as that one"
            );
            return Err(LedgerError::Refused(why));
        }
        if !self.is_kept && self.bytes > PART_BYTES_MAX {
            tracing::warn!(
                table = name,
                bytes = self.bytes,
                "a table holds bytes of what was erased or deleted, and is too large to be written anew beside the work; when all \
                 nodes may stand still, run `VACUUM FULL` on it, and then delete its row in the table leftover"
            );
            return Ok(Compaction::Later);
        }
        // The name is one that the server wrote, with its quotes and the schema's name.
        let vacuum = if self.is_kept {
            format!("VACUUM (ANALYZE) {name}")
        } else {
            format!("VACUUM (FULL, ANALYZE) {name}")
        };
        match session.command_as_written(&vacuum, WORK).await {
            Ok(()) => {}
            Err(fault) if fault.is_passing() => {
                tracing::debug!(table = name, "a table is in use, and is written anew later");
                return Ok(Compaction::Later);
            }
            Err(fault) => return Err(fault.into()),
        }
        let noted = session.query(FORGET, &[name, &self.times], CHANGE).await;
        noted.map_err(LedgerError::from)?;
        Ok(Compaction::Done)
    }
}

/// Writes anew what has old bytes, if there is any.
pub(in crate::postgres) async fn compact(
    dialer: &Dialer,
    readers: &Lanes,
) -> Result<Compaction, LedgerError> {
    let rows = {
        let mut lane = readers.take().await?;
        lane.query(LEFT, &[], CHANGE).await?
    };
    if rows.is_empty() {
        return Ok(Compaction::Done);
    }
    let mut session = dialer.dial(None).await.map_err(Fault::from)?;
    session.command_as_written(WAITS_SHORT, CHANGE).await?;
    let mut done = Compaction::Done;
    for row in &rows {
        if Part::read(row)?.write_anew(&mut session).await? == Compaction::Later {
            done = Compaction::Later;
        }
    }
    Ok(done)
}

/// The member's watch over old bytes. Dropped, it ends.
#[derive(Debug, Default)]
pub(in crate::postgres) struct Keeper {
    member: Arc<Member>,
    watch: OnceLock<Watch>,
}

/// Who this process is as a member.
#[derive(Debug, Default)]
struct Member {
    node: Mutex<Option<NodeId>>,
    hurry: Notify,
}

#[derive(Debug)]
struct Watch(JoinHandle<()>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Keeper {
    /// Begins to look, as the member `node` from now on.
    pub(in crate::postgres) fn begin(
        &self,
        (dialer, readers): (&Arc<Dialer>, &Arc<Lanes>),
        node: NodeId,
    ) {
        *self.member.lock() = Some(node);
        self.watch.get_or_init(|| {
            let watch = watch(
                Arc::clone(dialer),
                Arc::clone(readers),
                Arc::clone(&self.member),
            );
            Watch(tokio::spawn(watch))
        });
    }

    /// Has it look at once.
    #[cfg(feature = "testing")]
    pub(in crate::postgres) fn hurry(&self) {
        self.member.hurry.notify_one();
    }
}

impl Member {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<NodeId>> {
        self.node.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks as long as the ledger is open.
async fn watch(dialer: Arc<Dialer>, readers: Arc<Lanes>, member: Arc<Member>) {
    while !dialer.is_closed() {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = member.hurry.notified() => {}
        }
        let node = *member.lock();
        if let Err(error) = look(&dialer, &readers, node).await {
            let why = with_causes(&error);
            tracing::warn!(
                why,
                "bytes of what was erased or deleted stay in the tables' files"
            );
        }
    }
}

async fn look(dialer: &Dialer, readers: &Lanes, node: Option<NodeId>) -> Result<(), LedgerError> {
    let Some(node) = node else { return Ok(()) };
    let rows = {
        let mut lane = readers.take().await?;
        lane.query(IS_MINE, &[&node.0], CHANGE).await?
    };
    let is_mine = rows
        .first()
        .map(|row| column::<Option<bool>>(row, "is_mine"));
    if is_mine.transpose()?.flatten() == Some(true) {
        compact(dialer, readers).await?;
    }
    Ok(())
}
