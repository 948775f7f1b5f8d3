//! Faults of world scripts: what is wrong, where, and what to do about it.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::secret::seeming_secrets;

folkmoot_core::debug_in_words!(ScriptError);

/// A place in one of a script's files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Which file: 0 is the script, then what it includes.
    pub(crate) source: usize,
    /// Where it begins, in bytes.
    pub(crate) offset: usize,
    /// How long it is, in bytes.
    pub(crate) len: usize,
}

/// The text of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Where it was read.
    pub(crate) file: PathBuf,
    /// What stands in it.
    pub(crate) text: Arc<str>,
}

/// The files that a script was read from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources(pub(crate) Vec<Source>);

impl Sources {
    /// The script's own name, without its folder.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        Some(
            self.0
                .first()?
                .file
                .file_name()?
                .to_string_lossy()
                .into_owned(),
        )
    }

    /// The texts of all files: the script's own first, then of those that it includes.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|source| &*source.text)
    }

    /// The same with asterisks in place of what is hidden, and of what seems to be a secret.
    fn without(&self, hidden: &[Mark]) -> Self {
        let sources = self.0.iter().enumerate().map(|(number, source)| {
            let marks = hidden.iter().filter(|mark| mark.source == number);
            let mut ranges: Vec<_> = marks
                .map(|mark| mark.offset..(mark.offset + mark.len))
                .collect();
            let mut start = 0_usize;
            for line in source.text.split_inclusive('\n') {
                let seeming = seeming_secrets(line).into_iter();
                ranges.extend(seeming.map(|at| (start + at.start)..(start + at.end)));
                start += line.len();
            }
            Source {
                file: source.file.clone(),
                text: starred(&source.text, ranges).into(),
            }
        });
        Self(sources.collect())
    }

    /// A fault at `mark`.
    #[must_use]
    pub fn fault(&self, mark: Mark, message: impl Into<String>, help: Option<String>) -> Fault {
        self.without(&[]).fault_as_is(mark, message.into(), help)
    }

    fn fault_as_is(&self, mark: Mark, message: String, help: Option<String>) -> Fault {
        let source = self.0.get(mark.source);
        Fault {
            file: source.map(|source| source.file.clone()).unwrap_or_default(),
            source: source.map_or_else(|| Arc::from(""), |source| Arc::clone(&source.text)),
            span: (mark.offset, mark.len),
            message,
            help,
        }
    }
}

/// A text with asterisks in place of what is not white in these ranges of bytes. Its length stays.
fn starred(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut ranges = ranges.into_iter().peekable();
    let mut shown = String::with_capacity(text.len());
    let mut end = 0_usize;
    for (at, c) in text.char_indices() {
        while let Some(range) = ranges.next_if(|range| range.start <= at) {
            end = end.max(range.end);
        }
        if at < end && !c.is_whitespace() {
            shown.extend(std::iter::repeat_n('*', c.len_utf8()));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// One thing that is wrong with a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file: the script, or one that it includes.
    pub file: PathBuf,
    /// The file's whole text; empty if it could not be read.
    pub source: Arc<str>,
    /// Where in it: offset and length in bytes.
    pub span: (usize, usize),
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Fault {
    /// A fault of a file as a whole.
    pub(crate) fn of_file(file: &Path, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            source: Arc::from(""),
            span: (0, 0),
            message: message.into(),
            help: None,
        }
    }

    /// The line and the column, both from 1; columns count characters.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        position(&self.source, self.span.0)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(
            f,
            "{}:{line}:{column}: {}",
            self.file.display(),
            self.message
        )?;
        self.help
            .as_ref()
            .map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(start..).map_or(0, |line| line.chars().count());
    (before.matches('\n').count() + 1, column + 1)
}

/// A script that cannot be used, with all that was found.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(.faults))]
#[non_exhaustive]
pub struct ScriptError {
    /// The faults, in the order of the script. Never empty.
    pub faults: Vec<Fault>,
}

impl From<Fault> for ScriptError {
    fn from(fault: Fault) -> Self {
        Self {
            faults: vec![fault],
        }
    }
}

fn listed(faults: &[Fault]) -> String {
    faults
        .iter()
        .map(Fault::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The most faults that are collected.
const FAULTS_MAX: usize = 100;

/// Collects faults while a script is looked through.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    found: RefCell<Vec<(Mark, String, Option<String>)>>,
    /// The places of secrets: no fault shows them.
    hidden: RefCell<Vec<Mark>>,
}

impl Faults {
    /// Notes that something is wrong at `mark`.
    pub(crate) fn add(&self, mark: Mark, message: impl Into<String>) {
        self.push(mark, message.into(), None);
    }

    /// Notes that something is wrong at `mark`, and what to do about it.
    pub(crate) fn add_with_help(
        &self,
        mark: Mark,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(mark, message.into(), Some(help.into()));
    }

    fn push(&self, mark: Mark, message: String, help: Option<String>) {
        let mut faults = self.found.borrow_mut();
        if faults.len() < FAULTS_MAX
            && !faults
                .iter()
                .any(|(at, said, _)| *at == mark && *said == message)
        {
            faults.push((mark, message, help));
        }
    }

    /// Keeps what stands at `mark` out of every fault.
    pub(crate) fn hide(&self, mark: Mark) {
        self.hidden.borrow_mut().push(mark);
    }

    /// All faults in the order of the files; an error if there are any.
    pub(crate) fn into_result(self, sources: &Sources) -> Result<(), ScriptError> {
        let mut faults = self.found.into_inner();
        let sources = &sources.without(&self.hidden.into_inner());
        faults.sort_by_key(|(mark, ..)| *mark);
        let faults: Vec<_> = faults
            .into_iter()
            .map(|(mark, message, help)| sources.fault_as_is(mark, message, help))
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ScriptError { faults })
        }
    }
}
