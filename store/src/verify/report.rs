//! What verifying a log gives.

use std::fmt;

use folkmoot_core::event::{Occasion, TreeHead};
use folkmoot_core::ids::{Digest, Position, WorldId, WorldName};
use serde::Serialize;

/// The findings about a world's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Integrity {
    /// The world.
    pub world: WorldId,
    /// Its name, if the log or the index still tells it.
    pub name: Option<WorldName>,
    /// The number of commits that were walked: those before the first damage.
    pub commits: u64,
    /// The position of the last event of those.
    pub events: Position,
    /// The root of the tree over them.
    pub root: Digest,
    /// The link of the last of them.
    pub link: Digest,
    /// The signed heads among them.
    pub heads: Heads,
    /// The anchors that are about this world.
    pub anchors: Vec<Anchored>,
    /// The events that nobody vouches for.
    pub tail: Tail,
    /// The first fault.
    pub damage: Option<Damage>,
    /// The part that a newer build wrote, so that this one does not judge it.
    pub newer: Option<Newer>,
}

impl Integrity {
    /// Returns what it comes to.
    #[must_use]
    pub fn verdict(&self) -> LogVerdict {
        let fits = self
            .anchors
            .iter()
            .any(|anchor| anchor.outcome == AnchorOutcome::Fits);
        if self.damage.is_some() {
            LogVerdict::Damaged
        } else if self.newer.is_some() {
            LogVerdict::Newer
        } else if fits {
            LogVerdict::Intact
        } else {
            // Whoever can write a log can write it whole; only what was kept elsewhere tells.
            LogVerdict::NotChecked
        }
    }
}

/// The result of verifying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogVerdict {
    /// An anchor fits, and nothing is wrong. What is behind the last anchor is in
    /// [`Integrity::tail`].
    Intact,
    /// Nothing is wrong with the log in itself. No anchor was given, so it may be another log than
    /// it was.
    NotChecked,
    /// A newer build wrote a part of it, which is no damage.
    Newer,
    /// Something is wrong.
    Damaged,
}

/// The signed heads in a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Heads {
    /// The number of heads.
    pub seen: u64,
    /// The number of those that one of the given keys has signed.
    pub signed: u64,
    /// The last one.
    pub last: Option<SeenHead>,
}

/// A signed head in a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeenHead {
    /// The position of its event.
    pub at: Position,
    /// The part of the log that it covers.
    #[serde(flatten)]
    pub head: TreeHead,
    /// The key that is said to have signed it.
    pub key: String,
    /// Why it was signed then.
    pub occasion: Occasion,
    /// The verdict whether that key did.
    pub signature: SignatureVerdict,
}

/// The verdict whether a key signed a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureVerdict {
    /// It did.
    Verified,
    /// Nobody knows: that key was not given.
    NotChecked,
    /// It did not.
    Wrong,
}

/// An anchor, compared with the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Anchored {
    /// The number of commits that it covers.
    pub commits: u64,
    /// The root over them.
    pub root: Digest,
    /// The last event that it covers in this log, if this log has so many commits.
    pub of: Option<Position>,
    /// The result of the comparison.
    pub outcome: AnchorOutcome,
}

/// The result of comparing an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorOutcome {
    /// The log has grown from it.
    Fits,
    /// The log has another root there.
    Differs,
    /// The log has its root there, but not its event: somebody wrote into the anchor.
    Altered,
    /// The log ends before it.
    Ahead,
    /// The log was damaged before it, so that nothing can be said.
    NotReached,
}

/// The events that no anchor and no head signed with a given key covers. Whoever can write the
/// store could have written them; after a crash there are always some.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tail {
    /// The last event that is covered; 0 if none is.
    pub attested: Position,
    /// The number of those that come behind it.
    pub events: u64,
}

/// A fault of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The first event that cannot be trusted.
    pub at: Position,
    /// If only the range is known that the first changed event is in: the last of it.
    pub until: Option<Position>,
    /// The kind of damage.
    pub kind: DamageKind,
    /// The findings, for people.
    pub what: String,
}

/// The kinds of damage, each with what proves it. `docs/audit.md` says which attacks show, and which do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// A record does not give its link, or only with its position or its world put right.
    FlippedByte,
    /// A record stands where another one was written, and that one is elsewhere; or one stands twice.
    Reordered,
    /// A position is missing, and later ones are there.
    Deleted,
    /// The log ends before the store's own entry or head record says.
    CutTail,
    /// The log is right in itself, and an anchor covers more commits, or its runs go on behind what the index says.
    /// If the index was taken back too, only an anchor proves it.
    RolledBack,
    /// A record of another world stands in this one, or one with the link of another world's commit.
    Spliced,
    /// All links are right, and a signed head behind the place, an anchor or the index has another root.
    Rewritten,
    /// Events follow the last head of a closed world, and nobody opened it again; or a head was not
    /// signed by the key that it names.
    Fabricated,
    /// Bytes are there and make no sense: a checksum, a length, or an event that does not read.
    Unreadable,
    /// The log is right, and a table beside it is not.
    Index,
    /// A file that an event refers to is missing or is another one.
    File,
    /// Content over 56 KiB stands in a file of its own, and that is missing or does not give the recorded commitment.
    /// The event's other facts are right.
    Content,
    /// Content is gone and no `ErasureRequested` of this world names it, or it is encrypted in a world that is not sealed.
    TakenOut,
}

impl DamageKind {
    /// Returns its name in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::FlippedByte => "flipped byte",
            Self::Reordered => "reordered",
            Self::Deleted => "deleted in the middle",
            Self::CutTail => "cut tail",
            Self::RolledBack => "rolled-back head",
            Self::Spliced => "spliced from another world",
            Self::Rewritten => "rewritten",
            Self::Fabricated => "fabricated extension",
            Self::Unreadable => "unreadable record",
            Self::Index => "index damage",
            Self::File => "file missing or changed",
            Self::Content => "content missing or changed",
            Self::TakenOut => "content taken out",
        }
    }
}

impl fmt::Display for DamageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// Something that a newer build wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Newer {
    /// The first event of it.
    pub at: Position,
    /// What it is.
    pub what: String,
}

/// Something wrong with a store that is not known to be a certain world's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreDamage {
    /// The first frame that cannot be trusted, if it is about frames.
    pub frame: Option<u64>,
    /// The kind of damage; `None` for what a newer build wrote.
    pub kind: Option<DamageKind>,
    /// The findings, for people.
    pub what: String,
}

/// The findings about a whole store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Examined {
    /// Its worlds, by id.
    pub worlds: Vec<Integrity>,
    /// The faults beside them.
    pub store: Vec<StoreDamage>,
}
