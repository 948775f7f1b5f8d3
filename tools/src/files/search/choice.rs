use std::fs::File;
use std::io::Read;

use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};

use super::super::open::{OpenFor, OpenedPath};
use super::super::{Root, failed};
use super::SearchArguments;

/// The name of the files that say which others are not worth reading.
pub(super) const IGNORE_FILE: &str = ".gitignore";
/// The most bytes that are heeded of all such files along the way to a folder.
const IGNORE_BYTES_MAX: u64 = 64 * 1024;
/// The most lines likewise: each is a program of its own.
const IGNORE_LINES_MAX: usize = 2000;

/// The files that are searched. All paths are relative to the tool's folder; nothing here looks at the disk.
#[derive(Debug)]
pub(super) struct Choice {
    /// True if hidden and ignored files are searched as well.
    all: bool,
    /// The files that the caller asked for; empty: all.
    files: Override,
    /// What each folder on the way says, from the root on.
    ignored: Vec<Ignored>,
}

#[derive(Debug)]
struct Ignored {
    /// The bytes of a path that lead to the folder, with the slash.
    folder_len: usize,
    rules: Gitignore,
    bytes: u64,
}

impl Choice {
    /// The choice of the caller, and of the folders above the one that is searched.
    pub(super) fn new(root: &Root, arguments: &SearchArguments) -> Result<Self, ToolFailure> {
        let mut choice = Self {
            all: arguments.all,
            files: globs(arguments.files.as_deref())?,
            ignored: Vec::new(),
        };
        let path = &arguments.path;
        let ends = path.match_indices('/').map(|(end, _)| end + 1);
        for folder_len in std::iter::once(0).chain(ends).filter(|_| path != ".") {
            let folder = path.get(..folder_len).unwrap_or_default();
            let opened = root.open(&format!("{folder}{IGNORE_FILE}"), OpenFor::Read);
            // One that is missing, a link or no file says nothing.
            if let Ok(OpenedPath::File(file)) = opened {
                choice.enter(folder_len, file);
            }
        }
        Ok(choice)
    }

    /// Heeds an ignore file, of the folder to which the first bytes of a path lead. What there is no room for says nothing.
    pub(super) fn enter(&mut self, folder_len: usize, file: File) {
        let (bytes, lines) = self.ignored.iter().fold((0, 0), |(bytes, lines), ignored| {
            (bytes + ignored.bytes, lines + ignored.rules.len())
        });
        let room = IGNORE_BYTES_MAX.saturating_sub(bytes);
        let mut text = Vec::new();
        let read = file.take(room.saturating_add(1)).read_to_end(&mut text);
        if text.len() as u64 > room {
            // The beginning of a line is another rule.
            let end = text.iter().rposition(|byte| *byte == b'\n');
            text.truncate(end.unwrap_or_default());
        }
        let bytes = text.len() as u64;
        let mut rules = GitignoreBuilder::new("");
        let lines_max = IGNORE_LINES_MAX.saturating_sub(lines);
        let text = String::from_utf8_lossy(&text);
        let says_something = |line: &&str| !line.is_empty() && !line.starts_with('#');
        for line in text.lines().filter(says_something).take(lines_max) {
            // As in git, a line that is no glob says nothing.
            let _unusable = rules.add_line(None, line).is_err();
        }
        if let (Ok(_), Ok(rules)) = (read, rules.build()) {
            self.ignored.push(Ignored {
                folder_len,
                rules,
                bytes,
            });
        }
    }

    /// Leaves a folder: what the ignore files beneath say counts no more.
    pub(super) fn leave(&mut self, folder_len: usize) {
        self.ignored
            .retain(|ignored| ignored.folder_len < folder_len);
    }

    /// Tells whether the folder is searched.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.is_worth_it(path, true)
    }

    /// Tells whether the file is searched.
    pub(super) fn has_file(&self, path: &str) -> bool {
        !self.files.matched(path, false).is_ignore() && self.is_worth_it(path, false)
    }

    fn is_worth_it(&self, path: &str, is_folder: bool) -> bool {
        if self.all {
            return true;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let rule = self.ignored.iter().rev().find_map(|ignored| {
            let path = path.get(ignored.folder_len..)?;
            match ignored.rules.matched(path, is_folder) {
                ignore::Match::None => None,
                ignore::Match::Ignore(_) => Some(false),
                ignore::Match::Whitelist(_) => Some(true),
            }
        });
        rule.unwrap_or(true) && !name.starts_with('.')
    }
}

fn globs(glob: Option<&str>) -> Result<Override, ToolFailure> {
    let Some(glob) = glob else {
        return Ok(Override::empty());
    };
    let mut globs = OverrideBuilder::new("");
    let globs = globs.add(glob).and_then(|globs| globs.build());
    let refused = |why: &str| {
        let why = format!("`files` is no glob: {why}");
        failed(ToolErrorCode::BadArguments, why)
    };
    match globs {
        // A comment, or blanks: all files would be searched.
        Ok(globs) if globs.is_empty() => Err(refused("it says nothing")),
        Ok(globs) => Ok(globs),
        Err(error) => Err(refused(&error.to_string())),
    }
}
