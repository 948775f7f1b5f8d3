//! A look at a database, and at the nodes that share it.

use folkmoot::core::port::Members as _;
use folkmoot::core::port::NodeState;
use folkmoot::core::port::causes::with_causes;
use folkmoot::store::OpenMode;

use super::{DatabaseUrl, ledger};
use crate::exit::{CliError, STORE};
use crate::source::members::{DatabaseView, NodeView};

/// Looks at the database at `url`, and at its nodes.
pub(crate) async fn look_at(url: &DatabaseUrl) -> Result<DatabaseView, CliError> {
    let ledger = ledger(url, OpenMode::Existing).await?;
    let health = ledger.health().await;
    let health = health.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    let nodes = ledger.nodes().await;
    let nodes = nodes.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    let view = |node: NodeState| NodeView {
        node: node.card.node,
        name: node.card.name,
        worlds: node.held,
        room: node.card.room,
        draining: node.card.draining,
        until: node.until,
        is_late: node.is_late,
        offers: node.card.offers.into_iter().collect(),
        advertise: node.card.advertise,
        schema: node.card.schema,
    };
    let due_for_ms = health
        .due_for
        .map(|due| u64::try_from(due.as_millis()).unwrap_or(u64::MAX));
    Ok(DatabaseView {
        nodes: nodes.into_iter().map(view).collect(),
        server: health.version,
        layout: health.layout,
        worlds: health.worlds,
        deleted: health.deleted,
        due: health.due,
        due_for_ms,
        connections: health.connections,
        connections_max: health.connections_max,
        bytes: health.bytes,
        closed: health.closed,
        is_owner: health.is_owner,
        is_synchronous: health.is_synchronous,
        clock_ahead_ms: health.clock_ahead_ms,
        now: health.now,
    })
}
