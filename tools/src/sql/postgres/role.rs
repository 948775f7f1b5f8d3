//! The role, which is the gate: it must be able to do no more than the tool.

use tokio_postgres::Transaction;

use super::unusable;
use crate::sql::policy::{Columns, Policy};
use crate::sql::rows::QueryError;

/// The most faults that an error names.
const FAULTS_MAX: i64 = 5;

/// What a role may do that no role of such a tool may: a line for each, in the words of the error. `$1`: the schema of the
/// tables; `$2`: their names; `$3`: for each, whether all columns are on the list; `$4` and `$5`: the columns on it, with the
/// names of their tables.
const FAULTS: &str = "
WITH me AS (SELECT * FROM pg_roles WHERE rolname = current_user),
listed AS (
    SELECT t.name, t.is_all, c.oid, c.relkind
    FROM unnest($2::text[], $3::bool[]) AS t(name, is_all)
    LEFT JOIN pg_namespace n ON n.nspname = $1::text
    LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.name
),
places AS (
    SELECT oid, nspname FROM pg_namespace
    WHERE nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg\\_toast%' AND nspname NOT LIKE 'pg\\_temp%'
),
relations AS (
    SELECT c.oid, format('%I.%I', p.nspname, c.relname) AS name
    FROM pg_class c JOIN places p ON p.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
)
SELECT fault FROM (
    SELECT 1, 'it is a superuser' FROM me WHERE rolsuper
    UNION ALL SELECT 2, 'it may make roles' FROM me WHERE rolcreaterole
    UNION ALL SELECT 2, 'it may make databases' FROM me WHERE rolcreatedb
    UNION ALL SELECT 2, 'it may replicate' FROM me WHERE rolreplication
    UNION ALL SELECT 2, 'it passes by the policies of rows' FROM me WHERE rolbypassrls
    UNION ALL SELECT 3, format('it is a member of %I', r.rolname) FROM pg_roles r, me
        WHERE r.rolname LIKE 'pg\\_%' AND NOT me.rolsuper AND pg_has_role(me.oid, r.oid, 'MEMBER')
    UNION ALL SELECT 4, format('it may make things in the database %I', current_database())
        WHERE has_database_privilege(current_database(), 'CREATE')
    UNION ALL SELECT 4, format('it may make things in the schema %I', nspname) FROM places
        WHERE has_schema_privilege(oid, 'CREATE')
    UNION ALL SELECT 5, format('it may change %s', name) FROM relations
        WHERE has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            OR has_any_column_privilege(oid, 'INSERT, UPDATE, REFERENCES')
    UNION ALL SELECT 6, format('it may call %s, which acts with the rights of another role', p.oid::regprocedure)
        FROM pg_proc p JOIN places n ON n.oid = p.pronamespace
        WHERE p.prosecdef AND has_function_privilege(p.oid, 'EXECUTE')
    UNION ALL SELECT 7, format('there is no table %I.%I', $1::text, name) FROM listed WHERE oid IS NULL
    UNION ALL SELECT 7, format('%I.%I is no table: list tables alone', $1::text, name) FROM listed
        WHERE relkind NOT IN ('r', 'p')
    UNION ALL SELECT 8, format('it may read %s, which is not listed', name) FROM relations r
        WHERE has_any_column_privilege(oid, 'SELECT') AND NOT EXISTS (SELECT 1 FROM listed l WHERE l.oid = r.oid)
    UNION ALL SELECT 9, format('it may read the column %I of %I, which is not listed', a.attname, l.name)
        FROM listed l JOIN pg_attribute a ON a.attrelid = l.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE NOT l.is_all AND has_column_privilege(l.oid, a.attnum, 'SELECT')
            AND NOT EXISTS (SELECT 1 FROM unnest($4::text[], $5::text[]) AS c(name, within)
                WHERE c.name = a.attname AND c.within = l.name)
) AS faults(place, fault) ORDER BY place, fault LIMIT $6::int8";

/// Fails unless the role of the connection can do nothing but read what is listed.
pub(super) async fn check(
    transaction: &Transaction<'_>,
    policy: &Policy,
) -> Result<(), QueryError> {
    let names: Vec<&str> = policy.tables().map(|table| table.name.as_str()).collect();
    let is_all: Vec<bool> = policy
        .tables()
        .map(|table| table.columns == Columns::All)
        .collect();
    let columns: Vec<(&str, &str)> = policy
        .tables()
        .flat_map(|table| {
            let columns = match &table.columns {
                Columns::All => &[],
                Columns::Listed(columns) => columns.as_slice(),
            };
            columns
                .iter()
                .map(|column| (column.as_str(), table.name.as_str()))
        })
        .collect();
    let (columns, within): (Vec<&str>, Vec<&str>) = columns.into_iter().unzip();
    let faults = transaction
        .query(
            FAULTS,
            &[
                &policy.schema,
                &names,
                &is_all,
                &columns,
                &within,
                &FAULTS_MAX,
            ],
        )
        .await
        .map_err(unusable)?;
    let faults = faults.iter().map(|row| row.try_get(0).map_err(unusable));
    let faults: Vec<String> = faults.collect::<Result<_, _>>()?;
    if faults.is_empty() {
        return Ok(());
    }
    Err(QueryError::Unusable {
        why: format!(
            "its role can do more than this tool may: {}. Give the tool a role of its own that can only read what is listed",
            faults.join("; ")
        ),
    })
}
