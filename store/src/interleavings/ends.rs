//! How a store ends while others use it.

use std::sync::Arc;

use folkmoot_core::ids::Incarnation;
use folkmoot_core::port::{AppendError, EventLog as _, ReadError};
use futures::StreamExt as _;
use shuttle::future::block_on;
use shuttle::thread::{self, JoinHandle};

use super::engine::Slow;
use super::tries::{START, commits, each_order};
use crate::engine::Engine;
use crate::local::LocalStore;
use crate::local::tests::{creation, post, world};

const FIRST: Incarnation = Incarnation(1);

/// Appends the commits of a world until one is refused; gives the last event that was taken, and
/// why no more were.
fn append_all(store: &LocalStore, number: u8) -> JoinHandle<(u64, Option<AppendError>)> {
    let store = store.clone();
    thread::spawn(move || {
        let mut taken = 0;
        for commit in commits(number, 4) {
            let last = commit.last().get();
            match block_on(store.append(FIRST, vec![commit])) {
                Ok(_) => taken = last,
                Err(error) => return (taken, Some(error)),
            }
        }
        (taken, None)
    })
}

#[test]
fn closing_answers_everybody_and_takes_nothing_afterwards() {
    each_order("close", || {
        let (engine, store) = Slow::open();
        let writers = [append_all(&store, 1), append_all(&store, 2)];
        let closers = [(); 2].map(|()| {
            let store = store.clone();
            thread::spawn(move || store.close().unwrap())
        });
        for (number, writer) in (1..).zip(writers) {
            let (taken, why) = writer.join().unwrap();
            assert!(
                matches!(why, None | Some(AppendError::Stopped(_))),
                "{why:?}"
            );
            assert_eq!(
                engine.durable(world(number)).get(),
                taken,
                "what was refused was kept, or what was taken lost"
            );
        }
        closers
            .into_iter()
            .for_each(|closer| closer.join().unwrap());
        assert!(matches!(
            block_on(store.append(FIRST, vec![creation(3)])),
            Err(AppendError::Stopped(_))
        ));
        assert!(matches!(
            block_on(store.read(world(1), START)).map(|_| ()),
            Err(ReadError::Stopped(_))
        ));
        let engine = Arc::clone(&engine) as Arc<dyn Engine>;
        LocalStore::with_engine(engine).unwrap().close().unwrap();
    });
}

#[test]
fn a_failed_append_stops_the_store_for_everybody() {
    each_order("stop", || {
        let (engine, store) = Slow::failing(3);
        let writers = [1, 2, 3].map(|number| append_all(&store, number));
        for (number, writer) in (1..).zip(writers) {
            let (taken, why) = writer.join().unwrap();
            assert!(
                matches!(why, Some(AppendError::Stopped(_) | AppendError::Io(_))),
                "{why:?} after {taken}"
            );
            assert_eq!(engine.durable(world(number)).get(), taken);
        }
        assert!(matches!(
            block_on(store.append(FIRST, vec![creation(9)])),
            Err(AppendError::Stopped(_))
        ));
        store.close().unwrap();
    });
}

#[test]
fn whoever_follows_sees_everything_and_then_the_end() {
    for good in [None, Some(3)] {
        each_order("followers", move || {
            let (_engine, store) = good.map_or_else(Slow::open, Slow::failing);
            block_on(store.append(FIRST, vec![creation(1)])).unwrap();
            let followers = [(); 2].map(|()| {
                let store = store.clone();
                thread::spawn(move || {
                    block_on(async {
                        let mut feed = store.subscribe(world(1), START).await.ok()?;
                        drop(store);
                        let mut seen = Vec::new();
                        while let Some(Ok(stored)) = feed.next().await {
                            seen.push(stored.commit);
                        }
                        Some(seen)
                    })
                })
            });
            let mut taken = vec![creation(1)];
            for first in 3..6 {
                if block_on(store.append(FIRST, vec![post(1, first)])).is_ok() {
                    taken.push(post(1, first));
                }
            }
            store.close().unwrap();
            for follower in followers {
                let seen = follower.join().unwrap().unwrap_or_default();
                assert_eq!(seen, taken[..seen.len()], "a gap, or a commit twice");
            }
        });
    }
}
