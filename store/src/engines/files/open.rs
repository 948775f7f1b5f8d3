//! Opening the files: reading all rows once, and cutting off what was never acknowledged.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use super::mark::{Acknowledged, AcknowledgedLength};
use super::scan::{self, GroupScan};
use super::{FOLDER, FileWriter, FilesEngine, REWRITE_BYTES, ROWS, ReadState, from_io, head};
use crate::engine::EngineError;
use crate::engines::content::ContentFolder;
use crate::home::opening::{OpenError, OpenMode};
use crate::home::{self, Home, gone, half_written, sync_folder};

pub(super) fn open(dir: PathBuf, mode: OpenMode) -> Result<FilesEngine, OpenError> {
    let home = Home::open(dir, mode)?;
    let path = home.path().to_owned();
    let engine = open_in(home.clone()).map_err(|error| home::open_error(&path, error))?;
    home.sign()?;
    Ok(engine)
}

/// Opens the files for writing. Damage is refused; a torn end behind what was acknowledged is cut
/// off.
pub(super) fn open_in(home: Home) -> Result<FilesEngine, EngineError> {
    let folder = home.path().join(FOLDER);
    create(&home, &folder)?;
    let file = File::options()
        .read(true)
        .write(true)
        .open(folder.join(ROWS))
        .map_err(from_io)?;
    let mut found = read(&file, &folder)?;
    if !found.scan.troubles.is_empty() {
        return Err(EngineError::Damaged(found.scan.troubles.swap_remove(0)));
    }
    let Some(mut mark) = found.mark else {
        return Err(EngineError::Damaged(head::NO_MARK.to_owned()));
    };
    gone(fs::remove_file(folder.join(half_written(ROWS)))).map_err(from_io)?;
    found.scan.settle(&file).map_err(from_io)?;
    mark.write(found.generation, found.scan.end)
        .and_then(|()| mark.sync())
        .map_err(from_io)?;
    Ok(engine(
        home,
        file,
        OpenedFiles {
            mark: Some(mark),
            ..found
        },
    ))
}

/// Opens the files to read what is whole of them, and says what is not. `None` if their maker died
/// before they were there.
pub(super) fn look_in(home: Home) -> Result<Option<(FilesEngine, Vec<String>)>, EngineError> {
    let folder = home.path().join(FOLDER);
    if is_to_be_made(&home, &folder)? {
        return Ok(None);
    }
    let file = File::open(folder.join(ROWS)).map_err(from_io)?;
    let mut scan = scan::scan(&file)?;
    let acknowledged = AcknowledgedLength::read(&folder)
        .map_err(from_io)?
        .flatten();
    let head = head::read(&file)?;
    scan.troubles
        .extend(head::compare(head, acknowledged, scan.end));
    let troubles = std::mem::take(&mut scan.troubles);
    let generation = head.map_or(0, |head| head.generation);
    Ok(Some((
        engine(
            home,
            file,
            OpenedFiles {
                scan,
                generation,
                mark: None,
            },
        ),
        troubles,
    )))
}

/// The content of the files.
struct OpenedFiles {
    scan: GroupScan,
    generation: u64,
    mark: Option<AcknowledgedLength>,
}

/// Without a mark the engine only reads.
fn engine(home: Home, file: File, found: OpenedFiles) -> FilesEngine {
    let OpenedFiles {
        scan,
        generation,
        mark,
    } = found;
    let file = Arc::new(file);
    let has_failed = mark.is_none();
    let writer = FileWriter {
        file: Arc::clone(&file),
        mark,
        generation,
        len: scan.end,
        has_failed,
    };
    let state = ReadState {
        file,
        index: scan.index,
    };
    let content = ContentFolder::of(home.path());
    let writer = Mutex::new(writer);
    let state = RwLock::new(state);
    FilesEngine {
        writer,
        state,
        rewrite_bytes: REWRITE_BYTES,
        content,
        home,
    }
}

fn read(file: &File, folder: &Path) -> Result<OpenedFiles, EngineError> {
    let (mark, acknowledged) = open_mark(folder)?;
    let head = head::read(file)?;
    let mut scan = scan::scan(file)?;
    let generation = head.map_or(0, |head| head.generation);
    scan.troubles
        .extend(head::compare(head, acknowledged, scan.end));
    Ok(OpenedFiles {
        scan,
        generation,
        mark,
    })
}

fn open_mark(
    folder: &Path,
) -> Result<(Option<AcknowledgedLength>, Option<Acknowledged>), EngineError> {
    match AcknowledgedLength::open(folder) {
        Ok((mark, acknowledged)) => Ok((Some(mark), acknowledged)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((None, None)),
        Err(error) => Err(from_io(error)),
    }
}

/// Tells whether the files are not there, and need not be.
fn is_to_be_made(home: &Home, folder: &Path) -> Result<bool, EngineError> {
    if folder.join(ROWS).try_exists().map_err(from_io)? {
        return Ok(false);
    }
    let acknowledged = AcknowledgedLength::read(folder).map_err(from_io)?;
    let is_new =
        acknowledged.is_none_or(|acknowledged| acknowledged == Some(Acknowledged::default()));
    if is_new && !home.has_been_used().map_err(from_io)? {
        Ok(true)
    } else {
        Err(EngineError::Damaged("its log is gone".to_owned()))
    }
}

/// Makes the files, unless they are there or ought to be.
fn create(home: &Home, folder: &Path) -> Result<(), EngineError> {
    if !is_to_be_made(home, folder)? {
        return Ok(());
    }
    let make = || {
        fs::create_dir_all(folder)?;
        AcknowledgedLength::create(folder)?;
        home::replace(folder, ROWS, &head::encode(head::FIRST))?;
        sync_folder(home.path())
    };
    make().map_err(from_io)
}
