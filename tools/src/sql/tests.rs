use std::path::{Path, PathBuf};
use std::time::Duration;

use super::gate::{Gate, Passed, STATEMENT_MAX};
use super::policy::{Columns, Dialect, Policy};
use super::refusal::{Part, Refusal};
use super::rows::{Limits, QueryError, Rows};
use super::sqlite::{self, Database, Stop};

mod generated;
#[cfg(feature = "postgres")]
mod postgres;
mod statements;
mod tool;

use statements::{ALLOWED, HOSTILE, NEEDLESS};

/// The engines that a row of the table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    Both,
    Sqlite,
    Postgres,
}

impl On {
    fn is(self, dialect: Dialect) -> bool {
        match self {
            Self::Both => true,
            Self::Sqlite => dialect == Dialect::Sqlite,
            Self::Postgres => dialect == Dialect::Postgres,
        }
    }
}

/// What must never leave the database.
const CANARY: &str = "s3cr3t";

const LIMITS: Limits = Limits {
    rows: 100,
    bytes: 1 << 20,
    time: Duration::from_secs(600),
};

/// So short that a bomb is stopped soon. What else is slower is stopped as well, and was to be.
const SOON: Limits = Limits {
    time: Duration::from_millis(300),
    ..LIMITS
};

/// The tables in the words that both engines read.
const TABLES: &str = "
    CREATE TABLE orders (id INTEGER PRIMARY KEY, amount DOUBLE PRECISION, country VARCHAR(2), made DATE, note TEXT, secret TEXT);
    INSERT INTO orders VALUES (1, 9.5, 'DE', '2026-01-05', 's3cr3t-n', 's3cr3t-1'), (2, 20, 'FR', '2026-02-01', NULL, 's3cr3t-2'),
        (3, 30, 'DE', '2026-03-01', NULL, 's3cr3t-3'), (4, NULL, NULL, NULL, NULL, NULL);
    CREATE INDEX by_country ON orders (country);
    CREATE INDEX by_secret ON orders (secret, country);
    CREATE TABLE countries (code VARCHAR(2), name TEXT);
    INSERT INTO countries VALUES ('DE', 'Germany'), ('FR', 'France');
    CREATE TABLE hidden (a TEXT);
    INSERT INTO hidden VALUES ('s3cr3t-4');
    CREATE VIEW peek AS SELECT secret FROM orders;
";

fn database(folder: &Path) -> PathBuf {
    let path = folder.join("shop.sqlite");
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(TABLES).unwrap();
    path.canonicalize().unwrap()
}

pub(super) fn policy(dialect: Dialect) -> Policy {
    let columns = ["id", "amount", "country", "made"]
        .map(str::to_owned)
        .to_vec();
    Policy::new(
        dialect,
        [
            ("orders".to_owned(), Columns::Listed(columns)),
            ("countries".to_owned(), Columns::All),
        ],
    )
}

fn gate(dialect: Dialect) -> Gate {
    Gate::new(policy(dialect))
}

fn ask(path: &Path, passed: &Passed, limits: Limits) -> Result<Rows, QueryError> {
    sqlite::query(
        &[Database::File(path.to_owned())],
        &policy(Dialect::Sqlite),
        passed,
        limits,
        &Stop::default(),
    )
}

#[test]
fn table_has_120_statements_and_none_twice() {
    let all: std::collections::BTreeSet<&str> = (ALLOWED.iter().chain(HOSTILE))
        .map(|(sql, _)| *sql)
        .chain(NEEDLESS.iter().copied())
        .collect();
    assert_eq!(all.len(), ALLOWED.len() + HOSTILE.len() + NEEDLESS.len());
    assert!(all.len() >= 120, "{}", all.len());
}

/// Fails with all of these lines, if there are any.
#[track_caller]
pub(super) fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

const DIALECTS: [Dialect; 2] = [Dialect::Sqlite, Dialect::Postgres];

