//! Events that prove the log, branch it, and take content out of it.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::ids::{Digest, Position, WorldId, WorldName};

/// A head of the world's log was signed. The signature is over the head's text form, a checkpoint as logs of
/// certificates have it; `docs/evidence.md` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadSigned {
    /// The head that was signed.
    #[serde(flatten)]
    pub head: TreeHead,
    /// The key, as its name, a plus sign and its id in hexadecimal.
    pub key: String,
    /// The signature line's value: id and signature, in base64.
    pub signature: String,
    /// The occasion of the signature.
    pub occasion: Occasion,
}

/// The length of a log, and the root of the Merkle tree over its commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeHead {
    /// The last event that it covers.
    pub of: Position,
    /// The number of commits that it covers: the leaves of the tree.
    pub commits: u64,
    /// The root, after RFC 6962.
    pub root: Digest,
}

/// The occasion of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// So many events were unsigned.
    Count,
    /// Events were unsigned for so long.
    Time,
    /// The world became quiet.
    Quiet,
    /// The world was closed.
    Close,
}

/// The world was branched off another one. It has that one's events up to `at`, and its own from
/// this one on. What was open there is closed here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    /// The fork's id.
    pub world: WorldId,
    /// The fork's name in the store.
    pub name: WorldName,
    /// The world that it was branched off.
    pub parent: WorldId,
    /// The parent's name then.
    pub parent_name: WorldName,
    /// The head of what both have: `of` is the last event.
    pub base: TreeHead,
    /// The link of the last commit that both have.
    pub link: Digest,
    /// The treatment of the effects that the fork owes.
    pub effects: ForkEffects,
}

/// The treatment of the effects that a fork owes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkEffects {
    /// Effects are answered from the record where the same request occurred, and else are not
    /// performed.
    #[default]
    Recorded,
    /// Effects are performed: a person allowed it.
    Live,
}

/// Events from one position to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The first.
    pub from: Position,
    /// The last.
    pub to: Position,
}

/// Somebody asked that content be erased. It is owed from here on, until an [`Erased`] says that it
/// is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureRequested {
    /// The events whose content is to go, in order.
    pub events: Vec<Span>,
    /// On what basis.
    #[serde(skip)]
    pub basis: Content<String>,
}

/// Content was erased: it is in no file of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// The request.
    pub request: Position,
    /// The number of events that had content which is gone now.
    pub events: u64,
    /// The number of attached files that are gone.
    pub files: u64,
}
