//! Checking a log commit by commit: positions, links, tree, heads, anchors.

use std::mem;

use folkmoot_core::event::{Event, WorldEvent};
use folkmoot_core::ids::{Digest, Position, WorldId, WorldName};
use folkmoot_core::spec::Privacy;
use folkmoot_proof::Frontier;
use folkmoot_proof::note::Checkpoint;

use super::against::Against;
use super::attest::Attest;
use super::erasures::TakenOut;
use super::plan::{Known, LogPlan};
use super::report::{Damage, DamageKind, Integrity, Newer, Tail};
use super::tables::LogCompanions;
use super::walk::{Item, Trouble};
use crate::format::Malformed;
use crate::format::chain;
use crate::format::chain::NO_LINK;
use crate::format::event::EventRef;
use crate::format::record::RecordRef;
use crate::format::upcast::{LiftError, Upcasters};
use crate::state::content;
use crate::state::content::Fetched;
use crate::state::summary::decode;

/// The fault of a record that is not the one that has to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Anomaly {
    /// The bytes are no record.
    Broken(Trouble),
    /// The record is another world's.
    Foreign(Vec<u8>),
    /// The record has another position.
    Misplaced(Vec<u8>),
    /// The record does not give its link.
    Unlinked(Vec<u8>),
}

/// A log on its way through the checks.
#[derive(Debug)]
pub(crate) struct Checker<'a> {
    plan: &'a LogPlan,
    upcasters: &'a Upcasters,
    /// The position of the next event.
    pub(crate) next: Position,
    /// The link of the last commit.
    pub(crate) link: Digest,
    tree: Frontier,
    name: Option<WorldName>,
    attest: Attest<'a>,
    beside: LogCompanions<'a>,
    taken_out: TakenOut,
    /// The files, and the content beside the frames, that are not what they must be, in order,
    /// unless somebody asked for that.
    files: Vec<Damage>,
    damage: Option<Damage>,
    newer: Option<Newer>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        plan: &'a LogPlan,
        against: &'a Against,
        beside: LogCompanions<'a>,
        upcasters: &'a Upcasters,
    ) -> Self {
        Self {
            plan,
            upcasters,
            next: Position::new(1),
            link: NO_LINK,
            tree: Frontier::default(),
            name: plan.name.clone(),
            attest: Attest::new(against, plan.world),
            beside,
            taken_out: TakenOut::default(),
            files: Vec::new(),
            damage: None,
            newer: None,
        }
    }

    /// Checks what stands next.
    pub(crate) fn take(&mut self, item: Item<'_>) -> Result<(), Anomaly> {
        match item {
            Item::Broken(trouble) => Err(Anomaly::Broken(trouble)),
            Item::Record(record) => self.check(&record),
        }
    }

    fn check(&mut self, record: &RecordRef<'_>) -> Result<(), Anomaly> {
        if !self.plan.allows(record.fixed.world, self.next) {
            return Err(Anomaly::Foreign(record.bytes.to_vec()));
        }
        if record.fixed.first != self.next || record.fixed.count == 0 {
            return Err(Anomaly::Misplaced(record.bytes.to_vec()));
        }
        let events = record
            .events()
            .map_err(|error| Anomaly::Broken(Trouble::unreadable(error)))?;
        let leaf = chain::leaf(record.header, &events);
        let link = chain::link(&self.link, &leaf);
        if link != record.link {
            return Err(Anomaly::Unlinked(record.bytes.to_vec()));
        }
        let fetched = self.fetch(record.fixed.first, &events);
        self.read_events(record.fixed.world, &content::join(events, &fetched))?;
        self.beside
            .note_commit(record)
            .map_err(|error| Anomaly::Broken(Trouble::unreadable(error)))?;
        self.next = record.fixed.last().next();
        self.link = link;
        self.tree.push(leaf);
        self.compare();
        Ok(())
    }

    /// Returns what stands beside the frames for a record; what is not whole of it is noted.
    fn fetch(&mut self, first: Position, events: &[EventRef<'_>]) -> Fetched {
        let mut fetched = Fetched::new();
        for (place, at, beside) in content::besides(first, events) {
            match self.beside.fetch((self.plan.keeper(at), at), &beside) {
                Ok(bytes) => fetched.extend(bytes.map(|bytes| (place, bytes))),
                Err(Malformed(what)) => self.files.push(Damage {
                    at,
                    until: None,
                    kind: DamageKind::Content,
                    what,
                }),
            }
        }
        fetched
    }

    /// Reads every event: a record that nobody can read is none, even if its link is right.
    fn read_events(&mut self, world: WorldId, events: &[EventRef<'_>]) -> Result<(), Anomaly> {
        let mut is_opened = false;
        let mut read = Vec::with_capacity(events.len());
        for (at, stored) in (self.next.get()..).map(Position::new).zip(events) {
            if world == self.plan.world {
                self.taken_out.look_at(at, &stored.content);
            }
            match decode(stored, self.upcasters) {
                Ok(event) => read.push((at, event)),
                Err(LiftError::Newer { kind, version }) => {
                    let what = format!(
                        "event {at} is a {kind} of version {version}, which this build does not know"
                    );
                    self.newer.get_or_insert(Newer { at, what });
                }
                Err(LiftError::Malformed(error)) => {
                    return Err(Anomaly::Broken(Trouble::unreadable(error)));
                }
            }
        }
        for (at, event) in &read {
            is_opened |= matches!(event, Event::World(WorldEvent::Opened(_)));
            self.note(world, *at, event);
        }
        if let Some(damage) = self.attest.commit(self.next, is_opened) {
            self.damage.get_or_insert(damage);
        }
        Ok(())
    }

    fn note(&mut self, world: WorldId, at: Position, event: &Event) {
        let before = self.next.previous();
        let found = if let Event::World(WorldEvent::HeadSigned(signed)) = event {
            self.attest.head(world, at, signed, before, &self.tree)
        } else if let Event::World(WorldEvent::Forked(forked)) = event
            && forked.world == self.plan.world
        {
            self.name.get_or_insert_with(|| forked.name.clone());
            self.attest.fork(forked, before, &self.tree, &self.link)
        } else {
            self.beside.note_event(world, at, event)
        };
        if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            self.taken_out.is_sealed = opened.spec.policy.privacy == Privacy::Sealed;
            // A fork begins with what its parent was called.
            if world == self.plan.world {
                self.name.get_or_insert_with(|| opened.name.clone());
            }
        }
        if let Event::World(WorldEvent::ErasureRequested(asked)) = event
            && world == self.plan.world
        {
            self.taken_out.asked.extend_from_slice(&asked.events);
        }
        self.compare_name(world, event);
        match found {
            // An erasure takes files away first: if it was cut short, the content that names them
            // is still there.
            Some(damage) if damage.kind == DamageKind::File => self.files.push(damage),
            Some(damage) => self.set_damage(damage),
            None => {}
        }
    }

    /// Compares the name by which the world is known with the one that it was given.
    fn compare_name(&mut self, world: WorldId, event: &Event) {
        let given = if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            Some(&opened.name)
        } else if let Event::World(WorldEvent::Forked(forked)) = event {
            Some(&forked.name)
        } else {
            None
        };
        if let (Some(given), Some(known)) =
            (given.filter(|_| world == self.plan.world), &self.plan.name)
            && given != known
        {
            let what = format!("the index calls it {known}, and its own name is {given}");
            let at = self.next;
            self.damage.get_or_insert(Damage {
                at,
                until: None,
                kind: DamageKind::Index,
                what,
            });
        }
    }

    /// Returns what is gone from the log without a request.
    pub(crate) fn taken_out(&self) -> Option<Damage> {
        self.taken_out.unasked()
    }

    /// Compares the log as far as it was walked with what is known of it there.
    fn compare(&mut self) {
        let end = self.end();
        let damage = self.attest.anchors(end, &self.tree);
        let damage = damage.or_else(|| {
            let known = self.plan.known.as_ref().filter(|known| known.head == end)?;
            self.compare_known(known)
        });
        if let Some(damage) = damage {
            self.damage.get_or_insert(damage);
        }
    }

    fn compare_known(&self, known: &Known) -> Option<Damage> {
        let is_same_link = known.link == self.link;
        let is_same_tree = known.tree.as_ref().is_none_or(|tree| *tree == self.tree);
        let at = self.attest.next_seen().min(known.head);
        match (is_same_link, is_same_tree) {
            (true, true) => None,
            (false, false) => Some(Damage {
                at,
                until: Some(known.head),
                kind: DamageKind::Rewritten,
                what: format!(
                    "the index has another link and another root at event {}",
                    known.head
                ),
            }),
            (false, true) | (true, false) => Some(Damage {
                at: known.head,
                until: None,
                kind: DamageKind::Index,
                what: format!(
                    "the index does not have the link and the root that event {} has",
                    known.head
                ),
            }),
        }
    }

    /// The position of the last event.
    pub(crate) const fn end(&self) -> Position {
        self.next.previous()
    }

    /// Tells whether something is wrong already.
    pub(crate) const fn is_damaged(&self) -> bool {
        self.damage.is_some()
    }

    /// Tells whether the log goes on behind what this build can read.
    pub(crate) fn set_newer(&mut self, what: String) {
        let at = self.next;
        self.newer.get_or_insert(Newer { at, what });
    }

    pub(crate) fn set_damage(&mut self, damage: Damage) {
        self.damage.get_or_insert(damage);
    }

    /// Returns what the tables beside the log are to be compared with.
    pub(crate) fn take_beside(&mut self) -> LogCompanions<'a> {
        mem::take(&mut self.beside)
    }

    /// The anchors that were not reached; the smallest first.
    pub(crate) fn ahead(&self) -> Option<&Checkpoint> {
        self.attest.ahead()
    }

    /// The first damage: only at the end it is known which files were to go.
    fn take_damage(&mut self) -> Option<Damage> {
        let file = mem::take(&mut self.files)
            .into_iter()
            .find(|file| !self.taken_out.is_asked(file.at));
        match (self.damage.take(), file) {
            (Some(damage), Some(file)) if file.at >= damage.at => Some(damage),
            (damage, file) => file.or(damage),
        }
    }

    pub(crate) fn finish(mut self) -> Integrity {
        let end = self.end();
        self.damage = self.take_damage();
        let is_whole = self.damage.is_none() && self.newer.is_none();
        let rolled_back = self
            .damage
            .as_ref()
            .is_some_and(|damage| damage.kind == DamageKind::RolledBack);
        let (heads, anchors, attested) = self.attest.finish(is_whole || rolled_back);
        Integrity {
            world: self.plan.world,
            name: self.name,
            commits: self.tree.size(),
            events: end,
            root: Digest::new(self.tree.root()),
            link: self.link,
            heads,
            anchors,
            tail: Tail {
                attested,
                events: end.since(attested),
            },
            damage: self.damage,
            newer: self.newer,
        }
    }
}
