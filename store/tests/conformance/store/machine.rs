//! Does on a store what an operation says, and on the model, and compares what came of it.

use std::collections::BTreeSet;
use std::fmt::Debug;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::Span;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Incarnation, Position, Time, WorldId};
use folkmoot_core::port::{AppendError, Appended, BlobError, Erasure, StoredCommit};
use folkmoot_core::port::{Blobs as _, Checkpoints as _, Custody as _, EventLog as _};
use folkmoot_store::{DeleteError, DeleteOrder, Tombstone};
use futures::TryStreamExt as _;
use futures::executor::block_on;
use futures::future::join_all;

use super::feed::Feed;
use super::model::{Answer, Model};
use super::operation::{Append, At, Opening, Operation, Restart};
use super::{check, commits, content};
use crate::fixture::{name, world};
use crate::subject::{Kind, Subject};

/// A store, its model, and who follows its worlds.
#[derive(Debug)]
pub(crate) struct Machine {
    subject: Subject,
    model: Model,
    feeds: Vec<Feed>,
    tombstones: Vec<Tombstone>,
    /// How many operations there were: clock, and what texts are made from.
    step: u64,
}

impl Machine {
    pub(crate) fn run(kind: Kind, operations: &[(Operation, u16)]) {
        // Appends that are asked for at once share a barrier in one half of the cases, and have one each in the other.
        let gathers = operations.len().is_multiple_of(2);
        let (subject, model) = (Subject::new(kind, gathers), Model::default());
        let mut machine = Self {
            subject,
            model,
            feeds: Vec::new(),
            tombstones: Vec::new(),
            step: 0,
        };
        for (operation, probe) in operations {
            machine.step += 1;
            machine.perform(operation);
            machine
                .feeds
                .iter_mut()
                .for_each(|feed| feed.take(&machine.model));
            check::one_world(machine.subject.store(), &machine.model, *probe);
        }
        machine.restart(Restart::Close);
    }

    fn perform(&mut self, operation: &Operation) {
        match operation {
            Operation::Create {
                world: number,
                name,
                is_sealed,
            } => {
                let commit = commits::creation(*number, *name, *is_sealed);
                self.append(&[(Incarnation(1), commit)]);
            }
            Operation::Append(all) => {
                let mut ahead = self.model.clone();
                let made: Vec<_> = all.iter().map(|one| self.made(&mut ahead, one)).collect();
                self.append(&made);
            }
            Operation::Group(all) => {
                let mut ahead = self.model.clone();
                let made = all.iter().map(|one| self.made(&mut ahead, one));
                let (openings, commits): (Vec<_>, Vec<_>) = made.unzip();
                self.append_group(openings[0], &commits);
            }
            Operation::Fork {
                of,
                at,
                world,
                name,
                lies,
            } => self.fork((*of, *at), (*world, *name), *lies),
            Operation::CopyBase(number) => self.copy_base(world(*number)),
            Operation::Erase {
                world: number,
                from,
                len,
                again,
            } => self.erase(world(*number), (*from, *len), *again),
            Operation::Delete(numbers) => self.delete(
                &numbers
                    .iter()
                    .map(|number| world(*number))
                    .collect::<Vec<_>>(),
            ),
            Operation::Save {
                world: number,
                at,
                rules,
            } => self.save(world(*number), *at, *rules),
            Operation::Put {
                world: number,
                blob,
            } => {
                self.put(world(*number), commits::blob(*blob));
            }
            Operation::Follow {
                world: number,
                from,
                lags,
            } => self.follow(world(*number), *from, *lags),
            Operation::Restart(how) => self.restart(*how),
            Operation::OpenTwice => assert!(self.subject.refuses_a_second()),
            Operation::Backup => self.back_up(),
        }
    }

    /// The commit that `one` means, behind what the ones before it will have made.
    fn made(&mut self, ahead: &mut Model, one: &Append) -> (Incarnation, Commit) {
        if let Some(blob) = commits::needs(one) {
            self.put(world(one.world), blob.clone());
        }
        let (head, current) = match ahead.worlds.get(&world(one.world)) {
            Some(known) => (known.head().get(), known.incarnation()),
            None => (0, Incarnation(0)),
        };
        let first = match one.at {
            At::Next => head + 1,
            At::Behind(count) => (head + 1).saturating_sub(count.into()),
            At::Ahead(count) => head + 1 + u64::from(count),
        };
        let incarnation = match one.opening {
            Opening::Older => Incarnation(current.0.saturating_sub(1)),
            Opening::Newer => current.next(),
            Opening::Current | Opening::Itself(_) => current,
        };
        let commit = commits::made(one, first, current, self.step);
        // What comes of it is compared when it is appended.
        let _expected = ahead.append(incarnation, &commit);
        (incarnation, commit)
    }

