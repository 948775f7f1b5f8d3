//! Opening again: after a clean close, after a kill, and after a log that refused.

use std::sync::Arc;

use folkmoot_core::ids::Position;
use folkmoot_core::port::{AppendError, Appended, EventLog as _, ReadError};
use folkmoot_store::{
    Engine, FailingEngine, FrameLog as _, FrameNumber, MemoryEngine, OpenError, OpenMode, Store,
};
use futures::StreamExt as _;

use crate::fixture::*;

#[tokio::test]
async fn everything_is_there_after_a_clean_close() {
    let disk = OnDisk::new();
    let log = disk.open();
    let commits = fill(&log, 1, 60).await;
    log.close().unwrap();
    drop(log);
    let log = disk.open();
    assert_eq!(log.stats().unwrap().frames_shared, 0);
    assert_eq!(read(&log, 1, 0).await, commits);
    append(&log, post(1, 61)).await;
    assert_eq!(read(&log, 1, 60).await, [post(1, 60), post(1, 61)]);
}

#[tokio::test]
async fn everything_acknowledged_is_there_after_a_kill() {
    let disk = OnDisk::new();
    let log = disk.open();
    let mut commits = fill(&log, 1, 30).await;
    let keyed = with_key(post(1, 31), keyed("k", "x"));
    append(&log, keyed.clone()).await;
    commits.push(keyed.clone());
    let killed = disk.killed();
    let again = killed.open();
    assert_eq!(read(&again, 1, 0).await, commits);
    let repeat = again.append(FIRST, vec![keyed.clone()]).await.unwrap();
    assert!(matches!(repeat, Appended::Repeated(stored) if stored.commit == keyed));
    append(&again, post(1, 32)).await;
}

#[tokio::test]
async fn worlds_that_shared_frames_are_whole_in_their_runs() {
    let disk = OnDisk::new();
    let log = disk.open();
    let mut commits: Vec<Vec<_>> = Vec::new();
    for number in 0..8 {
        commits.push(vec![creation(number)]);
        append(&log, creation(number)).await;
    }
    for first in 3..90 {
        for number in 0..8 {
            append(&log, post(number, first)).await;
            commits[usize::from(number)].push(post(number, first));
        }
    }
    log.close().unwrap();
    let log = disk.open();
    for (number, commits) in (0..).zip(&commits) {
        assert_eq!(&read(&log, number, 0).await, commits);
        let back = log
            .read_back(world(number), Position::new(50), 3)
            .await
            .unwrap();
        assert_eq!(
            bare(back),
            [post(number, 49), post(number, 48), post(number, 47)]
        );
    }
}

#[tokio::test]
async fn short_sessions_leave_few_runs_and_no_gap() {
    let disk = OnDisk::new();
    fill(&disk.open(), 1, 2).await;
    for first in 3..40 {
        let log = disk.open();
        append(
            &log,
            with_key(post(1, first), keyed(&format!("k{first}"), "x")),
        )
        .await;
    }
    let log = disk.open();
    let found: Vec<_> = read(&log, 1, 0)
        .await
        .iter()
        .map(|commit| commit.header.first.get())
        .collect();
    assert_eq!(found, std::iter::once(1).chain(3..40).collect::<Vec<_>>());
    let repeat = log
        .append(FIRST, vec![with_key(post(1, 3), keyed("k5", "x"))])
        .await
        .unwrap();
    assert!(matches!(repeat, Appended::Repeated(stored) if stored.commit.header.first.get() == 5));
    let reused = log
        .append(FIRST, vec![with_key(post(1, 3), keyed("k5", "y"))])
        .await;
    assert!(matches!(reused, Err(AppendError::KeyReused { .. })));
    assert_eq!(
        log.find_key(world(1), &key("k39"))
            .await
            .unwrap()
            .unwrap()
            .commit
            .header
            .first
            .get(),
        39
    );
}

