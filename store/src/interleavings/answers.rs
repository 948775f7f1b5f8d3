//! Appends and their answers.

use std::sync::Arc;

use folkmoot_core::command::commit::{CommandKey, Keyed};
use folkmoot_core::ids::{Digest, Incarnation, Position};
use folkmoot_core::port::{Appended, EventLog as _, ReadError, StoredCommit};
use futures::StreamExt as _;
use shuttle::future::block_on;
use shuttle::thread;

use super::engine::Slow;
use super::tries::{START, commits, each_order};
use crate::local::LocalStore;
use crate::local::tests::{creation, name, post, say, world};

const FIRST: Incarnation = Incarnation(1);

/// The commits of a world, as they are read.
pub(super) fn read(store: &LocalStore, number: u8) -> Vec<StoredCommit> {
    block_on(async {
        let stream = store.read(world(number), START).await.unwrap();
        stream.map(Result::unwrap).collect().await
    })
}

#[test]
fn each_append_is_durable_when_it_is_answered_and_stands_where_it_was_sent() {
    each_order("answers", || {
        let (engine, store) = Slow::open();
        let writers = (1..=3).map(|number| {
            let engine = Arc::clone(&engine);
            let store = store.clone();
            thread::spawn(move || {
                for commit in commits(number, 3) {
                    let last = commit.last();
                    let answer = block_on(store.append(FIRST, vec![commit])).unwrap();
                    assert!(matches!(answer, Appended::Committed { .. }));
                    assert!(
                        engine.durable(world(number)) >= last,
                        "answered before it was durable"
                    );
                    let seen = block_on(store.find(&name(number))).unwrap().unwrap().head;
                    assert!(seen >= last, "answered before it was seen");
                }
            })
        });
        writers
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        for number in 1..=3 {
            let found: Vec<_> = read(&store, number)
                .into_iter()
                .map(|stored| stored.commit)
                .collect();
            assert_eq!(found, commits(number, 3));
        }
        store.close().unwrap();
    });
}

#[test]
fn nothing_is_seen_before_it_is_durable() {
    each_order("seen", || {
        let (engine, store) = Slow::open();
        block_on(store.append(FIRST, vec![creation(1)])).unwrap();
        let writer = {
            let store = store.clone();
            thread::spawn(move || {
                for first in 3..6 {
                    block_on(store.append(FIRST, vec![post(1, first)])).unwrap();
                }
            })
        };
        for _ in 0..6 {
            let seen = block_on(store.find(&name(1))).unwrap().unwrap().head;
            assert!(
                engine.durable(world(1)) >= seen,
                "{seen} is seen before it is durable"
            );
            let read = read(&store, 1).last().unwrap().commit.last();
            assert!(
                engine.durable(world(1)) >= read,
                "{read} is read before it is durable"
            );
            thread::yield_now();
        }
        writer.join().unwrap();
    });
}

#[test]
fn one_of_several_that_send_the_same_key_is_appended() {
    each_order("keys", || {
        let (_engine, store) = Slow::open();
        block_on(store.append(FIRST, vec![creation(1)])).unwrap();
        let senders = (0..3).map(|_| {
            let store = store.clone();
            thread::spawn(move || {
                let mut commit = post(1, 3);
                let key = CommandKey::Client("k".to_owned());
                commit.header.key = Some(Keyed {
                    key,
                    digest: Digest::of(&[]),
                });
                block_on(store.append(FIRST, vec![commit])).unwrap()
            })
        });
        let answers: Vec<_> = senders
            .collect::<Vec<_>>()
            .into_iter()
            .map(|sender| sender.join().unwrap())
            .collect();
        let stored = read(&store, 1).remove(1);
        let is_first = |answer: &&Appended| matches!(answer, Appended::Committed { link } if *link == stored.link);
        assert_eq!(answers.iter().filter(is_first).count(), 1);
        let is_same =
            |answer: &&Appended| matches!(answer, Appended::Repeated(found) if *found == stored);
        assert_eq!(answers.iter().filter(is_same).count(), 2);
        assert_eq!(read(&store, 1).len(), 2);
    });
}

#[test]
fn a_burst_of_one_world_delays_the_others_by_no_more_than_one_barrier() {
    each_order("burst", || {
        let (engine, store) = Slow::open();
        for number in [1, 2] {
            block_on(store.append(FIRST, vec![creation(number)])).unwrap();
        }
        let storm = {
            let store = store.clone();
            thread::spawn(move || {
                // Each makes a batch.
                let burst = (3..8)
                    .map(|first| store.append(FIRST, vec![say(1, first, "x".repeat(60_000))]));
                assert!(
                    block_on(futures::future::join_all(burst))
                        .iter()
                        .all(Result::is_ok)
                );
            })
        };
        thread::yield_now();
        let begun = engine.begun();
        block_on(store.append(FIRST, vec![post(2, 3)])).unwrap();
        let frame = store
            .inner
            .shared
            .index()
            .worlds
            .get(&world(2))
            .and_then(|world| world.tail.back().copied());
        if let Some(landed) = frame.filter(|landed| landed.first == Position::new(3)) {
            let batch = engine.append_of(landed.frame);
            assert!(
                batch <= begun + 2,
                "it came with append {batch} when {begun} had begun"
            );
        }
        storm.join().unwrap();
    });
}

#[test]
fn whoever_does_not_wait_for_an_answer_has_not_undone_the_append() {
    each_order("given up", || {
        let (engine, store) = Slow::open();
        block_on(store.append(FIRST, vec![creation(1)])).unwrap();
        let mut given_up = store.append(FIRST, vec![post(1, 3)]);
        let polled = futures::FutureExt::now_or_never(&mut given_up);
        assert!(polled.is_none_or(|answer| answer.is_ok()));
        drop(given_up);
        block_on(store.append(FIRST, vec![post(1, 4)])).unwrap();
        assert_eq!(engine.durable(world(1)), Position::new(4));
        assert!(matches!(
            block_on(store.read(world(9), START)).map(|_| ()),
            Err(ReadError::NoSuchWorld(_))
        ));
    });
}
