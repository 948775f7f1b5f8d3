//! The conformance suite of the event log, run on every engine.

use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::{Digest, Incarnation, Position};
use folkmoot_core::port::{AppendError, Appended, Checkpoints as _, EventLog, Labels, ReadError};
use folkmoot_store::{Stats, Store};
use futures::{FutureExt as _, StreamExt as _};

use crate::fixture::*;

crate::on_every_engine! {
    commits_are_read_as_they_were_appended
    a_stale_position_conflicts_and_says_where_the_head_is
    a_key_is_answered_by_its_first_commit_whatever_the_head_is
    commits_of_one_append_come_together_and_have_one_answer
    commits_that_are_no_group_are_refused_whole
    an_older_incarnation_is_fenced
    a_name_is_taken_once
    a_world_must_be_created_before_it_is_written
    a_subscription_from_anywhere_gives_every_commit_once
    a_subscriber_is_told_each_commit_at_once_and_none_before_it_is_there
    a_subscriber_that_falls_far_behind_loses_nothing
    large_commits_come_back_and_too_large_ones_are_refused
    many_writers_share_the_log_without_losing_order
    reading_back_gives_the_newest_first
    a_commit_without_events_is_refused
    a_closed_log_says_so_and_ends_its_streams
    checkpoints_are_found_by_rules_and_position_and_belong_to_a_world
    checkpoints_belong_to_the_end_of_a_commit
}

async fn commits_are_read_as_they_were_appended(log: Store) {
    let commits = fill(&log, 1, 40).await;
    fill(&log, 2, 10).await;
    assert_eq!(read(&log, 1, 0).await, commits);
    assert_eq!(read(&log, 1, 2).await, commits);
    assert_eq!(read(&log, 1, 3).await, commits[1..]);
    assert_eq!(read(&log, 1, 40).await, commits[38..]);
    assert_eq!(read(&log, 1, 41).await, []);
    assert!(matches!(
        log.read(world(9), Position::ZERO).await,
        Err(ReadError::NoSuchWorld(_))
    ));
}

async fn a_stale_position_conflicts_and_says_where_the_head_is(log: Store) {
    fill(&log, 1, 4).await;
    for (first, expected) in [(4, 3), (9, 8)] {
        let error = log.append(FIRST, vec![post(1, first)]).await.unwrap_err();
        assert!(
            matches!(error, AppendError::Conflict { expected: e, actual } if e.get() == expected && actual.get() == 4),
            "{error:?}"
        );
    }
    let error = log.append(FIRST, vec![creation(1)]).await.unwrap_err();
    assert!(
        matches!(error, AppendError::Conflict { actual, .. } if actual.get() == 4),
        "{error:?}"
    );
}

async fn commits_of_one_append_come_together_and_have_one_answer(log: Store) {
    let mut commits = fill(&log, 1, 3).await;
    let first = with_key(post(1, 4), keyed("k", "hello"));
    let group = vec![first.clone(), post(1, 5), post(1, 6)];
    let Appended::Committed { link } = log.append(FIRST, group.clone()).await.unwrap() else {
        panic!("it is new")
    };
    commits.extend(group.clone());
    assert_eq!(read(&log, 1, 0).await, commits);
    let newest = log.read_back(world(1), Position::new(99), 1).await.unwrap();
    assert_eq!(newest[0].link, link);
    // Once more: the first answer, and nothing is appended.
    let again = log.append(FIRST, group).await.unwrap();
    assert!(matches!(again, Appended::Repeated(stored) if stored.commit == first));
    let stale = log.append(FIRST, vec![post(1, 6), post(1, 7)]).await;
    assert!(
        matches!(stale, Err(AppendError::Conflict { .. })),
        "{stale:?}"
    );
    let fenced = log
        .append(Incarnation(9), vec![post(1, 7), post(1, 8)])
        .await;
    assert!(
        matches!(fenced, Err(AppendError::Fenced { .. })),
        "{fenced:?}"
    );
    assert_eq!(read(&log, 1, 0).await, commits);
    // Larger than one barrier may be.
    let large: Vec<Commit> = (7..16).map(|at| say(1, at, noise(40_000))).collect();
    log.append(FIRST, large.clone()).await.unwrap();
    commits.extend(large);
    assert_eq!(read(&log, 1, 0).await, commits);
}

