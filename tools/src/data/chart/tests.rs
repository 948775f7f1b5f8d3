use folkmoot_core::tool::Table;
use serde_json::{Value, json};

use super::{CHART_POINTS_MAX, ChartKind, ChartSpec, chart_artifact};

fn table() -> Table {
    Table {
        title: None,
        columns: ["town", "n", "x", "open"].map(String::from).into(),
        rows: vec![
            vec![json!("Kiel"), json!(1), json!(1.5), json!(true)],
            vec![json!("Ulm"), json!(-2), json!(null), json!(false)],
            vec![json!(null), json!(3), json!(2.5), json!(true)],
        ],
    }
}

fn wish(kind: ChartKind, x: &str, y: &[&str]) -> ChartSpec {
    ChartSpec {
        kind,
        title: "Towns".into(),
        x: x.into(),
        y: y.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn point(series: &str, x: &Value, y: &Value) -> Value {
    json!({ "series": series, "x": x, "y": y })
}

#[test]
fn chart_is_the_artifact_that_its_schema_describes() {
    let data = wish(ChartKind::Bar, "town", &["n", "x"])
        .draw(&table())
        .unwrap();
    assert_eq!(
        data,
        json!({
            "kind": "bar",
            "title": "Towns",
            "x": "town",
            "y": ["n", "x"],
            "points": [
                point("n", &json!("Kiel"), &json!(1)),
                point("n", &json!("Ulm"), &json!(-2)),
                point("x", &json!("Kiel"), &json!(1.5)),
            ],
            "left_out": 3,
        })
    );
    let schema = chart_artifact().schema;
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&data));
    let scatter = wish(ChartKind::Scatter, "n", &["x"])
        .draw(&table())
        .unwrap();
    assert!(validator.is_valid(&scatter));
    let truth = wish(ChartKind::Line, "open", &["n"])
        .draw(&table())
        .unwrap();
    assert_eq!(truth.pointer("/points/0/x"), Some(&json!("true")));
    assert!(validator.is_valid(&truth));
    for field in chart_artifact().fields {
        assert!(data.pointer(&field.path).is_some(), "{}", field.path);
    }
}

#[test]
fn wishes_that_cannot_be_drawn_are_told() {
    let many = Table {
        rows: vec![vec![json!("a"), json!(1), json!(1), json!(true)]; CHART_POINTS_MAX + 1],
        ..table()
    };
    let pie = Table {
        rows: vec![vec![json!("a"), json!(1), json!(1), json!(true)]; 21],
        ..table()
    };
    let empty = Table {
        rows: vec![vec![json!("Kiel")]],
        ..table()
    };
    let cases = [
        (
            wish(ChartKind::Bar, "city", &["n"]),
            table(),
            "there is no column `city`: the columns are town, n, x, open",
        ),
        (
            wish(ChartKind::Bar, "town", &["m"]),
            table(),
            "there is no column `m`: the columns are town, n, x, open",
        ),
        (
            wish(ChartKind::Line, "n", &["town"]),
            table(),
            "column `town` holds no number in row 1: choose a column of numbers",
        ),
        (
            wish(ChartKind::Scatter, "town", &["n"]),
            table(),
            "column `town` holds no number in row 1: choose a column of numbers",
        ),
        (
            wish(ChartKind::Pie, "town", &["n"]),
            table(),
            "column `n` is below zero in row 2: a pie has no such slice, choose bars",
        ),
        (
            wish(ChartKind::Pie, "town", &["n", "x"]),
            table(),
            "a pie chart has 1 to 1 columns in `y`, and not 2",
        ),
        (
            wish(ChartKind::Bar, "town", &[]),
            table(),
            "a bar chart has 1 to 8 columns in `y`, and not 0",
        ),
        (
            wish(ChartKind::Line, "town", &["n"]),
            many,
            "a line chart has at most 2000 points, and these would be 2001: group the rows, or limit them",
        ),
        (
            wish(ChartKind::Pie, "town", &["n"]),
            pie,
            "a pie chart has at most 20 points, and these would be 21: group the rows, or limit them",
        ),
        (
            wish(ChartKind::Bar, "town", &["n"]),
            empty,
            "there is no row with a value to draw",
        ),
    ];
    for (wish, table, expected) in cases {
        assert_eq!(wish.draw(&table).unwrap_err().to_string(), expected);
    }
}
