//! Statements that a generator writes: what passes is never refused by the engine, and no secret comes of it.

use proptest::prelude::*;

use super::{CANARY, LIMITS, SOON, ask, database, gate};
use crate::sql::gate::Passed;
use crate::sql::policy::Dialect;
use crate::sql::rows::QueryError;

/// The number of fair names for each wild one: a statement has dozens, and one wild name is enough to refuse it.
const FAIR: u32 = 60;

/// One of `fair`, or rarely of `wild`.
fn word(fair: &'static [&str], wild: &'static [&str]) -> BoxedStrategy<String> {
    let fair = prop::sample::select(fair).prop_map(str::to_owned);
    let wild = prop::sample::select(wild).prop_map(str::to_owned);
    prop_oneof![FAIR => fair, 1 => wild].boxed()
}

fn name() -> BoxedStrategy<String> {
    word(
        &[
            "id",
            "amount",
            "country",
            "made",
            "o.id",
            "o.amount",
            "\"id\"",
            "`country`",
            "[made]",
        ],
        &[
            "note", "secret", "a", "rowid", "oid", "o.secret", "t.id", "x.id", "`secret`", "code",
            "_rowid_",
        ],
    )
}

fn table() -> BoxedStrategy<String> {
    word(
        &["orders o", "orders AS o", "\"Orders\" o"],
        &[
            "orders",
            "countries o",
            "hidden o",
            "peek o",
            "t o",
            "main.orders o",
            "temp.orders o",
            "sqlite_schema o",
            "json_each('[1]') o",
            "pragma_table_list o",
            "dbstat o",
        ],
    )
}

fn expression() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        6 => name(),
        1 => prop::sample::select(vec!["1", "2.5", "'DE'", "NULL", "'s3cr'", "TRUE", "current_date"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let operator = word(
            &[
                "+", "-", "*", "/", "%", "=", "<>", "<", "AND", "OR", "||", "LIKE", "GLOB", "->>",
            ],
            &["IS", "MATCH", "REGEXP", "~", "IN", "COLLATE"],
        );
        let function = word(
            &[
                "max", "lower", "abs", "coalesce", "length", "typeof", "date", "hex", "quote",
                "trim",
            ],
            &[
                "load_extension",
                "zeroblob",
                "random",
                "fts3_tokenizer",
                "sqlite_version",
                "changes",
                "likely",
            ],
        );
        prop_oneof![
            (inner.clone(), operator, inner.clone())
                .prop_map(|(left, op, right)| format!("({left} {op} {right})")),
            (function, inner.clone()).prop_map(|(function, one)| format!("{function}({one})")),
            (inner.clone(), inner.clone())
                .prop_map(|(one, two)| format!("replace({one}, 'D', coalesce({two}, 1))")),
            inner
                .clone()
                .prop_map(|one| format!("count({one}) FILTER (WHERE id > 1)")),
            inner
                .clone()
                .prop_map(|one| format!("sum(id) OVER (PARTITION BY {one} ORDER BY id)")),
            inner.clone().prop_map(|one| format!("(NOT {one})")),
            inner.clone().prop_map(|one| format!("CAST({one} AS TEXT)")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(one, two, three)| format!(
                "CASE WHEN {one} THEN {two} ELSE {three} END"
            )),
            (inner.clone(), table())
                .prop_map(|(one, table)| format!("(SELECT {one} FROM {table} LIMIT 1)")),
            (inner.clone(), table())
                .prop_map(|(one, table)| format!("EXISTS (SELECT 1 FROM {table} WHERE {one})")),
            (inner.clone(), inner)
                .prop_map(|(one, two)| format!("({one} IN (SELECT {two} FROM orders o))")),
        ]
    })
    .boxed()
}

fn join() -> BoxedStrategy<String> {
    let fair = prop_oneof![
        3 => Just(String::new()),
        1 => expression().prop_map(|on| format!(" JOIN countries c ON {on}")),
        1 => Just(" LEFT JOIN countries AS c ON c.code = country".to_owned()),
        1 => Just(" JOIN (SELECT 1 AS one) AS s ON s.one = id".to_owned()),
        1 => Just(", countries".to_owned()),
    ];
    let wild = prop_oneof![
        (table(), name()).prop_map(|(table, name)| format!(" LEFT JOIN {table} USING ({name})")),
        (name(), name()).prop_map(|(one, two)| format!(
            " FULL JOIN (SELECT 's3cr3t-1' AS {one}) u USING ({two})"
        )),
        table().prop_map(|table| format!(" NATURAL JOIN {table}")),
        table().prop_map(|table| format!(", {table}")),
    ];
    prop_oneof![8 => fair.boxed(), 1 => wild.boxed()].boxed()
}

prop_compose! {
    fn select()(
        items in prop::collection::vec(prop_oneof![4 => expression(), 1 => Just("*".to_owned()), 1 => Just("o.*".to_owned()),
            1 => expression().prop_map(|one| format!("{one} AS secret"))], 1..4),
        from in table(),
        join in join(),
        condition in prop::option::of(expression()),
        group in prop::option::weighted(0.2, name()),
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

fn statement() -> BoxedStrategy<String> {
    prop_oneof![
        4 => select().boxed(),
        1 => (select(), select()).prop_map(|(one, two)| format!("WITH t AS ({one}) {two}")),
        1 => (select(), select()).prop_map(|(one, two)| format!("WITH orders AS ({one}) {two}")),
        1 => (select(), select()).prop_map(|(one, two)| format!("WITH t(id, secret) AS ({one} UNION ALL {two}) SELECT * FROM t")),
        1 => (select(), select()).prop_map(|(one, two)| format!("{one} UNION {two}")),
        1 => (select(), join()).prop_map(|(one, join)| format!("SELECT * FROM ({one}) AS t{join}")),
    ]
    .boxed()
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
}

#[test]
fn the_generator_writes_statements_of_each_fate() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let mut runner = TestRunner::deterministic();
    let (mut passed, mut answered) = (0, 0);
    for _ in 0..400 {
        let sql = statement().new_tree(&mut runner).unwrap().current();
        if let Ok(seen) = gate(Dialect::Sqlite).check(&sql) {
            passed += 1;
            answered += i32::from(ask(&path, &seen, LIMITS).is_ok());
        }
    }
    assert!(
        (100..380).contains(&passed) && answered > 50,
        "{passed} passed, {answered} answered"
    );
}
