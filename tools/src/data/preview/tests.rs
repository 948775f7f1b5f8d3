use std::sync::Arc;

use rusqlite::Connection;
use serde_json::json;

use super::preview;
use crate::data::Import;

#[test]
fn preview_shows_the_first_rows_as_people_read_them() {
    let mut connection = Connection::open_in_memory().unwrap();
    let long = "x".repeat(300);
    let csv = format!("n,open,x,\"a \"\"b\"\"\"\n1,yes,1.5,{long}\n2,no,,y\n3,yes,2.0,z\n");
    let description = Import::new("x.csv", Arc::new(csv.into_bytes()))
        .run(&mut connection, "my \"t\"")
        .unwrap();
    let table = preview(&connection, "my \"t\"", &description, 2).unwrap();
    assert_eq!(table.columns, ["n", "open", "x", "a \"b\""]);
    assert_eq!(
        table.rows,
        [
            vec![
                json!(1),
                json!(true),
                json!(1.5),
                json!(format!("{}…", "x".repeat(200)))
            ],
            vec![json!(2), json!(false), json!(null), json!("y")],
        ]
    );
}

#[test]
fn preview_is_bounded_whatever_is_asked_for() {
    let mut connection = Connection::open_in_memory().unwrap();
    let csv = format!("n\n{}", "1\n".repeat(500));
    let description = Import::new("x.csv", Arc::new(csv.into_bytes()))
        .run(&mut connection, "t")
        .unwrap();
    let table = preview(&connection, "t", &description, usize::MAX).unwrap();
    assert_eq!(table.rows.len(), super::PREVIEW_ROWS_MAX);
}
