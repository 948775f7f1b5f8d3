//! How values are written for people.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::ids::ArtifactName;
use crate::text::UserText;
use crate::text::view::form::written;
use crate::tool::{Artifact, ArtifactColumn, ArtifactField, ArtifactSpec, FieldForm, Table, View};

fn usd(value: &Value) -> String {
    written(value, &FieldForm::Money("USD".into()))
}

#[test]
fn money_has_its_sign_separators_and_cents_only_where_there_are_some() {
    for (value, text) in [
        (json!(0), "$0"),
        (json!(7), "$7"),
        (json!(999), "$999"),
        (json!(1200), "$1,200"),
        (json!(1_234_567), "$1,234,567"),
        (json!(1200.5), "$1,200.50"),
        (json!(0.1), "$0.10"),
        (json!(19.995), "$20"),
        (json!(19.994), "$19.99"),
        (json!(-1200), "-$1,200"),
        (json!(-0.005), "-$0.01"),
        (json!(u64::MAX), "$18,446,744,073,709,551,615"),
    ] {
        assert_eq!(usd(&value), text);
    }
    let of = |currency: &str| written(&json!(1200.5), &FieldForm::Money(currency.into()));
    assert_eq!(
        (of("EUR"), of("GBP"), of("CHF")),
        (
            "€1,200.50".into(),
            "£1,200.50".into(),
            "CHF 1,200.50".into()
        )
    );
}

#[test]
fn decimals_are_written_as_the_data_has_them() {
    let unit = |value: Value| written(&value, &FieldForm::Unit("kWh".into()));
    // As floating point, 0.1 + 0.2 would not be this.
    assert_eq!(
        (unit(json!(0.3)), unit(json!(1.10))),
        ("0.3 kWh".into(), "1.1 kWh".into())
    );
    assert_eq!(
        (unit(json!(12345.678)), unit(json!(1e-7))),
        ("12,345.678 kWh".into(), "0.0000001 kWh".into())
    );
    assert_eq!(
        unit(json!(1e300)),
        "1e+300",
        "what is beyond all measure is written as it is"
    );
    assert_eq!(unit(json!("many")), "many");
}

#[test]
fn a_range_has_both_ends_or_says_which_is_missing() {
    let range = |value: Value| written(&value, &FieldForm::MoneyRange("USD".into()));
    for (value, text) in [
        (json!({ "min": 1200, "max": 3400 }), "$1,200 – $3,400"),
        (
            json!({ "min": 1200, "max": 3400.5 }),
            "$1,200.00 – $3,400.50",
        ),
        (json!({ "min": 1200, "max": 1200.0 }), "$1,200"),
        (json!({ "min": 1200 }), "from $1,200"),
        (json!({ "max": 3400 }), "up to $3,400"),
        (json!({ "low": 1 }), r#"{"low":1}"#),
    ] {
        assert_eq!(range(value), text);
    }
    let years = written(
        &json!({ "min": 10, "max": 15 }),
        &FieldForm::UnitRange("years".into()),
    );
    assert_eq!(years, "10 – 15 years");
}

#[test]
fn a_share_is_a_percentage() {
    let share = |value: Value| written(&value, &FieldForm::Percent);
    assert_eq!(
        (share(json!(0.125)), share(json!(1)), share(json!(0.07))),
        ("12.5%".into(), "100%".into(), "7%".into())
    );
}

fn estimate() -> ArtifactSpec {
    let field = |path: &str, label: &str, form| ArtifactField {
        path: path.into(),
        label: label.into(),
        form,
    };
    let column = |path: &str, label: &str, form| ArtifactColumn {
        path: path.into(),
        label: label.into(),
        form,
    };
    ArtifactSpec {
        title: "Installation estimate".into(),
        schema: json!({ "type": "object" }),
        fields: vec![
            field("/cost", "Cost", FieldForm::MoneyRange("USD".into())),
            field("/nothing", "Nothing", FieldForm::Plain),
            field("/notes", "Notes", FieldForm::Bullets),
            field(
                "/offers",
                "Offers",
                FieldForm::Table(vec![
                    column("/who", "Who", FieldForm::Plain),
                    column("/price", "Price", FieldForm::Money("USD".into())),
                ]),
            ),
        ],
    }
}

#[test]
fn an_artifact_shows_the_fields_of_its_kind_that_its_data_has_and_nothing_else() {
    let data = json!({
        "cost": { "min": 1200, "max": 3400 }, "secret": "s3cret", "notes": ["Permit needed", 2],
        "offers": [{ "who": "Ann", "price": 1200 }, { "who": "Bob" }],
    });
    let drawn = artifact_blocks(&data, &estimate());
    let column = |name: &str, is_numeric| Column {
        name: name.into(),
        is_numeric,
    };
    assert_eq!(
        drawn,
        [
            Block::Heading("Installation estimate".into()),
            Block::Line {
                label: "Cost".into(),
                value: "$1,200 – $3,400".into()
            },
            Block::Bullets {
                label: "Notes".into(),
                items: vec!["Permit needed".into(), "2".into()]
            },
            Block::Table {
                title: Some("Offers".into()),
                columns: vec![column("Who", false), column("Price", true)],
                rows: vec![
                    vec!["Ann".into(), "$1,200".into()],
                    vec!["Bob".into(), String::new()]
                ],
            },
        ]
    );
    assert_eq!(
        plain(&drawn),
        "Installation estimate\nCost: $1,200 – $3,400\nNotes:\n- Permit needed\n- 2\nOffers\nWho | Price\nAnn | $1,200\nBob | "
    );
}

#[test]
fn a_kind_that_the_room_no_longer_has_is_shown_as_data() {
    let kind = ArtifactName::new("estimate").unwrap();
    let view = View::Artifact(Artifact {
        kind,
        data: json!({ "cost": 1 }),
    });
    assert_eq!(
        blocks(&view, &BTreeMap::new()),
        [
            Block::Heading(UserText::new("estimate".to_owned())),
            Block::Json(json!({ "cost": 1 }))
        ]
    );
}

#[test]
fn a_table_is_drawn_with_a_cell_for_each_column() {
    let rows = vec![
        vec![json!("Ann"), json!(4.5)],
        vec![json!("Bob")],
        vec![json!("Cy"), Value::Null, json!("beyond")],
    ];
    let table = Table {
        title: None,
        columns: vec!["who".into(), "rating".into()],
        rows,
    };
    let Block::Table { columns, rows, .. } =
        blocks(&View::Table(table), &BTreeMap::new()).remove(0)
    else {
        panic!()
    };
    assert_eq!(
        columns
            .iter()
            .map(|column| column.is_numeric)
            .collect::<Vec<_>>(),
        [false, true]
    );
    assert_eq!(rows, [["Ann", "4.5"], ["Bob", ""], ["Cy", ""]]);
}