    fn append(&mut self, all: &[(Incarnation, Commit)]) {
        let store = self.subject.store();
        let answers =
            block_on(join_all(all.iter().map(|(opening, commit)| {
                store.append(*opening, vec![commit.clone()])
            })));
        for ((incarnation, commit), answer) in all.iter().zip(answers) {
            let id = commit.header.world;
            let expected = self.model.append(*incarnation, commit);
            match (answer, expected) {
                (Ok(Appended::Committed { link }), Ok(Answer::Committed)) => {
                    self.model.link(id, commit.header.first, link);
                }
                (Ok(Appended::Repeated(stored)), Ok(Answer::Repeated(at))) => {
                    assert_eq!(
                        stored, self.model.worlds[&id].commits[at],
                        "the answer to a repeated key"
                    );
                }
                (answer, expected) => same(&answer.map(|_| ()), &expected.map(|_| ())),
            }
        }
    }

    fn append_group(&mut self, incarnation: Incarnation, commits: &[Commit]) {
        let store = self.subject.store();
        let answer = block_on(store.append(incarnation, commits.to_vec()));
        let first = &commits[0].header;
        match (answer, self.model.append_group(incarnation, commits)) {
            (Ok(Appended::Committed { link }), Ok(Answer::Committed)) => {
                let read = block_on(store.read(first.world, first.first)).unwrap();
                let stored: Vec<StoredCommit> = block_on(read.try_collect()).unwrap();
                for one in &stored {
                    self.model
                        .link(first.world, one.commit.header.first, one.link);
                }
                let last = stored.last().map(|one| one.link);
                assert_eq!((stored.len(), last), (commits.len(), Some(link)));
            }
            (Ok(Appended::Repeated(stored)), Ok(Answer::Repeated(at))) => {
                assert_eq!(stored, self.model.worlds[&first.world].commits[at]);
            }
            (answer, expected) => same(&answer.map(|_| ()), &expected.map(|_| ())),
        }
    }

    fn fork(&mut self, (of, at): (u8, u16), (number, called): (u8, u8), lies: bool) {
        let Some(parent) = self.model.worlds.get(&world(of)) else {
            let point = block_on(self.subject.store().fork_point(world(of), Position::new(1)));
            return assert!(point.is_err());
        };
        let at = Position::new(u64::from(at) % parent.head().get() + 1);
        let point = block_on(self.subject.store().fork_point(world(of), at)).unwrap();
        assert!(
            point.base.of >= at
                && parent
                    .commits
                    .iter()
                    .any(|stored| stored.link == point.link)
        );
        let wants_more = self
            .model
            .worlds
            .get(&world(number))
            .is_some_and(|known| known.head() == point.base.of);
        if !wants_more {
            let parent_name = parent.name.clone();
            let commit = commits::fork(
                (world(of), parent_name),
                point,
                (world(number), name(called)),
                lies,
            );
            self.append(&[(Incarnation(1), commit)]);
        }
    }

    fn copy_base(&mut self, id: WorldId) {
        let copied = block_on(self.subject.store().copy_base(id));
        same(
            &copied,
            &self
                .model
                .worlds
                .get(&id)
                .map(|_| ())
                .ok_or(AppendError::NoSuchWorld(id)),
        );
        if let Some(base) = self
            .model
            .worlds
            .get_mut(&id)
            .and_then(|world| world.base.as_mut())
        {
            base.is_copied = true;
        }
    }

