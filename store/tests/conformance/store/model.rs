//! What a store is, in plain maps: each world a list of commits.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::command::commit::{CommandKey, Commit};
use folkmoot_core::event::{Event, EventKind, Forked, Labelled, Span, TalkEvent, WorldEvent};
use folkmoot_core::ids::{Digest, Incarnation, Position, WorldId, WorldName};
use folkmoot_core::port::{AppendError, Labels, StoredCommit, WorldEntry};
use folkmoot_core::spec::Privacy;

use super::content;

/// The most bytes that a commit is tried with and fits; what is tried beyond is far beyond.
pub(crate) const TEXT_MAX: usize = 8 * 1024 * 1024;

/// All worlds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) worlds: BTreeMap<WorldId, World>,
    pub(crate) deleted: BTreeSet<WorldId>,
}

/// A world.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) name: WorldName,
    /// Those of its parents first. The links are what the store said.
    pub(crate) commits: Vec<StoredCommit>,
    pub(crate) keys: BTreeMap<CommandKey, (usize, Digest)>,
    pub(crate) base: Option<Base>,
    pub(crate) is_sealed: bool,
    pub(crate) folds: BTreeMap<Position, (Digest, Vec<u8>)>,
    /// The incarnation whose folds are not kept.
    pub(crate) barred: Option<Incarnation>,
    pub(crate) blobs: BTreeMap<Digest, Vec<u8>>,
    /// How many files each erasure took.
    pub(crate) files_taken: BTreeMap<Position, u64>,
}

/// Where a fork left its parent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    pub(crate) parent: WorldId,
    pub(crate) at: Position,
    pub(crate) is_copied: bool,
}

/// What becomes of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Committed,
    /// The commit with this number is the answer.
    Repeated(usize),
}

impl World {
    fn born(name: WorldName, is_sealed: bool) -> Self {
        Self {
            name,
            commits: Vec::new(),
            keys: BTreeMap::new(),
            base: None,
            is_sealed,
            folds: BTreeMap::new(),
            barred: None,
            blobs: BTreeMap::new(),
            files_taken: BTreeMap::new(),
        }
    }

    pub(crate) fn head(&self) -> Position {
        self.commits
            .last()
            .map_or(Position::ZERO, |stored| stored.commit.last())
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = (Position, &Event)> {
        self.commits
            .iter()
            .flat_map(|stored| stored.commit.numbered())
    }

    pub(crate) fn incarnation(&self) -> Incarnation {
        let opened = |(_, event): (Position, &Event)| {
            if let Event::World(WorldEvent::Opened(opened)) = event {
                Some(opened.incarnation)
            } else {
                None
            }
        };
        self.events()
            .filter_map(opened)
            .last()
            .unwrap_or(Incarnation(0))
    }

    fn labelled(&self) -> Labelled {
        self.events()
            .filter_map(|(_, event)| {
                if let Event::World(WorldEvent::Labelled(labelled)) = event {
                    Some(labelled)
                } else {
                    None
                }
            })
            .last()
            .cloned()
            .unwrap_or_default()
    }

    /// The messages that were taken away.
    pub(crate) fn gone(&self) -> BTreeSet<Position> {
        self.events()
            .filter_map(|(_, event)| {
                if let Event::Talk(TalkEvent::MessageRetracted(gone)) = event {
                    Some(&gone.gone)
                } else {
                    None
                }
            })
            .flatten()
            .copied()
            .collect()
    }

    pub(crate) fn entry(&self, world: WorldId) -> WorldEntry {
        let Labelled { owner, labels } = self.labelled();
        let time = self.commits.last().unwrap().commit.header.stamp.time;
        let (name, head) = (self.name.clone(), self.head());
        WorldEntry {
            world,
            name,
            head,
            time,
            incarnation: self.incarnation(),
            owner,
            labels,
        }
    }

    /// The first event that it does not have from its parent.
    pub(crate) fn own_from(&self) -> Position {
        self.base.map_or(Position::new(1), |base| base.at.next())
    }

    /// The commits from the one that holds `from`.
    pub(crate) fn from(&self, from: Position) -> &[StoredCommit] {
        &self.commits[self
            .commits
            .partition_point(|stored| stored.commit.last() < from)..]
    }

    /// At most `limit` that end before `before`, newest first.
    pub(crate) fn back(&self, before: Position, limit: usize) -> Vec<StoredCommit> {
        let end = self
            .commits
            .partition_point(|stored| stored.commit.last() < before);
        self.commits[..end]
            .iter()
            .rev()
            .take(limit)
            .cloned()
            .collect()
    }
}

impl Model {
    /// What becomes of an append. The link of a new commit is added by [`Model::link`].
    pub(crate) fn append(
        &mut self,
        incarnation: Incarnation,
        commit: &Commit,
    ) -> Result<Answer, AppendError> {
        let id = commit.header.world;
        if commit.events.is_empty()
            || commit.header.first == Position::ZERO
            || content::len(commit) > TEXT_MAX
        {
            return Err(AppendError::Invalid(String::new()));
        }
        let origin = forked(commit);
        origin.map_or(Ok(()), |forked| self.fits(forked))?;
        if self.deleted.contains(&id) {
            return Err(AppendError::NoSuchWorld(id));
        }
        if let Some(answer) = self.known_key(commit)? {
            return Ok(answer);
        }
        let (head, current) = match self.worlds.get(&id) {
            Some(world) => (world.head(), world.incarnation()),
            None => (self.birth(commit, origin)?, Incarnation(0)),
        };
        let expected = Position::new(commit.header.first.get() - 1);
        if expected != head {
            return Err(AppendError::Conflict {
                expected,
                actual: head,
            });
        }
        let fits = opened(commit).map_or(incarnation == current, |opened| opened == current.next());
        if !fits {
            return Err(AppendError::Fenced { current });
        }
        self.take(commit, origin);
        Ok(Answer::Committed)
    }

