//! The statements, with their verdicts.
//!
//! `orders` has the columns id, amount, country and made on the list, and beside them note and secret; of `countries` all are on
//! it; `hidden` and the view `peek` are not.

use super::On::{self, Both, Postgres, Sqlite};

/// Statements that pass the gate and that the engines answer.
pub(super) const ALLOWED: &[(&str, On)] = &[
    ("SELECT id, amount FROM orders", Both),
    ("SELECT * FROM orders", Both),
    ("select * from ORDERS", Both),
    ("SELECT o.* FROM orders AS o", Both),
    ("SELECT orders.id FROM orders;", Both),
    ("SELECT \"id\" FROM \"orders\"", Both),
    ("SELECT `id`, [amount] FROM [orders]", Sqlite),
    ("SELECT 1", Both),
    ("VALUES (1, 'a'), (2, 'b')", Both),
    ("SELECT 'it''s; -- no comment /* at all */' AS words", Both),
    ("SELECT 1 -- a comment\n, 2 /* another */", Both),
    (
        "SELECT 'PRAGMA; ATTACH secret hidden' AS words FROM orders",
        Both,
    ),
    (
        "SELECT country, count(*), sum(amount) FROM orders GROUP BY country",
        Both,
    ),
    (
        "SELECT country, avg(amount) AS mean FROM orders GROUP BY 1 HAVING count(*) > 1 ORDER BY mean DESC",
        Both,
    ),
    (
        "SELECT DISTINCT country FROM orders ORDER BY country LIMIT 2 OFFSET 1",
        Both,
    ),
    (
        "SELECT DISTINCT ON (country) country, id FROM orders ORDER BY country, id",
        Postgres,
    ),
    (
        "SELECT id FROM orders ORDER BY amount DESC NULLS LAST, id ASC LIMIT 10",
        Both,
    ),
    ("SELECT id FROM orders LIMIT 1, 2", Sqlite),
    ("SELECT id FROM orders FETCH FIRST 2 ROWS ONLY", Postgres),
    ("SELECT count(DISTINCT country) FROM orders", Both),
    (
        "SELECT count(*) FILTER (WHERE amount > 10) FROM orders",
        Both,
    ),
    ("SELECT min(made), max(made) FROM orders", Both),
    ("SELECT replace(country, 'D', 'd') FROM orders", Both),
    ("SELECT upper(country) || '!' FROM orders", Both),
    (
        "SELECT substr(country, 1, 1), trim(country), length(country) FROM orders",
        Both,
    ),
    (
        "SELECT substring(country FROM 1 FOR 1) FROM orders",
        Postgres,
    ),
    (
        "SELECT coalesce(amount, 0), nullif(country, 'DE') FROM orders",
        Both,
    ),
    (
        "SELECT round(amount, 1), abs(amount) FROM orders WHERE id < 0",
        Sqlite,
    ),
    (
        "SELECT CASE WHEN amount > 20 THEN 'big' ELSE 'small' END AS size, count(*) FROM orders GROUP BY size",
        Both,
    ),
    (
        "SELECT CASE country WHEN 'DE' THEN 1 WHEN 'FR' THEN 2 END FROM orders",
        Both,
    ),
    (
        "SELECT CAST(amount AS INTEGER), CAST(id AS TEXT) FROM orders",
        Both,
    ),
    ("SELECT amount::integer, id::text FROM orders", Postgres),
    (
        "SELECT id FROM orders WHERE country = 'DE' AND (amount > 5 OR amount IS NULL)",
        Both,
    ),
    ("SELECT id FROM orders WHERE NOT country <> 'DE'", Both),
    (
        "SELECT id FROM orders WHERE country IN ('DE', 'FR') AND id NOT IN (7, 8)",
        Both,
    ),
    (
        "SELECT id FROM orders WHERE country IN (SELECT code FROM countries)",
        Both,
    ),
    (
        "SELECT id FROM orders WHERE amount BETWEEN 1 AND 100 AND id NOT BETWEEN 90 AND 99",
        Both,
    ),
    (
        "SELECT id FROM orders WHERE country LIKE 'D%' OR country NOT LIKE '_R'",
        Both,
    ),
    (
        "SELECT id FROM orders WHERE country LIKE 'D!%' ESCAPE '!'",
        Both,
    ),
    ("SELECT id FROM orders WHERE country ILIKE 'd%'", Postgres),
    ("SELECT id FROM orders WHERE country GLOB 'D*'", Sqlite),
    (
        "SELECT id FROM orders WHERE country = 'de' COLLATE NOCASE",
        Sqlite,
    ),
    ("SELECT id FROM orders WHERE (amount > 5) IS TRUE", Both),
    (
        "SELECT id FROM orders WHERE amount IS NOT DISTINCT FROM 20",
        Both,
    ),
    (
        "SELECT -amount, +amount, amount * 2 - 1, amount / 2 FROM orders",
        Both,
    ),
    ("SELECT id % 2, id & 1, id | 2 FROM orders", Both),
    ("SELECT 1.5, .5, 1e3, TRUE, FALSE, NULL", Both),
    (
        "SELECT o.id, c.name FROM orders o JOIN countries c ON c.code = o.country",
        Both,
    ),
    (
        "SELECT o.id, c.name FROM orders o LEFT JOIN countries c ON c.code = o.country WHERE c.code IS NULL",
        Both,
    ),
    (
        "SELECT o.id FROM orders o, countries c WHERE c.code = o.country",
        Both,
    ),
    ("SELECT count(*) FROM orders CROSS JOIN countries", Both),
    (
        "SELECT one.id FROM orders one JOIN orders other USING (id)",
        Both,
    ),
    (
        "SELECT o.id FROM (orders o JOIN countries c ON c.code = o.country)",
        Both,
    ),
    (
        "SELECT t.country, t.total FROM (SELECT country, sum(amount) AS total FROM orders GROUP BY country) t",
        Both,
    ),
    (
        "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM countries c WHERE c.code = o.country)",
        Both,
    ),
    (
        "SELECT id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM countries WHERE code = o.country)",
        Both,
    ),
    (
        "SELECT id, (SELECT name FROM countries c WHERE c.code = o.country) AS name FROM orders o",
        Both,
    ),
    (
        "SELECT id FROM orders WHERE amount = (SELECT max(amount) FROM orders)",
        Both,
    ),
    (
        "SELECT id FROM orders WHERE (id, country) IN ((1, 'DE'))",
        Postgres,
    ),
    (
        "WITH big AS (SELECT id, amount FROM orders WHERE amount > 10) SELECT count(*) FROM big",
        Both,
    ),
    (
        "WITH big AS (SELECT id, amount FROM orders), bigger AS (SELECT id FROM big) SELECT * FROM bigger",
        Both,
    ),
    (
        "WITH t(a, b) AS (SELECT id, amount FROM orders) SELECT a, b FROM t WHERE b > 1",
        Both,
    ),
    (
        "WITH t AS MATERIALIZED (SELECT id FROM orders) SELECT id FROM t",
        Postgres,
    ),
    (
        "WITH orders AS (SELECT code FROM countries) SELECT code FROM orders",
        Both,
    ),
    (
        "WITH secret AS (SELECT 1 AS hidden) SELECT hidden FROM secret",
        Both,
    ),
    ("SELECT id FROM orders UNION SELECT 7", Both),
    (
        "SELECT id FROM orders UNION ALL SELECT id FROM orders ORDER BY id",
        Both,
    ),
    ("SELECT id FROM orders EXCEPT SELECT 1", Both),
    ("SELECT 1 UNION SELECT 2 INTERSECT SELECT 2", Both),
    ("(SELECT id FROM orders LIMIT 1) UNION (SELECT 2)", Both),
    (
        "SELECT id, row_number() OVER (PARTITION BY country ORDER BY amount DESC) AS place FROM orders",
        Both,
    ),
    (
        "SELECT id, sum(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders",
        Both,
    ),
    (
        "SELECT id, lag(amount, 1) OVER (ORDER BY id) FROM orders",
        Both,
    ),
    (
        "SELECT strftime('%Y', made), date(made), julianday(made) FROM orders",
        Sqlite,
    ),
    (
        "SELECT date_trunc('month', made), EXTRACT(YEAR FROM made) FROM orders",
        Postgres,
    ),
    (
        "SELECT id FROM orders WHERE made >= DATE '2026-01-01' AND made < now() + INTERVAL '1 day'",
        Postgres,
    ),
    (
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM orders",
        Postgres,
    ),
    (
        "SELECT string_agg(country, ',' ORDER BY country) FROM orders",
        Both,
    ),
    ("SELECT group_concat(country) FROM orders", Sqlite),
    (
        "SELECT iif(amount > 1, 'a', 'b'), typeof(amount), instr(country, 'E') FROM orders",
        Sqlite,
    ),
    (
        "SELECT json_extract('{\"a\": 1}', '$.a'), '{\"a\": 1}' ->> 'a'",
        Sqlite,
    ),
    ("SELECT current_date, CURRENT_TIMESTAMP", Both),
    ("SELECT position('E' IN country) FROM orders", Postgres),
    ("SELECT ceil(1.5), floor(1.5)", Postgres),
    ("SELECT id FROM public.orders", Postgres),
    (
        "SELECT 1 FROM orders /* /* */ WHERE secret = 'in a comment' */",
        Postgres,
    ),
];