async fn commits_that_are_no_group_are_refused_whole(log: Store) {
    let commits = fill(&log, 1, 3).await;
    fill(&log, 2, 3).await;
    let keyed = with_key(post(1, 5), keyed("k", "hello"));
    for (what, group) in [
        ("nothing", Vec::new()),
        ("a gap", vec![post(1, 4), post(1, 6)]),
        ("the same place twice", vec![post(1, 4), post(1, 4)]),
        ("two worlds", vec![post(1, 4), post(2, 5)]),
        ("a key behind the first", vec![post(1, 4), keyed]),
        ("a birth", vec![creation(3), post(3, 3)]),
        (
            "an empty commit",
            vec![
                post(1, 4),
                Commit {
                    header: header(world(1), 5),
                    events: Vec::new(),
                },
            ],
        ),
    ] {
        let refused = log.append(FIRST, group).await;
        assert!(
            matches!(refused, Err(AppendError::Invalid(_))),
            "{what}: {refused:?}"
        );
    }
    assert_eq!(read(&log, 1, 0).await, commits);
}

async fn a_key_is_answered_by_its_first_commit_whatever_the_head_is(log: Store) {
    fill(&log, 1, 3).await;
    let first = with_key(post(1, 4), keyed("k", "hello"));
    append(&log, first.clone()).await;
    append(&log, post(1, 5)).await;
    for position in [4, 6, 99] {
        let again = log
            .append(
                FIRST,
                vec![with_key(post(1, position), keyed("k", "hello"))],
            )
            .await
            .unwrap();
        assert!(matches!(again, Appended::Repeated(stored) if stored.commit == first));
    }
    let error = log
        .append(FIRST, vec![with_key(post(1, 6), keyed("k", "other"))])
        .await
        .unwrap_err();
    assert!(matches!(error, AppendError::KeyReused { key } if key == "k"));
    assert_eq!(
        log.find_key(world(1), &key("k"))
            .await
            .unwrap()
            .unwrap()
            .commit,
        first
    );
    assert_eq!(log.find_key(world(1), &key("other")).await.unwrap(), None);
    assert_eq!(read(&log, 1, 0).await.len(), 4);
}

async fn an_older_incarnation_is_fenced(log: Store) {
    fill(&log, 1, 3).await;
    let mut second = post(1, 4);
    second.events = vec![opening(2)];
    let mut third = second.clone();
    third.events = vec![opening(3)];
    let error = log.append(FIRST, vec![third]).await.unwrap_err();
    assert!(
        matches!(
            error,
            AppendError::Fenced {
                current: Incarnation(1)
            }
        ),
        "{error:?}"
    );
    log.append(FIRST, vec![second]).await.unwrap();
    let error = log.append(FIRST, vec![post(1, 5)]).await.unwrap_err();
    assert!(
        matches!(
            error,
            AppendError::Fenced {
                current: Incarnation(2)
            }
        ),
        "{error:?}"
    );
    log.append(Incarnation(2), vec![post(1, 5)]).await.unwrap();
    assert_eq!(
        log.find(&name(1)).await.unwrap().unwrap().incarnation,
        Incarnation(2)
    );
}

async fn a_name_is_taken_once(log: Store) {
    log.gather_appends();
    fill(&log, 1, 2).await;
    let error = log
        .append(FIRST, vec![creation_called(world(2), name(1))])
        .await
        .unwrap_err();
    assert!(matches!(error, AppendError::NameTaken(taken) if taken == name(1)));
    let both = futures::join!(
        log.append(FIRST, vec![creation_called(world(3), name(3))]),
        log.append(FIRST, vec![creation_called(world(4), name(3))]),
    );
    assert_eq!(
        [both.0.is_ok(), both.1.is_ok()]
            .iter()
            .filter(|ok| **ok)
            .count(),
        1
    );
    let names: Vec<_> = log
        .worlds(&Labels::new(), None, 9)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, [name(1), name(3)]);
    assert_eq!(
        log.worlds(&Labels::new(), Some(&name(1)), 9)
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(log.worlds(&Labels::new(), None, 1).await.unwrap().len(), 1);
}

async fn a_world_must_be_created_before_it_is_written(log: Store) {
    let error = log.append(FIRST, vec![post(1, 1)]).await.unwrap_err();
    assert!(matches!(error, AppendError::NoSuchWorld(id) if id == world(1)));
    assert_eq!(log.worlds(&Labels::new(), None, 9).await.unwrap(), []);
}

