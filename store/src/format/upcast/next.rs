//! A build whose event schema has moved on, for tests.

use folkmoot_core::event::{EventKind, EventRecord};

use super::{Lift, Upcasters};
use crate::format::Malformed;

/// A kind of event at the version after the one that this build writes.
#[derive(Debug, Clone, Copy)]
pub struct NextSchema {
    /// The kind.
    pub kind: EventKind,
    /// Lifts a record of the version that this build writes; it must count the version up. What it
    /// makes of the record is what this build's types read.
    pub lift: fn(EventRecord) -> Result<EventRecord, Malformed>,
}

impl Upcasters {
    /// The upcasters of a build that has moved on to `next`.
    pub(crate) fn moved_on(next: NextSchema) -> Self {
        let mut upcasters = Self::default();
        let (kind, lift): (u16, Lift) = (next.kind as u16, next.lift);
        if let Some((_, current)) = upcasters.current.get_mut(&kind) {
            upcasters.lifts.insert((kind, *current), lift);
            upcasters.renumbered.insert(kind, *current);
            *current = current.saturating_add(1);
        }
        upcasters
    }
}
