//! Readers and followers beside appends and sweeps.

use folkmoot_core::ids::{Incarnation, Position};
use folkmoot_core::port::EventLog as _;
use futures::StreamExt as _;
use shuttle::future::block_on;
use shuttle::thread;

use super::answers::read;
use super::engine::Slow;
use super::tries::{START, commits, each_order};
use crate::local::tests::{creation, post, world};
use crate::read::runs;
use crate::verify::Against;

const FIRST: Incarnation = Incarnation(1);
const COUNT: u64 = 6;

#[test]
fn whoever_follows_gets_each_commit_once_while_commits_are_moved() {
    each_order("moved", || {
        let (_engine, store) = Slow::open();
        block_on(store.append(FIRST, vec![creation(1)])).unwrap();
        let follower = {
            let store = store.clone();
            thread::spawn(move || {
                let feed = block_on(store.subscribe(world(1), START)).unwrap();
                let seen: Vec<_> = block_on(
                    feed.take(COUNT as usize)
                        .map(|stored| stored.unwrap().commit)
                        .collect(),
                );
                assert_eq!(seen, commits(1, COUNT));
            })
        };
        let sweeper = {
            let store = store.clone();
            thread::spawn(move || (0..2).for_each(|_| runs::sweep(&store.inner.shared).unwrap()))
        };
        for commit in commits(1, COUNT).into_iter().skip(1) {
            block_on(store.append(FIRST, vec![commit])).unwrap();
        }
        follower.join().unwrap();
        sweeper.join().unwrap();
        store.close().unwrap();
    });
}

#[test]
fn whatever_is_read_while_commits_are_moved_is_right() {
    each_order("reading", || {
        let (_engine, store) = Slow::open();
        for commit in commits(1, COUNT) {
            block_on(store.append(FIRST, vec![commit])).unwrap();
        }
        let sweeper = {
            let store = store.clone();
            thread::spawn(move || {
                runs::sweep(&store.inner.shared).unwrap();
                block_on(store.append(FIRST, vec![post(1, COUNT + 2)])).unwrap();
                runs::sweep(&store.inner.shared).unwrap();
            })
        };
        let expected = commits(1, COUNT + 1);
        let found: Vec<_> = read(&store, 1)
            .into_iter()
            .map(|stored| stored.commit)
            .collect();
        assert!(found == expected[..COUNT as usize] || found == expected);
        let back = block_on(store.read_back(world(1), Position::new(COUNT + 2), 3)).unwrap();
        let back: Vec<_> = back.into_iter().map(|stored| stored.commit).collect();
        assert_eq!(back, [5, 4, 3].map(|at: usize| expected[at].clone()));
        let verified = block_on(store.verify(world(1), Against::default())).unwrap();
        assert_eq!(verified.damage, None);
        sweeper.join().unwrap();
    });
}
