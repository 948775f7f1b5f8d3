//! Re-decision: folds a log and decides every recorded command again.
//!
//! A commit holds the command that made it, and what it was decided with. So whatever a decision
//! made can be made again: who answers a message and why, limits, approvals, grants, budgets, and
//! by its fingerprint every prompt. An [`Auditor`] is a pure function of the log: it knows no
//! model, no tool and no clock, and cannot call one.
//!
//! What people said, models answered and tools gave are inputs. They are recorded because they
//! cannot be recomputed, and changing one of them makes another history that is decided just as
//! well. That nobody did is for the chain of hashes to say. The two checks need each other: the
//! hashes tell that nothing was changed since it was written, re-decision tells that what was
//! written is what the rules say.

use crate::command::Command;
use crate::command::commit::{Commit, RebuildError};
use crate::event::{Event, WorldEvent};
use crate::ids::{Digest, Position};
use crate::world::World;
use crate::world::decider::decider_id;

mod compare;
mod divergence;
mod erasure;
mod report;
#[cfg(test)]
mod tests;
pub mod why;

pub use divergence::{Difference, Divergence};
pub use report::{AuditVerdict, Counts, EPOCHS_MAX, Epoch, Redecision, Shown};

/// The result of deciding a commit again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The commit came out equal by value.
    Decided,
    /// It records a refusal. The command is known by its digest only, so that it cannot be decided
    /// again; what the world knows agrees with it: who may do what, how the request stands, how
    /// often the like was refused.
    RecordedRefusal,
    /// Other rules than this build's decided it. It is folded, and that is all.
    OtherRules(Digest),
    /// It cannot be decided again, because of what was erased: a text of the command itself, or one
    /// that the decision read.
    ///
    /// Somebody who may erase can hide two things so. Whatever follows from an erased text itself,
    /// such as whom a message was for. And, once anything was erased in a world, what hangs on how
    /// long a request to a model is: its fingerprint, what is reserved for it, whether a summary is
    /// made first, and whether it is made at all. Nothing else is believed for it: facts are never
    /// erased. What is hidden so is still in the chain of hashes, like everything.
    Erased,
    /// The commit came out otherwise.
    Diverged(Box<Divergence>),
}

/// Takes the commits of one world, in order, and decides each again.
///
/// It needs as much memory as the world. After a divergence it goes on with what is recorded.
#[derive(Debug, Clone, Default)]
pub struct Auditor {
    world: World,
    has_erased: bool,
}

impl Auditor {
    /// Decides `commit` again, and folds it.
    pub fn take(&mut self, commit: &Commit) -> Finding {
        let finding = self.judge(commit);
        self.world.apply(commit);
        self.has_erased = self.has_erased || commit.events.iter().any(Event::is_erased);
        finding
    }

    /// The fold of what it took.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }

    fn judge(&self, commit: &Commit) -> Finding {
        let found =
            |difference| Finding::Diverged(Box::new(Divergence::in_header(commit, difference)));
        if let Some(difference) = self.misplaced(commit) {
            return found(difference);
        }
        let decider = commit.header.decider;
        if decider != decider_id() {
            return Finding::OtherRules(decider);
        }
        match Command::rebuild_to_decide(commit) {
            Ok(command) => self.decide_again(commit, &command),
            Err(RebuildError::Refused { .. }) => self.refuse_again(commit),
            Err(RebuildError::Erased { .. }) => Finding::Erased,
            Err(RebuildError::Misfit { why, .. }) => found(Difference::Misfit { why }),
        }
    }

    /// Finds what no rules may get wrong: where a commit stands, and which rules it is of.
    fn misplaced(&self, commit: &Commit) -> Option<Difference> {
        let world = &self.world;
        let header = &commit.header;
        let id = opened_as(commit).or(world.id());
        let expected = world.head().next();
        if header.first != expected {
            return Some(Difference::Order { expected });
        }
        if id != Some(header.world) {
            return Some(Difference::World { expected: id });
        }
        if header.stamp.time < world.time() {
            return Some(Difference::Time {
                before: world.time(),
            });
        }
        let rules = begins_epoch(commit).map_or(world.decider(), |(rules, _)| rules);
        (header.decider != rules).then_some(Difference::Rules { expected: rules })
    }

    fn decide_again(&self, commit: &Commit, command: &Command) -> Finding {
        let decision = self.world.decide(command, &commit.header.stamp);
        let kind = self.world.meant(command).action.kind();
        let Some(divergence) = compare::decision(commit, &decision, kind) else {
            return Finding::Decided;
        };
        if self.has_erased && erasure::explains(&self.world, commit, command, &decision) {
            return Finding::Erased;
        }
        Finding::Diverged(Box::new(divergence))
    }

    fn refuse_again(&self, commit: &Commit) -> Finding {
        let Some(Event::Refused(refused)) = commit.events.last() else {
            return Finding::RecordedRefusal;
        };
        let recomputed = self.world.refuse_again(commit, refused);
        let divergence = compare::events(commit, &recomputed).or_else(|| {
            let why = self.world.fault_of(commit, refused)?;
            Some(Divergence {
                at: commit.last(),
                ..Divergence::in_header(commit, Difference::Misfit { why })
            })
        });
        divergence.map_or(Finding::RecordedRefusal, |divergence| {
            Finding::Diverged(Box::new(divergence))
        })
    }
}

/// The world that `commit` begins, if it begins one: a new one, or a fork of the one before.
fn opened_as(commit: &Commit) -> Option<crate::ids::WorldId> {
    let is_first = commit.header.first == Position::new(1);
    let first = commit.events.first()?;
    if let Event::World(WorldEvent::Forked(forked)) = first {
        return (!is_first).then_some(forked.world);
    }
    if let Event::World(WorldEvent::WorldOpened(opened)) = first {
        is_first.then_some(opened.world)
    } else {
        None
    }
}

/// The rules that `commit` begins an epoch of, if it begins one, and the build that carried them,
/// if it says so.
fn begins_epoch(commit: &Commit) -> Option<(Digest, Option<&str>)> {
    commit.events.iter().find_map(|event| {
        if let Event::World(WorldEvent::EpochOpened(opened)) = event {
            Some((opened.decider, Some(opened.binary.as_str())))
        } else if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            Some((opened.decider, None))
        } else {
            None
        }
    })
}