#[tokio::test]
async fn a_sweep_beside_reads_and_appends_changes_nothing() {
    let disk = OnDisk::new();
    let log = disk.open();
    append(&log, creation(1)).await;
    let feed = log.subscribe(world(1), Position::new(1)).await.unwrap();
    let reader = tokio::spawn(async move {
        let firsts: Vec<u64> = feed
            .take(6_001)
            .map(|stored| stored.unwrap().commit.header.first.get())
            .collect::<Vec<_>>()
            .await;
        firsts
    });
    let log = Arc::new(log);
    let writer = {
        let log = Arc::clone(&log);
        tokio::spawn(async move {
            for first in 3..6_003 {
                append(log.as_ref(), post(1, first)).await;
            }
        })
    };
    writer.await.unwrap();
    let expected: Vec<u64> = std::iter::once(1).chain(3..6_003).collect();
    assert_eq!(reader.await.unwrap(), expected);
    log.close().unwrap();
    let log = disk.open();
    assert_eq!(read(&log, 1, 0).await.len(), 6_001);
    assert_eq!(read(&log, 1, 5_000).await.first(), Some(&post(1, 5_000)));
}

#[tokio::test]
async fn a_log_that_refuses_stops_the_store_and_loses_nothing_it_took() {
    let inner: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
    let log = Store::with_engine(Arc::new(FailingEngine::after(3, Arc::clone(&inner)))).unwrap();
    let commits = fill(&log, 1, 4).await;
    let mut feed = log.subscribe(world(1), Position::new(4)).await.unwrap();
    let error = log.append(FIRST, vec![post(1, 5)]).await.unwrap_err();
    assert!(matches!(error, AppendError::Io(_)), "{error:?}");
    let error = log.append(FIRST, vec![post(1, 5)]).await.unwrap_err();
    assert!(matches!(error, AppendError::Stopped(_)), "{error:?}");
    assert_eq!(feed.next().await.unwrap().unwrap().commit, post(1, 4));
    assert!(matches!(
        feed.next().await,
        Some(Err(ReadError::Stopped(_)))
    ));
    assert_eq!(read(&log, 1, 0).await, commits);
    drop(log);
    let again = Store::with_engine(inner).unwrap();
    assert_eq!(read(&again, 1, 0).await, commits);
    append(&again, post(1, 5)).await;
}

#[tokio::test]
async fn a_commit_whose_last_frames_are_missing_never_happened() {
    let whole = Arc::new(MemoryEngine::new());
    let log = Store::with_engine(Arc::clone(&whole) as Arc<dyn Engine>).unwrap();
    let commits = fill(&log, 1, 3).await;
    append(&log, say(1, 4, "long ".repeat(8_000))).await;
    let frames: Vec<_> = whole
        .read(FrameNumber(0), usize::MAX)
        .unwrap()
        .into_iter()
        .map(|(_, f)| f)
        .collect();
    assert!(frames.len() > 5);
    for kept in commits.len()..frames.len() {
        let torn = Arc::new(MemoryEngine::new());
        let term = torn.take_over().unwrap();
        torn.append(term, FrameNumber(0), &frames[..kept]).unwrap();
        let log = Store::with_engine(Arc::clone(&torn) as Arc<dyn Engine>).unwrap();
        assert_eq!(read(&log, 1, 0).await, commits, "{kept} frames kept");
        append(&log, post(1, 4)).await;
        assert_eq!(read(&log, 1, 4).await, [post(1, 4)]);
        log.close().unwrap();
        let log = Store::with_engine(torn).unwrap();
        assert_eq!(read(&log, 1, 4).await, [post(1, 4)]);
    }
}

#[tokio::test]
async fn frames_that_were_changed_lost_or_moved_are_refused() {
    let whole = Arc::new(MemoryEngine::new());
    let log = Store::with_engine(Arc::clone(&whole) as Arc<dyn Engine>).unwrap();
    fill(&log, 1, 12).await;
    let frames: Vec<_> = whole
        .read(FrameNumber(0), usize::MAX)
        .unwrap()
        .into_iter()
        .map(|(_, f)| f)
        .collect();
    let refused = |frames: &[Vec<u8>], what: &str| {
        let engine = Arc::new(MemoryEngine::new());
        let term = engine.take_over().unwrap();
        engine.append(term, FrameNumber(0), frames).unwrap();
        let error = Store::with_engine(engine).err();
        assert!(
            matches!(error, Some(OpenError::Damaged { .. })),
            "{what}: {error:?}"
        );
    };
    for at in 0..frames[4].len() {
        let mut changed = frames.clone();
        changed[4][at] ^= 1 << (at % 8);
        refused(&changed, &format!("byte {at} changed"));
    }
    let mut lost = frames.clone();
    lost.remove(4);
    refused(&lost, "a frame is lost");
    let mut swapped = frames.clone();
    swapped.swap(4, 5);
    refused(&swapped, "two frames are swapped");
}

