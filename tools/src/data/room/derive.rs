//! A data set as a table: made once, and found again.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use folkmoot_core::ids::Digest;
use folkmoot_core::port::CallFiles;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use rusqlite::{Connection, OpenFlags};
use tokio::time::Instant;

use super::named::DataSet;
use super::source::FileSource;
use super::under_way::{self, Progress};
use crate::data::{Description, Import, ImportError, Limits};
use crate::sql::{self, Database};

/// The table of a data set in its database.
pub(super) const TABLE: &str = "data";

/// Counted up whenever the same bytes give another table.
const IMPORT_VERSION: u32 = 1;

/// The most bytes of a data set that is derived in memory, and of its cells.
const MEMORY_BYTES: u64 = 32 << 20;
const MEMORY_CELL_BYTES: u64 = 64 << 20;

/// A data set as a table.
#[derive(Debug, Clone)]
pub(super) struct Derived {
    pub(super) database: Database,
    pub(super) description: Description,
}

/// The reason that there is no table now.
#[derive(Debug)]
pub(super) enum Cannot {
    /// It is still being made.
    NotYet(String),
    /// It cannot be made.
    Failed(ToolFailure),
}

impl From<ToolFailure> for Cannot {
    fn from(failure: ToolFailure) -> Self {
        Self::Failed(failure)
    }
}

/// Derives a data set, unless it is derived already. Waits until `until` at most: the import goes on behind it.
pub(super) async fn derive(
    files: &Arc<dyn CallFiles>,
    set: &DataSet,
    until: Instant,
) -> Result<Derived, Cannot> {
    let Some(path) = place(&**files, set) else {
        return Ok(in_memory(files, set).await?);
    };
    if let Some(derived) = found(&path).await? {
        return Ok(derived);
    }
    let part = part_of(&path);
    let source = FileSource::new(
        Arc::clone(files),
        set.file.id,
        set.file.file.bytes,
        Some(part.clone()),
    );
    let progress = Progress::Import {
        read: Arc::clone(&source.read),
        total: set.file.file.bytes,
    };
    let (name, whole) = (set.file.file.name.clone(), path.clone());
    let under_way = under_way::join(&path, progress, move || {
        let made = make(&name, source, &part, &whole);
        if made.is_err() {
            // What is half made is worth nothing. It may be gone already.
            fs::remove_file(&part).ok();
        }
        made
    });
    under_way.wait(until).await?;
    let gone = || failed("what was derived is gone: a file of the room was taken back meanwhile");
    Ok(found(&path).await?.ok_or_else(gone)?)
}

/// Returns what a data set was described as, if that is known already, or how far its import has come.
pub(super) async fn known(
    files: &dyn CallFiles,
    set: &DataSet,
) -> Result<Result<Option<Description>, String>, ToolFailure> {
    let Some(path) = place(files, set) else {
        return Ok(Ok(None));
    };
    match under_way::of(&path) {
        Some(under_way) => Ok(Err(under_way.progress())),
        None => Ok(Ok(found(&path).await?.map(|derived| derived.description))),
    }
}

/// The file of a data set's table. Its name says of which bytes it is, and by which rules.
fn place(files: &dyn CallFiles, set: &DataSet) -> Option<PathBuf> {
    let file = &set.file.file;
    let key = Digest::of(&[
        file.blob.as_bytes(),
        file.name.as_bytes(),
        &IMPORT_VERSION.to_le_bytes(),
    ]);
    Some(files.derived()?.join(format!("{key}.sqlite")))
}

/// A name for what is half made, which no other import has.
pub(super) fn part_of(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("part-{}-{count}", std::process::id()))
}

pub(super) fn open(database: &Database) -> Result<Connection, ToolFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = match database {
        Database::File(path) => Connection::open_with_flags(path, flags),
        Database::Image(image) => Connection::open_in_memory().and_then(|mut connection| {
            connection.deserialize_read_exact("main", &image[..], image.len(), true)?;
            Ok(connection)
        }),
    };
    opened.map_err(|error| broken(&error))
}

