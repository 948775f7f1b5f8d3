//! What is stored, from its bytes to its bytes again: doors for the fuzzing of what reads them.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::Event;
use folkmoot_core::ids::Digest;

use crate::format::bytes::Bytes;
use crate::format::event::EventRef;
use crate::format::frame::{FrameRef, Joiner, Packing, Unit};
use crate::format::header;
use crate::format::record::records;
use crate::format::upcast::{LiftError, Upcasters};
use crate::home::checkpoints;
use crate::read::runs::entry;
use crate::state::summary::{Summary, decode};
use crate::write::encode::Unlinked;
use crate::write::{deletion, erase};
use crate::{Malformed, home};

/// Something that is stored in bytes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// A saved fold.
    Checkpoint,
    /// What the table of worlds says of one.
    Entry,
    /// How many files an erasure takes away, and what it replaces.
    Erasure,
    /// The header of a commit.
    Header,
    /// The newest slot of the head record.
    Head,
    /// What stays of a deleted world.
    Tombstone,
}

/// Reads bytes, and writes what was read.
///
/// # Errors
/// [`Malformed`] if they are not what they should be.
pub fn rewrite(what: Stored, bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
    match what {
        Stored::Checkpoint => checkpoints::rewrite(bytes),
        Stored::Entry => entry::write(&entry::read(bytes)?.0),
        Stored::Erasure => erase::journal::rewrite(bytes),
        Stored::Header => {
            let (header, count) = header::read(bytes)?;
            let mut again = Vec::new();
            header::write(&header, count, &mut again)?;
            Ok(again)
        }
        Stored::Head => {
            home::head_record::rewrite(bytes).ok_or_else(|| Malformed::new("no slot is whole"))
        }
        Stored::Tombstone => deletion::rewrite(bytes),
    }
}

/// Cuts commits into frames.
///
/// # Errors
/// [`Malformed`] if they are too long.
pub fn cut(
    commits: &[u8],
    number: u64,
    term: u64,
    is_packed: bool,
) -> Result<Vec<Vec<u8>>, Malformed> {
    let packed =
        zstd::bulk::compress(commits, 1).map_err(|error| Malformed::new(error.to_string()))?;
    let (packing, payload) = if is_packed {
        (Packing::Zstd, packed.as_slice())
    } else {
        (Packing::Plain, commits)
    };
    Unit {
        number,
        term,
        packing,
        raw_len: commits.len(),
        payload,
    }
    .frames()
}

/// Joins frames: the commits of each unit that is whole.
///
/// # Errors
/// [`Malformed`] at the first frame that is none, or does not go on where the one before it ends.
pub fn join(frames: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Malformed> {
    let (mut joiner, mut units) = (Joiner::default(), Vec::new());
    for frame in frames {
        units.extend(joiner.add(&FrameRef::read(frame)?)?.map(<[u8]>::to_vec));
    }
    Ok(units)
}

/// Reads the commits of a unit with their headers and events, and writes the events anew.
///
/// # Errors
/// [`LiftError`] at the first commit that is none.
pub fn rewrite_commits(unit: &[u8]) -> Result<Vec<u8>, LiftError> {
    let mut again = Vec::new();
    for record in records(unit) {
        let record = record?;
        Summary::read(&record, &Upcasters::default())?;
        header::read_key(record.header)?;
        again.extend(record.with(&record.events()?)?);
    }
    Ok(again)
}

/// A commit as it is stored, linked to nothing.
///
/// # Errors
/// [`Malformed`] if it is too long.
pub fn write_commit(commit: &Commit) -> Result<Vec<u8>, Malformed> {
    Ok(Unlinked::encode(commit, &Upcasters::default(), None)?
        .link(&Digest::new([0; 32]))
        .0)
}

/// Reads one event as it is stored, lifts it, and gives it with how many bytes were read.
///
/// # Errors
/// [`LiftError`] if it is none.
pub fn read_event(bytes: &[u8]) -> Result<(Event, usize), LiftError> {
    let mut rest = Bytes(bytes);
    let event = EventRef::read(&mut rest)?;
    Ok((
        decode(&event, &Upcasters::default())?,
        bytes.len().saturating_sub(rest.0.len()),
    ))
}
