//! Forks: a world that begins where another one stood.

use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, ForkEffects, Forked, MessageRetracted, TalkEvent, WorldEvent};
use folkmoot_core::ids::{MessageId, Position, WorldName};
use folkmoot_core::port::{AppendError, Blobs as _, Custody as _, EventLog, StoredCommit};
use folkmoot_store::{Against, Damage, Store, examine};
use futures::StreamExt as _;

use crate::fixture::*;

crate::on_every_engine! {
    fork_has_its_parents_commits_and_then_its_own
    fork_of_a_fork_has_the_commits_of_both
    fork_with_a_copy_reads_the_same
    what_the_parent_does_afterwards_is_not_the_forks
    fork_that_tells_something_else_of_its_parent_is_refused
    keys_belong_to_one_world_and_names_to_one_at_a_time
    blobs_of_the_parent_are_read_through_the_fork
}

/// The first commit of world `number`, forked from `parent` behind the event `at`.
async fn forking(log: &Store, (parent, at): (u8, u64), number: u8) -> Commit {
    let point = log
        .fork_point(world(parent), Position::new(at))
        .await
        .unwrap();
    let forked = Forked {
        world: world(number),
        name: name(number),
        parent: world(parent),
        parent_name: name(parent),
        base: point.base,
        link: point.link,
        effects: ForkEffects::Recorded,
    };
    Commit {
        header: header(world(number), at + 1),
        events: vec![Event::World(WorldEvent::Forked(forked)), opening(1)],
    }
}

pub(crate) async fn fork(log: &Store, from: (u8, u64), number: u8) -> Commit {
    let commit = forking(log, from, number).await;
    append(log, commit.clone()).await;
    commit
}

async fn stored(log: &Store, number: u8) -> Vec<StoredCommit> {
    try_read(log, number, 0).await.unwrap()
}

/// World 1 with 20 events, and world 2, which left it behind event 10 and has two commits of its own.
async fn two(log: &Store) -> Vec<Commit> {
    let mut commits = fill(log, 1, 20).await;
    commits.truncate(9);
    commits.push(fork(log, (1, 10), 2).await);
    commits.push(post(2, 13));
    append(log, post(2, 13)).await;
    commits
}

async fn reads_as(log: &Store, number: u8, commits: &[Commit]) {
    assert_eq!(read(log, number, 0).await, commits);
    assert_eq!(
        read(log, number, 10).await,
        commits[8..],
        "from the last event that both have"
    );
    assert_eq!(
        read(log, number, 11).await,
        commits[9..],
        "from the first of its own"
    );
    let head = commits.last().unwrap().last();
    let mut newest_first = commits.to_vec();
    newest_first.reverse();
    for limit in [1, 3, 100] {
        let mut back = Vec::new();
        let mut before = head.next();
        while before > Position::new(1) {
            let page = log.read_back(world(number), before, limit).await.unwrap();
            assert!(page.len() <= limit);
            before = page.last().unwrap().commit.header.first;
            back.extend(bare(page));
        }
        assert_eq!(back, newest_first, "{limit} at a time");
    }
    let feed = log
        .subscribe(world(number), Position::new(1))
        .await
        .unwrap();
    let seen: Vec<_> = feed.take(commits.len()).map(Result::unwrap).collect().await;
    assert_eq!(bare(seen), commits);
}

async fn fork_has_its_parents_commits_and_then_its_own(log: Store) {
    let commits = two(&log).await;
    reads_as(&log, 2, &commits).await;
    let entry = log.find(&name(2)).await.unwrap().unwrap();
    assert_eq!(
        (entry.world, entry.head, entry.incarnation),
        (world(2), Position::new(13), FIRST)
    );
    let [parent, child] = [stored(&log, 1).await, stored(&log, 2).await];
    assert_eq!(parent[..9], child[..9], "the links as well");
    let [parent, child] = [
        log.tree_head(world(1)).await.unwrap(),
        log.tree_head(world(2)).await.unwrap(),
    ];
    assert_eq!((parent.commits, child.commits), (19, 11));
    assert_eq!(
        log.fork_point(world(2), Position::new(13))
            .await
            .unwrap()
            .base,
        child
    );
    let [shared, same] = [
        log.fork_point(world(1), Position::new(10)).await,
        log.fork_point(world(2), Position::new(10)).await,
    ];
    assert_eq!(shared.unwrap(), same.unwrap());
}

async fn fork_of_a_fork_has_the_commits_of_both(log: Store) {
    let commits = two(&log).await;
    let mut deep = commits.clone();
    deep.push(fork(&log, (2, 13), 3).await);
    reads_as(&log, 3, &deep).await;
    let mut early = commits[..5].to_vec();
    early.push(fork(&log, (2, 6), 4).await);
    assert_eq!(
        read(&log, 4, 0).await,
        early,
        "forked before its parent was"
    );
}

