//! The tables: made when they are missing, brought up to date, and refused if they are another's or a newer build's.

use std::time::Duration;

use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use super::error::PostgresError;
use super::facts::Identity;
use super::fault::Fault;
use super::session::Session;
use super::url::PostgresUrl;
use crate::home::opening::OpenMode;

/// The steps from an empty schema to the tables of this build. Steps that were released stay as they are.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// The longest wait for a step, and for another node that makes the same ones.
const MOST: Duration = Duration::from_secs(60);

/// The layout of a schema; a row for each step that was made.
const LAYOUT: &str =
    "CREATE TABLE fm.layout (version int4 PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())";

/// The database in which the tables were made.
const ORIGIN: &str = "SELECT system, timeline, database FROM fm.origin";

/// Sees to it that the schema of `url` has the tables of this build; gives the database in which they were made, if that is
/// known.
pub(super) async fn ready(
    session: &mut Session,
    url: &PostgresUrl,
    mode: OpenMode,
) -> Result<Option<Identity>, PostgresError> {
    let maker = Maker { url };
    match maker.found(session).await? {
        Found::Layout(found) if found == maker.known() => {}
        Found::Layout(found) if found > maker.known() => return Err(maker.newer(found)),
        Found::Foreign => {
            let schema = url.schema.clone();
            return Err(PostgresError::Foreign { schema });
        }
        Found::Nothing if mode == OpenMode::Existing => {
            let schema = url.schema.clone();
            return Err(PostgresError::Missing { schema });
        }
        Found::Layout(_) | Found::Nothing => maker.make(session).await?,
    }
    maker.origin(session).await
}

/// The state of a schema.
enum Found {
    /// It is empty, or not there.
    Nothing,
    /// It has tables, and not those of a store.
    Foreign,
    /// It has the tables of a store, of this layout.
    Layout(i32),
}

struct Maker<'u> {
    url: &'u PostgresUrl,
}

impl Maker<'_> {
    fn known(&self) -> i32 {
        i32::try_from(STEPS.len()).unwrap_or(i32::MAX)
    }

    async fn found(&self, session: &mut Session) -> Result<Found, PostgresError> {
        let schema = &self.url.schema;
        let sql = "
            SELECT count(*) AS tables, count(*) FILTER (WHERE c.relname = 'layout') AS layouts
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v')";
        let rows = session.query(sql, &[schema], MOST).await;
        let counts = |row: &Row| Ok::<_, tokio_postgres::Error>((row.try_get(0)?, row.try_get(1)?));
        let counts = rows.and_then(|rows| Ok(rows.first().map_or(Ok((0, 0)), counts)?));
        match counts.map_err(|fault| self.failed("read the tables", fault))? {
            (0_i64, _) => Ok(Found::Nothing),
            (_, 0_i64) => Ok(Found::Foreign),
            (_, _) => self.layout(session).await.map(Found::Layout),
        }
    }

    async fn layout(&self, session: &mut Session) -> Result<i32, PostgresError> {
        let sql = "SELECT coalesce(max(version), 0) FROM fm.layout";
        let rows = session.query(sql, &[], MOST).await;
        let layout = rows.and_then(|rows| Ok(rows.first().map_or(Ok(0), |row| row.try_get(0))?));
        layout.map_err(|fault| self.failed(&format!("read the schema {}", self.url.schema), fault))
    }

    async fn origin(&self, session: &mut Session) -> Result<Option<Identity>, PostgresError> {
        let rows = session.query(ORIGIN, &[], MOST).await;
        let origin = rows.and_then(|rows| Ok(rows.first().map(Identity::read).transpose()?));
        origin.map_err(|fault| self.failed("read where the tables were made", fault))
    }

    fn newer(&self, found: i32) -> PostgresError {
        PostgresError::NewerLayout {
            schema: self.url.schema.clone(),
            found,
            known: self.known(),
        }
    }

    /// Makes the missing steps, all in one transaction. Of several nodes that begin at once one does it, and the others wait.
    async fn make(&self, session: &mut Session) -> Result<(), PostgresError> {
        let schema = &self.url.schema;
        let failed = |fault| self.failed(&format!("make the tables of the schema {schema}"), fault);
        session.begin(MOST).await.map_err(failed)?;
        // It is held to the end of the transaction. Ownership of worlds never depends on such a lock.
        let lock = "SELECT pg_advisory_xact_lock(hashtext('folkmoot layout'), hashtext($1))";
        session.query(lock, &[schema], MOST).await.map_err(failed)?;
        let found = match self.found(session).await? {
            Found::Layout(found) => found,
            Found::Foreign => {
                return Err(PostgresError::Foreign {
                    schema: schema.clone(),
                });
            }
            Found::Nothing => {
                self.begin(session).await.map_err(failed)?;
                0
            }
        };
        let done = usize::try_from(found).unwrap_or(0);
        for (step, version) in STEPS.iter().zip(1_i32..).skip(done) {
            session.command(step, MOST).await.map_err(failed)?;
            let note = "INSERT INTO fm.layout (version) VALUES ($1)";
            session
                .query(note, &[&version], MOST)
                .await
                .map_err(failed)?;
        }
        session.commit(MOST).await.map_err(failed)?;
        tracing::info!(schema, "the database has the tables of a store");
        Ok(())
    }

    async fn begin(&self, session: &mut Session) -> Result<(), Fault> {
        let schema = &self.url.schema;
        let sql = "SELECT FROM pg_namespace WHERE nspname = $1";
        // Whoever may not make schemas may not even make one that is there.
        if session.query(sql, &[schema], MOST).await?.is_empty() {
            let make = format!("CREATE SCHEMA \"{schema}\"");
            session.command(&make, MOST).await?;
        }
        session.command(LAYOUT, MOST).await
    }

    fn failed(&self, what: &str, fault: Fault) -> PostgresError {
        let source = match fault {
            Fault::Refused(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                return PostgresError::Rights {
                    user: self
                        .url
                        .user
                        .clone()
                        .unwrap_or_else(|| "the user".to_owned()),
                    database: self.url.database.clone(),
                    what: what.to_owned(),
                    source: error.into(),
                };
            }
            Fault::Refused(error) => error.into(),
            Fault::Undone(cause) | Fault::Lost(cause) => cause,
            Fault::Closed => return PostgresError::Closed,
        };
        PostgresError::Server {
            place: self.url.to_string(),
            source,
        }
    }
}