    /// What becomes of several commits in one append.
    pub(crate) fn append_group(
        &mut self,
        incarnation: Incarnation,
        commits: &[Commit],
    ) -> Result<Answer, AppendError> {
        let begins = |commit: &Commit| {
            let mut kinds = commit.events.iter().map(Event::kind);
            let begin = [EventKind::WorldOpened, EventKind::Opened, EventKind::Forked];
            kinds.any(|kind| begin.contains(&kind))
        };
        let is_group = commits.len() == 1
            || commits.windows(2).all(|two| {
                two[0].header.world == two[1].header.world
                    && two[0].last().next() == two[1].header.first
                    && two[1].header.key.is_none()
                    && !begins(&two[0])
                    && !begins(&two[1])
            });
        let is_sound = |commit: &Commit| {
            !commit.events.is_empty()
                && commit.header.first != Position::ZERO
                && content::len(commit) <= TEXT_MAX
        };
        if !is_group || !commits.iter().all(is_sound) {
            return Err(AppendError::Invalid(String::new()));
        }
        let first = self.append(incarnation, &commits[0])?;
        if let Answer::Repeated(_) = first {
            return Ok(first);
        }
        for commit in &commits[1..] {
            self.append(incarnation, commit)?;
        }
        Ok(Answer::Committed)
    }

    /// What a fork says of its parent must be so.
    fn fits(&self, forked: &Forked) -> Result<(), AppendError> {
        let parent = self
            .worlds
            .get(&forked.parent)
            .ok_or(AppendError::NoSuchWorld(forked.parent))?;
        let count = parent
            .commits
            .partition_point(|stored| stored.commit.last() <= forked.base.of);
        let fits = count as u64 == forked.base.commits
            && count > 0
            && parent.commits[count - 1].commit.last() == forked.base.of
            && parent.commits[count - 1].link == forked.link;
        if fits {
            Ok(())
        } else {
            Err(AppendError::Invalid(String::new()))
        }
    }

    fn known_key(&self, commit: &Commit) -> Result<Option<Answer>, AppendError> {
        let (Some(world), Some(keyed)) =
            (self.worlds.get(&commit.header.world), &commit.header.key)
        else {
            return Ok(None);
        };
        match world.keys.get(&keyed.key) {
            Some((_, digest)) if *digest != keyed.digest => Err(AppendError::KeyReused {
                key: keyed.key.to_string(),
            }),
            Some((at, _)) => Ok(Some(Answer::Repeated(*at))),
            None => Ok(None),
        }
    }

    /// Where a world that there is not yet begins.
    fn birth(&self, commit: &Commit, origin: Option<&Forked>) -> Result<Position, AppendError> {
        let (name, head) = match (origin, created(commit)) {
            (Some(forked), _) => (&forked.name, forked.base.of),
            (None, Some((name, _))) => (name, Position::ZERO),
            (None, None) => return Err(AppendError::NoSuchWorld(commit.header.world)),
        };
        if self.named(name).is_some() {
            Err(AppendError::NameTaken(name.clone()))
        } else {
            Ok(head)
        }
    }

    fn take(&mut self, commit: &Commit, origin: Option<&Forked>) {
        let id = commit.header.world;
        if !self.worlds.contains_key(&id) {
            let world = match origin {
                Some(forked) => self.branch(forked),
                None => created(commit)
                    .map(|(name, is_sealed)| World::born(name.clone(), is_sealed))
                    .unwrap(),
            };
            self.worlds.insert(id, world);
        }
        let world = self.worlds.get_mut(&id).unwrap();
        if let Some(keyed) = &commit.header.key {
            world
                .keys
                .insert(keyed.key.clone(), (world.commits.len(), keyed.digest));
        }
        world.commits.push(StoredCommit {
            commit: commit.clone(),
            link: Digest::of(&[]),
        });
    }

