//! Verifying stores on disk: silent after a restart and after a kill, and never silent about what does not read.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Attachment, Author, Event, MessageBody, MessagePosted, TalkEvent};
use folkmoot_core::ids::{MessageId, PersonName, Position};
use folkmoot_core::port::{Blobs as _, ReadError};
use folkmoot_store::{
    Against, Damage, DamageKind, Engine, Examined, FailingEngine, LogVerdict, MemoryEngine,
    OpenMode, Store, examine,
};

use crate::erase::noise;
use crate::fixture::*;

fn path(disk: &OnDisk) -> PathBuf {
    disk.dir.path().join("store")
}

fn examined(disk: &OnDisk) -> Examined {
    examine(path(disk), None, &Against::default()).unwrap()
}

/// Whether nothing is wrong with any of so many worlds.
fn is_silent(found: &Examined, worlds: usize) -> bool {
    found.store.is_empty()
        && found.worlds.len() == worlds
        && found
            .worlds
            .iter()
            .all(|world| world.verdict() == LogVerdict::NotChecked)
}

#[tokio::test]
async fn a_clean_restart_and_a_kill_are_silent() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 60).await;
    append(&log, with_key(post(1, 61), keyed("k", "x"))).await;
    assert!(is_silent(&examined(&disk.killed()), 1));
    log.close().unwrap();
    drop(log);
    assert!(is_silent(&examined(&disk), 1));
    let log = disk.open();
    fill(&log, 2, 20).await;
    append(&log, post(1, 62)).await;
    let killed = disk.killed();
    let found = examined(&killed);
    assert!(is_silent(&found, 2), "{found:#?}");
    let again = killed.open();
    let live = again.verify(world(1), Against::default()).await.unwrap();
    assert_eq!(
        Some(&live),
        found.worlds.iter().find(|found| found.world == world(1))
    );
}

#[tokio::test]
async fn a_world_is_verified_while_it_grows_and_its_commits_are_moved() {
    let log = Store::memory();
    fill(&log, 1, 40).await;
    let writer = {
        let log = log.clone();
        tokio::spawn(async move {
            // So many events that they are copied into runs more than once.
            for first in (41..12_041).step_by(60) {
                let events = vec![warning("late"); 60];
                append(
                    &log,
                    Commit {
                        header: header(world(1), first),
                        events,
                    },
                )
                .await;
            }
        })
    };
    let mut ends = Vec::new();
    while !writer.is_finished() {
        let found = log.verify(world(1), Against::default()).await.unwrap();
        assert_eq!(
            (found.verdict(), &found.damage),
            (LogVerdict::NotChecked, &None)
        );
        ends.push(found.events);
    }
    writer.await.unwrap();
    assert!(ends.is_sorted() && !ends.is_empty());
    let found = log.verify(world(1), Against::default()).await.unwrap();
    assert_eq!((found.events, found.damage), (Position::new(12_040), None));
}

#[tokio::test]
async fn a_store_that_is_refused_is_never_found_to_be_fine() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 60).await;
    log.close().unwrap();
    let log = disk.open();
    append(&log, post(1, 61)).await;
    let whole = disk.killed();
    drop(log);
    let database = |disk: &OnDisk| path(disk).join("log/db");
    let bytes = fs::read(database(&whole)).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    for flip in 0..20_u64 {
        let at = (flip * 2_654_435_761 % used as u64) as usize;
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (flip % 8);
        let (copy, second) = (whole.killed(), whole.killed());
        fs::write(database(&copy), &changed).unwrap();
        fs::write(database(&second), &changed).unwrap();
        let is_silent = is_silent(&examined(&copy), 1);
        let opened = Store::open(path(&second), OpenMode::Existing);
        let reads = match &opened {
            Ok(log) => try_read(log, 1, 0)
                .await
                .is_ok_and(|found| found.len() == 60),
            Err(_) => false,
        };
        assert!(
            reads || !is_silent,
            "byte {at} of {used}: {:?}",
            opened.err()
        );
    }
}

#[tokio::test]
async fn a_log_cut_short_is_a_cut_tail_of_the_store() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 10).await;
    let earlier = disk.killed();
    append(&log, post(1, 11)).await;
    log.close().unwrap();
    fs::copy(path(&disk).join("head"), path(&earlier).join("head")).unwrap();
    assert!(Store::open(path(&earlier), OpenMode::Existing).is_err());
    let found = examined(&earlier);
    assert_eq!(
        found
            .store
            .iter()
            .map(|found| found.kind)
            .collect::<Vec<_>>(),
        [Some(DamageKind::CutTail)]
    );
    assert_eq!(found.worlds[0].events, Position::new(10));
}

