//! Events that prove the log, branch it, and take content out of it.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::ids::{Digest, Position, WorldId, WorldName};

/// A head of the world's log was signed. The signature is over the head's text form, a checkpoint as logs of
/// certificates have it; `docs/audit.md` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadSigned {
    /// What was signed.
    #[serde(flatten)]
    pub head: TreeHead,
    /// The key, as its name, a plus sign and its id in hexadecimal.
    pub key: String,
    /// The signature line's value: id and signature, in base64.
    pub signature: String,
    /// Why it was signed then.
    pub occasion: Occasion,
}

/// How far a log reaches, and the root of the Merkle tree over its commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeHead {
    /// The last event that it covers.
    pub of: Position,
    /// How many commits it covers: the leaves of the tree.
    pub commits: u64,
    /// The root, after RFC 6962.
    pub root: Digest,
}

/// Why a head was signed when it was.
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

/// The world was branched off another one. It has that one's events up to `at`, and its own from this one on. What was
/// open there is closed here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    /// Its id.
    pub world: WorldId,
    /// Its name in the store.
    pub name: WorldName,
    /// The world that it was branched off.
    pub parent: WorldId,
    /// That one's name then.
    pub parent_name: WorldName,
    /// The head of what both have: `of` is the last event.
    pub base: TreeHead,
    /// The link of the last commit that both have.
    pub link: Digest,
    /// What becomes of the effects that it owes.
    pub effects: ForkEffects,
}

/// What becomes of the effects that a fork owes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkEffects {
    /// They are answered from the record where the same request occurred, and else are not performed.
    #[default]
    Recorded,
    /// They are performed: somebody allowed it.
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

/// Somebody asked that content be erased. It is owed from here on, until an [`Erased`] says that it is done.
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
    /// How many events had content that is gone now.
    pub events: u64,
    /// How many files that they had attached are gone.
    pub files: u64,
}
