//! The worlds of a store, and where their latest commits are. Holds durable facts only.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use folkmoot_core::command::commit::CommandKey;
use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{Digest, Incarnation, Position, Time, WorldId, WorldName};
use folkmoot_core::port::{Labels, WorldEntry};
use folkmoot_core::world::FORKS_DEEP_MAX;
use folkmoot_proof::{Frontier, Hash};
use tokio::sync::watch;

use crate::engine::FrameNumber;
use crate::format::chain;
use crate::format::chain::NO_LINK;
use crate::state::labels::LabelIndex;
use crate::state::summary::Summary;

/// A commit that is in shared frames only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TailCommit {
    pub(crate) first: Position,
    pub(crate) frame: FrameNumber,
}

/// The reach of a world: how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) name: Arc<WorldName>,
    pub(crate) head: Position,
    pub(crate) time: Time,
    pub(crate) incarnation: Incarnation,
    pub(crate) link: Digest,
    /// The Merkle tree over its commits, those of the world that it was forked from first.
    pub(crate) tree: Frontier,
    /// Owner and labels.
    pub(crate) labelled: Arc<Labelled>,
    /// The world that it was forked from.
    pub(crate) base: Option<Base>,
    /// True if its content is sealed.
    pub(crate) is_sealed: bool,
}

/// The place at which a fork left its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Base {
    pub(crate) parent: WorldId,
    /// The last event that both have.
    pub(crate) at: Position,
    /// True if the fork has those events in runs of its own.
    pub(crate) is_copied: bool,
}

impl Reach {
    /// A world that is about to get its first commit.
    pub(crate) fn unborn(name: WorldName) -> Self {
        Self {
            name: Arc::new(name),
            head: Position::ZERO,
            time: Time(0),
            incarnation: Incarnation(0),
            link: NO_LINK,
            tree: Frontier::default(),
            labelled: Arc::default(),
            base: None,
            is_sealed: false,
        }
    }

    /// Goes on by a commit.
    pub(crate) fn advance(&mut self, summary: &Summary, leaf: Hash) {
        self.head = summary.last;
        self.time = summary.time;
        self.incarnation = summary.opened.unwrap_or(self.incarnation);
        self.is_sealed |= summary.is_sealed;
        self.link = chain::link(&self.link, &leaf);
        self.tree.push(leaf);
        if let Some(labelled) = &summary.labelled {
            self.labelled = Arc::new(labelled.clone());
        }
    }
}

/// A world.
#[derive(Debug)]
pub(crate) struct IndexedWorld {
    pub(crate) reach: Reach,
    /// Up to here its commits are in runs.
    pub(crate) runs_end: Position,
    /// The reach of its parent where it was forked, until the first sweep writes it down.
    pub(crate) origin: Option<Box<Reach>>,
    /// The commits behind `runs_end`.
    pub(crate) tail: VecDeque<TailCommit>,
    /// The keys of those commits.
    pub(crate) tail_keys: BTreeMap<CommandKey, (Position, Digest)>,
    /// The messages that those commits took away, and which commit did.
    pub(crate) tail_gone: BTreeMap<Position, Position>,
    /// The incarnation whose folds are not saved any more: they may hold what was erased since they
    /// were made.
    pub(crate) barred: Option<Incarnation>,
    /// The head, for those who follow.
    news: watch::Sender<Position>,
}

impl IndexedWorld {
    pub(crate) fn new(reach: Reach, runs_end: Position) -> Self {
        let news = watch::Sender::new(reach.head);
        let tail = VecDeque::new();
        let tail_keys = BTreeMap::new();
        let tail_gone = BTreeMap::new();
        Self {
            reach,
            runs_end,
            origin: None,
            tail,
            tail_keys,
            tail_gone,
            barred: None,
            news,
        }
    }

    /// A fork that has nothing of its own yet.
    fn forked(reach: Reach) -> Self {
        let end = reach.head;
        Self {
            origin: Some(Box::new(reach.clone())),
            ..Self::new(reach, end)
        }
    }

    /// Tells whether the table of worlds has it.
    pub(crate) fn has_entry(&self) -> bool {
        self.runs_end > Position::ZERO && self.origin.is_none()
    }

    /// Follows the head, from where it is now. Nobody keeps it up to date while nobody follows.
    pub(crate) fn follow(&self) -> watch::Receiver<Position> {
        self.news.send_replace(self.reach.head);
        self.news.subscribe()
    }

