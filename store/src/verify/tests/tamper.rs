//! The ways to tamper with a log, and what is to be said of each.

use folkmoot_core::event::EventKind;
use folkmoot_core::ids::{Position, WorldId};

use super::book::{Book, FIRST_AT, Slot, WORLD_AT, first, patch, read};
use super::logs::{Logs, signer};
use super::random::Random;
use crate::engine::{FrameLog as _, FrameNumber, Shelf as _, Table};
use crate::engines::MemoryEngine;
use crate::format::frame::{FrameRef, Packing, Unit};
use crate::verify::examine::examine_engine;
use crate::verify::{Against, Damage, DamageKind, Examined, Integrity, LogVerdict};

mod forge;
mod frames;
mod weak;

/// The ways to tamper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Flip,
    Swap,
    Delete,
    CutRuns,
    CutFrames,
    RollBack,
    RollBackEntry,
    Splice,
    SpliceRenamed,
    Alter,
    AlterAndForgeHeads,
    DeleteRelinked,
    SwapRelinked,
    SpliceRelinked,
    Extend,
    ExtendOpened,
    Garble,
    GarbleFrame,
    NewerFrame,
    NewerEvent,
    LoseKey,
    ChangeEntry,
}

pub(super) const KINDS: [Kind; 22] = [
    Kind::Flip,
    Kind::Swap,
    Kind::Delete,
    Kind::CutRuns,
    Kind::CutFrames,
    Kind::RollBack,
    Kind::RollBackEntry,
    Kind::Splice,
    Kind::SpliceRenamed,
    Kind::Alter,
    Kind::AlterAndForgeHeads,
    Kind::DeleteRelinked,
    Kind::SwapRelinked,
    Kind::SpliceRelinked,
    Kind::Extend,
    Kind::ExtendOpened,
    Kind::Garble,
    Kind::GarbleFrame,
    Kind::NewerFrame,
    Kind::NewerEvent,
    Kind::LoseKey,
    Kind::ChangeEntry,
];

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Flip => "one bit flipped",
            Self::Swap => "two commits swapped",
            Self::Delete => "a commit deleted",
            Self::CutRuns => "runs cut short",
            Self::CutFrames => "frames cut off",
            Self::RollBack => "rolled back whole",
            Self::RollBackEntry => "index rolled back",
            Self::Splice => "commit of another world",
            Self::SpliceRenamed => "the same, renamed",
            Self::Alter => "altered, relinked",
            Self::AlterAndForgeHeads => "the same, heads forged",
            Self::DeleteRelinked => "deleted, relinked",
            Self::SwapRelinked => "swapped, relinked",
            Self::SpliceRelinked => "spliced, relinked",
            Self::Extend => "extended behind the close",
            Self::ExtendOpened => "the same, opened",
            Self::Garble => "run made nonsense",
            Self::GarbleFrame => "shared frame made nonsense",
            Self::NewerFrame => "frame of a newer format",
            Self::NewerEvent => "event of a newer build",
            Self::LoseKey => "key table changed",
            Self::ChangeEntry => "index entry changed",
        }
    }
}

/// What is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    /// This damage at this place: the first event that cannot be trusted, and the last if only a range is known.
    Damage(DamageKind, Position, Option<Position>),
    /// No damage; this verdict.
    Verdict(LogVerdict),
    /// Something that is wrong with the store.
    Store(DamageKind),
}

/// Logs that are being tampered with.
pub(super) struct Case<'a> {
    logs: &'a Logs,
    pub(super) book: Book,
    pub(super) random: Random,
}

impl<'a> Case<'a> {
    pub(super) fn new(logs: &'a Logs, random: Random) -> Self {
        Self {
            logs,
            book: Book::of(&logs.site.engine),
            random,
        }
    }

    /// Anchors of all worlds as they were.
    fn anchored(&self) -> Against {
        let mut against = Against::keys(vec![signer().verifier()]);
        for world in &self.logs.worlds {
            against.add(&self.logs.site.anchor(*world)).unwrap();
        }
        against
    }

    pub(super) fn keys() -> Against {
        Against::keys(vec![signer().verifier()])
    }

    fn examine(&self, engine: &MemoryEngine, against: &Against) -> Examined {
        examine_engine(engine, None, Some(self.book.head), None, against).unwrap()
    }