/// The frames of the first commits of one log, and then what followed in another one.
#[tokio::test]
async fn a_commit_that_follows_another_one_is_refused() {
    let frames = |posts: Vec<folkmoot_core::command::commit::Commit>| async {
        let engine = Arc::new(MemoryEngine::new());
        let log = Store::with_engine(Arc::clone(&engine) as Arc<dyn Engine>).unwrap();
        append(&log, creation(1)).await;
        for commit in posts {
            append(&log, commit).await;
        }
        let frames = engine.read(FrameNumber(0), usize::MAX).unwrap();
        frames
            .into_iter()
            .map(|(_, frame)| frame)
            .collect::<Vec<_>>()
    };
    let whole = frames(vec![post(1, 3), post(1, 4)]).await;
    let other_words = frames(vec![say(1, 3, "other words"), post(1, 4)]).await;
    let mut two = post(1, 3);
    two.events.push(warning("and one more"));
    let other_place = frames(vec![two, post(1, 5)]).await;
    for (other, why) in [
        (other_words, "does not match its link"),
        (other_place, "does not follow event 3"),
    ] {
        let engine = Arc::new(MemoryEngine::new());
        let term = engine.take_over().unwrap();
        engine
            .append(term, FrameNumber(0), &[&whole[..2], &other[2..]].concat())
            .unwrap();
        let error = Store::with_engine(engine).unwrap_err();
        assert!(
            matches!(&error, OpenError::Damaged { what, .. } if what.contains(why)),
            "{error:?}"
        );
    }
}

/// Whatever a sweep had written when its process died, nothing is missing afterwards.
#[tokio::test]
async fn a_sweep_that_dies_anywhere_loses_nothing() {
    for writes in 0.. {
        let inner: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let dying = Arc::new(FailingEngine::after_changes(u64::MAX, Arc::clone(&inner)));
        let log = Store::with_engine(Arc::clone(&dying) as Arc<dyn Engine>).unwrap();
        let mut commits = Vec::new();
        for number in 1..4 {
            commits.push(fill(&log, number, 20).await);
        }
        append(&log, with_key(post(1, 21), keyed("k", "x"))).await;
        commits[0].push(with_key(post(1, 21), keyed("k", "x")));
        dying.let_changes_through(writes);
        let has_lived = log.close().is_ok();
        drop(log);
        let log = Store::with_engine(inner).unwrap();
        for (number, commits) in (1..).zip(&commits) {
            assert_eq!(
                &read(&log, number, 0).await,
                commits,
                "world {number} after {writes} writes"
            );
        }
        let repeat = log
            .append(FIRST, vec![with_key(post(1, 21), keyed("k", "x"))])
            .await
            .unwrap();
        assert!(
            matches!(repeat, Appended::Repeated(_)),
            "after {writes} writes"
        );
        append(&log, post(2, 21)).await;
        log.close().unwrap();
        if has_lived {
            assert!(writes > 4, "a sweep has more writes than {writes}");
            return;
        }
    }
}

#[tokio::test]
async fn a_log_cut_short_is_reported_and_not_recovered() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 10).await;
    let earlier = disk.killed();
    for first in 11..20 {
        append(&log, post(1, first)).await;
    }
    log.close().unwrap();
    let store = |disk: &OnDisk| disk.dir.path().join("store");
    std::fs::copy(store(&disk).join("head"), store(&earlier).join("head")).unwrap();
    let error = Store::open(store(&earlier), OpenMode::Existing).unwrap_err();
    assert!(
        matches!(
            error,
            OpenError::CutTail {
                found: 9,
                recorded: 18,
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_short_session_behind_a_long_commit_leaves_its_run_alone() {
    let disk = OnDisk::new();
    let mut commits = fill(&disk.open(), 1, 2).await;
    let mixed = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
    let long: String = (0..20_000)
        .map(|number| format!("{:x} ", mixed(number)))
        .collect();
    for commit in [say(1, 3, long), post(1, 4), post(1, 5)] {
        let log = disk.open();
        append(&log, commit.clone()).await;
        log.close().unwrap();
        commits.push(commit);
    }
    assert_eq!(read(&disk.open(), 1, 0).await, commits);
}