async fn a_subscription_from_anywhere_gives_every_commit_once(log: Store) {
    const BEFORE: u64 = 20;
    const AFTER: u64 = 40;
    // With a few more behind what is compared, a feed that lost some gives others instead of none.
    const MORE: u64 = 5;
    let mut commits = fill(&log, 1, BEFORE).await;
    let mut feeds = Vec::new();
    for from in 1..=BEFORE + 5 {
        feeds.push((
            from,
            log.subscribe(world(1), Position::new(from)).await.unwrap(),
        ));
    }
    let log = Arc::new(log);
    let writer = tokio::spawn({
        let log = Arc::clone(&log);
        async move {
            for first in BEFORE + 1..=AFTER + MORE {
                append(log.as_ref(), post(1, first)).await;
                tokio::task::yield_now().await;
            }
        }
    });
    commits.extend((BEFORE + 1..=AFTER).map(|first| post(1, first)));
    for (from, feed) in feeds {
        let expected: Vec<_> = commits
            .iter()
            .filter(|commit| commit.last().get() >= from)
            .cloned()
            .collect();
        let found: Vec<_> = feed
            .take(expected.len())
            .map(|stored| stored.unwrap().commit)
            .collect()
            .await;
        assert_eq!(found, expected, "from {from}");
    }
    writer.await.unwrap();
}

async fn a_subscriber_is_told_each_commit_at_once_and_none_before_it_is_there(log: Store) {
    append(&log, creation(1)).await;
    let mut feed = log.subscribe(world(1), Position::new(1)).await.unwrap();
    assert_eq!(feed.next().await.unwrap().unwrap().commit, creation(1));
    for first in 3..40 {
        assert!(
            feed.next().now_or_never().is_none(),
            "event {first} is not there yet"
        );
        append(&log, post(1, first)).await;
        let told = feed.next().now_or_never().flatten();
        assert_eq!(
            told.map(|stored| stored.unwrap().commit),
            Some(post(1, first))
        );
    }
}

async fn a_subscriber_that_falls_far_behind_loses_nothing(log: Store) {
    const EVENTS: u64 = 100_000;
    const EACH: u64 = 200;
    append(&log, creation(1)).await;
    let mut slow = log.subscribe(world(1), Position::new(1)).await.unwrap();
    assert_eq!(slow.next().await.unwrap().unwrap().commit, creation(1));
    for first in (3..EVENTS).step_by(EACH as usize) {
        append(&log, burst(first, EACH)).await;
    }
    let mut next = 3;
    while next < EVENTS {
        let commit = slow.next().await.unwrap().unwrap().commit;
        assert_eq!(commit, burst(next, EACH));
        next += EACH;
    }
    append(&log, post(1, next)).await;
    assert_eq!(slow.next().await.unwrap().unwrap().commit, post(1, next));
}

fn burst(first: u64, count: u64) -> Commit {
    let events = (first..first + count)
        .map(|at| warning(&format!("warning {at}")))
        .collect();
    Commit {
        header: header(world(1), first),
        events,
    }
}

/// Text that does not compress: an xorshift in hexadecimal digits.
fn noise(len: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let digits = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from_digit((state >> 32) as u32 % 36, 36).unwrap()
    });
    digits.take(len).collect()
}

async fn large_commits_come_back_and_too_large_ones_are_refused(log: Store) {
    let mut commits = fill(&log, 1, 3).await;
    for (first, len) in (4..).zip([6_000, 6_400, 6_500, 13_000, 56 * 1024, 200_000, 500_000]) {
        let commit = say(1, first, noise(len));
        append(&log, commit.clone()).await;
        commits.push(commit);
    }
    let next = commits.len() as u64 + 2;
    let facts = Commit {
        header: header(world(1), next),
        events: vec![warning(&noise(1_000_000))],
    };
    let error = log.append(FIRST, vec![facts]).await.unwrap_err();
    assert!(
        matches!(&error, AppendError::Invalid(why) if why.contains("983040")),
        "{error:?}"
    );
    append(&log, post(1, next)).await;
    commits.push(post(1, next));
    assert_eq!(read(&log, 1, 0).await, commits);
}

