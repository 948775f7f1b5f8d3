//! The engine's question for each thing that a statement does, and the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::sql::policy::{AllowedTable, Dialect, NUMBER, Policy};

/// The answers to one connection.
#[derive(Debug, Clone)]
pub(super) struct Authorizer {
    /// The things that a statement may name.
    policy: Policy,
    /// The schemas of the databases. Only views know them.
    schemas: Vec<String>,
    /// True as soon as something was refused.
    has_refused: Arc<AtomicBool>,
}

impl Authorizer {
    pub(super) fn new(policy: &Policy, schemas: Vec<String>) -> Self {
        Self {
            policy: policy.clone(),
            schemas,
            has_refused: Arc::default(),
        }
    }

    /// Tells whether something was refused. The engine's codes do not say so of a function.
    pub(super) fn has_refused(&self) -> bool {
        self.has_refused.load(Ordering::Acquire)
    }

    /// Allows reading a listed column of a view, and the listed functions. All else makes the statement fail.
    pub(super) fn answer(&self, context: &AuthContext<'_>) -> Authorization {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "all that is not named is refused"
        )]
        let is_allowed = match context.action {
            AuthAction::Select => true,
            AuthAction::Function { function_name } => {
                let name = function_name.to_ascii_lowercase();
                name == NUMBER || self.policy.has_function(&name)
            }
            AuthAction::Read {
                table_name,
                column_name,
            } => self.reads(context.database_name, table_name, column_name),
            _ => false,
        };
        if is_allowed {
            return Authorization::Allow;
        }
        self.has_refused.store(true, Ordering::Release);
        Authorization::Deny
    }

    /// Tells whether a column may be read. Its name is empty where something is read from, and no column of it.
    fn reads(&self, schema: Option<&str>, table: &str, column: &str) -> bool {
        let Some(schema) = schema else {
            // A query in the place of a table, or a table that is named without its schema.
            return column.is_empty();
        };
        let folded = |name: &str| Dialect::Sqlite.folded(name, true);
        let listed = if schema == "temp" {
            self.policy.table(&folded(table))
        } else {
            let is_it = |listed: &&AllowedTable| {
                let database = self.schemas.get(listed.database);
                database.is_some_and(|database| database == schema)
                    && folded(&listed.inside) == folded(table)
            };
            self.policy.tables().find(is_it)
        };
        listed.is_some_and(|table| column.is_empty() || self.policy.allows(table, column))
    }
}
