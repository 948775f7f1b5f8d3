//! Commits as they are stored, with what proves them to somebody who has no store.

use std::collections::BTreeSet;
use std::sync::Arc;

use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::ReadError;
use folkmoot_proof::leaf::Salt;
use folkmoot_proof::{Frontier, Hash, ProofError, Prover};

use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::event::{ContentRef, EventRef};
use crate::format::record::RecordRef;
use crate::local::LocalStore;
use crate::read::reader::Reader;
use crate::state::shared::Shared;
use crate::sync::threads::blocking;

/// A choice of commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// All of them. They are in memory at once.
    All,
    /// The commits that hold these events.
    Holding(BTreeSet<Position>),
}

/// The evidence that is wanted of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The world.
    pub world: WorldId,
    /// The commits that are wanted.
    pub choice: Choice,
    /// Of how many commits the log is to be taken; `None`: of all that there are.
    pub size: Option<u64>,
    /// For how many first commits it is to be proven that the log began with them.
    pub grown_from: Vec<u64>,
}

/// Commits of a world with their proofs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The tree that the proofs lead to: of all commits, or of so many as were wanted.
    pub tree: Frontier,
    /// The position of the last event in it.
    pub last: Position,
    /// The commits, in order.
    pub commits: Vec<StoredRecord>,
    /// For each of [`Wanted::grown_from`] that is not beyond the tree: the size, and the proof.
    pub grown: Vec<(u64, Vec<Hash>)>,
}

/// A commit as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// The place of its leaf in the tree, from 0.
    pub index: u64,
    /// The position of its first event.
    pub first: Position,
    /// The header.
    pub header: Vec<u8>,
    /// The events.
    pub events: Vec<StoredEvent>,
    /// The link.
    pub link: Digest,
    /// The proof that it is in the tree; empty if all commits were wanted.
    pub proof: Vec<Hash>,
}

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// The kind of event, by its number.
    pub kind: u16,
    /// The schema version.
    pub version: u16,
    /// The facts: all that folds need.
    pub facts: Vec<u8>,
    /// The content: texts of people, models and tools.
    pub content: StoredContent,
}

/// The content of an event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredContent {
    /// No content: this kind of event has none.
    None,
    /// As it was written.
    Present {
        /// The salt of its commitment.
        salt: Salt,
        /// The bytes as they were written.
        bytes: Vec<u8>,
    },
    /// Encrypted in the store: it leaves it as a commitment to the encrypted bytes only.
    Sealed {
        /// The commitment.
        commitment: Hash,
    },
    /// Gone.
    Erased {
        /// The commitment.
        commitment: Hash,
    },
}

impl LocalStore {
    /// Gives commits as they are stored, with proofs. Reads the whole log of the world, and keeps a
    /// hash of each commit meanwhile.
    pub(crate) async fn evidence(&self, wanted: Wanted) -> Result<Evidence, ReadError> {
        let shared = Arc::clone(&self.inner.shared);
        blocking(move || gather(&shared, &wanted)).await
    }
}

fn gather(shared: &Arc<Shared>, wanted: &Wanted) -> Result<Evidence, ReadError> {
    let (head, tree) = {
        let index = shared.index();
        let world = index
            .worlds
            .get(&wanted.world)
            .ok_or(ReadError::NoSuchWorld(wanted.world))?;
        (world.reach.head, world.reach.tree.clone())
    };
    let mut gathered = Gathered {
        left: wanted.size.unwrap_or(u64::MAX),
        ..Gathered::default()
    };
    let mut reader = Reader::new(Arc::clone(shared), wanted.world, Position::new(1)).with_stored();
    // What is appended meanwhile is not part of it.
    while reader.next() <= head && gathered.left > 0 {
        if reader.piece()?.is_empty() {
            break;
        }
        for bytes in reader.take_stored() {
            gathered.take(&bytes, head, &wanted.choice)?;
        }
    }
    let evidence = gathered.prove(wanted)?;
    if evidence.tree.size() == tree.size() && evidence.tree != tree {
        let what =
            "the commits that are stored do not give the tree that was kept of them".to_owned();
        return Err(ReadError::Damaged { at: head, what });
    }
    Ok(evidence)
}

