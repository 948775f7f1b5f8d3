//! Erasing content: run by run, so that all that is hashed stays, and then out of the engine's
//! files.
//!
//! Each step can be done again: an erasure that a process died in is asked for anew, and begins at
//! the beginning. The order matters only for blobs, which the events name that are about to be
//! erased: they go first.

use std::collections::BTreeSet;

use folkmoot_core::event::Span;
use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::Erasure;

use crate::engine::EngineError;
use crate::home::blobs::Vault;
use crate::home::checkpoints::Shelter;
use crate::home::keys::OF_WORLD;
use crate::read::runs;
use crate::state::content;
use crate::state::shared::Shared;

pub(crate) mod files;
pub(crate) mod journal;
pub(crate) mod rewrite;
mod units;

pub(crate) use files::Lost;

/// The events whose content is to be erased.
#[derive(Debug, Clone)]
pub(crate) struct Meant {
    /// In order.
    spans: Vec<Span>,
    /// The request.
    pub(crate) by: Position,
}

impl Meant {
    pub(crate) fn new(events: &[Span], by: Position) -> Self {
        let mut spans = events.to_vec();
        spans.sort_unstable();
        Self { spans, by }
    }

    /// Tells whether the event at `at` is meant.
    pub(crate) fn covers(&self, at: Position) -> bool {
        let behind = self.spans.partition_point(|span| span.from <= at);
        self.spans.iter().take(behind).any(|span| at <= span.to)
    }

    /// The first event that is meant; zero if none is.
    pub(crate) fn first(&self) -> Position {
        self.spans.first().map_or(Position::ZERO, |span| span.from)
    }

    /// The last event that is meant; zero if none is.
    pub(crate) fn last(&self) -> Position {
        self.spans
            .iter()
            .map(|span| span.to)
            .max()
            .unwrap_or(Position::ZERO)
    }

    /// Returns what of it stands at `end` or before it.
    pub(crate) fn up_to(&self, end: Position) -> Self {
        let within = self.spans.iter().filter(|span| span.from <= end);
        let spans = within
            .map(|span| Span {
                from: span.from,
                to: span.to.min(end),
            })
            .collect();
        Self { spans, by: self.by }
    }
}

/// Erases, in the parts of one store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Eraser<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) vault: &'a Vault,
    pub(crate) shelter: &'a Shelter,
    /// The fate of lost content that is to stay.
    pub(crate) lost: Lost,
}

impl Eraser<'_> {
    /// Erases, and returns when nothing of it is in any file.
    pub(crate) fn erase(&self, world: WorldId, meant: &Meant) -> Result<Erasure, EngineError> {
        let _alone = self.shared.chores();
        self.leave_shared_frames()?;
        let family = self.shared.index().family(world, meant.first());
        self.forget_folds(&family)?;
        // Files first: if this is cut short, the content that names them is still there to say
        // which.
        let files = self.remove_files(&family, meant)?;
        // That reaches every older copy of the rows that has no copy of the keys (decision 0020).
        self.destroy_keys(world, meant)?;
        let mut erased = 0;
        for (member, until) in &family {
            if !self.is_copied(*member) {
                self.drop_half_copied(*member)?;
            }
            if *member == world || self.is_copied(*member) {
                let meant = meant.up_to(*until);
                let count = rewrite::rewrite(self.shared, *member, &meant)?;
                self.remove_beside(*member, &meant)?;
                erased = if *member == world { count } else { erased };
            }
        }
        self.forget_folds(&family)?;
        // Last: whoever derives something while the blobs go could not have read all of them since.
        self.forget_derived(&family)?;
        // sled keeps overwritten values in its file (decision 0020).
        self.shared.lease().engine()?.compact()?;
        Ok(Erasure {
            events: erased,
            files,
        })
    }

    /// Removes the saved folds, and bars those that whoever has the worlds open still holds.
    fn forget_folds(&self, family: &[(WorldId, Position)]) -> Result<(), EngineError> {
        let _nobody_saves = self.shared.no_files();
        self.shared
            .index()
            .bar(family.iter().map(|(member, _)| *member));
        family
            .iter()
            .try_for_each(|(member, _)| self.shelter.remove(*member))
            .map_err(EngineError::Io)
    }

    /// Removes what was derived of their files.
    fn forget_derived(&self, family: &[(WorldId, Position)]) -> Result<(), EngineError> {
        family
            .iter()
            .try_for_each(|(member, _)| self.vault.forget_derived(*member))
            .map_err(EngineError::Io)
    }

    fn drop_half_copied(&self, world: WorldId) -> Result<(), EngineError> {
        let base = self
            .shared
            .index()
            .worlds
            .get(&world)
            .and_then(|world| world.reach.base);
        let lease = self.shared.lease();
        base.map_or(Ok(()), |base| {
            runs::remove_half_copied(lease.engine()?, world, base.at)
        })
    }

    fn leave_shared_frames(&self) -> Result<(), EngineError> {
        runs::leave_shared_frames(self.shared, self.shared.lease().engine()?)
    }

    /// Destroys the keys of people of whom nothing else is left: that reaches every copy of what is
    /// sealed with them.
    fn destroy_keys(&self, world: WorldId, meant: &Meant) -> Result<(), EngineError> {
        let lease = self.shared.lease();
        let (mut doomed, kept) = units::keys(lease.engine()?, world, |at| meant.covers(at))?;
        doomed.retain(|key| *key != OF_WORLD && !kept.contains(key));
        self.shared
            .keys
            .destroy(world, &doomed)
            .map_err(EngineError::Io)
    }

    /// Removes what of it stands beside the frames, which no record names any more.
    fn remove_beside(&self, world: WorldId, meant: &Meant) -> Result<(), EngineError> {
        let lease = self.shared.lease();
        let engine = lease.engine()?;
        meant
            .spans
            .iter()
            .try_for_each(|span| content::remove(engine, world, span.from, span.to))
    }

    fn is_copied(&self, world: WorldId) -> bool {
        let index = self.shared.index();
        index
            .worlds
            .get(&world)
            .and_then(|world| world.reach.base)
            .is_some_and(|base| base.is_copied)
    }

    /// Removes the blobs that only erased events refer to. Says how many this request has taken
    /// away so far.
    fn remove_files(
        &self,
        family: &[(WorldId, Position)],
        meant: &Meant,
    ) -> Result<u64, EngineError> {
        let Some((world, _)) = family.first().copied() else {
            return Ok(0);
        };
        let lease = self.shared.lease();
        let engine = lease.engine()?;
        let files = files::ReferencedFiles {
            engine,
            keys: &self.shared.keys,
            lost: self.lost,
        };
        let mut gone = files.attached(world, meant)?;
        if !gone.is_empty() {
            let mut kept: BTreeSet<Digest> = BTreeSet::new();
            for (member, until) in family {
                kept.extend(files.kept(*member, &meant.up_to(*until))?);
            }
            gone.retain(|blob| !kept.contains(blob));
        }
        let count = journal::count_files(engine, world, meant.by, gone.len() as u64)?;
        gone.into_iter()
            .try_for_each(|blob| self.vault.remove_one(world, blob))
            .map_err(EngineError::Io)?;
        Ok(count)
    }
}
