//! Commits of the bytes that are stored of them.

use std::io;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::Event;
use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{ReadError, StoredCommit};

use crate::format::event::EventRef;
use crate::format::record::RecordRef;
use crate::format::upcast::{LiftError, Upcasters};
use crate::format::{Malformed, header};
use crate::home::keys::Keyring;
use crate::state::summary::{SealedError, decode_sealed};

/// The commit of a record, whose `stored` events have their content in its place.
pub(crate) fn commit(
    record: &RecordRef<'_>,
    stored: &[EventRef<'_>],
    by: (&Upcasters, &Keyring),
) -> Result<StoredCommit, ReadError> {
    let (header, _) =
        header::read(record.header).map_err(|error| malformed(record.fixed.first, &error))?;
    // Of the right size at once: events are large, and a commit mostly has one.
    let mut events = Vec::with_capacity(stored.len());
    for (at, event) in (header.first.get()..).map(Position::new).zip(stored) {
        events.push(read_event(event, (record.fixed.world, at), by)?);
    }
    Ok(StoredCommit {
        commit: Commit { header, events },
        link: record.link,
    })
}

fn read_event(
    event: &EventRef<'_>,
    (world, at): (WorldId, Position),
    (upcasters, keys): (&Upcasters, &Keyring),
) -> Result<Event, ReadError> {
    decode_sealed(event, upcasters, (world, keys)).map_err(|error| match error {
        SealedError::Lift(error) => lift_error(at, error),
        SealedError::Key(error) if error.kind() == io::ErrorKind::InvalidData => {
            ReadError::Damaged {
                at,
                what: format!("a key of sealed content is damaged: {error}"),
            }
        }
        SealedError::Key(error) => ReadError::Io(error),
    })
}

/// Says what it means to a reader that the event at `at` does not lift.
pub(crate) fn lift_error(at: Position, error: LiftError) -> ReadError {
    match error {
        LiftError::Newer { kind, version } => ReadError::Newer { at, kind, version },
        LiftError::Malformed(error) => malformed(at, &error),
    }
}

/// Says what it means to a reader that the bytes at `at` are not what the format promises.
pub(crate) fn malformed(at: Position, error: &Malformed) -> ReadError {
    ReadError::Damaged {
        at,
        what: error.0.clone(),
    }
}
