//! Evidence bundles of a world: what happened, with what proves it to somebody who has no store.

use std::collections::BTreeSet;

use folkmoot_agents::FoldError;
use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::{EventLog as _, ReadError};
use folkmoot_proof::Hash;
use folkmoot_proof::bundle::{
    Bundle, BundledCommit, BundledContent, BundledEvent, FORMAT, Note, ShownContent,
};
use folkmoot_proof::leaf::commitment;
use folkmoot_proof::note::{Checkpoint, CheckpointError, NoteError, SignedNote};
use folkmoot_store::{Choice, Evidence, Store, StoredContent, StoredEvent, StoredRecord, Wanted};

mod signed;
mod slice;
#[cfg(test)]
mod tests;

use signed::SignedHeads;

use crate::signing::HeadSigner;
pub use slice::slice_of;

/// What a bundle is to hold.
#[derive(Debug)]
pub struct BundleOrder<'a> {
    /// The world.
    pub world: &'a WorldName,
    /// All events, or those whose content is shown. Their commits are in it whole, the content of other events withheld.
    pub choice: Choice,
    /// Signed heads of that world that are to be in it, beside the newest one of its log, and that it is to prove the log
    /// from.
    pub notes: &'a [SignedNote],
    /// The key that signs the head now.
    pub key: Option<&'a HeadSigner>,
}

/// Why there is no bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// The log does not read, or there is no such world.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// An event is wanted that is not there.
    #[error("there is no event {wanted} in the world: its events are 1 to {head}")]
    NoSuchEvent {
        /// The event.
        wanted: Position,
        /// The last one.
        head: Position,
    },
    /// What is stored is no text.
    #[error("the commit at {at} is stored in a form that a bundle cannot carry")]
    NotText {
        /// Its first event.
        at: Position,
    },
    /// A note is about no checkpoint.
    #[error("a note cannot be read")]
    Checkpoint(#[from] CheckpointError),
    /// A note is about another log.
    #[error("the note is about {origin}, not about this world")]
    OtherLog {
        /// What it is about.
        origin: String,
    },
    /// A note is about a log that is longer.
    #[error(
        "the note is about a log of {noted} commits, and this log has {size}: commits are missing here"
    )]
    Ahead {
        /// How many commits the note says.
        noted: u64,
        /// How many there are.
        size: u64,
    },
    /// The head cannot be signed.
    #[error("the head cannot be signed")]
    Sign(#[from] NoteError),
}

impl From<ReadError> for EvidenceError {
    fn from(error: ReadError) -> Self {
        Self::Fold(FoldError::Read(error))
    }
}

/// Makes a bundle of a world.
///
/// # Errors
/// [`EvidenceError`]: each variant says what is wrong.
pub async fn bundle_of(store: &Store, order: BundleOrder<'_>) -> Result<Bundle, EvidenceError> {
    let BundleOrder {
        world,
        choice,
        notes,
        key,
    } = order;
    let entry = store
        .find(world)
        .await?
        .ok_or_else(|| FoldError::NoSuchWorld(world.clone()))?;
    if let Choice::Holding(events) = &choice {
        let is_there = |event: &&Position| **event >= Position::new(1) && **event <= entry.head;
        if let Some(wanted) = events.iter().find(|event| !is_there(event)) {
            return Err(EvidenceError::NoSuchEvent {
                wanted: *wanted,
                head: entry.head,
            });
        }
    }
    let signed = SignedHeads::read(store, entry.world).await?;
    // What only signs need not be vouched for; a head that is signed now covers it too.
    let size = if key.is_none() && choice == Choice::All {
        signed.covers_all_but_itself()
    } else {
        None
    };
    let noted = notes
        .iter()
        .chain(signed.newest())
        .map(|note| Ok((note, Checkpoint::parse(note.text())?)));
    let noted: Vec<(&SignedNote, Checkpoint)> = noted.collect::<Result<_, CheckpointError>>()?;
    let grown_from = noted
        .iter()
        .map(|(_, checkpoint)| checkpoint.size)
        .collect();
    let wanted = Wanted {
        world: entry.world,
        choice: choice.clone(),
        size,
        grown_from,
    };
    let Evidence {
        tree,
        last,
        commits,
        grown,
    } = store.evidence(wanted).await?;
    let head = Checkpoint::of_world(
        *entry.world.0.as_bytes(),
        tree.size(),
        tree.root(),
        last.get(),
    );
    let mut notes = noted
        .into_iter()
        .map(|noted| bundled(noted, &head, &choice, &grown))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(key) = key {
        notes.push(Note {
            note: key.sign_checkpoint(&head)?.to_string(),
            proof: Vec::new(),
        });
    }
    let commits = commits
        .into_iter()
        .map(|commit| commit_of(commit, &choice))
        .collect::<Result<_, _>>()?;
    Ok(Bundle {
        format: FORMAT.to_owned(),
        head: head.body(),
        notes,
        commits,
    })
}

