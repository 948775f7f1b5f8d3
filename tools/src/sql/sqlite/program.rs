//! The engine's program for a statement, looked through before it runs.
//!
//! The authorizer is not asked about the columns that `USING` and `NATURAL` compare, so that a guess at a hidden value could
//! be tried with them. The program cannot leave out what it opens.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::{failed, schema_of, unprepared, unusable};
use crate::sql::gate::quoted;
use crate::sql::policy::Policy;
use crate::sql::rows::QueryError;

/// The place of the first database among those of the connection, behind `main` and `temp`.
const FIRST: i64 = 2;

/// The pages at which the listed tables and their indexes begin, each behind the place of its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pages(BTreeSet<(i64, i64)>);

impl Pages {
    /// Those of the listed tables. The connection is in a transaction, so that they stay.
    pub(super) fn of(
        connection: &Connection,
        schemas: &[String],
        policy: &Policy,
    ) -> Result<Self, QueryError> {
        let mut pages = BTreeSet::new();
        for table in policy.tables() {
            let question = format!(
                "SELECT rootpage FROM {}.sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE AND rootpage > 0",
                quoted(schema_of(schemas, table)?)
            );
            let place = i64::try_from(table.database).unwrap_or(i64::MAX - FIRST);
            let mut statement = connection.prepare(&question).map_err(unusable)?;
            let found = statement
                .query_map([&table.inside], |row| row.get(0))
                .map_err(unusable)?;
            for page in found {
                pages.insert((FIRST + place, page.map_err(unusable)?));
            }
        }
        Ok(Self(pages))
    }

    /// Fails if the program for `text` opens anything else.
    pub(super) fn check(&self, connection: &Connection, text: &str) -> Result<(), QueryError> {
        let mut statement = connection
            .prepare(&format!("EXPLAIN {text}"))
            .map_err(unprepared)?;
        let mut steps = statement.query([]).map_err(failed)?;
        while let Some(step) = steps.next().map_err(failed)? {
            let word: String = step.get(1).map_err(failed)?;
            let page: i64 = step.get(3).map_err(failed)?;
            let database: i64 = step.get(4).map_err(failed)?;
            let is_allowed = match word.as_str() {
                "OpenRead" | "ReopenIdx" => self.0.contains(&(database, page)),
                "OpenWrite" | "VOpen" | "Vacuum" | "ParseSchema" | "JournalMode" => false,
                _ => true,
            };
            if !is_allowed {
                return Err(QueryError::Refused {
                    why: format!("its program would {word} what is not on the list"),
                });
            }
        }
        Ok(())
    }
}
