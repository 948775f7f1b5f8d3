use std::path::Path;

use folkmoot_core::port::Tool;
use folkmoot_core::text::view::for_model;
use folkmoot_core::tool::{EffectClass, ToolErrorCode, ToolOutcome, ToolOutput, View, ViewPolicy};
use serde_json::{Value, json};

use super::{CANARY, database};
use crate::sql::rows::{Cell, Rows};
use crate::sql::summary::summary;
use crate::sql::tool::output;
use crate::stage::{build, call, failure, try_build};

fn settings(more: &Value) -> Value {
    let mut settings = json!({
        "use": "sql",
        "database": "shop.sqlite",
        "tables": { "orders": ["id", "amount", "country", "made"], "countries": "all" },
    });
    let more = more.as_object().unwrap().clone();
    settings.as_object_mut().unwrap().extend(more);
    settings
}

async fn ask(tool: &dyn Tool, query: &str) -> ToolOutcome {
    tool.run(&call(json!({ "query": query }))).await
}

fn done(outcome: ToolOutcome) -> ToolOutput {
    match outcome {
        ToolOutcome::Done(output) => output,
        ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_) => panic!("{outcome:?}"),
    }
}

#[tokio::test]
async fn people_see_the_table_and_models_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    database(folder.path());
    let tool = build(&settings(&json!({})), folder.path());
    let spec = tool.spec();
    assert_eq!(
        (spec.effect, spec.view, spec.timeout_ms, spec.open_world),
        (EffectClass::Read, ViewPolicy::Summary, 5_000, false)
    );
    assert!(
        spec.description
            .contains("orders (id, amount, country, made)")
    );
    let output = done(ask(&*tool, "SELECT id, country FROM orders ORDER BY id LIMIT 2").await);
    let [View::Table(table)] = output.views.as_slice() else {
        panic!("{output:?}");
    };
    assert_eq!(table.columns, ["id", "country"]);
    assert_eq!(
        table.rows,
        [[json!(1), json!("DE")], [json!(2), json!("FR")]]
    );
    let told = for_model(&output, spec.view).into_text();
    assert_eq!(
        told,
        "2 rows. People see them.\n\"id\": integer\n\"country\": text"
    );
}

#[tokio::test]
async fn script_may_say_another_view_and_another_time() {
    let folder = tempfile::tempdir().unwrap();
    database(folder.path());
    let more = json!({ "view": "full", "timeout": "7s", "rows": 1 });
    let tool = build(&settings(&more), folder.path());
    assert_eq!(
        (tool.spec().view, tool.spec().timeout_ms),
        (ViewPolicy::Full, 7_000)
    );
    let output = done(ask(&*tool, "SELECT id FROM orders ORDER BY id").await);
    assert_eq!(output.text, "The first 1 rows\nid\n1");
}

#[tokio::test]
async fn failures_have_codes_and_their_words_no_values() {
    let folder = tempfile::tempdir().unwrap();
    database(folder.path());
    let tool = build(&settings(&json!({})), folder.path());
    for (query, code) in [
        ("SELECT secret FROM orders", ToolErrorCode::NotAllowed),
        ("SELECT a FROM hidden", ToolErrorCode::NotAllowed),
        ("DELETE FROM orders", ToolErrorCode::NotAllowed),
        ("SELEC 1", ToolErrorCode::BadArguments),
        (
            "SELECT amount FROM orders ORDER BY 9",
            ToolErrorCode::BadArguments,
        ),
        ("SELECT nothing FROM countries", ToolErrorCode::BadArguments),
        (
            "SELECT replace(code, code, printf('%2000000d', 1)) FROM countries",
            ToolErrorCode::TooLarge,
        ),
    ] {
        let outcome = ask(&*tool, query).await;
        let (found, detail) = failure(&outcome);
        assert_eq!(found, code, "{query}: {detail}");
        assert!(
            !detail.contains(CANARY) && !detail.contains("Germany"),
            "{detail}"
        );
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_a_failure_and_none_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let tool = build(&settings(&json!({})), folder.path());
    let outcome = ask(&*tool, "SELECT 1").await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::Failed);
    assert!(!folder.path().join("shop.sqlite").exists());
    std::fs::write(
        folder.path().join("shop.sqlite"),
        "a letter, and no database",
    )
    .unwrap();
    let outcome = ask(&*tool, "SELECT 1").await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::Failed);
    // Whoever may swap the file for a link gives the tool no other one.
    let elsewhere = tempfile::tempdir().unwrap();
    database(elsewhere.path());
    std::fs::remove_file(folder.path().join("shop.sqlite")).unwrap();
    let (there, here) = (
        elsewhere.path().join("shop.sqlite"),
        folder.path().join("shop.sqlite"),
    );
    std::os::unix::fs::symlink(there, here).unwrap();
    let outcome = ask(&*tool, "SELECT id FROM orders").await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::Failed);
}

