//! Evidence bundles: commits of a log, taken out of it with what proves them. `docs/evidence.md` is
//! the format, whole.
//!
//! [`check()`] takes the bytes of a bundle and public keys, and gives a [`Report`]: what was
//! verified, what happened, and for each tool call who asked, who approved, what they were shown,
//! what ran and what came of it.

use serde::{Deserialize, Serialize};

use crate::Hash;

mod b64;
mod check;
mod event;
mod header;
mod heads;
mod kinds;
mod report;
mod story;
#[cfg(test)]
mod tests;
mod words;

pub use check::{Against, check};
pub use event::{ReportedContent, ReportedEvent};
pub use kinds::kind_name;
pub use report::{BundleVerdict, Check, Checked, Report};
pub use story::{CallRun, CallStory, Requested, ShownRequest, StoryEntry};

/// The format that a bundle names first.
pub const FORMAT: &str = "folkmoot evidence 1";

/// The most bytes of a bundle that are read.
pub const BUNDLE_MAX: usize = 64 * 1024 * 1024;

/// The most signed heads that a bundle may have.
pub const NOTES_MAX: usize = 256;

/// Bytes that are no bundle. Nothing can be said about what they claim.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// There are too many.
    #[error("the bundle has {found} bytes; at most {BUNDLE_MAX} are read")]
    TooLong {
        /// The number of bytes.
        found: usize,
    },
    /// There are too many signed heads.
    #[error("the bundle has {found} signed heads; at most {NOTES_MAX} are read")]
    TooManyNotes {
        /// The number of signed heads.
        found: usize,
    },
    /// Bytes that are not as the format says.
    #[error("this is not an evidence bundle: {0}")]
    Form(#[source] serde_json::Error),
    /// Another format, by their own word.
    #[error("the format of the bundle is `{found}`; this program reads `{FORMAT}`")]
    Format {
        /// The format that they name.
        found: String,
    },
    /// A head from which it cannot be read of what tree its commits are.
    #[error("the head of the bundle is not a checkpoint of a world: {0}")]
    Head(String),
}

/// Commits of a world, with what proves that they are in its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// [`FORMAT`].
    pub format: String,
    /// The text of a checkpoint: which world, how many commits, and the root of the tree that all
    /// proofs here lead to. It is signed only by what stands in `notes`.
    pub head: String,
    /// Signed checkpoints of that world, of that tree or of a smaller one, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The commits, in the order of the log. All of them without proofs, or chosen ones with
    /// proofs.
    pub commits: Vec<BundledCommit>,
}

/// A signed checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The signed note, as text.
    pub note: String,
    /// Proof that the tree of `head` begins with the tree of the note. Empty if they are the same,
    /// or if all commits are here.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "b64::hashes")]
    pub proof: Vec<Hash>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundledCommit {
    /// The number of its leaf in the tree, from 0.
    pub index: u64,
    /// The header as it is stored.
    #[serde(with = "b64::bytes")]
    pub header: Vec<u8>,
    /// All its events.
    pub events: Vec<BundledEvent>,
    /// The commit's link, which tells the first commit that was changed. `None` where only chosen
    /// commits are here: a link proves nothing across a gap.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "b64::link")]
    pub link: Option<Hash>,
    /// Proof that the commit is in the tree of `head`. Empty where all commits are here: they give
    /// the root by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "b64::hashes")]
    pub proof: Vec<Hash>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundledEvent {
    /// The kind of event, by number.
    pub kind: u16,
    /// The schema version.
    pub version: u16,
    /// The facts as they are stored, byte for byte: JSON text within a JSON string.
    pub facts: String,
    /// The content; `None` if this kind has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<BundledContent>,
}

/// The words of people, models and tools, or the part that is left of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BundledContent {
    /// As it is stored.
    Shown(ShownContent),
    /// Kept from whoever reads the bundle: the commitment alone.
    #[serde(with = "b64::hash")]
    Withheld(Hash),
    /// Erased from the log: the commitment is all that there is. That it is not merely withheld is
    /// not proven.
    #[serde(with = "b64::hash")]
    Erased(Hash),
}

/// Content with the salt that its commitment was made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownContent {
    /// 16 bytes.
    #[serde(with = "b64::salt")]
    pub salt: [u8; 16],
    /// The content as it is stored, byte for byte: JSON text within a JSON string.
    pub text: String,
}

/// The one field that says in what format a bundle is.
#[derive(Deserialize)]
struct FormatClaim {
    format: String,
}

impl Bundle {
    /// Reads a bundle. Nothing is verified yet.
    ///
    /// # Errors
    /// [`BundleError`], each variant but `Head`.
    pub fn parse(bytes: &[u8]) -> Result<Self, BundleError> {
        if bytes.len() > BUNDLE_MAX {
            return Err(BundleError::TooLong { found: bytes.len() });
        }
        // A newer format is told from one that does not read.
        let FormatClaim { format } = serde_json::from_slice(bytes).map_err(BundleError::Form)?;
        if format != FORMAT {
            return Err(BundleError::Format { found: format });
        }
        let bundle: Self = serde_json::from_slice(bytes).map_err(BundleError::Form)?;
        // Each note may have 32 signatures to verify: without a limit, a bundle of notes alone
        // would keep its reader busy for long.
        let found = bundle.notes.len();
        if found > NOTES_MAX {
            Err(BundleError::TooManyNotes { found })
        } else {
            Ok(bundle)
        }
    }
}
