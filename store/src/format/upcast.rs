//! Lifting stored events of older schema versions to the one that this build knows.
//!
//! A log is never rewritten: an event keeps the version it was written with, and every read lifts
//! it, one version at a time.

use std::collections::BTreeMap;

use folkmoot_core::event::{EventKind, EventRecord, RecordView};

use crate::format::Malformed;

mod lifts;
#[cfg(feature = "testing")]
mod next;

#[cfg(feature = "testing")]
pub use next::NextSchema;

/// Lifts a record of one version to the next one. It must set the record's version to the next one.
pub(crate) type Lift = fn(EventRecord) -> Result<EventRecord, Malformed>;

/// A record that this build cannot use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiftError {
    /// A newer build wrote it.
    #[error("this build does not know a {kind} of version {version}: a newer build wrote it")]
    Newer {
        /// The kind: a name, or a number without one.
        kind: String,
        /// The schema version.
        version: u16,
    },
    /// The event is not what its version promises.
    #[error(transparent)]
    Malformed(Malformed),
}

/// Lifts a stored record to the version that this build knows. Logs are read through this.
///
/// # Errors
/// [`LiftError`]: a newer build wrote the record, or it is not what its version promises.
pub fn lift(record: EventRecord) -> Result<EventRecord, LiftError> {
    Upcasters::default().lift(record)
}

impl From<Malformed> for LiftError {
    fn from(error: Malformed) -> Self {
        Self::Malformed(error)
    }
}

/// All lifts, by kind and the version they start from.
#[derive(Debug, Clone)]
pub(crate) struct Upcasters {
    current: BTreeMap<u16, (&'static str, u16)>,
    lifts: BTreeMap<(u16, u16), Lift>,
    /// Kinds that are stored under another version than core calls the same schema. There are none
    /// outside of tests.
    renumbered: BTreeMap<u16, u16>,
}

impl Default for Upcasters {
    fn default() -> Self {
        let current = EventKind::ALL
            .iter()
            .map(|(kind, version)| (*kind as u16, (kind.name(), *version)));
        Self {
            current: current.collect(),
            lifts: lifts::ALL
                .into_iter()
                .map(|(kind, from, lift)| ((kind as u16, from), lift))
                .collect(),
            renumbered: BTreeMap::new(),
        }
    }
}

impl Upcasters {
    /// Tells whether this build writes events of `kind` in `version`.
    pub(crate) fn is_current(&self, kind: u16, version: u16) -> bool {
        self.current
            .get(&kind)
            .is_some_and(|(_, current)| *current == version)
    }

    /// The version under which a record that core wrote is stored.
    pub(crate) fn stored_version(&self, record: &EventRecord) -> u16 {
        if !self.renumbered.contains_key(&record.kind) {
            return record.version;
        }
        self.current
            .get(&record.kind)
            .map_or(record.version, |(_, current)| *current)
    }

    /// A record of the version that this build knows, as core calls that version.
    pub(crate) fn known<'a>(&self, record: RecordView<'a>) -> RecordView<'a> {
        let version = self
            .renumbered
            .get(&record.kind)
            .copied()
            .unwrap_or(record.version);
        RecordView { version, ..record }
    }

    /// Lifts `record` to the version that this build knows.
    pub(crate) fn lift(&self, mut record: EventRecord) -> Result<EventRecord, LiftError> {
        let kind = record.kind;
        let version = record.version;
        let newer = |kind: String| LiftError::Newer { kind, version };
        let (name, current) = self
            .current
            .get(&kind)
            .ok_or_else(|| newer(kind.to_string()))?;
        if version > *current {
            return Err(newer((*name).to_owned()));
        }
        while record.version < *current {
            let from = record.version;
            let missing = || Malformed(format!("a {name} of version {from} cannot be lifted"));
            record = self.lifts.get(&(kind, from)).ok_or_else(missing)?(record)?;
            if record.version != from.saturating_add(1) {
                return Err(missing().into());
            }
        }
        Ok(record)
    }
}

#[cfg(test)]
mod tests;