/// A note with the proof that the log of `head` began with its log.
fn bundled(
    (note, checkpoint): (&SignedNote, Checkpoint),
    head: &Checkpoint,
    choice: &Choice,
    grown: &[(u64, Vec<Hash>)],
) -> Result<Note, EvidenceError> {
    let Checkpoint {
        origin,
        size: noted,
        ..
    } = checkpoint;
    if origin != head.origin {
        return Err(EvidenceError::OtherLog { origin });
    }
    let proof = grown.iter().find(|(size, _)| *size == noted);
    let (_, proof) = proof.ok_or(EvidenceError::Ahead {
        noted,
        size: head.size,
    })?;
    // Who has all commits needs no proof.
    let proof = if *choice == Choice::All {
        Vec::new()
    } else {
        proof.clone()
    };
    Ok(Note {
        note: note.to_string(),
        proof,
    })
}

fn commit_of(record: StoredRecord, choice: &Choice) -> Result<BundledCommit, EvidenceError> {
    let StoredRecord {
        index,
        first,
        header,
        events,
        link,
        proof,
    } = record;
    let shows = |at: Position| match choice {
        Choice::All => true,
        Choice::Holding(events) => events.contains(&at),
    };
    let event = |(at, event): (u64, StoredEvent)| {
        let at = Position::new(at);
        event_of(event, shows(at)).ok_or(EvidenceError::NotText { at: first })
    };
    let events = (first.get()..)
        .zip(events)
        .map(event)
        .collect::<Result<_, _>>()?;
    let link = (*choice == Choice::All).then_some(*link.as_bytes());
    Ok(BundledCommit {
        index,
        header,
        events,
        link,
        proof,
    })
}

fn event_of(event: StoredEvent, is_shown: bool) -> Option<BundledEvent> {
    let StoredEvent {
        kind,
        version,
        facts,
        content,
    } = event;
    let content = match content {
        StoredContent::None => None,
        StoredContent::Sealed { commitment } => Some(BundledContent::Withheld(commitment)),
        StoredContent::Erased { commitment } => Some(BundledContent::Erased(commitment)),
        StoredContent::Present { salt, bytes } if !is_shown => {
            Some(BundledContent::Withheld(commitment(&salt, &bytes)))
        }
        StoredContent::Present { salt, bytes } => Some(BundledContent::Shown(ShownContent {
            salt,
            text: String::from_utf8(bytes).ok()?,
        })),
    };
    Some(BundledEvent {
        kind,
        version,
        facts: String::from_utf8(facts).ok()?,
        content,
    })
}

/// The id of a world, by its name.
async fn id_of(store: &Store, world: &WorldName) -> Result<WorldId, EvidenceError> {
    let entry = store.find(world).await?;
    Ok(entry
        .ok_or_else(|| FoldError::NoSuchWorld(world.clone()))?
        .world)
}

/// Chosen events.
#[must_use]
pub fn holding(events: impl IntoIterator<Item = Position>) -> Choice {
    Choice::Holding(events.into_iter().collect::<BTreeSet<_>>())
}
