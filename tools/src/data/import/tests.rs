use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::Import;
use crate::data::Description;
use crate::data::error::ImportError;
use crate::data::limits::Limits;

mod laws;
mod zoo;

/// An imported table, with its cells as SQL shows them; an empty cell is `∅`.
#[derive(Debug, Clone, PartialEq)]
struct Imported {
    description: Description,
    rows: Vec<Vec<String>>,
}

fn imported(import: &Import) -> Result<Imported, ImportError> {
    let mut connection = Connection::open_in_memory().unwrap();
    let description = import.run(&mut connection, "t")?;
    Ok(Imported {
        description,
        rows: rows(&connection),
    })
}

fn rows(connection: &Connection) -> Vec<Vec<String>> {
    let mut select = connection
        .prepare("SELECT * FROM t ORDER BY rowid")
        .unwrap();
    let width = select.column_count();
    let mut rows = select.query([]).unwrap();
    let mut all = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let cell = |place| match row.get_ref(place).unwrap() {
            ValueRef::Null => "∅".to_owned(),
            ValueRef::Integer(integer) => integer.to_string(),
            ValueRef::Real(real) => format!("{real:?}"),
            ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
            ValueRef::Blob(_) => panic!("there are no blobs"),
        };
        all.push((0..width).map(cell).collect());
    }
    all
}

fn file(name: &str, bytes: impl Into<Vec<u8>>) -> Import {
    Import::new(name, Arc::new(bytes.into()))
}

/// The table and its types in few words: `a:integer b:text | 1,x | 2,y`.
fn table(imported: &Imported) -> String {
    let columns: Vec<String> = imported
        .description
        .columns
        .iter()
        .map(|column| format!("{}:{}", column.name, column.kind))
        .collect();
    let rows = imported.rows.iter().map(|row| row.join(","));
    std::iter::once(columns.join(" "))
        .chain(rows)
        .collect::<Vec<_>>()
        .join(" | ")
}

/// All that was told, in lines: the notes and the bad rows.
fn told(description: &Description) -> Vec<String> {
    let bad = description.bad_rows.first.iter();
    let bad = bad.map(|row| format!("line {}: {}", row.line, row.reason));
    let columns = description.columns.iter().flat_map(|column| {
        let notes = column.notes.iter();
        notes.map(move |note| format!("{}: {note}", column.name))
    });
    description
        .notes
        .iter()
        .cloned()
        .chain(columns)
        .chain(bad)
        .collect()
}

/// An error with its causes.
fn words(error: &ImportError) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause {
        words = format!("{words}: {source}");
        cause = source.source();
    }
    words
}

#[test]
fn file_becomes_a_table_with_types() {
    let csv = "id,name,price,since,open\n1,Ada,9.50,2024-01-31,yes\n2,\"Lovelace, A.\",10,2024-02-01,no\n";
    let imported = imported(&file("shops.csv", csv)).unwrap();
    assert_eq!(
        table(&imported),
        "id:integer name:text price:real since:date open:boolean \
         | 1,Ada,9.5,2024-01-31,1 | 2,Lovelace, A.,10.0,2024-02-01,0"
    );
    let description = &imported.description;
    assert_eq!(told(description), Vec::<String>::new());
    check_words(description);
}

/// The whole description in lines.
fn check_words(description: &Description) {
    assert_eq!(
        description.to_string(),
        "2 rows from 85 bytes: cells between `,`, UTF-8, names in the first row\n\
         id: integer, 0 empty, 2 different, 1 to 2, e.g. 1 | 2\n\
         name: text, 0 empty, 2 different, e.g. Ada | Lovelace, A.\n\
         price: real, 0 empty, 2 different, 9.5 to 10.0, e.g. 9.5 | 10.0\n\
         since: date, 0 empty, 2 different, 2024-01-31 to 2024-02-01, e.g. 2024-01-31 | 2024-02-01\n\
         open: boolean, 0 empty, 2 different, e.g. true | false"
    );
}
