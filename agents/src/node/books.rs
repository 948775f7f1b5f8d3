//! The worlds that a node has, by its own books.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use folkmoot_core::ids::{NodeId, WorldId};

use super::lease::Stretch;
use super::right::Right;

#[cfg(test)]
mod tests;

/// The worlds of one membership, and those that it still has to give back.
#[derive(Debug, Default)]
pub(super) struct Books {
    worlds: BTreeMap<WorldId, Entry>,
    /// Worlds that nobody here acts for, and that the ledger may say this node holds: they are given back at the next scan.
    abandoned: BTreeMap<(NodeId, WorldId), Again>,
    /// Worlds whose release was sent, and may still come through: nobody here takes them before that is over.
    returning: BTreeSet<WorldId>,
    /// The number of the last entry.
    serial: u64,
}

/// When somebody is to try again with a world that is given back without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// At once.
    AtOnce,
    /// It could not be opened here, and is left alone for a while.
    Later,
}

#[derive(Debug, Clone)]
enum Entry {
    /// The ledger may say that the node holds it, and somebody here is about to act for it.
    Coming { serial: u64, stretch: Stretch },
    /// Somebody here acts for it.
    Held(Arc<Right>),
}

/// The worlds of the books at one moment, to compare them with what the ledger says.
pub(super) type Snapshot = BTreeMap<WorldId, Option<Arc<Right>>>;

impl Books {
    /// The number of worlds that take up room.
    pub(super) fn len(&self) -> usize {
        self.worlds.len()
    }

    pub(super) fn has(&self, world: WorldId) -> bool {
        self.worlds.contains_key(&world)
    }

    /// The worlds that somebody here acts for.
    pub(super) fn held(&self) -> Vec<WorldId> {
        let is_held =
            |(world, entry): (&WorldId, &Entry)| matches!(entry, Entry::Held(_)).then_some(*world);
        self.worlds.iter().filter_map(is_held).collect()
    }

    /// Enters a world that is about to be held; gives the number of the entry. Whoever acts for it already loses it: of two
    /// who open one world, the later has it.
    pub(super) fn expect(&mut self, world: WorldId, stretch: Stretch) -> u64 {
        self.serial = self.serial.saturating_add(1);
        let serial = self.serial;
        let coming = Entry::Coming { serial, stretch };
        if let Some(Entry::Held(right)) = self.worlds.insert(world, coming) {
            right.lose();
        }
        serial
    }

    /// Gives `right` the place of the entry `serial`. False: that is gone, for the lease has ended.
    pub(super) fn hold(&mut self, serial: u64, right: &Arc<Right>) -> bool {
        match self.worlds.get_mut(&right.world) {
            Some(entry) if entry.is_coming(serial) => {
                *entry = Entry::Held(Arc::clone(right));
                self.abandoned.remove(&(right.node, right.world));
                true
            }
            Some(_) | None => false,
        }
    }

    /// Strikes out the entry `serial` if nobody acts for its world yet: the ledger is told at the next scan.
    pub(super) fn abandon(&mut self, (node, world): (NodeId, WorldId), serial: u64, again: Again) {
        if self.withdraw(world, serial) {
            self.abandoned.insert((node, world), again);
        }
    }

    /// Strikes out the entry `serial` of a world that the ledger did not give: there is nothing to give back. False: it is
    /// gone, or somebody acts for its world.
    pub(super) fn withdraw(&mut self, world: WorldId, serial: u64) -> bool {
        let entry = self.worlds.get(&world);
        let is_coming = entry.is_some_and(|entry| entry.is_coming(serial));
        if is_coming {
            self.worlds.remove(&world);
        }
        is_coming
    }

    /// Strikes out a world that was given back.
    pub(super) fn strike_out(&mut self, right: &Right) {
        if self.has_right(right) {
            self.worlds.remove(&right.world);
        }
    }

    /// Strikes out a world that whoever acted for it let fall.
    pub(super) fn let_fall(&mut self, right: &Right) {
        if self.has_right(right) {
            self.worlds.remove(&right.world);
            self.abandoned
                .insert((right.node, right.world), Again::AtOnce);
        }
    }

    fn has_right(&self, right: &Right) -> bool {
        let entry = self.worlds.get(&right.world);
        entry.is_some_and(|entry| entry.is_of(right))
    }

    /// The worlds that are to be given back.
    pub(super) fn abandoned(&self) -> Vec<(NodeId, WorldId)> {
        self.abandoned.keys().copied().collect()
    }

    /// Takes one of them off the list, and begins to give it back. `None`: somebody here has it again, or is about to.
    pub(super) fn return_abandoned(&mut self, world: (NodeId, WorldId)) -> Option<Again> {
        if self.has(world.1) || self.is_returning(world.1) {
            return None;
        }
        let again = self.abandoned.remove(&world)?;
        self.returning.insert(world.1);
        Some(again)
    }

    /// Begins to give back what somebody here acts for; false: that is lost, or given back already.
    pub(super) fn give_back(&mut self, right: &Right) -> bool {
        let is_given = right.give_back();
        if is_given {
            self.returning.insert(right.world);
        }
        is_given
    }

    pub(super) fn is_returning(&self, world: WorldId) -> bool {
        self.returning.contains(&world)
    }

    /// Notes that nothing is on its way any more that gives a world back.
    pub(super) fn returned(&mut self, world: WorldId) {
        self.returning.remove(&world);
    }

    /// Loses all worlds whose stretch does not count any more; gives how many somebody acted for.
    pub(super) fn lose(&mut self, counts: impl Fn(Stretch) -> bool) -> usize {
        let mut lost = 0;
        self.worlds.retain(|_, entry| match entry {
            Entry::Coming { stretch, .. } => counts(*stretch),
            Entry::Held(right) if counts(right.stretch) => true,
            Entry::Held(right) => {
                right.lose();
                lost += 1;
                false
            }
        });
        lost
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let entries = self.worlds.iter();
        entries
            .map(|(world, entry)| (*world, entry.right().cloned()))
            .collect()
    }

    /// Compares the books with the worlds that the ledger said the node holds, some time after `before`. Loses those that it
    /// holds no more; gives those that nobody here knows of.
    pub(super) fn compare(&mut self, before: &Snapshot, listed: &BTreeSet<WorldId>) -> Compared {
        let mut lost = Vec::new();
        for (world, right) in before {
            let Some(right) = right.as_ref().filter(|right| self.has_right(right)) else {
                continue;
            };
            if listed.contains(world) {
                right.is_listed();
            } else if right.should_be_listed() {
                right.lose();
                self.worlds.remove(world);
                lost.push(*world);
            }
        }
        let is_unknown = |world: &&WorldId| !before.contains_key(world) && !self.has(**world);
        let unknown = listed.iter().filter(is_unknown).copied().collect();
        Compared { lost, unknown }
    }
}

/// The difference between the books of a node and the ledger.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Compared {
    /// Worlds that somebody here acted for, and that the node does not hold.
    pub(super) lost: Vec<WorldId>,
    /// Worlds that the node holds, and that nobody here acts for.
    pub(super) unknown: Vec<WorldId>,
}

impl Entry {
    fn is_coming(&self, number: u64) -> bool {
        matches!(self, Self::Coming { serial, .. } if *serial == number)
    }

    fn is_of(&self, right: &Right) -> bool {
        self.right()
            .is_some_and(|own| std::ptr::eq(&raw const **own, right))
    }

    const fn right(&self) -> Option<&Arc<Right>> {
        match self {
            Self::Coming { .. } => None,
            Self::Held(right) => Some(right),
        }
    }
}
