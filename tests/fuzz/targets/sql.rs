//! Queries to a database, past both gates.

use std::path::PathBuf;
use std::sync::OnceLock;

use folkmoot_tools::testing::{SqlVerdict, ask_shop, make_shop};

/// The value that no statement may tell, unless it has it in itself.
const SECRET: &str = "s3cr3t";

fn shop() -> &'static PathBuf {
    static SHOP: OnceLock<PathBuf> = OnceLock::new();
    SHOP.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap().keep();
        let path = folder.canonicalize().unwrap().join("shop.sqlite");
        make_shop(&path).unwrap();
        path
    })
}

/// What the gate passes is never refused by the engine, and neither gate lets the secret through, also alone.
pub(crate) fn law(input: &[u8]) {
    let Ok(statement) = std::str::from_utf8(input) else {
        return;
    };
    for is_seen in [true, false] {
        let verdict = ask_shop(shop(), statement, is_seen);
        let is_torn = is_seen && matches!(verdict, SqlVerdict::Torn(..));
        assert!(!is_torn, "{statement:?}: {verdict:?}");
        if let SqlVerdict::Answered(_, rows) = &verdict {
            let is_told = rows.contains(SECRET) && !statement.contains(SECRET);
            assert!(!is_told, "{statement:?}: {verdict:?}");
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "SELECT country, count(*) AS n FROM orders WHERE amount > 5 GROUP BY country HAVING n > 1 ORDER BY n DESC LIMIT 3",
        "WITH t AS (SELECT id, amount FROM orders) SELECT t.id, (SELECT max(amount) FROM orders) FROM t JOIN orders USING (id)",
        "SELECT CASE WHEN id IN (1, 2) THEN 'a''b' ELSE \"country\" END || replace(country, 'D', '') FROM orders o",
        "SELECT id FROM orders UNION ALL SELECT row_number() OVER (PARTITION BY country ORDER BY id) FROM orders",
        "SELECT secret FROM orders -- ; /* */",
        "SELECT a FROM hidden FULL JOIN (SELECT '' AS a) g USING (a)",
        "SELECT 1 FROM main.orders NATURAL JOIN (SELECT 'x' AS secret); ATTACH 'x' AS y",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT load_extension('x'), n FROM t, pragma_table_list",
    ])
}
