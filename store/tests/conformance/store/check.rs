//! What can be seen of a store, compared with the model.

use std::collections::BTreeMap;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{Blobs as _, Checkpoints as _, Custody as _, EventLog as _};
use folkmoot_core::port::{Labels, ReadError, StoredCommit};
use folkmoot_store::{Against, Backup, LogVerdict, OpenMode, Store, Tombstone, examine};
use futures::StreamExt as _;
use futures::executor::block_on;

use super::commits;
use super::model::{Model, World};
use super::operation::WORLDS;
use crate::fixture::{copy_folder, name, world};
use crate::subject::Subject;

/// Looks at one world from one place, and at a page of the list.
pub(crate) fn one_world(store: &Store, model: &Model, probe: u16) {
    let (number, place) = (
        (probe % u16::from(WORLDS)) as u8,
        u64::from(probe / u16::from(WORLDS)),
    );
    page(store, model, probe);
    match model.worlds.get(&world(number)) {
        Some(known) => from(store, world(number), known, place),
        None => nowhere(store, world(number)),
    }
}

/// Looks at everything.
pub(crate) fn all(store: &Store, model: &Model, tombstones: &[Tombstone]) {
    assert_eq!(
        block_on(store.worlds(&Labels::new(), None, usize::MAX)).unwrap(),
        model.list(&Labels::new(), None, 99)
    );
    let mut deleted = block_on(store.deleted()).unwrap();
    let mut expected = tombstones.to_vec();
    [&mut deleted, &mut expected]
        .into_iter()
        .for_each(|all| all.sort_by_key(|stone| stone.world));
    assert_eq!(deleted, expected);
    for number in 0..WORLDS {
        let id = world(number);
        assert_eq!(
            block_on(store.find(&name(number))).unwrap(),
            model.named(&name(number))
        );
        let Some(known) = model.worlds.get(&id) else {
            nowhere(store, id);
            continue;
        };
        assert_eq!(read(store, id, 0), known.commits, "world {number}");
        from(store, id, known, known.head().get() / 2);
        keys(store, id, known);
        head(store, id, known);
        folds(store, id, known);
        blobs(store, id, model);
    }
}

fn page(store: &Store, model: &Model, probe: u16) {
    let labels = commits::labels((probe % 3) as u8, (probe / 3 % 3) as u8);
    let after = name((probe / 9 % u16::from(WORLDS)) as u8);
    for (after, limit) in [(None, 99), (Some(&after), usize::from(probe / 72 % 3))] {
        assert_eq!(
            block_on(store.worlds(&labels, after, limit)).unwrap(),
            model.list(&labels, after, limit)
        );
    }
}

/// Nothing is known of a world that does not exist.
fn nowhere(store: &Store, id: WorldId) {
    let is_missing = |error: ReadError| {
        assert!(matches!(error, ReadError::NoSuchWorld(missing) if missing == id))
    };
    is_missing(
        block_on(store.read(id, Position::new(1)))
            .map(|_| ())
            .unwrap_err(),
    );
    is_missing(
        block_on(store.subscribe(id, Position::new(1)))
            .map(|_| ())
            .unwrap_err(),
    );
    is_missing(block_on(store.read_back(id, Position::new(9), 1)).unwrap_err());
    is_missing(block_on(store.gone(id, Position::new(1), Position::new(9))).unwrap_err());
    is_missing(block_on(store.find_key(id, &commits::key(0))).unwrap_err());
    is_missing(block_on(store.tree_head(id)).unwrap_err());
    is_missing(block_on(store.fork_point(id, Position::new(1))).unwrap_err());
    assert_eq!(block_on(store.places(id)), []);
}

/// Reads a world forwards and backwards from some place.
fn from(store: &Store, id: WorldId, known: &World, place: u64) {
    let at = place % (known.head().get() + 3);
    assert_eq!(
        read(store, id, at),
        known.from(Position::new(at)),
        "from {at}"
    );
    let (before, limit) = (Position::new(at + 1), (place % 7) as usize);
    let back = block_on(store.read_back(id, before, limit)).unwrap();
    assert_eq!(
        back,
        known.back(before, limit),
        "at most {limit} before {before}"
    );
    let (from, to) = (Position::new(at / 2), Position::new(at));
    let gone: Vec<_> = known
        .gone()
        .into_iter()
        .filter(|gone| (from..to).contains(gone))
        .collect();
    assert_eq!(
        block_on(store.gone(id, from, to)).unwrap(),
        gone,
        "gone from {from} to {to}"
    );
}

fn read(store: &Store, id: WorldId, from: u64) -> Vec<StoredCommit> {
    let stream = block_on(store.read(id, Position::new(from))).unwrap();
    block_on(stream.map(Result::unwrap).collect())
}