#[tokio::test]
async fn a_file_that_is_missing_or_changed_is_named_with_its_event() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 5).await;
    log.put(world(1), b"plans".to_vec()).await.unwrap();
    let body = MessageBody {
        text: "see there".to_owned(),
        attachments: vec![Attachment::of("plans.txt", "text/plain", b"plans")],
    };
    let author = Author::Person(PersonName::new("Ada").unwrap());
    let message = MessagePosted::said(MessageId(Position::new(6)), author, None, body);
    let mut commit = post(1, 6);
    commit.events = vec![Event::Talk(TalkEvent::MessagePosted(message))];
    append(&log, commit).await;
    assert_eq!(
        log.verify(world(1), Against::default())
            .await
            .unwrap()
            .damage,
        None
    );
    let folder = path(&disk).join("blobs").join(world(1).to_string());
    let file = fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let kind = async || {
        let damage = log
            .verify(world(1), Against::default())
            .await
            .unwrap()
            .damage;
        damage.map(|Damage { at, kind, .. }| (at, kind))
    };
    fs::write(&file, b"other plans").unwrap();
    assert_eq!(kind().await, Some((Position::new(6), DamageKind::File)));
    fs::remove_file(&file).unwrap();
    assert_eq!(kind().await, Some((Position::new(6), DamageKind::File)));
    fs::create_dir(&file).unwrap();
    assert_eq!(kind().await, Some((Position::new(6), DamageKind::File)));
    // What cannot be read may be whole.
    fs::remove_dir(&file).unwrap();
    std::os::unix::fs::symlink(&file, &file).unwrap();
    assert!(matches!(
        log.verify(world(1), Against::default()).await,
        Err(ReadError::Io(_))
    ));
}

#[tokio::test]
async fn a_sweep_that_died_anywhere_is_silent() {
    for step in 0.. {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let log = Store::with_engine(Arc::clone(&engine)).unwrap();
        fill(&log, 1, 9).await;
        log.close().unwrap();
        let log = Store::with_engine(Arc::new(FailingEngine::after_changes(
            step,
            Arc::clone(&engine),
        )))
        .unwrap();
        append(&log, post(1, 10)).await;
        let closed = log.close();
        let log = Store::with_engine(engine).unwrap();
        let found = log.verify(world(1), Against::default()).await.unwrap();
        assert_eq!(
            (found.events, found.damage),
            (Position::new(10), None),
            "step {step}"
        );
        if closed.is_ok() {
            assert!(step > 3, "only {step} steps");
            return;
        }
    }
}

#[tokio::test]
async fn what_a_sweep_left_that_died_anywhere_is_not_in_runs_twice() {
    // More than one run: the first of them fits behind the last one, which is small.
    let many = (10..20)
        .map(|first| say(1, first, "and so on, ".repeat(900)))
        .collect();
    sweep_behind_one_that_died(many, post(1, 20)).await;
    // What fitted there does not any more with what comes.
    sweep_behind_one_that_died(vec![post(1, 10)], say(1, 11, noise(9_000, 11))).await;
}

/// Lets a sweep of `commits` die anywhere, and another one follow it with `next`.
async fn sweep_behind_one_that_died(commits: Vec<Commit>, next: Commit) {
    for step in 0.. {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let log = Store::with_engine(Arc::clone(&engine)).unwrap();
        fill(&log, 1, 9).await;
        log.close().unwrap();
        let log = Store::with_engine(Arc::new(FailingEngine::after_changes(
            step,
            Arc::clone(&engine),
        )))
        .unwrap();
        for commit in &commits {
            append(&log, commit.clone()).await;
        }
        let closed = log.close();
        let log = Store::with_engine(Arc::clone(&engine)).unwrap();
        append(&log, next.clone()).await;
        log.close().unwrap();
        let log = Store::with_engine(engine).unwrap();
        let found = log.verify(world(1), Against::default()).await.unwrap();
        assert_eq!(
            (found.events, found.damage),
            (next.header.first, None),
            "step {step}"
        );
        if closed.is_ok() {
            assert!(step > 3, "only {step} steps");
            return;
        }
    }
}
