//! The index of a data set's texts: made once beside its table, and found again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_core::tool::{Table, ToolFailure};
use tokio::time::Instant;

use super::derive::{Cannot, Derived, TABLE, blocking, broken, failed, open, part_of, refused};
use super::under_way::{self, Progress};
use crate::data::{Description, IndexPlace, IsStopped, TextIndex};
use crate::sql::{self, Database, quoted};

/// Searches the texts of a derived data set and gives the rows with all of the words, the best first. Waits for the index
/// until `until` at most: its making goes on behind it.
pub(super) async fn search(
    derived: Derived,
    words: String,
    rows_max: usize,
    until: Instant,
) -> Result<Table, Cannot> {
    if let Database::File(table) = &derived.database {
        make_ready(table, &derived.description, until).await?;
    }
    // A call that is over stops what it makes in memory.
    let call = Arc::new(());
    let is_going = Arc::downgrade(&call);
    let is_stopped: IsStopped = Arc::new(move || is_going.strong_count() == 0);
    Ok(blocking(move || find(&derived, &words, rows_max, &is_stopped)).await?)
}

/// The folder of the index of a table in a file.
fn place(table: &Path) -> PathBuf {
    table.with_extension("index")
}

/// Makes the index of a table in a file, unless it is there.
async fn make_ready(table: &Path, description: &Description, until: Instant) -> Result<(), Cannot> {
    let whole = place(table);
    if whole.exists() {
        return Ok(());
    }
    let (database, description) = (Database::File(table.to_owned()), description.clone());
    let making = under_way::join(&whole.clone(), Progress::Index, move || {
        let part = part_of(&whole);
        let made = make(&database, &description, &part, &whole);
        if made.is_err() {
            // It may be gone already.
            fs::remove_dir_all(&part).ok();
        }
        made
    });
    making.wait(until).await
}

/// Makes an index in `part`, and gives that its whole name.
fn make(
    database: &Database,
    description: &Description,
    part: &Path,
    whole: &Path,
) -> Result<(), ToolFailure> {
    let cannot = |error: std::io::Error| failed(error.to_string());
    // A call that found no index may come here after another one made it.
    if whole.exists() {
        return Ok(());
    }
    // Before any row is read: once the file is taken back, this one is gone, and what is still written goes nowhere.
    fs::create_dir(part).map_err(cannot)?;
    let connection = open(database)?;
    let held = part.to_owned();
    let is_stopped: IsStopped = Arc::new(move || !held.exists());
    let folder = IndexPlace::Folder(part);
    TextIndex::make(&connection, TABLE, description, folder, &is_stopped)
        .map_err(|error| refused(&error))?;
    fs::rename(part, whole).map_err(cannot)
}

fn find(
    derived: &Derived,
    words: &str,
    rows_max: usize,
    is_stopped: &IsStopped,
) -> Result<Table, ToolFailure> {
    let connection = open(&derived.database)?;
    let index = match &derived.database {
        Database::File(table) => TextIndex::open(&place(table)),
        Database::Image(_) => TextIndex::make(
            &connection,
            TABLE,
            &derived.description,
            IndexPlace::Memory,
            is_stopped,
        ),
    };
    let hits = index
        .and_then(|index| index.find(words, rows_max))
        .map_err(|error| refused(&error))?;
    let named = derived.description.columns.iter();
    let columns: Vec<String> = named.map(|column| column.name.clone()).collect();
    let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let question = format!("SELECT {} FROM {TABLE} WHERE rowid = ?1", names.join(", "));
    let mut select = connection
        .prepare(&question)
        .map_err(|error| broken(&error))?;
    let mut rows = Vec::new();
    for hit in hits {
        let row = select.query_row([hit.row], |row| {
            (0..names.len())
                .map(|place| row.get_ref(place).map(|cell| sql::cell(cell).to_value()))
                .collect()
        });
        rows.push(row.map_err(|error| broken(&error))?);
    }
    Ok(Table {
        title: None,
        columns,
        rows,
    })
}
