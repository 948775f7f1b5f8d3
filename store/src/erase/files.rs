//! Which blobs the events of a world have attached.

use std::collections::BTreeSet;

use folkmoot_core::event::{Event, EventKind};
use folkmoot_core::ids::{Digest, Position, WorldId};

use super::Meant;
use super::units::{Place, damaged};
use crate::engine::{Engine, EngineError};
use crate::format::Malformed;
use crate::format::record::records;
use crate::summary::decode;
use crate::upcast::{LiftError, Upcasters};

/// The events that can have blobs attached.
const ATTACHING: &[EventKind] = &[EventKind::MessagePosted, EventKind::MessageEdited];

/// Looks for attachments in runs.
pub(super) struct Files<'a> {
    pub(super) engine: &'a dyn Engine,
    pub(super) upcasters: &'a Upcasters,
}

impl Files<'_> {
    /// What the meant events have attached, as far as they are not erased yet.
    pub(super) fn attached(&self, world: WorldId, meant: &Meant) -> Result<BTreeSet<Digest>, EngineError> {
        self.find(world, (meant.first(), meant.last()), |at| meant.covers(at))
    }

    /// What all other events have attached.
    pub(super) fn kept(&self, world: WorldId, meant: &Meant) -> Result<BTreeSet<Digest>, EngineError> {
        let all = (Position::new(1), Position::new(u64::MAX - 1));
        self.find(world, all, |at| !meant.covers(at))
    }

    fn find(
        &self,
        world: WorldId,
        (from, to): (Position, Position),
        is_looked_at: impl Fn(Position) -> bool,
    ) -> Result<BTreeSet<Digest>, EngineError> {
        let mut place = Place::new(self.engine, world, from, to)?;
        let mut found = BTreeSet::new();
        loop {
            let units = place.read(self.engine)?;
            if units.is_empty() {
                return Ok(found);
            }
            for unit in &units {
                self.of_commits(&unit.commits, &is_looked_at, &mut found).map_err(damaged)?;
            }
        }
    }

    fn of_commits(
        &self,
        commits: &[u8],
        is_looked_at: &impl Fn(Position) -> bool,
        found: &mut BTreeSet<Digest>,
    ) -> Result<(), Malformed> {
        for record in records(commits) {
            let record = record?;
            for (at, event) in (record.fixed.first.get()..).map(Position::new).zip(record.events()?) {
                if is_looked_at(at) && ATTACHING.iter().any(|kind| *kind as u16 == event.kind) {
                    found.extend(blobs_of(&decode(&event, self.upcasters).map_err(lift_failed)?));
                }
            }
        }
        Ok(())
    }
}

fn blobs_of(event: &Event) -> Vec<Digest> {
    let body = if let Event::MessagePosted(posted) = event {
        posted.body.present()
    } else if let Event::MessageEdited(edited) = event {
        edited.body.present()
    } else {
        None
    };
    body.into_iter().flat_map(|body| &body.attachments).map(|attachment| attachment.blob).collect()
}

fn lift_failed(error: LiftError) -> Malformed {
    match error {
        LiftError::Malformed(error) => error,
        LiftError::Newer { kind, version } => Malformed(format!("an unknown {kind} of version {version}")),
    }
}