/// The evidence that was read so far.
#[derive(Default)]
struct Gathered {
    leaves: Vec<Hash>,
    last: Position,
    commits: Vec<StoredRecord>,
    /// The number of commits that are still wanted.
    left: u64,
}

impl Gathered {
    fn take(&mut self, bytes: &[u8], head: Position, choice: &Choice) -> Result<(), ReadError> {
        let at = self.last.next();
        let damaged = |Malformed(what): Malformed| ReadError::Damaged { at, what };
        let record = RecordRef::read(&mut Bytes(bytes)).map_err(damaged)?;
        if self.left == 0 || record.fixed.first > head {
            return Ok(());
        }
        let events = record.events().map_err(damaged)?;
        let is_chosen = match choice {
            Choice::All => true,
            Choice::Holding(events) => events
                .range(record.fixed.first..=record.fixed.last())
                .next()
                .is_some(),
        };
        if is_chosen {
            self.commits.push(StoredRecord {
                index: to_u64(self.leaves.len()),
                first: record.fixed.first,
                header: record.header.to_vec(),
                events: events.iter().map(own).collect(),
                link: record.link,
                proof: Vec::new(),
            });
        }
        self.leaves
            .push(crate::format::chain::leaf(record.header, &events));
        self.last = record.fixed.last();
        self.left = self.left.saturating_sub(1);
        Ok(())
    }

    fn prove(self, wanted: &Wanted) -> Result<Evidence, ReadError> {
        let Self {
            leaves,
            last,
            mut commits,
            ..
        } = self;
        let failed = |error: ProofError| ReadError::Damaged {
            at: last,
            what: error.to_string(),
        };
        let size = to_u64(leaves.len());
        let mut prover = Prover::default();
        let grown_from: BTreeSet<u64> = wanted
            .grown_from
            .iter()
            .copied()
            .filter(|old| *old <= size)
            .collect();
        grown_from
            .iter()
            .try_for_each(|old| prover.want_consistency(*old, size))
            .map_err(failed)?;
        let proves_each = wanted.choice != Choice::All;
        if proves_each {
            commits
                .iter()
                .try_for_each(|commit| prover.want_inclusion(commit.index, size))
                .map_err(failed)?;
        }
        leaves.into_iter().for_each(|leaf| prover.push(leaf));
        if proves_each {
            for commit in &mut commits {
                commit.proof = prover.inclusion(commit.index, size).map_err(failed)?;
            }
        }
        let grown = grown_from
            .into_iter()
            .map(|old| Ok((old, prover.consistency(old, size)?)));
        let grown = grown.collect::<Result<_, _>>().map_err(failed)?;
        Ok(Evidence {
            tree: prover.tree().clone(),
            last,
            commits,
            grown,
        })
    }
}

fn own(event: &EventRef<'_>) -> StoredEvent {
    let content = match event.content {
        ContentRef::None => StoredContent::None,
        ContentRef::Present { salt, bytes } => StoredContent::Present {
            salt,
            bytes: bytes.to_vec(),
        },
        // What stood beside the frames was fetched.
        ContentRef::Sealed { .. } | ContentRef::Beside(_) => event
            .commitment()
            .map_or(StoredContent::None, |commitment| StoredContent::Sealed {
                commitment,
            }),
        ContentRef::Erased { commitment, .. } => StoredContent::Erased { commitment },
    };
    StoredEvent {
        kind: event.kind,
        version: event.version,
        facts: event.facts.to_vec(),
        content,
    }
}

/// Every platform that this runs on has at most 64 bits.
const fn to_u64(len: usize) -> u64 {
    len as u64
}
