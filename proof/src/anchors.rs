//! Anchors: signed heads of logs, kept where whoever holds the logs cannot change them.
//!
//! An anchors file is UTF-8 text: one checkpoint of a world or more, each a signed note (see
//! [`note`](crate::note)), with one empty line between two of them. The file ends with the last
//! signature line.
//!
//! ```
//! use folkmoot_proof::anchors::Anchors;
//! use folkmoot_proof::note::{Checkpoint, SignerKey};
//!
//! let key = SignerKey::generate("example.com/desk", &[7; 32])?;
//! let head = |world, commits| Checkpoint::of_world([world; 16], commits, [0; 32], 9).sign(&key);
//! let file = format!("{}\n{}", head(1, 3)?, head(2, 5)?);
//!
//! let anchors = Anchors::parse(file.as_bytes())?;
//! assert_eq!(anchors.of([2; 16]).map(|anchor| anchor.checkpoint().size).collect::<Vec<_>>(), [5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use crate::note::{Checkpoint, CheckpointError, NoteError, SignedNote};

#[cfg(test)]
mod tests;

/// The most bytes that an anchors file may have.
pub const FILE_MAX: usize = 16 * 1024 * 1024;

/// The fault that an anchors file has, and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the anchors: {fault}")]
pub struct AnchorsError {
    /// The line, counted from 1. For a note as a whole, its first one.
    pub line: usize,
    /// The fault there.
    #[source]
    pub fault: AnchorFault,
}

/// A fault of an anchors file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorFault {
    /// The file is too long.
    #[error("the file has {found} bytes; at most {FILE_MAX} are read")]
    TooLong {
        /// The number of its bytes.
        found: usize,
    },
    /// The file is not UTF-8.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// A line ends as on other systems.
    #[error(
        "the line ends with a carriage return: the file was changed on its way; keep it as it was printed"
    )]
    CarriageReturn,
    /// A checkpoint, or the rest of one, was expected.
    #[error(
        "a checkpoint begins here: its text, one empty line, its signature lines; the next one after one empty line"
    )]
    Form,
    /// The signed note does not read.
    #[error("{0}")]
    Note(#[source] NoteError),
    /// The text of the note is no checkpoint.
    #[error("{0}")]
    Checkpoint(#[source] CheckpointError),
    /// The checkpoint is not about a world.
    #[error(
        "the checkpoint is not of a world: its origin is `folkmoot/` and the world's id, its fourth and last line `event N`"
    )]
    NotAWorld,
}

/// A signed head of a world's log. Its signatures are not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The line of the file on which the note begins, from 1.
    line: usize,
    /// The id of the world, from the checkpoint's origin.
    world: [u8; 16],
    /// The position of the last event that the head covers.
    last_event: u64,
    /// The checkpoint that the note holds.
    checkpoint: Checkpoint,
    /// The note itself, with its signatures, none of them verified.
    note: SignedNote,
}

impl Anchor {
    /// Reads a note.
    ///
    /// # Errors
    /// [`AnchorFault`]: `Checkpoint` or `NotAWorld`.
    pub fn of_note(note: SignedNote) -> Result<Self, AnchorFault> {
        let checkpoint = Checkpoint::parse(note.text()).map_err(AnchorFault::Checkpoint)?;
        let world = checkpoint.world().ok_or(AnchorFault::NotAWorld)?;
        let last_event = checkpoint.last_event().ok_or(AnchorFault::NotAWorld)?;
        Ok(Self {
            line: 1,
            world,
            last_event,
            checkpoint,
            note,
        })
    }

    /// The line of the file in which it begins, counted from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// The id of the world that it is about.
    #[must_use]
    pub const fn world(&self) -> [u8; 16] {
        self.world
    }

    /// The position of the last event that it covers.
    #[must_use]
    pub const fn last_event(&self) -> u64 {
        self.last_event
    }

    /// The checkpoint that was signed.
    #[must_use]
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The note, with its signatures: [`SignedNote::verify`] says who has signed.
    #[must_use]
    pub const fn note(&self) -> &SignedNote {
        &self.note
    }
}

/// Signed heads of worlds, at least one, in the order in which they stand in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchors(Vec<Anchor>);

impl Anchors {
    /// Reads a file of anchors. Nothing is verified yet.
    ///
    /// # Errors
    /// [`AnchorsError`], with the line.
    pub fn parse(bytes: &[u8]) -> Result<Self, AnchorsError> {
        let at = |line, fault| AnchorsError { line, fault };
        if bytes.len() > FILE_MAX {
            return Err(at(1, AnchorFault::TooLong { found: bytes.len() }));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| at(not_text(bytes, &error), AnchorFault::NotText))?;
        // An editor or a mail program made such line ends: the signatures would fail without saying
        // why.
        if let Some((before, _)) = text.split_once('\r') {
            return Err(at(line_after(before), AnchorFault::CarriageReturn));
        }
        let mut anchors = Vec::new();
        let mut line = 1;
        let mut rest = text;
        loop {
            let (note, next) = first_note(rest).ok_or_else(|| at(line, AnchorFault::Form))?;
            let read = SignedNote::parse(note.as_bytes())
                .map_err(|error| at(faulty_line(line, note, &error), AnchorFault::Note(error)))?;
            let anchor = Anchor::of_note(read).map_err(|fault| at(line, fault))?;
            anchors.push(Anchor { line, ..anchor });
            let Some(next) = next else {
                return Ok(Self(anchors));
            };
            line += lines(note) + 1;
            rest = next;
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Anchor> {
        self.0.iter()
    }

    /// The anchors of a world.
    pub fn of(&self, world: [u8; 16]) -> impl Iterator<Item = &Anchor> {
        self.0.iter().filter(move |anchor| anchor.world == world)
    }
}

impl FromIterator<SignedNote> for AnchorsFile {
    fn from_iter<T: IntoIterator<Item = SignedNote>>(notes: T) -> Self {
        Self(notes.into_iter().collect())
    }
}

/// Notes, written as an anchors file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorsFile(Vec<SignedNote>);

impl fmt::Display for AnchorsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, note)| {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{note}")
        })
    }
}

/// The first note of a text, and what follows on the empty line behind it; `None` for that if the
/// text ends with it.
fn first_note(text: &str) -> Option<(&str, Option<&str>)> {
    let body = text.find("\n\n").filter(|_| !text.starts_with('\n'))?;
    let signatures = text
        .get(body + 2..)
        .filter(|rest| !rest.starts_with('\n'))?;
    match signatures.find("\n\n") {
        Some(end) => {
            let end = body + end + 3;
            Some((text.get(..end)?, Some(text.get(end + 1..)?)))
        }
        None => Some((text, None)),
    }
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The line that begins, or goes on, behind `before`.
fn line_after(before: &str) -> usize {
    lines(before) + 1
}

fn not_text(bytes: &[u8], error: &std::str::Utf8Error) -> usize {
    let before = bytes.iter().take(error.valid_up_to());
    before.filter(|byte| **byte == b'\n').count() + 1
}

/// The line of the file at which a fault of a note stands, if the note begins in `line`.
fn faulty_line(line: usize, note: &str, error: &NoteError) -> usize {
    let NoteError::SignatureLine { line: signature } = error else {
        return line;
    };
    let before = note
        .split_once("\n\n")
        .map_or(0, |(text, _)| lines(text) + 2);
    line + before + signature - 1
}
