//! A file with one line per run.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use folkmoot_core::ids::Attempt;

/// Adds the line of one run, and returns when it survives power loss.
pub(super) fn count(file: &Path, key: &str, attempt: Attempt) -> io::Result<()> {
    let is_new = !file.try_exists()?;
    let mut lines = OpenOptions::new().append(true).create(true).open(file)?;
    // One write: lines of concurrent runs do not mix.
    lines.write_all(format!("{key} {attempt}\n").as_bytes())?;
    lines.sync_data()?;
    if is_new && let Some(folder) = file.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Tells whether any attempt under `key` was counted.
pub(super) fn has_counted(file: &Path, key: &str) -> io::Result<bool> {
    let lines = match File::open(file) {
        Ok(lines) => BufReader::new(lines),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    for line in lines.lines() {
        // Behind the last space stands the attempt.
        if line?
            .rsplit_once(' ')
            .is_some_and(|(counted, _)| counted == key)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
