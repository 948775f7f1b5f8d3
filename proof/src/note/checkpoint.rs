//! A checkpoint: the text of a note that says how far a log has come.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{NoteError, SignedNote, SignerKey};
use crate::{Hash, world};

/// The beginning of the origin of a world's checkpoints.
const ORIGIN: &str = "folkmoot/";

/// The beginning of the extension line that says how many events are covered.
const EVENT: &str = "event ";

/// A fault of a checkpoint's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Fewer than three lines, an empty one, or no newline at the end.
    #[error("a checkpoint has three lines or more, none of them empty, each ending in a newline")]
    Lines,
    /// The second line is not a number as it is written.
    #[error(
        "the second line of a checkpoint is the size of the tree, in decimal digits without leading zeros"
    )]
    Size,
    /// The third line is no hash.
    #[error("the third line of a checkpoint is base64 of the 32 bytes of a root")]
    Root,
}

/// The state of a log at some length: its name, the size of its tree and the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's name.
    pub origin: String,
    /// The number of its tree's leaves.
    pub size: u64,
    /// The root of the tree.
    pub root: Hash,
    /// Further lines.
    pub extensions: Vec<String>,
}

impl Checkpoint {
    /// Says how far a world has come: the number of its commits, the root over them, and the
    /// position of the last event.
    #[must_use]
    pub fn of_world(world: [u8; 16], size: u64, root: Hash, last_event: u64) -> Self {
        let origin = format!("{ORIGIN}{}", world::write(&world));
        Self {
            origin,
            size,
            root,
            extensions: vec![format!("{EVENT}{last_event}")],
        }
    }

    /// The world that it is about; `None` if it is about something else.
    #[must_use]
    pub fn world(&self) -> Option<[u8; 16]> {
        world::read(self.origin.strip_prefix(ORIGIN)?)
    }

    /// The position of the last event that it covers; `None` if its extensions do not say just
    /// that.
    #[must_use]
    pub fn last_event(&self) -> Option<u64> {
        // Extensions that a newer build adds may change how the first one is to be read.
        let [event] = self.extensions.as_slice() else {
            return None;
        };
        number(event.strip_prefix(EVENT)?)
    }

    /// The text that is signed.
    #[must_use]
    pub fn body(&self) -> String {
        let Self {
            origin,
            size,
            root,
            extensions,
        } = self;
        let mut body = format!("{origin}\n{size}\n{}\n", STANDARD.encode(root));
        extensions.iter().for_each(|line| {
            body.push_str(line);
            body.push('\n');
        });
        body
    }

    /// Reads the text of a note.
    ///
    /// # Errors
    /// [`CheckpointError`]: each variant is a rule.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let mut lines = text
            .strip_suffix('\n')
            .ok_or(CheckpointError::Lines)?
            .split('\n');
        let mut line = || {
            lines
                .next()
                .filter(|line| !line.is_empty())
                .ok_or(CheckpointError::Lines)
        };
        let origin = line()?.to_owned();
        let size = line()?;
        let root = line()?;
        let size = number(size).ok_or(CheckpointError::Size)?;
        let root = STANDARD
            .decode(root)
            .ok()
            .and_then(|root| root.try_into().ok())
            .ok_or(CheckpointError::Root)?;
        let extensions: Vec<String> = lines.map(str::to_owned).collect();
        if extensions.iter().any(String::is_empty) {
            return Err(CheckpointError::Lines);
        }
        Ok(Self {
            origin,
            size,
            root,
            extensions,
        })
    }

    /// Signs it.
    ///
    /// # Errors
    /// [`NoteError`] if a line of it holds what no note may have.
    pub fn sign(&self, key: &SignerKey) -> Result<SignedNote, NoteError> {
        SignedNote::sign(&self.body(), key)
    }
}

/// A decimal number as it is written: digits alone, no leading zeros.
fn number(text: &str) -> Option<u64> {
    let number = text.parse().ok()?;
    // `parse` takes `+3` and `03` too. A signed text must have one meaning and one spelling.
    (u64::to_string(&number) == text).then_some(number)
}