    fn entry(&self, world: WorldId) -> WorldEntry {
        let Reach {
            name,
            head,
            time,
            incarnation,
            link: _,
            tree: _,
            labelled,
            base: _,
            is_sealed: _,
        } = &self.reach;
        WorldEntry {
            world,
            name: WorldName::clone(name),
            head: *head,
            time: *time,
            incarnation: *incarnation,
            owner: labelled.owner.clone(),
            labels: labelled.labels.clone(),
        }
    }
}

/// A commit that has become durable.
#[derive(Debug)]
pub(crate) struct LandedCommit {
    pub(crate) summary: Summary,
    pub(crate) leaf: Hash,
    pub(crate) frame: FrameNumber,
}

/// All worlds.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) worlds: HashMap<WorldId, IndexedWorld>,
    names: BTreeMap<WorldName, WorldId>,
    labels: LabelIndex,
    /// The worlds that are being deleted, and those that were.
    ended: BTreeSet<WorldId>,
    /// The last frame.
    pub(crate) head: FrameNumber,
    /// The link of the last commit.
    pub(crate) last_link: Option<Digest>,
    /// Up to here all commits of shared frames are in runs.
    pub(crate) swept: FrameNumber,
    /// The number of bytes of shared frames that are not.
    pub(crate) tail_bytes: usize,
}

impl Index {
    pub(crate) fn insert(&mut self, id: WorldId, world: IndexedWorld) {
        self.names.insert(WorldName::clone(&world.reach.name), id);
        self.labels.change(
            &world.reach.name,
            &Labelled::default(),
            &world.reach.labelled,
        );
        self.worlds.insert(id, world);
    }

    /// Lets nobody append to a world, now or ever.
    pub(crate) fn end(&mut self, id: WorldId) {
        self.ended.insert(id);
    }

    /// Takes that back.
    pub(crate) fn go_on(&mut self, id: WorldId) {
        self.ended.remove(&id);
    }

    /// Tells whether a world is being deleted, or was.
    pub(crate) fn is_ending(&self, id: WorldId) -> bool {
        self.ended.contains(&id)
    }

    /// Returns how many worlds are being deleted, or were.
    pub(crate) fn ended_count(&self) -> usize {
        self.ended.len()
    }

    /// Takes a world out. Whoever follows it is at the end.
    pub(crate) fn remove(&mut self, id: WorldId) {
        let Some(IndexedWorld { reach, .. }) = self.worlds.remove(&id) else {
            return;
        };
        self.names.remove(&*reach.name);
        self.labels
            .change(&reach.name, &reach.labelled, &Labelled::default());
    }

    /// The world whose events a fork shares.
    pub(crate) fn parent(&self, fork: WorldId) -> Option<WorldId> {
        let base = self.worlds.get(&fork)?.reach.base?;
        (!base.is_copied).then_some(base.parent)
    }

    /// Returns how many worlds have an entry in their table.
    pub(crate) fn entries_count(&self) -> usize {
        self.worlds
            .values()
            .filter(|world| world.has_entry())
            .count()
    }

    /// The worlds that have a copy of the events of `parent`.
    pub(crate) fn copies(&self, parent: WorldId) -> impl Iterator<Item = (WorldId, &WorldName)> {
        let is_copy = move |world: &IndexedWorld| {
            world
                .reach
                .base
                .is_some_and(|base| base.parent == parent && base.is_copied)
        };
        self.worlds
            .iter()
            .filter(move |(_, world)| is_copy(world))
            .map(|(id, world)| (*id, &*world.reach.name))
    }

    /// The worlds that need `parent`: those that share its events, and, if it is sealed or a fork
    /// itself, those that have a copy of them. A copy is read with the keys of where it comes from,
    /// and found from there when content is erased.
    pub(crate) fn forks(&self, parent: WorldId) -> impl Iterator<Item = (WorldId, &WorldName)> {
        let known = self.worlds.get(&parent);
        let are_copies_bound =
            known.is_some_and(|world| world.reach.is_sealed || world.reach.base.is_some());
        let is_fork = move |world: &IndexedWorld| {
            world
                .reach
                .base
                .is_some_and(|base| base.parent == parent && (are_copies_bound || !base.is_copied))
        };
        self.worlds
            .iter()
            .filter(move |(_, world)| is_fork(world))
            .map(|(id, world)| (*id, &*world.reach.name))
    }

    pub(crate) fn named(&self, name: &WorldName) -> Option<WorldId> {
        self.names.get(name).copied()
    }

    pub(crate) fn entry(&self, name: &WorldName) -> Option<WorldEntry> {
        let id = self.named(name)?;
        self.worlds.get(&id).map(|world| world.entry(id))
    }