#[tokio::test]
async fn views_and_missing_tables_of_the_list_are_named() {
    let folder = tempfile::tempdir().unwrap();
    database(folder.path());
    for (table, why) in [
        ("peek", "\"peek\" is a view: list tables alone"),
        ("nowhere", "there is no table \"nowhere\" in it"),
    ] {
        let tool = build(
            &settings(&json!({ "tables": { table: "all" } })),
            folder.path(),
        );
        let outcome = ask(&*tool, "SELECT 1").await;
        let (code, detail) = failure(&outcome);
        assert_eq!(code, ToolErrorCode::Failed);
        assert!(detail.contains(why), "{detail}");
    }
}

#[test]
fn settings_that_cannot_be_are_named() {
    for (more, path, why) in [
        (json!({ "database": null }), "", "name one database"),
        (json!({ "tables": {} }), "tables", "list at least one table"),
        (
            json!({ "tables": { "orders": [] } }),
            "tables.orders",
            "list at least one column",
        ),
        (
            json!({ "tables": { "orders": "some" } }),
            "tables.orders",
            "write a list of columns, or `all`",
        ),
        (json!({ "rows": 0 }), "rows", "at least 1"),
        (json!({ "rows_min": 0 }), "rows_min", "at least 1"),
        (json!({ "schema": "shop" }), "schema", "has no schemas"),
        (json!({ "memory": 1 }), "memory", "has no setting `memory`"),
        (json!({ "postgres": "${URL}" }), "", "name one database"),
    ] {
        let error = try_build(&settings(&more), Path::new("/")).unwrap_err();
        assert!(error.path().starts_with(path), "{more}: {}", error.path());
        assert!(error.to_string().contains(why), "{more}: {error}");
    }
}

#[cfg(feature = "postgres")]
#[test]
fn a_url_stands_in_a_variable_and_in_no_words() {
    let settings = |url: &str| {
        let more = json!({ "database": null, "postgres": url });
        try_build(&settings(&more), Path::new("/"))
    };
    for url in [
        "postgres://u:s3cr3t@h/d",
        "${A}s3cr3t",
        "$A",
        "${}",
        "${A-s3cr3t}",
    ] {
        let error = settings(url).unwrap_err();
        assert_eq!(error.path(), "postgres");
        assert!(!format!("{error}{error:?}").contains(CANARY), "{error}");
    }
    let built = settings("${SHOP_URL}").unwrap();
    assert!(built.tool.spec().open_world && built.roots.is_empty());
}

#[cfg(not(feature = "postgres"))]
#[test]
fn postgres_names_its_feature() {
    let more = json!({ "database": null, "postgres": "${SHOP_URL}" });
    let error = try_build(&settings(&more), Path::new("/")).unwrap_err();
    assert!(
        error.to_string().contains("the feature `postgres`"),
        "{error}"
    );
}

fn rows(column: impl IntoIterator<Item = Cell>) -> Rows {
    Rows {
        columns: vec!["n".into()],
        rows: column.into_iter().map(|cell| vec![cell]).collect(),
        is_cut: false,
    }
}

#[test]
fn summary_tells_types_counts_and_rounded_ranges() {
    let numbers = |from: i64, to: i64| (from..to).map(Cell::Integer);
    let text = |text: &str| Cell::Text(text.into());
    let days = (1..10).map(|day| text(&format!("2026-0{day}-1{day}")));
    for (rows, told) in [
        (rows([]), "0 rows. People see them.\n\"n\": no values"),
        (
            rows(numbers(1_234, 1_236)),
            "2 rows. People see them.\n\"n\": integer",
        ),
        (
            rows(numbers(1_234, 1_260)),
            "26 rows. People see them.\n\"n\": integer, no nulls, 26 different values, from 1000 to 2000",
        ),
        (
            rows(
                (-5..5)
                    .map(|n| Cell::Real(f64::from(n) / 8.0))
                    .chain(vec![Cell::Null; 7]),
            ),
            "17 rows. People see them.\n\"n\": number, 7 nulls, 10 different values, from -0.7 to 0.5",
        ),
        (
            rows(numbers(0, 9).chain([Cell::Null])),
            "10 rows. People see them.\n\"n\": integer, few nulls, 9 different values, from 0 to 8",
        ),
        (
            rows(vec![Cell::Integer(77); 50]),
            "50 rows. People see them.\n\"n\": integer, no nulls, few different values",
        ),
        (
            rows(days),
            "9 rows. People see them.\n\"n\": date or time, no nulls, 9 different values, from 2026-01 to 2026-09",
        ),
        (
            rows(numbers(0, 5).chain(["a", "b", "c"].map(text))),
            "8 rows. People see them.\n\"n\": values of several types, no nulls, 8 different values",
        ),
    ] {
        assert_eq!(summary(&rows, 5), told);
    }
}

#[test]
fn a_long_result_has_a_table_of_its_beginning() {
    let long = rows((0..10_000).map(|n| Cell::Text(format!("row {n:050}"))));
    let output = output(&long, 10);
    let [View::Table(head), View::Table(whole)] = output.views.as_slice() else {
        panic!("two tables");
    };
    assert_eq!(whole.rows.len(), 10_000);
    assert!(head.rows.len() > 100 && head.rows.len() < 1_000);
    assert_eq!(
        head.title,
        Some(format!("The first {} of 10000 rows", head.rows.len()))
    );
    assert!(serde_json::to_string(head).unwrap().len() < 48 * 1024);
}
