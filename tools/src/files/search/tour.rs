//! The walk of a search. Those of `ignore` and `grep-searcher` take paths, and a path may lead elsewhere between the look and
//! the opening. This one goes from handle to handle; of those crates it uses what works on text and on opened files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

use cap_std::fs::Dir;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};

use super::super::entries::{Entry, entries, shown};
use super::super::open::{EntryKind, OpenFor, OpenedPath, open_entry};
use super::super::{Root, StopSign, failed, io_failure};
use super::choice::{Choice, IGNORE_FILE};
use super::matches::{LINE_BYTES_MAX, Matches};

/// The most entries of a folder that are gone through.
const ENTRIES_MAX: usize = 10_000;
/// The most files of one call.
const FILES_MAX: usize = 20_000;
/// The most bytes of one call.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The most folders within one another, each of which is kept open.
const DEPTH_MAX: usize = 32;

/// A way through folders in the order of names, from handle to handle.
pub(super) struct Tour<'s> {
    matches: Matches,
    choice: Choice,
    /// The size from which on a file is left out.
    file_bytes_max: u64,
    stop: &'s StopSign,
    files: usize,
    bytes: u64,
    /// The files and folders that were too large or too deep, have too long lines, or could not be read.
    left_out: usize,
    /// True if a bound of the call ended it.
    is_over: bool,
}

impl<'s> Tour<'s> {
    pub(super) fn new(
        matches: Matches,
        choice: Choice,
        file_bytes_max: u64,
        stop: &'s StopSign,
    ) -> Self {
        Self {
            matches,
            choice,
            file_bytes_max,
            stop,
            files: 0,
            bytes: 0,
            left_out: 0,
            is_over: false,
        }
    }

    /// Searches what stands at `path`, which was asked for by name.
    pub(super) fn start(&mut self, root: &Root, path: &str) -> Result<(), ToolFailure> {
        match root.open(path, OpenFor::Read)? {
            OpenedPath::File(file) => self.file(path, file),
            OpenedPath::Folder(folder) if path == "." => self.folder(&folder, "", 0),
            OpenedPath::Folder(folder) => self.folder(&folder, &format!("{path}/"), 0),
        }
    }

    /// The lines that were found, and a last one about the search.
    pub(super) fn end(self) -> String {
        let found = self.matches.found;
        let count = found.count;
        let mut note = match (found.is_cut, self.is_over) {
            (true, _) => format!("[cut: more than these lines: {count}"),
            (false, true) => format!("[cut: too much to search; lines: {count}"),
            (false, false) => format!("[lines: {count}"),
        };
        note.push_str(&format!("; files searched: {}", self.files));
        if self.left_out > 0 {
            note.push_str(&format!("; left out: {}", self.left_out));
        }
        note.push(']');
        found.end(&note)
    }

    fn is_done(&self) -> bool {
        self.is_over || self.matches.found.is_cut
    }

    /// Searches a folder; `prefix` leads to it, and is empty or ends with a slash.
    fn folder(&mut self, folder: &Dir, prefix: &str, depth: usize) -> Result<(), ToolFailure> {
        let named = if prefix.is_empty() { "." } else { prefix };
        let entries = match entries(folder, named, None, ENTRIES_MAX, self.stop) {
            Err(failure) if depth == 0 => return Err(failure),
            Err(_unreadable) => return self.leave_out(),
            Ok(entries) => entries,
        };
        self.left_out += entries.left_off;
        if let Ok(Some(OpenedPath::File(rules))) = open_entry(folder, OsStr::new(IGNORE_FILE)) {
            self.choice.enter(prefix.len(), rules);
        }
        for entry in entries.first {
            if self.is_done() {
                break;
            }
            self.entry(folder, prefix, &entry, depth)?;
        }
        self.choice.leave(prefix.len());
        Ok(())
    }

    fn entry(
        &mut self,
        folder: &Dir,
        prefix: &str,
        entry: &Entry,
        depth: usize,
    ) -> Result<(), ToolFailure> {
        self.stop.check()?;
        let path = format!("{prefix}{}", entry.name.to_string_lossy());
        let is_chosen = match entry.kind {
            EntryKind::File => self.choice.has_file(&path),
            EntryKind::Folder => self.choice.has_folder(&path),
            EntryKind::Link | EntryKind::Special => false,
        };
        if !is_chosen {
            return Ok(());
        }
        match open_entry(folder, &entry.name) {
            Ok(Some(OpenedPath::File(file))) => {
                let searched = self.file(&path, file);
                searched.or_else(|_unreadable| self.leave_out())
            }
            Ok(Some(OpenedPath::Folder(_))) if depth == DEPTH_MAX => self.leave_out(),
            Ok(Some(OpenedPath::Folder(folder))) => {
                self.folder(&folder, &format!("{path}/"), depth + 1)
            }
            // Another thing has come in its place.
            Ok(None) => Ok(()),
            Err(_unreadable) => self.leave_out(),
        }
    }

    fn leave_out(&mut self) -> Result<(), ToolFailure> {
        self.left_out += 1;
        self.stop.check()
    }

    fn file(&mut self, path: &str, file: File) -> Result<(), ToolFailure> {
        let failure = |error| io_failure(path, &error);
        let size = file.metadata().map_err(failure)?.len();
        if size > self.file_bytes_max {
            return self.leave_out();
        }
        self.is_over |= self.files == FILES_MAX || self.bytes >= BYTES_MAX;
        if self.is_over {
            return Ok(());
        }
        self.files += 1;
        // What counts is what is read, not what the size was a moment ago.
        let mut text = Counted {
            text: file.take(self.file_bytes_max),
            stop: self.stop,
            bytes: 0,
        };
        let searched = self.matches.search(&shown(OsStr::new(path)), &mut text);
        self.bytes = self.bytes.saturating_add(text.bytes);
        self.stop.check()?;
        searched.map_err(|error| match error.raw_os_error() {
            Some(_) => failure(error),
            // Not the system's word: the searcher has no room for the line.
            None => failed(
                ToolErrorCode::TooLarge,
                format!("{path} has a line of more than {LINE_BYTES_MAX} bytes"),
            ),
        })
    }
}

/// A text that counts what is read of it, and ends when nobody waits for it any more.
struct Counted<'s> {
    text: io::Take<File>,
    stop: &'s StopSign,
    bytes: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.check().is_err() {
            return Ok(0);
        }
        let read = self.text.read(buffer)?;
        self.bytes = self.bytes.saturating_add(read as u64);
        Ok(read)
    }
}