#[test]
fn allowed_statements_pass_the_gate() {
    let mut faults = Vec::new();
    for dialect in DIALECTS {
        for (sql, _) in ALLOWED.iter().filter(|(_, on)| on.is(dialect)) {
            if let Err(refusal) = gate(dialect).check(sql) {
                faults.push(format!("{dialect:?}: {sql}\n{refusal}"));
            }
        }
    }
    none(&faults);
}

#[test]
fn sqlite_answers_what_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let mut faults = Vec::new();
    for (sql, _) in ALLOWED.iter().filter(|(_, on)| on.is(Dialect::Sqlite)) {
        let Ok(passed) = gate(Dialect::Sqlite).check(sql) else {
            continue;
        };
        let answer = ask(&path, &passed, LIMITS);
        if answer.is_err() || format!("{answer:?}").contains(CANARY) {
            faults.push(format!("{sql}\n{passed:?}\n{answer:?}"));
        }
    }
    none(&faults);
}

#[test]
fn hostile_statements_are_refused_by_the_gate_in_either_dialect() {
    let mut faults = Vec::new();
    let hostile = HOSTILE.iter().map(|(sql, _)| sql).chain(NEEDLESS);
    for sql in hostile {
        for dialect in DIALECTS {
            if let Ok(passed) = gate(dialect).check(sql) {
                faults.push(format!("{dialect:?}: {sql}\n{passed:?}"));
            }
        }
    }
    none(&faults);
}

#[test]
fn sqlite_alone_stops_what_the_gate_would_have_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let before = std::fs::read(&path).unwrap();
    let mut faults = Vec::new();
    let needless = NEEDLESS.iter().map(|sql| (*sql, On::Postgres));
    for (sql, on) in HOSTILE.iter().copied().chain(needless) {
        let Ok(rows) = ask(&path, &Passed::unseen(sql), SOON) else {
            continue;
        };
        if on.is(Dialect::Sqlite) || format!("{rows:?}").contains(CANARY) {
            faults.push(format!("{sql}\n{rows:?}"));
        }
    }
    none(&faults);
    assert!(
        std::fs::read(&path).unwrap() == before,
        "the database has changed"
    );
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "a file was made beside the database");
}

#[test]
fn a_refusal_names_what_the_statement_named() {
    let refusal = |sql: &str| gate(Dialect::Sqlite).check(sql).unwrap_err();
    let named = |part, name: &str| Refusal::NotListed {
        part,
        name: name.into(),
    };
    assert_eq!(
        refusal("SELECT Secret FROM orders"),
        named(Part::Column, "Secret")
    );
    assert_eq!(
        refusal("SELECT 1 FROM Hidden"),
        named(Part::Table, "Hidden")
    );
    assert_eq!(refusal("SELECT x.id FROM orders"), named(Part::Table, "x"));
    assert_eq!(
        refusal("SELECT pg_sleep(1)"),
        named(Part::Function, "pg_sleep")
    );
    assert_eq!(refusal("SELECT 1; SELECT 2"), Refusal::NotOne { found: 2 });
    assert_eq!(refusal(""), Refusal::NotOne { found: 0 });
    assert_eq!(refusal("DROP TABLE orders"), Refusal::NotAQuery);
}

#[test]
fn long_and_deep_statements_are_refused_and_take_no_stack() {
    let deep = |open: &str, close: &str, times: usize| {
        format!("SELECT {}1{}", open.repeat(times), close.repeat(times))
    };
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let refusal = |sql: &str| gate(dialect).check(sql).unwrap_err();
        assert_eq!(
            refusal(&"x".repeat(STATEMENT_MAX + 1)),
            Refusal::TooLong { max: STATEMENT_MAX }
        );
        for sql in [
            deep("(", ")", 7_000),
            deep("(", ")", 200),
            deep("abs(", ")", 200),
            deep("(SELECT ", ")", 200),
            deep("CASE WHEN ", " THEN 1 END", 200),
            deep("NOT ", "", 3_000),
            deep("- ", "", 4_000),
            deep("1 + ", "", 3_000),
            deep("id IN (", ")", 200),
        ] {
            // Where the parser may try another reading first, it says that the last one fails.
            let refusal = refusal(&sql);
            let is_refused = matches!(refusal, Refusal::TooDeep | Refusal::Malformed { .. });
            assert!(is_refused, "{refusal}: {}", &sql[..40]);
        }
    }
}

