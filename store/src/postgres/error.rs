//! The reasons that a database does not serve as a store.

use std::io;
use std::path::PathBuf;

folkmoot_core::debug_in_words!(PostgresError);

/// The cause of a failure, as the client has it.
pub(super) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The words for a pool that mixes up the prepared statements of its clients.
pub(super) const POOLED: &str = "its connections have prepared statements of other clients, or lose ours: give PgBouncer the \
    setting max_prepared_statements = 200, which needs 1.21 or newer, or pool_mode = session";

/// The reason that a database does not serve as a store: what, where, and what to do about it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// Nobody said who logs in.
    #[error("nobody says who logs in to the database; write postgres://USER@…, or set PGUSER")]
    NoUser,
    /// The file with passwords does not read.
    #[error("the file with passwords {path} cannot be read; mend it, or set PGPASSWORD")]
    PasswordFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// Others can read the file with passwords.
    #[error("others can read the file with passwords {0}; run `chmod 600` on it")]
    OpenPasswordFile(PathBuf),
    /// The certificates that the URL names do not read, or the system's.
    #[error("the certificates that the server is checked against cannot be used: {0}")]
    Certificates(String),
    /// No server answers there.
    #[error(
        "the database server at {place} cannot be reached; see whether it runs and listens there"
    )]
    Unreachable {
        /// The host and port, or all of them.
        place: String,
        /// The reason.
        #[source]
        source: Cause,
    },
    /// The server does not let the user in.
    #[error(
        "the database server at {place} does not let {user} in; give the right password in the URL, in PGPASSWORD or in \
         .pgpass, or let the user in with pg_hba.conf"
    )]
    Login {
        /// The host and port.
        place: String,
        /// The user.
        user: String,
        /// The server's words.
        #[source]
        source: Cause,
    },
    /// The server has no database of that name.
    #[error(
        "the server at {place} has no database {database}; make it with `createdb {database}`, or name another one"
    )]
    NoDatabase {
        /// The host and port.
        place: String,
        /// The database.
        database: String,
    },
    /// The server has no connection left.
    #[error(
        "the database server at {place} takes no more connections; a node needs {needed}, so raise max_connections or put \
         PgBouncer before it", needed = super::CONNECTIONS
    )]
    Crowded {
        /// The host and port.
        place: String,
        /// The server's words.
        #[source]
        source: Cause,
    },
    /// The user may not do what a store needs.
    #[error(
        "{user} may not {what} in the database {database}; let its owner do it once, or grant the right"
    )]
    Rights {
        /// The user.
        user: String,
        /// The database.
        database: String,
        /// The missing right.
        what: String,
        /// The server's words.
        #[source]
        source: Cause,
    },
    /// The server is too old.
    #[error("the database server at {place} is PostgreSQL {found}; it has to be 14 or newer")]
    OldServer {
        /// The host and port.
        place: String,
        /// Its version.
        found: String,
    },
    /// A setting of the server would lose what was acknowledged, or change it.
    #[error(
        "the database server at {place} has {setting} = {found}, which {why}; set it to {wanted}"
    )]
    Setting {
        /// The host and port.
        place: String,
        /// The setting.
        setting: &'static str,
        /// Its value.
        found: String,
        /// The harm in it.
        why: &'static str,
        /// A value that serves.
        wanted: &'static str,
    },
    /// The server takes no writes.
    #[error(
        "the database server at {place} only reads: it is a standby, or was set so; name the primary"
    )]
    ReadOnly {
        /// The host and port.
        place: String,
    },
    /// A pool lends its connections to one client after the other, and their prepared statements with them.
    #[error("the database server at {place} is behind a pool, and {POOLED}")]
    Pooled {
        /// The host and port.
        place: String,
    },
    /// The tables are of a newer build.
    #[error(
        "the schema {schema} has layout {found}; this build knows layouts up to {known}, use a newer one"
    )]
    NewerLayout {
        /// The schema.
        schema: String,
        /// The layout that was found.
        found: i32,
        /// The newest that this build knows.
        known: i32,
    },
    /// The schema belongs to somebody else.
    #[error(
        "the schema {schema} has tables that are no store's; name another one with ?schema=NAME"
    )]
    Foreign {
        /// The schema.
        schema: String,
    },
    /// There is no store, and the caller wanted an existing one.
    #[error(
        "the database has no store in its schema {schema}; start a node to make one, or name another schema"
    )]
    Missing {
        /// The schema.
        schema: String,
    },
    /// Behind the same URL there is another database than before.
    #[error(
        "the database server at {place} is another one than before; stop this process, and see what the URL names"
    )]
    Replaced {
        /// The host and port.
        place: String,
    },
    /// The server does not know that another one took over from it.
    #[error(
        "the database server at {place} is in history {found}, and this process has seen {known}: it was the primary before another \
         server took over, so stop it; if it was set back on purpose, start this process anew"
    )]
    Outdated {
        /// The host and port.
        place: String,
        /// The number of its history.
        found: u32,
        /// The greatest number that was seen.
        known: u32,
    },
    /// The ledger was closed.
    #[error("the ledger is closed")]
    Closed,
    /// The server failed in another way.
    #[error("the database server at {place} failed")]
    Server {
        /// The host and port.
        place: String,
        /// Its words.
        #[source]
        source: Cause,
    },
}
