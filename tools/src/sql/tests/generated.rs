//! Statements that a generator writes: what passes is never refused by the engine, and no secret comes of it.

use proptest::prelude::*;

use super::{CANARY, LIMITS, SOON, ask, database, gate};
use crate::sql::gate::Passed;
use crate::sql::policy::Dialect;
use crate::sql::rows::QueryError;

/// Names that are on the list, are not, or mean something to the engine.
fn name() -> impl Strategy<Value = String> {
    let names = [
        "id",
        "amount",
        "country",
        "made",
        "note",
        "secret",
        "a",
        "code",
        "name",
        "rowid",
        "oid",
        "t",
        "u",
        "o.id",
        "o.secret",
        "t.id",
        "orders.amount",
        "countries.name",
        "\"id\"",
        "`secret`",
        "[made]",
        "x",
    ];
    prop::sample::select(names.to_vec()).prop_map(str::to_owned)
}

fn table() -> impl Strategy<Value = String> {
    let tables = [
        "orders",
        "orders o",
        "orders AS t",
        "countries",
        "countries t",
        "hidden",
        "peek",
        "t",
        "u",
        "main.orders",
        "temp.orders",
        "sqlite_schema",
        "json_each('[1]')",
        "pragma_table_list",
        "\"Orders\"",
        "dbstat",
    ];
    prop::sample::select(tables.to_vec()).prop_map(str::to_owned)
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => name(),
        1 => prop::sample::select(vec!["1", "2.5", "'DE'", "NULL", "'s3cr'", "TRUE", "current_date"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let operators = vec![
            "+", "-", "*", "/", "%", "=", "<>", "<", "AND", "OR", "||", "LIKE", "GLOB", "IS",
            "->>", "IN",
        ];
        let functions = vec![
            "count",
            "sum",
            "max",
            "lower",
            "replace",
            "coalesce",
            "length",
            "group_concat",
            "load_extension",
            "zeroblob",
            "random",
            "printf",
            "substr",
            "iif",
            "date",
            "json_extract",
            "row_number() OVER",
        ];
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(operators),
                inner.clone()
            )
                .prop_map(|(left, op, right)| format!("({left} {op} {right})")),
            (
                prop::sample::select(functions),
                prop::collection::vec(inner.clone(), 0..3)
            )
                .prop_map(|(function, arguments)| format!("{function}({})", arguments.join(", "))),
            inner.clone().prop_map(|one| format!("NOT {one}")),
            inner.clone().prop_map(|one| format!("CAST({one} AS TEXT)")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(one, two, three)| format!(
                "CASE WHEN {one} THEN {two} ELSE {three} END"
            )),
            (inner.clone(), table())
                .prop_map(|(one, table)| format!("(SELECT {one} FROM {table} LIMIT 1)")),
            (inner.clone(), table())
                .prop_map(|(one, table)| format!("EXISTS (SELECT 1 FROM {table} WHERE {one})")),
            (inner.clone(), inner)
                .prop_map(|(one, two)| format!("{one} IN (SELECT {two} FROM orders)")),
        ]
    })
}

fn join() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        table().prop_map(|table| format!(", {table}")),
        (table(), expression()).prop_map(|(table, on)| format!(" JOIN {table} ON {on}")),
        (table(), name()).prop_map(|(table, name)| format!(" LEFT JOIN {table} USING ({name})")),
        (name(), name()).prop_map(|(one, two)| format!(
            " FULL JOIN (SELECT 's3cr3t-1' AS {one}) u USING ({two})"
        )),
        table().prop_map(|table| format!(" NATURAL JOIN {table}")),
    ]
}

prop_compose! {
    fn select()(
        items in prop::collection::vec(prop_oneof![4 => expression(), 1 => Just("*".to_owned()), 1 => Just("o.*".to_owned()),
            1 => expression().prop_map(|one| format!("{one} AS secret"))], 1..4),
        from in table(),
        join in join(),
        condition in prop::option::of(expression()),
        group in prop::option::of(name()),
        order in prop::option::of(expression()),
    ) -> String {
        let mut sql = format!("SELECT {} FROM {from}{join}", items.join(", "));
        for (word, part) in [("WHERE", condition), ("GROUP BY", group), ("ORDER BY", order)] {
            if let Some(part) = part {
                sql = format!("{sql} {word} {part}");
            }
        }
        sql
    }
}

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(),
        1 => (select(), select()).prop_map(|(one, two)| format!("WITH t AS ({one}) {two}")),
        1 => (select(), select()).prop_map(|(one, two)| format!("WITH orders AS ({one}) {two}")),
        1 => (select(), select()).prop_map(|(one, two)| format!("WITH t(id, secret) AS ({one} UNION ALL {two}) SELECT * FROM t")),
        1 => (select(), select()).prop_map(|(one, two)| format!("{one} UNION {two}")),
        1 => (select(), join()).prop_map(|(one, join)| format!("SELECT * FROM ({one}) AS t{join}")),
    ]
}

/// A guess that the statement itself has in it comes back without the database.
fn tells(statement: &str, rows: &str) -> bool {
    rows.contains(CANARY) && !statement.contains(CANARY)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_passes_is_never_refused_by_sqlite_and_tells_no_secret(sql in statement()) {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        if let Ok(passed) = gate(Dialect::Sqlite).check(&sql) {
            let answer = ask(&path, &passed, LIMITS);
            prop_assert!(!matches!(answer, Err(QueryError::Refused { .. })), "{}\n{:?}\n{:?}", sql, passed, answer);
            prop_assert!(!tells(&sql, &format!("{answer:?}")), "{}\n{:?}\n{:?}", sql, passed, answer);
        }
    }

    #[test]
    fn sqlite_alone_tells_no_secret(sql in statement()) {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        if let Ok(rows) = ask(&path, &Passed::unseen(&sql), SOON) {
            prop_assert!(!tells(&sql, &format!("{rows:?}")), "{}\n{:?}", sql, rows);
        }
    }

    #[test]
    fn what_passes_passes_again_in_its_new_words(sql in statement()) {
        // It names the views by their schema, which no statement may: without that it is the same again.
        if let Ok(passed) = gate(Dialect::Sqlite).check(&sql) {
            let again = passed.text().replace("\"temp\".", "");
            let again = gate(Dialect::Sqlite).check(&again);
            prop_assert!(again.is_ok(), "{}\n{:?}\n{:?}", sql, passed, again);
        }
    }
}