/// Statements that the gate refuses, and that the engine of this kind stops alone.
pub(super) const HOSTILE: &[(&str, On)] = &[
    // Columns and tables that are not on the list, by every way to them.
    ("SELECT secret FROM orders", Both),
    ("SELECT o.secret FROM orders AS o", Both),
    ("SELECT \"secret\" FROM \"orders\"", Both),
    ("SELECT [secret] FROM orders", Sqlite),
    ("SELECT `secret` FROM orders", Sqlite),
    ("SELECT SECRET FROM orders", Both),
    ("SELECT id FROM orders WHERE secret LIKE 's%'", Both),
    ("SELECT id FROM orders ORDER BY secret", Both),
    ("SELECT count(*) FROM orders GROUP BY secret", Both),
    (
        "SELECT count(*) FROM orders GROUP BY id HAVING max(secret) > ''",
        Both,
    ),
    ("SELECT max(secret) FROM orders", Both),
    (
        "SELECT count(*) FILTER (WHERE secret = 'x') FROM orders",
        Both,
    ),
    ("SELECT rank() OVER (ORDER BY secret) FROM orders", Both),
    (
        "SELECT CASE WHEN secret > 'm' THEN 1 ELSE 0 END FROM orders",
        Both,
    ),
    ("SELECT (SELECT secret FROM orders LIMIT 1)", Both),
    (
        "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM orders WHERE secret = 's3cr3t-1')",
        Both,
    ),
    ("SELECT t.s FROM (SELECT secret AS s FROM orders) t", Both),
    (
        "WITH t AS (SELECT secret FROM orders) SELECT * FROM t",
        Both,
    ),
    (
        "WITH orders AS (SELECT secret FROM orders) SELECT secret FROM orders",
        Both,
    ),
    (
        "SELECT id FROM orders UNION SELECT secret FROM orders",
        Both,
    ),
    (
        "SELECT 1 FROM orders JOIN (SELECT 's3cr3t-1' AS secret) g USING (secret)",
        Both,
    ),
    (
        "SELECT 1 FROM orders o JOIN orders p ON o.secret = p.secret",
        Both,
    ),
    ("SELECT rowid, secret FROM orders", Both),
    ("SELECT * FROM hidden", Both),
    ("SELECT count(*) FROM hidden", Both),
    ("SELECT a FROM hidden", Both),
    (
        "SELECT 1 FROM hidden JOIN (SELECT 's3cr3t-4' AS a) g USING (a)",
        Both,
    ),
    (
        "SELECT 1 FROM hidden NATURAL JOIN (SELECT 's3cr3t-4' AS a) g",
        Both,
    ),
    (
        "SELECT a FROM hidden FULL JOIN (SELECT '' AS a) g USING (a)",
        Both,
    ),
    (
        "SELECT id FROM orders WHERE id IN (SELECT length(a) FROM hidden)",
        Both,
    ),
    ("SELECT id FROM orders WHERE id IN hidden", Both),
    ("SELECT id FROM orders, hidden", Both),
    (
        "SELECT id FROM orders UNION ALL SELECT length(a) FROM hidden",
        Both,
    ),
    ("SELECT * FROM peek", Both),
    ("SELECT \"orders \".id FROM hidden AS \"orders \"", Both),
    ("SELECT * FROM main.orders", Both),
    ("SELECT secret FROM main.orders", Both),
    (
        "SELECT 1 FROM main.orders JOIN (SELECT 's3cr3t-1' AS secret) g USING (secret)",
        Both,
    ),
    (
        "WITH orders AS (SELECT 1 AS one FROM main.orders NATURAL JOIN (SELECT 's3cr3t-1' AS secret)) SELECT * FROM orders",
        Both,
    ),
    ("SELECT * FROM temp.sqlite_schema", Both),
    ("SELECT secret FROM public.orders", Both),
    ("TABLE hidden", Both),
    // The engine's own tables.
    ("SELECT * FROM sqlite_schema", Both),
    ("SELECT sql FROM sqlite_master", Both),
    (
        "SELECT 1 FROM sqlite_master JOIN (SELECT 'hidden' AS name) USING (name)",
        Both,
    ),
    ("SELECT * FROM pragma_table_list", Both),
    ("SELECT * FROM pragma_table_info('hidden')", Both),
    ("SELECT name FROM dbstat", Both),
    (
        "SELECT 1 FROM dbstat JOIN (SELECT 'hidden' AS name) USING (name)",
        Both,
    ),
    ("SELECT relname FROM pg_class", Both),
    ("SELECT * FROM pg_catalog.pg_authid", Both),
    ("SELECT table_name FROM information_schema.tables", Both),
    ("SELECT usename, query FROM pg_stat_activity", Both),
    ("SELECT * FROM pg_shadow", Both),
    // Functions in the place of tables, and functions that reach out.
    ("SELECT * FROM json_each('[1, 2]')", Sqlite),
    ("SELECT * FROM read_csv('/etc/passwd')", Both),
    ("SELECT read_csv('/etc/passwd')", Both),
    ("SELECT * FROM generate_series(1, 10000000000)", Both),
    ("SELECT load_extension('/tmp/x.so')", Both),
    ("SELECT readfile('/etc/passwd')", Both),
    ("SELECT writefile('/tmp/x', 'x')", Both),
    ("SELECT edit('x')", Both),
    ("SELECT fts3_tokenizer('x')", Both),
    ("SELECT randomblob(1000000000)", Both),
    ("SELECT zeroblob(1000000000)", Both),
    ("SELECT sqlite_source_id()", Both),
    ("SELECT likelihood(id = 1, 0.5) FROM orders", Both),
    ("SELECT pg_read_file('/etc/passwd')", Both),
    ("SELECT pg_ls_dir('/')", Both),
    ("SELECT * FROM pg_ls_dir('/')", Both),
    ("SELECT pg_sleep(600)", Both),
    ("SELECT lo_import('/etc/passwd')", Both),
    ("SELECT lo_export(1, '/tmp/x')", Both),
    ("SELECT dblink('host=localhost', 'SELECT 1')", Both),
    ("SELECT nextval('numbers')", Both),
    ("SELECT setval('numbers', 1)", Both),
    (
        "SELECT query_to_xml('SELECT * FROM hidden', true, true, '')",
        Both,
    ),
    ("SELECT table_to_xml('hidden', true, true, '')", Both),
    ("SELECT pg_reload_conf()", Both),
    ("SELECT secret_of(1)", Both),
    // Everything that is no query.
    ("INSERT INTO orders (id) VALUES (99)", Both),
    ("INSERT INTO orders (id) VALUES (99) RETURNING id", Both),
    ("UPDATE orders SET amount = 0", Both),
    ("DELETE FROM orders", Both),
    ("DELETE FROM orders RETURNING secret", Both),
    ("REPLACE INTO orders (id) VALUES (1)", Both),
    (
        "MERGE INTO orders USING countries ON true WHEN MATCHED THEN DELETE",
        Both,
    ),
    ("TRUNCATE orders", Both),
    ("CREATE TABLE x (a int)", Both),
    ("CREATE TEMP TABLE x AS SELECT 1", Both),
    ("CREATE VIEW x AS SELECT * FROM orders", Both),
    ("CREATE TABLE x AS SELECT * FROM orders", Both),
    ("SELECT id INTO x FROM orders", Both),
    ("DROP TABLE orders", Both),
    ("DROP VIEW orders", Both),
    ("ALTER TABLE orders ADD COLUMN x int", Both),
    ("GRANT ALL ON orders TO public", Both),
    ("PRAGMA table_list", Both),
    ("PRAGMA query_only = 0", Both),
    ("PRAGMA writable_schema = 1", Both),
    ("ATTACH DATABASE ':memory:' AS x", Both),
    ("ATTACH '/etc/passwd' AS x", Both),
    ("DETACH temp", Both),
    ("VACUUM INTO '/tmp/folkmoot-escape'", Both),
    ("REINDEX", Sqlite),
    ("ANALYZE orders", Sqlite),
    ("COPY orders TO '/tmp/x'", Both),
    ("COPY (SELECT 1) TO PROGRAM 'id'", Both),
    ("CALL x()", Both),
    ("DO $$ BEGIN RAISE 'x'; END $$", Both),
    ("SAVEPOINT x; SELECT 1", Both),
    ("EXPLAIN SELECT secret FROM orders", Both),
    ("EXPLAIN QUERY PLAN SELECT secret FROM orders", Both),
    ("LOCK TABLE orders", Both),
    ("SELECT id FROM orders FOR UPDATE", Both),
    (
        "WITH t AS (INSERT INTO orders (id) VALUES (99) RETURNING id) SELECT * FROM t",
        Both,
    ),
    (
        "WITH t AS (DELETE FROM orders RETURNING id) SELECT * FROM t",
        Both,
    ),
    // Several, none, or broken.
    ("SELECT 1; SELECT 2", Both),
    ("SELECT 1; DROP TABLE orders", Both),
    ("SELECT 1;;DELETE FROM orders", Both),
    ("SELECT 1 /* */; /* */ PRAGMA table_list", Both),
    ("COMMIT; DELETE FROM orders", Both),
    ("ROLLBACK; SELECT secret FROM orders", Both),
    ("SELECT", Sqlite),
    ("SELECT FROM WHERE", Both),
    // Comments and quotes.
    ("SELECT 1 -- \n; DELETE FROM orders", Both),
    ("SELECT /*! secret */ secret FROM orders", Both),
    ("SELECT/**/secret/**/FROM/**/orders", Both),
    (
        "SELECT 1 FROM orders WHERE '1' = '1' -- '\n AND secret = 'x'",
        Both,
    ),
    ("SELECT 'a' 'b' FROM hidden", Both),
    ("SELECT $$a$$, secret FROM orders", Both),
    ("SELECT E'\\'', secret FROM orders -- '", Both),
    ("SELECT U&\"\\0073ecret\" FROM orders", Both),
    ("SELECT \"id\"\"\", secret FROM orders", Both),
    ("SELECT 'secret' FROM 'hidden'", Both),
    ("SELECT id FROM orders WHERE id = ?", Both),
    ("SELECT id FROM orders WHERE id = $1", Both),
    ("SELECT id FROM orders WHERE id = :id", Both),
    ("SELECT id FROM orders\0 WHERE secret = 'x'", Both),
    ("SELECT \u{ff53}ecret FROM orders", Both),
    // PostgreSQL's ways to a row and to a name.
    ("SELECT (orders).secret FROM orders", Both),
    ("SELECT orders FROM orders", Both),
    ("SELECT row_to_json(orders) FROM orders", Both),
    ("SELECT secret(orders) FROM orders", Both),
    ("SELECT (o.*)::text FROM orders o", Both),
    ("SELECT * FROM ONLY hidden", Both),
    ("SELECT 'hidden'::regclass::oid, secret FROM orders", Both),
    ("SELECT * FROM orders TABLESAMPLE SYSTEM (100)", Both),
    (
        "SELECT * FROM orders, LATERAL (SELECT secret FROM orders) t",
        Both,
    ),
    ("SELECT * FROM ROWS FROM (pg_ls_dir('/'))", Both),
    ("SELECT count(*) OVER w FROM hidden WINDOW w AS ()", Both),
    // Bombs.
    (
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
        Both,
    ),
    (
        "WITH t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
        Both,
    ),
    (
        "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t) SELECT max(length(s)) FROM t",
        Both,
    ),
];

/// Statements that the gate refuses because nobody needs them or they are hard to read. No secret comes of them.
pub(super) const NEEDLESS: &[&str] = &[
    "SELECT id FROM orders NATURAL JOIN countries",
    "SELECT sum(amount) OVER w FROM orders WINDOW w AS (ORDER BY id)",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT n FROM t",
    "WITH t AS (SELECT 1 AS a) SELECT * FROM (WITH t AS (SELECT 2 AS a) SELECT a FROM t) AS q",
    "SELECT version()",
    "SELECT sqlite_version()",
    "SELECT current_user",
    "SELECT current_setting('data_directory')",
    "SELECT repeat('x', 10)",
    "SELECT id FROM orders WHERE country ~ '^D'",
    "SELECT id FROM orders WHERE country SIMILAR TO 'D%'",
    "SELECT x'00ff'",
    "SELECT 0x10",
    "SELECT ARRAY[1, 2]",
    "SELECT id FROM orders WHERE id = ANY (ARRAY[1, 2])",
    "SELECT id FROM orders GROUP BY ROLLUP (id)",
    "SELECT rowid FROM orders",
    "SELECT ctid FROM orders",
    "SELECT \"DE\" FROM orders",
    "SELECT unknown FROM orders",
];