fn keys(store: &Store, id: WorldId, known: &World) {
    for number in 0..6 {
        let key = commits::key(number);
        let expected = known
            .keys
            .get(&key)
            .map(|(at, _)| known.commits[*at].clone());
        assert_eq!(
            block_on(store.find_key(id, &key)).unwrap(),
            expected,
            "{key}"
        );
    }
}

fn head(store: &Store, id: WorldId, known: &World) {
    let head = block_on(store.tree_head(id)).unwrap();
    assert_eq!(
        (head.of, head.commits),
        (known.head(), known.commits.len() as u64)
    );
    let point = block_on(store.fork_point(id, known.head())).unwrap();
    assert_eq!(
        (point.base, point.link),
        (head, known.commits.last().unwrap().link)
    );
    let beyond = block_on(store.fork_point(id, known.head().next()));
    assert!(matches!(beyond, Err(ReadError::Damaged { .. })));
}

fn folds(store: &Store, id: WorldId, known: &World) {
    let expected: Vec<_> = known
        .folds
        .iter()
        .map(|(at, (rules, _))| (*at, *rules))
        .collect();
    assert_eq!(block_on(store.places(id)), expected);
    for (number, up_to) in [
        (0, None),
        (1, None),
        (0, Some(Position::new(30_000))),
        (1, Some(Position::new(30_000))),
    ] {
        let rules = commits::rules(number);
        let fits = |(at, fold): &(&Position, &(_, _))| {
            fold.0 == rules && up_to.is_none_or(|up_to| **at <= up_to)
        };
        let newest = known
            .folds
            .iter()
            .rev()
            .find(fits)
            .map(|(at, (_, state))| (*at, state.clone()));
        assert_eq!(block_on(store.latest(id, rules, up_to)), newest);
    }
}

fn blobs(store: &Store, id: WorldId, model: &Model) {
    let mut there = BTreeMap::new();
    for world in model
        .lineage(id)
        .iter()
        .filter_map(|id| model.worlds.get(id))
    {
        there.extend(world.blobs.clone());
    }
    for number in 0..4 {
        let blob = folkmoot_core::ids::Digest::sha256(&commits::blob(number));
        assert_eq!(
            block_on(store.get(id, blob)).unwrap().as_ref(),
            there.get(&blob),
            "blob {number}"
        );
        let size = there.get(&blob).map(|bytes| bytes.len() as u64);
        assert_eq!(block_on(store.size(id, blob)).unwrap(), size);
    }
}

/// Nothing is wrong with any world.
pub(crate) fn verified(store: &Store, model: &Model) {
    for (id, known) in &model.worlds {
        let found = block_on(store.verify(*id, Against::default())).unwrap();
        assert_eq!(
            (found.verdict(), &found.damage),
            (LogVerdict::NotChecked, &None),
            "{id}"
        );
        let head = block_on(store.tree_head(*id)).unwrap();
        let expected = (
            known.commits.len() as u64,
            known.head(),
            head.root,
            known.commits.last().unwrap().link,
        );
        assert_eq!(
            (found.commits, found.events, found.root, found.link),
            expected
        );
    }
}

/// Nothing is wrong with the files while nobody has them open.
pub(crate) fn at_rest(subject: &Subject, model: &Model) {
    let Some(dir) = subject.dir() else { return };
    let found = examine(dir, None, &Against::default()).unwrap();
    assert!(found.store.is_empty(), "{:?}", found.store);
    assert_eq!(found.worlds.len(), model.worlds.len());
    for world in &found.worlds {
        assert_eq!(
            (world.verdict(), &world.damage),
            (LogVerdict::NotChecked, &None)
        );
    }
}

/// A backup is a store like the one it is of, but for saved folds and the keys of sealed worlds, which are given back.
pub(crate) fn backup(backup: &Backup, of: &Store, model: &Model, tombstones: &[Tombstone]) {
    let events: u64 = model
        .worlds
        .values()
        .map(|world| world.commits.iter())
        .map(own_events)
        .sum();
    assert!(
        backup.worlds == model.worlds.len() && backup.blobs_damaged == 0 && backup.events <= events
    );
    assert_eq!(
        backup.blobs,
        model
            .worlds
            .values()
            .map(|world| world.blobs.len())
            .sum::<usize>()
    );
    if let Some(keys) = of.keys_folder() {
        copy_folder(&keys, &backup.path.join("keys"));
    }
    let store = Store::open(&backup.path, OpenMode::Existing).unwrap();
    let mut bare = model.clone();
    bare.worlds
        .values_mut()
        .for_each(|world| world.folds.clear());
    all(&store, &bare, tombstones);
    verified(&store, &bare);
}

fn own_events<'a>(commits: impl Iterator<Item = &'a StoredCommit>) -> u64 {
    commits
        .map(|stored| stored.commit.events.len() as u64)
        .sum()
}