    /// The worlds that have all of `labels`, by name, from the one after `after`.
    pub(crate) fn entries(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Vec<WorldEntry> {
        use std::ops::Bound::{Excluded, Unbounded};
        if !labels.is_empty() {
            return self
                .labels
                .names(labels, after)
                .filter_map(|name| self.entry(name))
                .take(limit)
                .collect();
        }
        let names = self
            .names
            .range((after.map_or(Unbounded, Excluded), Unbounded));
        names
            .filter_map(|(_, id)| self.worlds.get(id).map(|world| world.entry(*id)))
            .take(limit)
            .collect()
    }

    /// Returns where the event at `at` of a world is kept, its own place or that of a world that it
    /// was forked from, and up to which event that one has what the world has.
    pub(crate) fn source(&self, world: WorldId, at: Position) -> Option<(WorldId, Position)> {
        let mut id = world;
        let mut end = self.worlds.get(&world)?.reach.head;
        for _ in 0..=FORKS_DEEP_MAX {
            match self
                .worlds
                .get(&id)?
                .reach
                .base
                .filter(|base| !base.is_copied && at <= base.at)
            {
                Some(base) => (id, end) = (base.parent, end.min(base.at)),
                None => return Some((id, end)),
            }
        }
        None
    }

    /// Takes in a durable commit; gives how many events its world has outside of runs.
    pub(crate) fn land(&mut self, landed: LandedCommit) -> u64 {
        let LandedCommit {
            summary,
            leaf,
            frame,
        } = landed;
        if let Some(name) = &summary.created
            && !self.worlds.contains_key(&summary.world)
        {
            self.insert(
                summary.world,
                IndexedWorld::new(Reach::unborn(name.clone()), Position::ZERO),
            );
        }
        if let Some(reach) = summary
            .origin
            .as_ref()
            .and_then(|origin| origin.reach.as_ref())
            && !self.worlds.contains_key(&summary.world)
        {
            self.insert(summary.world, IndexedWorld::forked(reach.clone()));
        }
        let Some(world) = self.worlds.get_mut(&summary.world) else {
            return 0;
        };
        if let Some(labelled) = &summary.labelled {
            self.labels
                .change(&world.reach.name, &world.reach.labelled, labelled);
        }
        world.reach.advance(&summary, leaf);
        self.last_link = Some(world.reach.link);
        world.tail.push_back(TailCommit {
            first: summary.first,
            frame,
        });
        if let Some(keyed) = summary.key {
            world
                .tail_keys
                .insert(keyed.key, (summary.first, keyed.digest));
        }
        for gone in summary.gone {
            // A fork may end before the second commit that takes the same message away.
            world.tail_gone.entry(gone).or_insert(summary.first);
        }
        if world.news.receiver_count() > 0 {
            world.news.send_replace(summary.last);
        }
        summary.last.since(world.runs_end)
    }

    /// `world`, and all worlds that have its events up to `from` or beyond by forking: each with
    /// the last event that it has of `world`.
    pub(crate) fn family(&self, world: WorldId, from: Position) -> Vec<(WorldId, Position)> {
        let mut family = vec![(world, Position::new(u64::MAX))];
        let mut next = 0;
        while let Some((parent, until)) = family.get(next).copied() {
            next += 1;
            for (id, fork) in &self.worlds {
                let Some(base) = fork.reach.base.filter(|base| base.parent == parent) else {
                    continue;
                };
                let until = until.min(base.at);
                if until >= from && family.iter().all(|(known, _)| known != id) {
                    family.push((*id, until));
                }
            }
        }
        family
    }

    /// Lets no fold of these worlds be saved that was made before now.
    pub(crate) fn bar(&mut self, worlds: impl Iterator<Item = WorldId>) {
        for id in worlds {
            if let Some(world) = self.worlds.get_mut(&id) {
                world.barred = Some(world.reach.incarnation);
            }
        }
    }

    /// Wakes whoever follows a world.
    pub(crate) fn wake(&self) {
        self.worlds
            .values()
            .for_each(|world| world.news.send_modify(|_| {}));
    }

    /// Notes that a world's commits up to `end` are in runs.
    pub(crate) fn swept(&mut self, id: WorldId, end: Position) {
        let Some(world) = self.worlds.get_mut(&id) else {
            return;
        };
        world.runs_end = end;
        world.origin = None;
        let gone = world.tail.partition_point(|commit| commit.first <= end);
        world.tail.drain(..gone);
        world.tail_keys.retain(|_, (first, _)| *first > end);
        world.tail_gone.retain(|_, by| *by > end);
    }
}