#[test]
fn chains_as_models_write_them_pass_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    for word in ["OR", "AND"] {
        let terms: Vec<String> = (0..400).map(|id| format!("id = {id}")).collect();
        let sql = format!(
            "SELECT id FROM orders WHERE {}",
            terms.join(&format!(" {word} "))
        );
        let passed = gate(Dialect::Sqlite).check(&sql).unwrap();
        ask(&path, &passed, LIMITS).unwrap();
    }
}

/// The most memory that this process has had, in bytes.
fn memory_max() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib * 1024
}

#[test]
#[ignore = "it makes ten million rows; the stage `full` of `.ci/run` runs it, alone"]
fn ten_million_rows_take_no_more_memory_and_time_than_they_may() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(
        "INSERT INTO countries WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10000000)
         SELECT hex(x), 'a name of some length, and a number ' || x FROM n",
    )
    .unwrap();
    drop(db);
    let limits = Limits {
        rows: 10_000,
        bytes: 8 << 20,
        time: Duration::from_secs(5),
    };
    let before = memory_max();
    for (sql, is_answered) in [
        ("SELECT * FROM countries", true),
        ("SELECT name FROM countries LIMIT 100", true),
        ("SELECT * FROM countries ORDER BY name DESC", false),
        ("SELECT name, count(*) FROM countries GROUP BY name", false),
        ("SELECT DISTINCT name FROM countries ORDER BY 1", false),
        ("SELECT group_concat(name) FROM countries", false),
        (
            "SELECT count(*) FROM countries a, countries b WHERE a.name < b.name",
            false,
        ),
        (
            "SELECT sum(length(a.name)) FROM countries a CROSS JOIN countries b",
            false,
        ),
        (
            "WITH t AS (SELECT name FROM countries) SELECT count(*) FROM t a JOIN t b ON a.name = b.name",
            false,
        ),
    ] {
        let passed = gate(Dialect::Sqlite).check(sql).unwrap();
        let answer = ask(&path, &passed, limits);
        match &answer {
            Ok(rows) => assert!(is_answered && rows.rows.len() <= 10_000, "{sql}"),
            Err(QueryError::TimedOut | QueryError::TooLarge { .. }) => {
                assert!(!is_answered, "{sql}")
            }
            Err(error) => panic!("{sql}: {error}"),
        }
    }
    let grown = memory_max() - before;
    // The engine counts 256 MiB; what the allocator adds to a sorter's small pieces is about a third.
    assert!(grown < 384 << 20, "{grown} bytes");
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "a file was made beside the database");
}

#[test]
fn what_is_trimmed_by_is_a_short_text_in_quotes() {
    let long = "x".repeat(65);
    for (sql, passes) in [
        ("SELECT trim(country, ' .') FROM orders", true),
        ("SELECT ltrim(country, '0') FROM orders", true),
        ("SELECT trim(country, country) FROM orders", false),
        (
            "SELECT rtrim(country, printf('%.*c', 80000, 'a')) FROM orders",
            false,
        ),
        (
            &format!("SELECT trim(country, '{long}') FROM orders"),
            false,
        ),
    ] {
        assert_eq!(gate(Dialect::Sqlite).check(sql).is_ok(), passes, "{sql}");
    }
}

/// The columns of a row share one text, which the engine's limit of memory does not see.
#[test]
fn a_row_that_is_too_large_is_left_out_before_it_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let columns = vec!["a.x"; 100].join(", ");
    let sql = format!(
        "WITH a AS (SELECT printf('%.*c', 900000, 'a') AS x FROM orders LIMIT 1) SELECT {columns} FROM a"
    );
    let passed = gate(Dialect::Sqlite).check(&sql).unwrap();
    let rows = ask(&path, &passed, LIMITS).unwrap();
    assert!(rows.is_cut && rows.rows.is_empty());
}
