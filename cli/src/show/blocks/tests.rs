use folkmoot::core::ids::ArtifactName;
use folkmoot::core::tool::{Artifact, BlobRef, Table};
use serde_json::json;

use super::*;

fn shown(view: &View, width: Option<u16>) -> (String, bool) {
    let kind = json!({
        "title": "Estimate", "schema": {}, "fields": [
            { "path": "/cost", "label": "Cost", "as": { "money_range": "USD" } },
            { "path": "/life", "label": "Lifespan", "as": { "unit": "years" } },
            { "path": "/notes", "label": "Notes", "as": "bullets" },
            { "path": "/offers", "label": "Offers", "as": { "table": [
                { "path": "/who", "label": "Who" },
                { "path": "/price", "label": "Price", "as": { "money": "USD" } },
            ] } },
        ],
    });
    let kinds = [(
        ArtifactName::new("estimate").unwrap(),
        serde_json::from_value(kind).unwrap(),
    )]
    .into();
    let (lines, is_cut) = ShownView::of(view, &kinds).lines(width);
    (
        anstream::adapter::strip_str(&lines.join("\n")).to_string(),
        is_cut,
    )
}

fn estimate(data: serde_json::Value) -> View {
    View::Artifact(Artifact {
        kind: ArtifactName::new("estimate").unwrap(),
        data,
    })
}

#[test]
fn an_artifact_is_a_titled_block_with_its_values_in_a_column() {
    let view = estimate(json!({
        "cost": { "min": 1200, "max": 3400 }, "life": 12, "notes": ["Permit", "Two days"],
        "offers": [{ "who": "Ann", "price": 1200 }, { "who": "Bob & Sons", "price": 980 }],
    }));
    let drawn = "┊ Estimate\n┊ Cost      $1,200 – $3,400\n┊ Lifespan  12 years\n┊ Notes\n┊   • Permit\n┊   • Two days\n\
                 ┊ Offers\n┊  Who          Price\n┊  Ann         $1,200\n┊  Bob & Sons    $980";
    assert_eq!(shown(&view, None), (drawn.to_owned(), false));
    assert_eq!(shown(&view, Some(80)), (drawn.to_owned(), false));
}

#[test]
fn an_artifact_is_shown_whole_and_a_table_and_data_are_clipped() {
    let rows: Vec<_> = (0..50)
        .map(|row| json!({ "who": format!("w{row}"), "price": row }))
        .collect();
    let (drawn, is_cut) = shown(&estimate(json!({ "offers": rows })), None);
    assert!(drawn.contains("w49") && !is_cut, "{drawn}");
    let rows = (0..50).map(|row| vec![json!(format!("w{row}"))]).collect();
    let (drawn, is_cut) = shown(
        &View::Table(Table {
            title: None,
            columns: vec!["who".into()],
            rows,
        }),
        None,
    );
    assert!(
        drawn.contains("w19")
            && !drawn.contains("w20")
            && drawn.ends_with("… 30 more rows")
            && is_cut,
        "{drawn}"
    );
    let (drawn, is_cut) = shown(&View::Json(json!((0..50).collect::<Vec<_>>())), None);
    assert!(drawn.ends_with("… 32 more lines") && is_cut, "{drawn}");
}

#[test]
fn a_narrow_terminal_breaks_cells_and_not_rows() {
    let rows = vec![
        vec![json!("a long name with many words"), json!(12)],
        vec![json!("b"), json!(3)],
    ];
    let view = View::Table(Table {
        title: None,
        columns: vec!["name".into(), "n".into()],
        rows,
    });
    let (drawn, _) = shown(&view, Some(24));
    assert!(
        drawn.lines().all(|line| line.chars().count() <= 24),
        "{drawn}"
    );
    assert!(drawn.lines().count() > 3);
}

#[test]
fn nothing_that_a_terminal_obeys_is_left_in_what_is_shown() {
    let bad = "\u{1b}[2Jx\u{202e}y\u{7}";
    let views = [
        estimate(json!({ "cost": bad, "notes": [bad], "offers": [{ "who": bad }] })),
        View::Table(Table {
            title: Some(bad.into()),
            columns: vec![bad.into()],
            rows: vec![vec![json!(bad)]],
        }),
        View::Text(bad.into()),
        View::Json(json!({ bad: bad })),
        View::Image {
            image: BlobRef {
                blob: folkmoot::core::ids::Digest::of(&[]),
                bytes: 7,
                media_type: bad.into(),
            },
            alt: bad.into(),
        },
    ];
    for view in &views {
        let lines = ShownView::of(view, &ArtifactKinds::new()).lines(None).0;
        let painted = lines
            .join("\n")
            .replace("\u{1b}[0m", "")
            .replace("\u{1b}[1m", "")
            .replace("\u{1b}[2m", "");
        assert!(
            !painted.contains(['\u{1b}', '\u{202e}', '\u{7}']),
            "{painted:?}"
        );
    }
}