    fn branch(&self, forked: &Forked) -> World {
        let parent = &self.worlds[&forked.parent];
        let mut world = World::born(forked.name.clone(), parent.is_sealed);
        world.commits = parent.commits[..forked.base.commits as usize].to_vec();
        world.base = Some(Base {
            parent: forked.parent,
            at: forked.base.of,
            is_copied: false,
        });
        world
    }

    /// Notes what the store linked the commit at `first` with.
    pub(crate) fn link(&mut self, world: WorldId, first: Position, link: Digest) {
        let world = self.worlds.get_mut(&world).unwrap();
        world
            .commits
            .iter_mut()
            .find(|stored| stored.commit.header.first == first)
            .unwrap()
            .link = link;
    }

    pub(crate) fn named(&self, name: &WorldName) -> Option<WorldEntry> {
        self.worlds
            .iter()
            .find(|(_, world)| world.name == *name)
            .map(|(id, world)| world.entry(*id))
    }

    /// The worlds with all of `labels`, by name.
    pub(crate) fn list(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Vec<WorldEntry> {
        let mut all: Vec<_> = self
            .worlds
            .iter()
            .map(|(id, world)| world.entry(*id))
            .collect();
        all.retain(|entry| {
            labels
                .iter()
                .all(|(key, value)| entry.labels.get(key) == Some(value))
        });
        all.retain(|entry| after.is_none_or(|after| entry.name > *after));
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all.truncate(limit);
        all
    }

    /// A world and those that it comes from, itself first.
    pub(crate) fn lineage(&self, world: WorldId) -> Vec<WorldId> {
        std::iter::successors(Some(world), |world| {
            Some(self.worlds.get(world)?.base?.parent)
        })
        .collect()
    }

    /// A world and all that come from it behind `from`, each with the last event that it has of it.
    pub(crate) fn family(&self, world: WorldId, from: Position) -> Vec<(WorldId, Position)> {
        let mut family = vec![(world, Position::new(u64::MAX))];
        let mut next = 0;
        while let Some((parent, until)) = family.get(next).copied() {
            next += 1;
            let forks = self
                .worlds
                .iter()
                .filter_map(|(id, fork)| Some((*id, fork.base?)));
            let forks = forks
                .filter(|(_, base)| base.parent == parent)
                .map(|(id, base)| (id, until.min(base.at)));
            family.extend(forks.filter(|(_, until)| *until >= from));
        }
        family
    }

    /// Takes the content out of events; gives how many have lost theirs to this request.
    pub(crate) fn erase(&mut self, world: WorldId, span: Span, by: Position) -> u64 {
        for (member, until) in self.family(world, span.from) {
            let world = self.worlds.get_mut(&member).unwrap();
            (world.barred, _) = (Some(world.incarnation()), world.folds.clear());
            let own = Span {
                from: span.from,
                to: span.to.min(until),
            };
            content::erase(&mut world.commits, own, by);
        }
        let is_lost = |(at, event): &(Position, &Event)| {
            (span.from..=span.to).contains(at) && content::erased_by(event) == Some(by)
        };
        self.worlds[&world].events().filter(is_lost).count() as u64
    }

    /// One of the worlds that keep `world` from being deleted without them.
    pub(crate) fn needed_by(&self, world: WorldId, without: &[WorldId]) -> Vec<WorldName> {
        let known = &self.worlds[&world];
        let needs = |base: &Base| {
            !base.is_copied || known.is_sealed || known.base.is_some() || !known.blobs.is_empty()
        };
        let forks = self.worlds.iter().filter(|(id, _)| !without.contains(id));
        let forks = forks.filter(|(_, fork)| {
            fork.base
                .is_some_and(|base| base.parent == world && needs(&base))
        });
        forks.map(|(_, fork)| fork.name.clone()).collect()
    }

    /// Forgets what only the process knew that has a store alone.
    pub(crate) fn restart(&mut self) {
        self.worlds
            .values_mut()
            .for_each(|world| world.barred = None);
    }
}

/// What a commit says of the parent, if it begins a fork.
fn forked(commit: &Commit) -> Option<&Forked> {
    let Some(Event::World(WorldEvent::Forked(forked))) = commit.events.first() else {
        return None;
    };
    (forked.world == commit.header.world && commit.header.first == forked.base.of.next())
        .then_some(forked)
}

/// The name of the world that a commit begins, and whether it is sealed.
fn created(commit: &Commit) -> Option<(&WorldName, bool)> {
    let Some(Event::World(WorldEvent::WorldOpened(opened))) = commit.events.first() else {
        return None;
    };
    let begins = opened.world == commit.header.world && commit.header.first == Position::new(1);
    begins.then_some((&opened.name, opened.spec.policy.privacy == Privacy::Sealed))
}

fn opened(commit: &Commit) -> Option<Incarnation> {
    commit
        .events
        .iter()
        .filter_map(|event| {
            if let Event::World(WorldEvent::Opened(opened)) = event {
                Some(opened.incarnation)
            } else {
                None
            }
        })
        .next_back()
}
