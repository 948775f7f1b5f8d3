//! A database that nodes share, and those nodes, as commands show them.

use std::path::Path;

use folkmoot::core::ids::{NodeId, Time};
use folkmoot::core::port::Offer;
use serde::Serialize;

/// The offer of a folder that worlds may need.
pub(crate) fn offer_of(base: &Path) -> String {
    Offer::Base(&base.display().to_string()).to_string()
}

/// A node, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct NodeView {
    pub(crate) node: NodeId,
    /// Its name for people. Several may have the same.
    pub(crate) name: String,
    /// The number of worlds that it has.
    pub(crate) worlds: u64,
    /// The number of worlds that it has room for beside those.
    pub(crate) room: u32,
    /// True if it takes none any more.
    pub(crate) draining: bool,
    /// The end of its membership if it renews no more, by the database's clock.
    pub(crate) until: Time,
    /// True if that is past: it is dead, or cut off, and another node will take its worlds.
    pub(crate) is_late: bool,
    /// The things that it has and worlds may need.
    pub(crate) offers: Vec<String>,
    /// The address at which other nodes read its drafts.
    pub(crate) advertise: Option<String>,
    /// The newest schema of events that it knows.
    pub(crate) schema: u32,
}

/// A database and its nodes, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct DatabaseView {
    /// The version of the server.
    pub(crate) server: String,
    /// The layout of the tables.
    pub(crate) layout: u64,
    pub(crate) worlds: u64,
    pub(crate) deleted: u64,
    /// The number of worlds that are due, and that nobody has.
    pub(crate) due: u64,
    /// How long the first of them has been due.
    pub(crate) due_for_ms: Option<u64>,
    /// The connections to the server, of whatever program.
    pub(crate) connections: u64,
    pub(crate) connections_max: u64,
    pub(crate) bytes: u64,
    /// The tables that the login cannot read and write.
    pub(crate) closed: Vec<String>,
    /// True if the login may have tables written anew, as erasures do.
    pub(crate) is_owner: bool,
    /// True if a second server has each commit before it is acknowledged.
    pub(crate) is_synchronous: bool,
    /// The milliseconds by which this machine's clock is ahead.
    pub(crate) clock_ahead_ms: i64,
    pub(crate) nodes: Vec<NodeView>,
    /// The time, by the database's clock.
    #[serde(skip)]
    pub(crate) now: Time,
}

impl DatabaseView {
    /// The number of nodes that take worlds.
    pub(crate) fn takers(&self) -> usize {
        let takes = |node: &&NodeView| !node.is_late && !node.draining && node.room > 0;
        self.nodes.iter().filter(takes).count()
    }
}

/// A store that was copied into a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CopiedView {
    /// The database, without a password.
    pub(crate) database: String,
    pub(crate) worlds: usize,
    pub(crate) events: u64,
    /// The number of attachments.
    pub(crate) blobs: usize,
    /// The number of attachments that were left out because they are damaged.
    pub(crate) blobs_damaged: usize,
    /// The number of worlds that were deleted in the store; the database does not learn of them.
    pub(crate) deleted: usize,
}