async fn fork_with_a_copy_reads_the_same(log: Store) {
    let mut commits = two(&log).await;
    let head = log.tree_head(world(2)).await.unwrap();
    log.copy_base(world(2)).await.unwrap();
    log.copy_base(world(2)).await.unwrap();
    log.copy_base(world(1)).await.unwrap();
    reads_as(&log, 2, &commits).await;
    append(&log, post(2, 14)).await;
    commits.push(post(2, 14));
    reads_as(&log, 2, &commits).await;
    assert_eq!(
        log.fork_point(world(2), Position::new(13))
            .await
            .unwrap()
            .base,
        head
    );
    commits.push(fork(&log, (2, 14), 3).await);
    reads_as(&log, 3, &commits).await;
}

async fn what_the_parent_does_afterwards_is_not_the_forks(log: Store) {
    let retract = |number: u8, first: u64, message: u64| {
        let message = Position::new(message);
        let retracted = MessageRetracted {
            message: MessageId(message),
            at: message,
            gone: vec![message],
        };
        Commit {
            header: header(world(number), first),
            events: vec![Event::Talk(TalkEvent::MessageRetracted(retracted))],
        }
    };
    fill(&log, 1, 9).await;
    append(&log, retract(1, 10, 5)).await;
    let child = fork(&log, (1, 10), 2).await;
    append(&log, retract(1, 11, 6)).await;
    append(&log, retract(1, 12, 5)).await;
    append(&log, retract(2, 13, 7)).await;
    let gone = async |number| {
        let gone = log
            .gone(world(number), Position::new(1), Position::new(99))
            .await
            .unwrap();
        gone.into_iter().map(Position::get).collect::<Vec<_>>()
    };
    assert_eq!((gone(1).await, gone(2).await), (vec![5, 6], vec![5, 7]));
    log.copy_base(world(2)).await.unwrap();
    assert_eq!(
        (gone(1).await, gone(2).await),
        (vec![5, 6], vec![5, 7]),
        "from the tables as well"
    );
    assert_eq!(read(&log, 2, 11).await[0], child);
}

#[tokio::test]
async fn fork_misses_what_its_parent_took_away_before_and_once_more_behind_it() {
    let retract = |first: u64| {
        let message = Position::new(5);
        let retracted = MessageRetracted {
            message: MessageId(message),
            at: message,
            gone: vec![message],
        };
        Commit {
            header: header(world(1), first),
            events: vec![Event::Talk(TalkEvent::MessageRetracted(retracted))],
        }
    };
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 9).await;
    append(&log, retract(10)).await;
    log.close().unwrap();
    let log = disk.open();
    append(&log, retract(11)).await;
    log.close().unwrap();
    let log = disk.open();
    fork(&log, (1, 10), 2).await;
    let gone = log
        .gone(world(2), Position::new(1), Position::new(99))
        .await
        .unwrap();
    assert_eq!(gone, [Position::new(5)]);
}

async fn fork_that_tells_something_else_of_its_parent_is_refused(log: Store) {
    fill(&log, 1, 20).await;
    let good = forking(&log, (1, 10), 2).await;
    let other = forking(&log, (1, 11), 2).await;
    let forked = |commit: &Commit| {
        if let Event::World(WorldEvent::Forked(forked)) = &commit.events[0] {
            forked.clone()
        } else {
            panic!()
        }
    };
    for wrong in [
        Forked {
            link: forked(&other).link,
            ..forked(&good)
        },
        Forked {
            base: folkmoot_core::event::TreeHead {
                root: forked(&other).base.root,
                ..forked(&good).base
            },
            ..forked(&good)
        },
    ] {
        let commit = Commit {
            events: vec![Event::World(WorldEvent::Forked(wrong)), opening(1)],
            ..good.clone()
        };
        let error = log.append(FIRST, vec![commit]).await.unwrap_err();
        assert!(
            matches!(&error, AppendError::Invalid(why) if why.contains("world-2")),
            "{error:?}"
        );
    }
    let nobody = Commit {
        events: vec![
            Event::World(WorldEvent::Forked(Forked {
                parent: world(9),
                ..forked(&good)
            })),
            opening(1),
        ],
        ..good.clone()
    };
    let error = log.append(FIRST, vec![nobody]).await.unwrap_err();
    assert!(
        matches!(error, AppendError::NoSuchWorld(id) if id == world(9)),
        "{error:?}"
    );
    assert!(log.fork_point(world(1), Position::new(21)).await.is_err());
    let inside = log.fork_point(world(1), Position::new(1)).await.unwrap();
    assert_eq!(
        inside.base.of,
        Position::new(2),
        "inside a commit means its last event"
    );
    append(&log, good).await;
}

