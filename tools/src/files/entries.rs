use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;

use cap_std::fs::Dir;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

use super::open::EntryKind;
use super::{StopSign, failed, io_failure};

/// The most entries of a folder that are looked at.
const LOOKED_AT_MAX: usize = 100_000;

/// A thing in a folder, with no link followed.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: OsString,
    pub(super) kind: EntryKind,
    /// The size of a file.
    pub(super) bytes: u64,
}

/// Entries of a folder, in the order of the bytes of their names.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) first: Vec<Entry>,
    /// The number of entries behind them.
    pub(super) left_off: usize,
}

/// The entries of the folder that errors call `path`: those behind `after`, and no more than `max`.
pub(super) fn entries(
    folder: &Dir,
    path: &str,
    after: Option<&str>,
    max: usize,
    stop: &StopSign,
) -> Result<Entries, ToolFailure> {
    let failure = |error| io_failure(path, &error);
    let after = after.map(|after| meant(folder, after));
    let after = after.transpose().map_err(failure)?;
    let mut names = BTreeSet::new();
    let mut left_off = 0;
    for (place, entry) in folder.entries().map_err(failure)?.enumerate() {
        stop.check()?;
        if place == LOOKED_AT_MAX {
            return Err(failed(
                ToolErrorCode::TooLarge,
                format!("{path} has more than {LOOKED_AT_MAX} entries"),
            ));
        }
        let name = entry.map_err(failure)?.file_name();
        if after.as_ref().is_some_and(|after| name <= *after) {
            continue;
        }
        names.insert(name);
        if names.len() > max {
            names.pop_last();
            left_off += 1;
        }
    }
    let first = names.into_iter().filter_map(|name| entry(folder, name));
    Ok(Entries {
        first: first
            .collect::<Result<_, Errno>>()
            .map_err(|error| failure(error.into()))?,
        left_off,
    })
}

/// The name that somebody means who read it as it is [shown].
fn meant(folder: &Dir, name: &str) -> io::Result<OsString> {
    if name.starts_with('"') {
        for entry in folder.entries()?.take(LOOKED_AT_MAX) {
            let there = entry?.file_name();
            if shown(&there) == name {
                return Ok(there);
            }
        }
    }
    Ok(name.into())
}

/// What stands under a name; `None`: nothing does any more.
fn entry(folder: &Dir, name: OsString) -> Option<Result<Entry, Errno>> {
    match statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => None,
        Err(error) => Some(Err(error)),
        Ok(stat) => Some(Ok(Entry {
            name,
            kind: EntryKind::of(FileType::from_raw_mode(stat.st_mode)),
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
        })),
    }
}

/// A name as it is written in a line: in quotes, with escapes, if it could be taken for something else.
pub(super) fn shown(name: &OsStr) -> Cow<'_, str> {
    let Some(text) = name.to_str() else {
        return format!("{name:?} (no UTF-8)").into();
    };
    let quoted = format!("{text:?}");
    let is_plain = quoted.len() == text.len() + 2 && text.trim() == text;
    if is_plain { text.into() } else { quoted.into() }
}
