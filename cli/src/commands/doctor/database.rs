//! The health of a database, as `folkmoot doctor` tells it.

use crate::arguments::CommonArgs;
use crate::commands::nodes;
use crate::exit::CliError;
use crate::source::members::DatabaseView;
use crate::terminal::Terminal;
use crate::text::{counted, seconds};

/// The connections that a node has at most.
const CONNECTIONS: u64 = 9;

/// The most milliseconds by which a node's clock may be off.
const CLOCK_OFF_MS_MAX: u64 = 2_000;

/// The faults of a database that people should mend, in sentences. A server that would lose commits is refused before.
pub(super) fn faults(common: &CommonArgs, view: &DatabaseView) -> Vec<String> {
    let all = [
        closed(view),
        not_owned(view),
        clock(view),
        crowded(view),
        late(common, view),
        nodes::waiting(common, view),
    ];
    all.into_iter().flatten().collect()
}

fn closed(view: &DatabaseView) -> Option<String> {
    let closed = view.closed.join(", ");
    (!closed.is_empty()).then(|| {
        format!(
            "this login cannot be a node: grant it SELECT, INSERT, UPDATE and DELETE on {closed}."
        )
    })
}

fn not_owned(view: &DatabaseView) -> Option<String> {
    let what = "this login does not own the tables, so that it can erase nothing: use a node of their owner for that.";
    (!view.is_owner).then(|| what.to_owned())
}

fn clock(view: &DatabaseView) -> Option<String> {
    let off = view.clock_ahead_ms.unsigned_abs();
    (off > CLOCK_OFF_MS_MAX).then(|| {
        let off = off_by(view);
        format!("this machine's clock is {off}, so that no node here takes a world: set the clock.")
    })
}

fn off_by(view: &DatabaseView) -> String {
    let side = if view.clock_ahead_ms < 0 {
        "behind"
    } else {
        "ahead of"
    };
    let off = seconds(view.clock_ahead_ms.unsigned_abs());
    format!("{off} {side} the database's")
}

fn crowded(view: &DatabaseView) -> Option<String> {
    let (taken, max) = (view.connections, view.connections_max);
    (taken.saturating_add(CONNECTIONS) > max).then(|| {
        format!(
            "a node needs {CONNECTIONS} connections, and {taken} of {max} are taken: raise max_connections, or put \
             PgBouncer before it."
        )
    })
}

fn late(common: &CommonArgs, view: &DatabaseView) -> Option<String> {
    let late = view.nodes.iter().filter(|node| node.is_late).count();
    let which = format!("`{} nodes` shows which", common.program());
    match late {
        0 => None,
        1 => Some(format!("1 node is past its time: {which}.")),
        late => Some(format!("{late} nodes are past their time: {which}.")),
    }
}

/// Says how a database is.
pub(super) fn tell(
    terminal: &mut Terminal,
    path: &str,
    view: &DatabaseView,
) -> Result<(), CliError> {
    terminal.line(&format!(
        "store {path}: PostgreSQL {}, layout {}, {}, {} deleted, {} bytes",
        view.server,
        view.layout,
        counted(view.worlds, "world"),
        view.deleted,
        view.bytes
    ))?;
    let standby = if view.is_synchronous {
        "a standby has each commit before it is acknowledged"
    } else {
        "no standby is waited for"
    };
    terminal.line(&format!(
        "nodes: {}; {} of {} connections are taken; this machine's clock is {}; {standby}",
        view.nodes.len(),
        view.connections,
        view.connections_max,
        off_by(view)
    ))
}