async fn keys_belong_to_one_world_and_names_to_one_at_a_time(log: Store) {
    fill(&log, 1, 9).await;
    append(&log, with_key(post(1, 10), keyed("k", "hello"))).await;
    let child = fork(&log, (1, 10), 2).await;
    assert_eq!(log.find_key(world(2), &key("k")).await.unwrap(), None);
    append(&log, with_key(post(2, 13), keyed("k", "something else"))).await;
    let forked = if let Event::World(WorldEvent::Forked(forked)) = &child.events[0] {
        forked.clone()
    } else {
        panic!()
    };
    let again = Forked {
        world: world(3),
        ..forked
    };
    let again = Commit {
        header: header(world(3), 11),
        events: vec![Event::World(WorldEvent::Forked(again)), opening(1)],
    };
    let error = log.append(FIRST, vec![again]).await.unwrap_err();
    assert!(matches!(error, AppendError::NameTaken(taken) if taken == name(2)));
}

async fn blobs_of_the_parent_are_read_through_the_fork(log: Store) {
    fill(&log, 1, 10).await;
    let blob = log.put(world(1), b"a picture".to_vec()).await.unwrap();
    fork(&log, (1, 10), 2).await;
    assert_eq!(
        log.get(world(2), blob).await.unwrap(),
        Some(b"a picture".to_vec())
    );
    assert_eq!(log.size(world(2), blob).await.unwrap(), Some(9));
    let own = log.put(world(2), b"mine".to_vec()).await.unwrap();
    assert_eq!(log.get(world(1), own).await.unwrap(), None);
}

#[tokio::test]
async fn forks_are_there_after_a_clean_close_and_after_a_kill() {
    let disk = OnDisk::new();
    let log = disk.open();
    let mut commits = two(&log).await;
    let third = fork(&log, (2, 12), 3).await;
    let killed = disk.killed();
    let reopened = killed.open();
    reads_as(&reopened, 2, &commits).await;
    let mut deep = commits[..10].to_vec();
    deep.push(third);
    reads_as(&reopened, 3, &deep).await;
    append(&reopened, post(2, 14)).await;
    log.close().unwrap();
    let reopened = disk.open();
    append(&reopened, post(2, 14)).await;
    commits.push(post(2, 14));
    reads_as(&reopened, 2, &commits).await;
    reads_as(&reopened, 3, &deep).await;
    reopened.copy_base(world(3)).await.unwrap();
    let killed = disk.killed();
    let again = killed.open();
    reads_as(&again, 3, &deep).await;
    append(&again, post(3, 15)).await;
}

#[tokio::test]
async fn fork_that_left_its_parent_before_that_one_left_its_own_is_verified() {
    let disk = OnDisk::new();
    let log = disk.open();
    two(&log).await;
    for (number, at) in [(3, 10), (4, 6)] {
        fork(&log, (2, at), number).await;
    }
    fork(&log, (4, 2), 5).await;
    let verified = async |log: &Store| {
        for number in 1..=5 {
            let found = log.verify(world(number), Against::default()).await.unwrap();
            let head = log.tree_head(world(number)).await.unwrap();
            assert_eq!(
                (found.damage, found.events, found.root),
                (None, head.of, head.root),
                "world {number}"
            );
        }
    };
    verified(&log).await;
    let examined = |disk: &OnDisk| {
        let found = examine(disk.dir.path().join("store"), None, &Against::default()).unwrap();
        found
            .worlds
            .into_iter()
            .map(|world| (world.name, world.damage))
            .collect::<Vec<_>>()
    };
    let whole: Vec<(Option<WorldName>, Option<Damage>)> =
        (1..=5).map(|number| (Some(name(number)), None)).collect();
    assert_eq!(examined(&disk.killed()), whole);
    log.close().unwrap();
    drop(log);
    assert_eq!(examined(&disk), whole);
    verified(&disk.open()).await;
}

#[tokio::test]
async fn fork_leaves_everything_of_its_parent_as_it_was() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 300).await;
    log.close().unwrap();
    let log = disk.open();
    let before = (
        stored(&log, 1).await,
        log.tree_head(world(1)).await.unwrap(),
        log.find(&name(1)).await.unwrap(),
    );
    for (number, at) in [(2, 2), (3, 150), (4, 300)] {
        fork(&log, (1, at), number).await;
        append(&log, post(number, at + 3)).await;
    }
    log.copy_base(world(3)).await.unwrap();
    let after = (
        stored(&log, 1).await,
        log.tree_head(world(1)).await.unwrap(),
        log.find(&name(1)).await.unwrap(),
    );
    assert_eq!(before, after);
}

#[tokio::test]
async fn parent_goes_on_while_it_is_forked() {
    let log = Arc::new(Store::memory());
    fill(&*log, 1, 50).await;
    let writer = tokio::spawn({
        let log = Arc::clone(&log);
        async move {
            for first in 51..=400 {
                append(&*log, post(1, first)).await;
            }
        }
    });
    for number in 2..20 {
        let commit = fork(&log, (1, 50), number).await;
        assert_eq!(read(&*log, number, 51).await, [commit]);
    }
    writer.await.unwrap();
    assert_eq!(read(&*log, 1, 0).await.len(), 399);
}