    /// Asks for an erasure and erases; `again` is a process that did not see the end of it.
    fn erase(&mut self, id: WorldId, (from, len): (u16, u8), again: bool) {
        let Some(known) = self.model.worlds.get(&id) else {
            let erased = block_on(self.subject.store().erase(id, &[], Position::new(1)));
            return same(&erased, &Err(AppendError::NoSuchWorld(id)));
        };
        self.feeds
            .iter_mut()
            .for_each(|feed| feed.take_all(&self.model));
        let (own, by, opening) = (
            known.own_from().get(),
            known.head().next(),
            known.incarnation(),
        );
        let from = own + u64::from(from) % (by.get() - own);
        let span = Span {
            from: Position::new(from),
            to: Position::new((from + u64::from(len)).min(by.get() - 1)),
        };
        self.append(&[(opening, commits::request(id, by, span))]);
        self.feeds
            .iter_mut()
            .for_each(|feed| feed.take_all(&self.model));
        for _ in 0..=u8::from(again) {
            let erased = block_on(self.subject.store().erase(id, &[span], by)).unwrap();
            let files = self.erase_files(id, span, by);
            assert_eq!(
                erased,
                Erasure {
                    events: self.model.erase(id, span, by),
                    files
                }
            );
        }
    }

    /// Takes away the blobs that only the events in `span` had; gives how many this request has taken.
    fn erase_files(&mut self, id: WorldId, span: Span, by: Position) -> u64 {
        let is_meant =
            |at: Position, until: Position| (span.from..=span.to.min(until)).contains(&at);
        let of = |world: &super::model::World, wanted: bool, until: Position| {
            let own = world.own_from();
            let events = world
                .events()
                .filter(|(at, _)| *at >= own && is_meant(*at, until) == wanted);
            content::attached(events.map(|(_, event)| event))
        };
        let mut gone = of(&self.model.worlds[&id], true, Position::new(u64::MAX));
        for (member, until) in self.model.family(id, span.from) {
            let kept = of(&self.model.worlds[&member], false, until);
            gone.retain(|blob| !kept.contains(blob));
        }
        let world = self.model.worlds.get_mut(&id).unwrap();
        world.blobs.retain(|blob, _| !gone.contains(blob));
        let taken = world.files_taken.entry(by).or_default();
        *taken = (*taken).max(gone.len() as u64);
        *taken
    }

    fn delete(&mut self, ids: &[WorldId]) {
        self.feeds
            .iter_mut()
            .for_each(|feed| feed.take_all(&self.model));
        let order = DeleteOrder {
            by: Principal::World,
            at: Time(self.step),
        };
        let heads: Vec<_> = ids
            .iter()
            .map(|id| block_on(self.subject.store().tree_head(*id)).ok())
            .collect();
        let deleted = block_on(self.subject.store().delete(ids, &order));
        let missing = ids.iter().find(|id| !self.model.worlds.contains_key(id));
        let needed: BTreeSet<_> = ids
            .iter()
            .filter(|id| self.model.worlds.contains_key(id))
            .flat_map(|id| {
                self.model
                    .needed_by(*id, ids)
                    .into_iter()
                    .map(|fork| (*id, fork))
            })
            .collect();
        match deleted {
            Err(DeleteError::NoSuchWorld(id)) => assert!(missing.is_some() && ids.contains(&id)),
            Err(DeleteError::HasForks { world, fork }) => assert!(needed.contains(&(world, fork))),
            Err(error) => panic!("{error:?}"),
            Ok(tombstones) => {
                assert!(
                    missing.is_none() && needed.is_empty(),
                    "deleted in spite of {missing:?} and {needed:?}"
                );
                let expected: BTreeSet<WorldId> = ids.iter().copied().collect();
                assert_eq!(
                    tombstones
                        .iter()
                        .map(|stone| stone.world)
                        .collect::<BTreeSet<_>>(),
                    expected
                );
                for stone in tombstones {
                    let head = ids
                        .iter()
                        .position(|id| *id == stone.world)
                        .and_then(|at| heads[at].clone())
                        .unwrap();
                    self.bury(stone, head.root);
                }
            }
        }
    }

    fn bury(&mut self, stone: Tombstone, root: Digest) {
        let world = self.model.worlds.remove(&stone.world).unwrap();
        let last = world.commits.last().unwrap();
        let expected = Tombstone {
            world: stone.world,
            name: world.name.clone(),
            head: world.head(),
            last: last.commit.header.stamp.time,
            link: last.link,
            size: world.commits.len() as u64,
            root: stone.root,
            at: Time(self.step),
            by: Principal::World,
            is_clean: true,
        };
        assert_eq!(stone, expected);
        assert_eq!(Digest::new(*stone.root.as_bytes()), root);
        self.model.deleted.insert(stone.world);
        self.tombstones.push(stone);
    }

