use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sqlite::Stop;
use super::{Columns, Dialect, Gate, Limits, Passed, Policy, QueryError, Rows, sqlite};

const LIMITS: Limits = Limits {
    rows: 100,
    bytes: 1 << 20,
    time: Duration::from_secs(600),
};

fn database(folder: &Path) -> PathBuf {
    let path = folder.join("shop.sqlite");
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, amount REAL, country TEXT, secret TEXT);
         INSERT INTO orders VALUES (1, 9.5, 'DE', 's3cr3t-1'), (2, 20, 'FR', 's3cr3t-2'), (3, 30, 'DE', 's3cr3t-3');
         CREATE TABLE hidden (a TEXT); INSERT INTO hidden VALUES ('s3cr3t-4');",
    )
    .unwrap();
    path.canonicalize().unwrap()
}

fn policy() -> Policy {
    let columns = ["id", "amount", "country"].map(str::to_owned).to_vec();
    Policy::new(
        Dialect::Sqlite,
        [("orders".to_owned(), Columns::Listed(columns))],
    )
}

fn run(path: &Path, passed: &Passed) -> Result<Rows, QueryError> {
    sqlite::query(path, &policy(), passed, LIMITS, &Stop::default())
}

#[test]
fn probe() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let gate = Gate::new(policy());
    for sql in [
        "SELECT * FROM orders",
        "select country, sum(amount) s, count(*) from Orders o where o.country like 'D%' group by 1 having s > 1 order by s desc limit 5",
        "with t as (select id from orders) select t.id, (select max(amount) from orders where id = t.id) from t join orders using (id)",
        "(select 1) union select 2 order by 1",
        "select a or b or 1=1 and 2=2 from (select 1 as a, 2 as b)",
        "select secret from orders",
        "select rowid from orders",
        "select 'x' from hidden",
        "select current_date",
        "select id -> 'x' from orders where not id in (1,2) and id between 1 and 5",
    ] {
        let passed = gate.check(sql);
        eprintln!("{sql}\n   {passed:?}");
        if let Ok(p) = passed {
            eprintln!("   {:?}", run(&path, &p));
        }
    }
    for sql in [
        "select secret from orders",
        "select secret from main.orders",
        "select id from main.orders",
        "select count(*) from main.orders",
        "select 1 from main.orders join (select 's3cr3t-1' as secret) using (secret)",
        "with orders as (select 1 from main.orders join (select 's3cr3t-1' as secret) using (secret)) select count(*) from orders",
        "with orders as (select 1 as x from main.orders natural join (select 's3cr3t-1' as secret)) select count(*) from orders",
        "with orders as (select secret from main.orders) select * from orders",
        "with orders as (select rowid from main.orders) select * from orders",
        "with orders as (select * from main.hidden) select * from orders",
        "select * from hidden",
        "select count(*) from hidden",
        "select * from sqlite_schema",
        "select * from temp.sqlite_schema",
        "select * from json_each('[1,2]')",
        "with recursive t(x) as (select 1 union all select x+1 from t) select count(*) from t",
        "select * from pragma_table_list",
        "pragma table_list",
        "attach ':memory:' as x",
        "insert into orders values (1,2,3)",
        "select load_extension('x')",
        "select randomblob(10)",
        "create temp table t (a)",
        "drop view orders",
        "explain select 1",
        "begin",
        "vacuum into '/tmp/x'",
        "select 1; select 2",
        "select zeroblob(100000000)",
        "select secret from orders full join (select null as secret) using (secret)",
        "select sql from sqlite_temp_master full join (select null as sql) using (sql)",
        "select 1 from json_each('[1]') join (select 1 as value) using (value)",
        "select 1 from hidden join (select 's3cr3t-4' as a) using (a)",
        "select 1 from hidden full join (select 's3cr3t-4' as a) using (a)",
        "select a from hidden full join (select 's3cr3t-4' as a) using (a)",
        "select 1 from dbstat join (select 'hidden' as name) using (name)",
        "select 1 from pragma_table_list join (select 'hidden' as name) using (name)",
        "select 1 from orders join (select 'DE' as country) using (country)",
        "select 1 from sqlite_schema",
        "select count(*) from orders where country glob 'D*'",
        "select \"nope\"",
    ] {
        eprintln!("{sql}\n   {:?}", run(&path, &Passed::unseen(sql)));
    }
}
