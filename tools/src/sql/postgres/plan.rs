//! The server's plan for a statement, looked through before it runs.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio_postgres::Transaction;

use super::{failed, unusable};
use crate::sql::policy::Policy;
use crate::sql::rows::QueryError;

/// The listed tables with their partitions: the names that a plan may have in it.
const TABLES: &str = "
WITH RECURSIVE part(oid) AS (
    SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::text AND c.relname = ANY ($2::text[])
    UNION SELECT i.inhrelid FROM pg_inherits i JOIN part p ON p.oid = i.inhparent
)
SELECT n.nspname::text, c.relname::text FROM part p
JOIN pg_class c ON c.oid = p.oid JOIN pg_namespace n ON n.oid = c.relnamespace";

/// Fails if the plan for `text` reads anything else than listed tables. Every role may read the server's own tables.
pub(super) async fn check(
    transaction: &Transaction<'_>,
    policy: &Policy,
    text: &str,
) -> Result<(), QueryError> {
    let names: Vec<&str> = policy.tables().map(|table| table.name.as_str()).collect();
    let tables = transaction.query(TABLES, &[&policy.schema, &names]).await;
    let tables = tables.map_err(unusable)?;
    let tables = tables.iter().map(|row| {
        let schema = row.try_get(0).map_err(unusable)?;
        Ok((schema, row.try_get(1).map_err(unusable)?))
    });
    let tables: BTreeSet<(String, String)> = tables.collect::<Result<_, QueryError>>()?;
    let question = format!("EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) {text}");
    let plan = transaction.prepare(&question).await.map_err(failed)?;
    let rows = transaction.query(&plan, &[]).await.map_err(failed)?;
    for row in &rows {
        let plan: Value = row.try_get(0).map_err(failed)?;
        look_through(&plan, &tables)?;
    }
    Ok(())
}

fn look_through(part: &Value, tables: &BTreeSet<(String, String)>) -> Result<(), QueryError> {
    let refused = |what: &str, name: &str| {
        Err(QueryError::Refused {
            why: format!("its plan would {what} {name}"),
        })
    };
    match part {
        Value::Array(parts) => parts.iter().try_for_each(|part| look_through(part, tables)),
        Value::Object(node) => {
            let word = |key: &str| node.get(key).and_then(Value::as_str);
            if let Some(name) = word("Relation Name") {
                let table = (
                    word("Schema").unwrap_or_default().to_owned(),
                    name.to_owned(),
                );
                if !tables.contains(&table) {
                    return refused("read", name);
                }
            }
            let is_call = [
                "Function Name",
                "Function Call",
                "Table Function Name",
                "Table Function Call",
            ];
            if let Some(name) = is_call.into_iter().find_map(word) {
                return refused("call", name);
            }
            if let Some(name) = word("Operation") {
                return refused("do", name);
            }
            node.values()
                .try_for_each(|part| look_through(part, tables))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