    fn save(&mut self, id: WorldId, at: u16, rules: u8) {
        // A fold is one up to the end of a commit.
        let ends = self.model.worlds.get(&id).map(|world| &world.commits);
        let end = ends
            .and_then(|commits| Some(commits.get(usize::from(at) % commits.len())?.commit.last()));
        let (at, rules) = (end.unwrap_or(Position::new(1)), commits::rules(rules));
        let state = content::text(30, true, self.step).into_bytes();
        let saved = block_on(self.subject.store().save(id, at, rules, state.clone()));
        let Some(world) = self.model.worlds.get_mut(&id) else {
            return same(&saved, &Err(AppendError::NoSuchWorld(id)));
        };
        saved.unwrap();
        if world.is_sealed || world.barred == Some(world.incarnation()) {
            return;
        }
        // Over a ledger only the fold of a node is kept that has appended to the world: it may be an old one.
        let kept = block_on(self.subject.store().latest(id, rules, Some(at)));
        let is_left_out = self.subject.kind().is_shared() && kept != Some((at, state.clone()));
        if is_left_out {
            return;
        }
        world.folds.insert(at, (rules, state.clone()));
        // Which older ones go is the store's choice; the newest of these rules stays, and none is made up.
        let newest = world
            .folds
            .iter()
            .rev()
            .find(|(_, fold)| fold.0 == rules)
            .map(|(at, fold)| (*at, fold.1.clone()));
        assert_eq!(
            block_on(self.subject.store().latest(id, rules, None)),
            newest
        );
        let places = block_on(self.subject.store().places(id));
        world
            .folds
            .retain(|at, (rules, _)| places.contains(&(*at, *rules)));
        assert_eq!(places.len(), world.folds.len());
    }

    fn put(&mut self, id: WorldId, bytes: Vec<u8>) {
        let put = block_on(self.subject.store().put(id, bytes.clone()));
        match self.model.worlds.get_mut(&id) {
            None => same(&put, &Err(BlobError::NoSuchWorld(id))),
            Some(world) => {
                assert_eq!(put.unwrap(), Digest::sha256(&bytes));
                world.blobs.insert(Digest::sha256(&bytes), bytes);
            }
        }
    }

    fn follow(&mut self, id: WorldId, from: u16, lags: bool) {
        let Some(known) = self.model.worlds.get(&id) else {
            return assert!(
                block_on(self.subject.store().subscribe(id, Position::new(1))).is_err()
            );
        };
        let from = Position::new(u64::from(from) % (known.head().get() + 4));
        let stream = block_on(self.subject.store().subscribe(id, from)).unwrap();
        self.feeds.push(Feed::new(id, from, stream, lags));
    }

    fn restart(&mut self, how: Restart) {
        check::all(self.subject.store(), &self.model, &self.tombstones);
        self.feeds
            .iter_mut()
            .for_each(|feed| feed.take_all(&self.model));
        match how {
            Restart::Close => {
                let model = &self.model;
                self.subject
                    .reopen(|subject| check::at_rest(subject, model));
            }
            Restart::Drop => self.subject.drop_and_open(),
            Restart::Kill => self.subject.kill(),
            Restart::Die(writes) => self.subject.die(writes.into()),
        }
        self.feeds.drain(..).for_each(Feed::end);
        if !self.subject.kind().is_shared() {
            self.model.restart();
        }
        check::all(self.subject.store(), &self.model, &self.tombstones);
        check::verified(self.subject.store(), &self.model);
    }

    fn back_up(&mut self) {
        if self.subject.kind().is_shared() {
            return;
        }
        let store = self.subject.store();
        let dir = self.subject.beside(&format!("backup {}", self.step));
        let backup = block_on(store.backup(&dir)).unwrap();
        check::backup(&backup, store, &self.model, &self.tombstones);
        std::fs::remove_dir_all(dir).unwrap();
    }
}

/// Compares errors by what they say of themselves. Why a commit is invalid is said in words.
fn same<T: Debug, E: Debug>(found: &Result<T, E>, expected: &Result<T, E>) {
    let (mut found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    let unfit = "Err(the commit cannot be stored: ";
    if let Some(at) = found.find(unfit) {
        found.replace_range(at + unfit.len().., ")");
    }
    assert_eq!(found, expected);
}