async fn found(path: &Path) -> Result<Option<Derived>, ToolFailure> {
    let path = path.to_owned();
    blocking(move || {
        if !path.exists() {
            return Ok(None);
        }
        let database = Database::File(path.clone());
        let connection = match open(&database) {
            // Taken away between the two looks.
            Err(_) if !path.exists() => return Ok(None),
            opened => opened?,
        };
        let words: String = connection
            .query_row("SELECT words FROM description", [], |row| row.get(0))
            .map_err(|error| broken(&error))?;
        let description = serde_json::from_str(&words).map_err(|error| broken(&error))?;
        Ok(Some(Derived {
            database,
            description,
        }))
    })
    .await
}

/// Imports a file into `part`, and gives that its whole name.
fn make(name: &str, source: FileSource, part: &Path, whole: &Path) -> Result<(), ToolFailure> {
    let cannot = |error: std::io::Error| failed(error.to_string());
    if let Some(folder) = part.parent() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    // Before any byte is read: once the file is taken back, this one is gone, and what is still written goes nowhere.
    drop(File::create_new(part).map_err(cannot)?);
    let mut connection = Connection::open(part).map_err(|error| broken(&error))?;
    // It can be made again, so nothing of it has to survive a crash.
    connection
        .execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY",
        )
        .map_err(|error| broken(&error))?;
    import(name, source, Limits::STANDARD, &mut connection)?;
    connection.close().map_err(|(_, error)| broken(&error))?;
    fs::rename(part, whole).map_err(cannot)
}

/// Imports a file of a world whose derived things may not stand on a disk.
async fn in_memory(files: &Arc<dyn CallFiles>, set: &DataSet) -> Result<Derived, ToolFailure> {
    let (name, bytes) = (set.file.file.name.clone(), set.file.file.bytes);
    let source = FileSource::new(Arc::clone(files), set.file.id, bytes, None);
    blocking(move || {
        let limits = Limits {
            bytes: MEMORY_BYTES,
            cell_bytes: MEMORY_CELL_BYTES,
            ..Limits::STANDARD
        };
        let mut connection = Connection::open_in_memory().map_err(|error| broken(&error))?;
        let description = import(&name, source, limits, &mut connection)?;
        let image = connection
            .serialize("main")
            .map_err(|error| broken(&error))?;
        Ok(Derived {
            database: Database::Image(Arc::from(&image[..])),
            description,
        })
    })
    .await
}

fn import(
    name: &str,
    source: FileSource,
    limits: Limits,
    connection: &mut Connection,
) -> Result<Description, ToolFailure> {
    let import = Import {
        limits,
        ..Import::new(name, Arc::new(source))
    };
    let description = import
        .run(connection, TABLE)
        .map_err(|error| refused(&error))?;
    let words = serde_json::to_string(&description).map_err(|error| broken(&error))?;
    connection
        .execute_batch("CREATE TABLE description (words TEXT NOT NULL)")
        .and_then(|()| connection.execute("INSERT INTO description VALUES (?1)", [words]))
        .map_err(|error| broken(&error))?;
    Ok(description)
}

pub(super) fn refused(error: &ImportError) -> ToolFailure {
    let code = match error {
        ImportError::TooMany { .. } => ToolErrorCode::TooLarge,
        ImportError::Empty
        | ImportError::NoTable { .. }
        | ImportError::BadHeader { .. }
        | ImportError::NoRow { .. }
        | ImportError::BrokenQuotes { .. }
        | ImportError::BadParquet { .. } => ToolErrorCode::BadArguments,
        ImportError::TableExists
        | ImportError::Stopped
        | ImportError::Read(_)
        | ImportError::Write(_)
        | ImportError::Index(_) => ToolErrorCode::Failed,
    };
    ToolFailure::new(code, with_causes(error))
}

pub(super) fn failed(why: impl Into<String>) -> ToolFailure {
    ToolFailure::new(ToolErrorCode::Failed, why)
}

pub(super) fn broken(error: &dyn std::error::Error) -> ToolFailure {
    failed(format!(
        "the table of the data set cannot be used: {}",
        with_causes(error)
    ))
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    sql::blocking(work).await?
}
