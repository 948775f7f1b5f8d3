//! The signed heads that stand in a log, as notes.

use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::{EventLog as _, ReadError};
use folkmoot_proof::note::{Checkpoint, SignedNote};
use folkmoot_store::Store;
use futures::TryStreamExt as _;
use serde::Deserialize;

/// The kind of event that has a signed head.
const HEAD_SIGNED: u16 = 11;

/// What such an event says.
#[derive(Deserialize)]
struct SignedFacts {
    of: Position,
    commits: u64,
    root: Digest,
    /// The key's name, a plus sign and its id.
    key: String,
    /// What stands behind the name in a signature line.
    signature: String,
}

/// The signed heads of a world.
pub(super) struct SignedHeads {
    world: WorldId,
    newest: Option<(SignedNote, u64)>,
    /// True if anything but signed heads stands behind what the newest one covers.
    has_more: bool,
}

impl SignedHeads {
    /// Goes through a log.
    pub(super) async fn read(store: &Store, world: WorldId) -> Result<Self, ReadError> {
        let mut heads = Self::new(world);
        let mut commits = store.read(world, Position::new(1)).await?;
        while let Some(stored) = commits.try_next().await? {
            for (at, event) in stored.commit.numbered() {
                let kind = event.kind() as u16;
                // A head that a fork shares with its parent was signed for that one.
                let is_own = stored.commit.header.world == world;
                let facts = if kind == HEAD_SIGNED && is_own {
                    event.to_record().ok()
                } else {
                    None
                };
                heads.take(at, facts.as_ref().map(|record| record.facts.as_slice()));
            }
        }
        Ok(heads)
    }

    pub(super) const fn new(world: WorldId) -> Self {
        Self {
            world,
            newest: None,
            has_more: true,
        }
    }

    /// Takes an event in: the facts of a signed head, or something else.
    pub(super) fn take(&mut self, at: Position, signed: Option<&[u8]>) {
        let Some((note, of, size)) = signed.and_then(|facts| self.note(facts)) else {
            self.has_more = true;
            return;
        };
        // It is signed after what it covers; events that came in between are not covered.
        self.has_more &= of.next() < at;
        self.newest = Some((note, size));
    }

    fn note(&self, facts: &[u8]) -> Option<(SignedNote, Position, u64)> {
        let SignedFacts {
            of,
            commits,
            root,
            key,
            signature,
        } = serde_json::from_slice(facts).ok()?;
        let body = Checkpoint::of_world(
            *self.world.0.as_bytes(),
            commits,
            *root.as_bytes(),
            of.get(),
        )
        .body();
        let (name, _id) = key.split_once('+')?;
        let note =
            SignedNote::parse(format!("{body}\n\u{2014} {name} {signature}\n").as_bytes()).ok()?;
        Some((note, of, commits))
    }

    /// The newest one.
    pub(super) fn newest(&self) -> Option<&SignedNote> {
        self.newest.as_ref().map(|(note, _)| note)
    }

    /// Returns how many commits the newest one covers, if nothing but itself stands behind them.
    pub(super) fn covers_all_but_itself(&self) -> Option<u64> {
        self.newest
            .as_ref()
            .filter(|_| !self.has_more)
            .map(|(_, size)| *size)
    }
}