    /// Nothing is found where nothing was done.
    pub(super) fn untouched(&self) -> Result<(), String> {
        let engine = self.book.write();
        for (against, verdict) in [
            (Against::default(), LogVerdict::NotChecked),
            (self.anchored(), LogVerdict::Intact),
        ] {
            let found = self.examine(&engine, &against);
            let is_right = found.worlds.iter().all(|world| world.verdict() == verdict);
            if !is_right || !found.store.is_empty() || found.worlds.len() != self.logs.worlds.len()
            {
                return Err(format!("{found:#?}"));
            }
        }
        Ok(())
    }

    pub(super) fn run(&mut self, kind: Kind) -> Result<(), String> {
        match kind {
            Kind::Flip => self.flip(),
            Kind::Swap => self.swap(),
            Kind::Delete => self.delete(),
            Kind::CutRuns => self.cut_runs(),
            Kind::CutFrames => self.cut_frames(),
            Kind::RollBack => self.roll_back(),
            Kind::RollBackEntry => self.roll_back_entry(),
            Kind::Splice => self.splice(false),
            Kind::SpliceRenamed => self.splice(true),
            Kind::Alter => self.forge(forge::Forgery::Alter),
            Kind::AlterAndForgeHeads => self.forge_heads(),
            Kind::DeleteRelinked => self.forge(forge::Forgery::Delete),
            Kind::SwapRelinked => self.forge(forge::Forgery::Swap),
            Kind::SpliceRelinked => self.forge(forge::Forgery::Splice),
            Kind::Extend => self.extend(false),
            Kind::ExtendOpened => self.extend(true),
            Kind::Garble => self.garble(),
            Kind::GarbleFrame => self.garble_frame(),
            Kind::NewerFrame => self.newer_frame(),
            Kind::NewerEvent => self.newer_event(),
            Kind::LoseKey => self.lose_key(),
            Kind::ChangeEntry => self.change_entry(),
        }
    }

    /// Picks a world.
    fn world(&mut self) -> WorldId {
        let at = self.random.within(0, self.logs.worlds.len());
        self.logs.worlds[at]
    }

    /// Picks a world and one of its commits: not its first, and not one of its last `spare`.
    fn place(&mut self, spare: usize) -> (WorldId, Slot, Position) {
        let world = self.world();
        let slots = self.book.slots(world);
        let slot = slots[self.random.within(1, slots.len() - spare)];
        let at = first(self.book.record(slot));
        (world, slot, at)
    }

    /// Compares what is found of `world` with what is to be found, without anchors and with them.
    fn expect(&self, world: WorldId, bare: &Expected, anchored: &Expected) -> Result<(), String> {
        let engine = self.book.write();
        self.expect_of(&engine, world, &Against::default(), bare)?;
        self.expect_of(&engine, world, &self.anchored(), anchored)
    }

    /// The same verdict with and without anchors.
    fn expect_damage(&self, world: WorldId, kind: DamageKind, at: Position) -> Result<(), String> {
        let expected = Expected::Damage(kind, at, None);
        self.expect(world, &expected, &expected)
    }

    fn expect_of(
        &self,
        engine: &MemoryEngine,
        world: WorldId,
        against: &Against,
        expected: &Expected,
    ) -> Result<(), String> {
        let found = self.examine(engine, against);
        let of_world = found.worlds.iter().find(|found| found.world == world);
        let is_right = match expected {
            Expected::Damage(kind, at, until) => {
                of_world.is_some_and(|found| is_damage(found, *kind, *at, *until))
            }
            Expected::Verdict(verdict) => {
                of_world.is_some_and(|found| found.verdict() == *verdict) && found.store.is_empty()
            }
            Expected::Store(kind) => found.store.iter().any(|found| found.kind == Some(*kind)),
        };
        let others = found.worlds.iter().filter(|found| found.world != world);
        let is_quiet = others.clone().all(|other| other.damage.is_none());
        if is_right && (is_quiet || matches!(expected, Expected::Store(_))) {
            return Ok(());
        }
        let damages: Vec<_> = found
            .worlds
            .iter()
            .map(|found| (found.world, found.verdict(), &found.damage))
            .collect();
        Err(format!(
            "expected {expected:?} of {world}, found {damages:#?} and {:?}",
            found.store
        ))
    }
}

fn is_damage(found: &Integrity, kind: DamageKind, at: Position, until: Option<Position>) -> bool {
    matches!(&found.damage, Some(Damage { at: found_at, until: found_until, kind: found_kind, .. })
        if (*found_kind, *found_at, *found_until) == (kind, at, until))
}