async fn many_writers_share_the_log_without_losing_order(log: Store) {
    const HEAD: u64 = 60;
    log.gather_appends();
    let log = Arc::new(log);
    let writers: Vec<_> = (0..32)
        .map(|number| {
            let log = Arc::clone(&log);
            tokio::spawn(async move { fill(log.as_ref(), number, HEAD).await })
        })
        .collect();
    for (number, writer) in (0..).zip(writers) {
        let written = writer.await.unwrap();
        assert_eq!(read(log.as_ref(), number, 0).await, written);
    }
    // A ledger has no frames.
    let Ok(Stats { frames, .. }) = log.stats() else {
        return;
    };
    // A world's first commit has two events, and a small commit that is alone has a frame of its own.
    assert!(
        frames < 32 * (HEAD - 1),
        "{frames} frames: no two commits shared one"
    );
}

async fn reading_back_gives_the_newest_first(log: Store) {
    let commits = fill(&log, 1, 30).await;
    for before in 0..=32 {
        for limit in [0, 1, 3, 100] {
            let found = log
                .read_back(world(1), Position::new(before), limit)
                .await
                .unwrap();
            let expected = commits
                .iter()
                .rev()
                .filter(|commit| commit.last().get() < before)
                .take(limit)
                .cloned();
            assert_eq!(
                bare(found),
                expected.collect::<Vec<_>>(),
                "before {before}, at most {limit}"
            );
        }
    }
}

async fn a_commit_without_events_is_refused(log: Store) {
    fill(&log, 1, 3).await;
    let error = log
        .append(
            FIRST,
            vec![Commit {
                header: header(world(1), 4),
                events: Vec::new(),
            }],
        )
        .await
        .unwrap_err();
    assert!(matches!(error, AppendError::Invalid(_)), "{error:?}");
    let error = log.append(FIRST, vec![post(1, 0)]).await.unwrap_err();
    assert!(matches!(error, AppendError::Invalid(_)), "{error:?}");
}

async fn a_closed_log_says_so_and_ends_its_streams(log: Store) {
    fill(&log, 1, 3).await;
    let mut feed = log.subscribe(world(1), Position::new(4)).await.unwrap();
    log.close().unwrap();
    assert!(feed.next().await.is_none());
    assert!(matches!(
        log.append(FIRST, vec![post(1, 4)]).await,
        Err(AppendError::Stopped(_))
    ));
    assert!(matches!(
        log.read(world(1), Position::ZERO).await,
        Err(ReadError::Stopped(_))
    ));
    assert!(matches!(
        log.find(&name(1)).await,
        Err(ReadError::Stopped(_))
    ));
}

async fn checkpoints_are_found_by_rules_and_position_and_belong_to_a_world(log: Store) {
    let (rules, others) = (Digest::of(&[b"rules"]), Digest::of(&[b"others"]));
    fill(&log, 1, 3).await;
    fill(&log, 2, 3).await;
    assert_eq!(log.latest(world(1), rules, None).await, None);
    log.save(world(1), Position::new(3), rules, b"old".to_vec())
        .await
        .unwrap();
    log.save(world(2), Position::new(2), rules, b"one".to_vec())
        .await
        .unwrap();
    let at = |at, state: &str| Some((Position::new(at), state.as_bytes().to_vec()));
    assert_eq!(log.latest(world(1), rules, None).await, at(3, "old"));
    append(&log, post(1, 4)).await;
    log.save(world(1), Position::new(4), rules, b"new".to_vec())
        .await
        .unwrap();
    assert_eq!(log.latest(world(1), rules, None).await, at(4, "new"));
    assert_eq!(
        log.latest(world(2), rules, Some(Position::new(2))).await,
        at(2, "one")
    );
    assert_eq!(
        log.latest(world(2), rules, Some(Position::new(1))).await,
        None
    );
    assert_eq!(log.latest(world(1), others, None).await, None);
    assert_eq!(log.places(world(1)).await, [(Position::new(4), rules)]);
}

async fn checkpoints_belong_to_the_end_of_a_commit(log: Store) {
    let rules = Digest::of(&[b"rules"]);
    fill(&log, 1, 3).await;
    append(&log, post(1, 4)).await;
    for inside_or_behind in [1, 5] {
        let error = log
            .save(world(1), Position::new(inside_or_behind), rules, Vec::new())
            .await
            .unwrap_err();
        assert!(matches!(error, AppendError::Invalid(_)), "{error:?}");
    }
    let error = log
        .save(world(9), Position::new(1), rules, Vec::new())
        .await
        .unwrap_err();
    assert!(matches!(error, AppendError::NoSuchWorld(_)), "{error:?}");
}
