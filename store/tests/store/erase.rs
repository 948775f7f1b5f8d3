//! Erasing content: what is gone, what stays, and what a process that dies in the middle leaves.

use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::content::Content;
use folkmoot_core::event::{
    Attachment, ErasureRequested, Event, MessageBody, Span, TalkEvent, WorldEvent,
};
use folkmoot_core::ids::{Digest, Position};
use folkmoot_core::port::{AppendError, Blobs as _, Checkpoints as _, Custody as _, Erasure};
use folkmoot_store::{Against, DamageKind, Engine, FailingEngine, MemoryEngine, Store};

use crate::canary::{files_with, kept_by};
use crate::fixture::*;
use crate::fork::fork;

crate::on_every_engine! {
    erased_content_reads_as_erased_and_all_else_as_before
    erasing_twice_gives_the_same_answer
    a_unit_of_several_frames_is_replaced_whole
    files_that_only_erased_events_had_are_gone
    a_saved_fold_is_gone
    others_append_while_one_erases
    only_a_world_that_exists_can_be_erased_from
}

const CANARY: &str = "canary-4c1d90ae77";
const BY: Position = Position::new(50);

fn span(from: u64, to: u64) -> Span {
    Span {
        from: Position::new(from),
        to: Position::new(to),
    }
}

/// World 1 up to event 50, with canaries in the events 10 and 20, and world 2 beside it.
async fn filled(store: &Store) -> Vec<Commit> {
    let mut commits = vec![creation(1)];
    append(store, creation(2)).await;
    for first in 3..=50 {
        let is_meant = first == 10 || first == 20;
        let text = if is_meant {
            format!("{CANARY} {first}")
        } else {
            format!("message {first}")
        };
        commits.push(say(1, first, text));
        append(store, post(2, first)).await;
    }
    for commit in &commits {
        append(store, commit.clone()).await;
    }
    commits
}

/// `commit` as it reads after an erasure by `by`.
fn bare_of(mut commit: Commit, by: Position) -> Commit {
    for event in &mut commit.events {
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            posted.body = Content::Erased { by: Some(by) };
        }
    }
    commit
}

fn without(commits: &[Commit], events: &[u64]) -> Vec<Commit> {
    let is_meant = |commit: &Commit| events.contains(&commit.header.first.get());
    let bare = |commit: &Commit| {
        if is_meant(commit) {
            bare_of(commit.clone(), BY)
        } else {
            commit.clone()
        }
    };
    commits.iter().map(bare).collect()
}

async fn erased_content_reads_as_erased_and_all_else_as_before(store: Store) {
    let commits = filled(&store).await;
    let (others, head) = (
        read(&store, 2, 1).await,
        store.tree_head(world(1)).await.unwrap(),
    );
    let links: Vec<Digest> = try_read(&store, 1, 1)
        .await
        .unwrap()
        .iter()
        .map(|stored| stored.link)
        .collect();
    let erasure = store
        .erase(world(1), &[span(10, 10), span(19, 20)], BY)
        .await
        .unwrap();
    assert_eq!(
        erasure,
        Erasure {
            events: 3,
            files: 0
        }
    );
    assert_eq!(read(&store, 1, 1).await, without(&commits, &[10, 19, 20]));
    assert_eq!(
        read(&store, 1, 15).await,
        without(&commits, &[10, 19, 20])[14 - 1..]
    );
    let after: Vec<Digest> = try_read(&store, 1, 1)
        .await
        .unwrap()
        .iter()
        .map(|stored| stored.link)
        .collect();
    assert_eq!(after, links, "no link changes");
    assert_eq!(store.tree_head(world(1)).await.unwrap(), head);
    assert_eq!(read(&store, 2, 1).await, others);
    append(&store, post(1, 51)).await;
    assert_eq!(read(&store, 1, 51).await, [post(1, 51)]);
}

async fn erasing_twice_gives_the_same_answer(store: Store) {
    let commits = filled(&store).await;
    let meant = [span(10, 10), span(19, 20)];
    let first = store.erase(world(1), &meant, BY).await.unwrap();
    assert_eq!(store.erase(world(1), &meant, BY).await.unwrap(), first);
    let other = store
        .erase(world(1), &[span(20, 21)], Position::new(51))
        .await
        .unwrap();
    assert_eq!(
        other,
        Erasure {
            events: 1,
            files: 0
        },
        "what another request took is counted there"
    );
    let mut bare = without(&commits, &[10, 19, 20]);
    bare[20] = bare_of(bare[20].clone(), Position::new(51));
    bare[19] = bare_of(bare[19].clone(), Position::new(51));
    bare[18] = bare_of(bare[18].clone(), BY);
    assert_eq!(read(&store, 1, 1).await[..19], bare[..19]);
}

/// Text that does not pack.
pub(crate) fn noise(len: usize, seed: u64) -> String {
    let mut state = seed;
    let mut letter = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + ((state >> 33) % 90) as u8)
    };
    (0..len).map(|_| letter()).collect()
}

async fn a_unit_of_several_frames_is_replaced_whole(store: Store) {
    append(&store, creation(1)).await;
    let texts: Vec<String> = (3..=30)
        .map(|first| format!("{CANARY}{}", noise(9_000, first)))
        .collect();
    for (first, text) in (3..).zip(&texts) {
        append(&store, say(1, first, text.clone())).await;
    }
    let commits = read(&store, 1, 1).await;
    store
        .erase(world(1), &[span(8, 9), span(12, 12)], BY)
        .await
        .unwrap();
    assert_eq!(read(&store, 1, 1).await, without(&commits, &[8, 9, 12]));
    store.erase(world(1), &[span(1, 30)], BY).await.unwrap();
    let all: Vec<u64> = (3..=30).collect();
    assert_eq!(read(&store, 1, 3).await, without(&commits, &all)[1..]);
}

fn attached(number: u8, first: u64, blob: Digest) -> Commit {
    let mut commit = say(number, first, "see this");
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = &mut commit.events[0] {
        let attachments = vec![Attachment {
            blob,
            media_type: "text/plain".to_owned(),
            name: "a.txt".to_owned(),
            bytes: 3,
            parts: Vec::new(),
        }];
        posted.body = MessageBody {
            text: "see this".to_owned(),
            attachments,
        }
        .into();
    }
    commit
}

async fn files_that_only_erased_events_had_are_gone(store: Store) {
    append(&store, creation(1)).await;
    append(&store, creation(2)).await;
    let only = store.put(world(1), b"only".to_vec()).await.unwrap();
    let both = store.put(world(1), b"both".to_vec()).await.unwrap();
    let other = store.put(world(2), b"only".to_vec()).await.unwrap();
    for (first, blob) in [(3, only), (4, both), (5, both)] {
        append(&store, attached(1, first, blob)).await;
    }
    append(&store, attached(2, 3, other)).await;
    for _ in 0..2 {
        let erasure = store.erase(world(1), &[span(3, 4)], BY).await.unwrap();
        assert_eq!(
            erasure,
            Erasure {
                events: 2,
                files: 1
            }
        );
    }
    assert_eq!(store.get(world(1), only).await.unwrap(), None);
    assert_eq!(
        store.get(world(1), both).await.unwrap(),
        Some(b"both".to_vec())
    );
    assert_eq!(
        store.get(world(2), other).await.unwrap(),
        Some(b"only".to_vec())
    );
}

async fn a_saved_fold_is_gone(store: Store) {
    filled(&store).await;
    let rules = Digest::of(&[b"rules"]);
    for number in [1, 2] {
        store
            .save(world(number), Position::new(30), rules, CANARY.into())
            .await
            .unwrap();
    }
    store.erase(world(1), &[span(10, 10)], BY).await.unwrap();
    assert_eq!(store.latest(world(1), rules, None).await, None);
    assert!(store.latest(world(2), rules, None).await.is_some());
}

async fn others_append_while_one_erases(store: Store) {
    filled(&store).await;
    let writer = {
        let store = store.clone();
        tokio::spawn(async move {
            for first in 51..=150 {
                append(&store, post(2, first)).await;
            }
        })
    };
    for _ in 0..3 {
        store.erase(world(1), &[span(10, 20)], BY).await.unwrap();
    }
    writer.await.unwrap();
    let expected: Vec<Commit> = (51..=150).map(|first| post(2, first)).collect();
    assert_eq!(read(&store, 2, 51).await, expected);
}

async fn only_a_world_that_exists_can_be_erased_from(store: Store) {
    let error = store.erase(world(9), &[span(1, 1)], BY).await.unwrap_err();
    assert!(matches!(error, AppendError::NoSuchWorld(known) if known == world(9)));
}

#[tokio::test]
async fn no_file_holds_what_was_erased() {
    let disk = OnDisk::new();
    let home = disk.dir.path().join("store");
    let store = disk.open();
    filled(&store).await;
    let blob = store
        .put(world(1), format!("file {CANARY}").into_bytes())
        .await
        .unwrap();
    append(&store, attached(1, 51, blob)).await;
    store
        .save(
            world(1),
            Position::new(30),
            Digest::of(&[b"rules"]),
            CANARY.into(),
        )
        .await
        .unwrap();
    let left = home.join("checkpoints").join(format!(".{}.new", world(1)));
    std::fs::write(&left, CANARY).unwrap();
    assert!(
        files_with(&home, CANARY).len() >= 4,
        "{:?}",
        files_with(&home, CANARY)
    );
    store
        .erase(world(1), &[span(3, 51)], Position::new(52))
        .await
        .unwrap();
    assert_eq!(files_with(&home, CANARY), Vec::<String>::new());
    drop(store);
    assert_eq!(files_with(&home, CANARY), Vec::<String>::new());
    let store = disk.open();
    assert_eq!(read(&store, 1, 1).await.len(), 50);
    assert_eq!(files_with(&home, CANARY), Vec::<String>::new());
}

/// Small and large units, with a canary in most events.
async fn dense(store: &Store) -> Vec<Commit> {
    let mut commits = vec![creation(1)];
    commits.extend((3..=9).map(|first| say(1, first, format!("{CANARY} {first}"))));
    commits
        .extend((10..=14).map(|first| say(1, first, format!("{CANARY} {}", noise(9_000, first)))));
    for commit in &commits {
        append(store, commit.clone()).await;
    }
    commits
}

#[tokio::test]
async fn an_erasure_that_died_anywhere_is_done_again() {
    let all: Vec<u64> = (3..=13).collect();
    for step in 0.. {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let dying = Arc::new(FailingEngine::after_changes(step, Arc::clone(&engine)));
        let store = Store::with_engine(dying).unwrap();
        let commits = dense(&store).await;
        let erased = store.erase(world(1), &[span(3, 13)], BY).await;
        let bare = without(&commits, &all);
        drop(store);
        let store = Store::with_engine(Arc::clone(&engine)).unwrap();
        for (at, commit) in read(&store, 1, 1).await.iter().enumerate() {
            assert!(
                *commit == commits[at] || *commit == bare[at],
                "step {step}: {commit:?}"
            );
        }
        let again = store.erase(world(1), &[span(3, 13)], BY).await.unwrap();
        assert_eq!(
            again,
            Erasure {
                events: 11,
                files: 0
            },
            "step {step}"
        );
        assert_eq!(read(&store, 1, 1).await, bare, "step {step}");
        drop(store);
        assert!(kept_by(&*engine, CANARY), "event 14 stays: step {step}");
        let store = Store::with_engine(Arc::clone(&engine)).unwrap();
        store.erase(world(1), &[span(14, 14)], BY).await.unwrap();
        assert!(!kept_by(&*engine, CANARY), "step {step}");
        if erased.is_ok() {
            assert!(step > 20, "only {step} steps");
            return;
        }
    }
}

#[tokio::test]
async fn an_erasure_that_died_behind_its_files_is_no_damage() {
    let disk = OnDisk::new();
    let store = disk.open();
    append(&store, creation(1)).await;
    let blob = store.put(world(1), b"only".to_vec()).await.unwrap();
    append(&store, attached(1, 3, blob)).await;
    std::fs::remove_dir_all(disk.dir.path().join("store/blobs")).unwrap();
    let damage = || async {
        store
            .verify(world(1), Against::default())
            .await
            .unwrap()
            .damage
    };
    assert_eq!(
        damage().await.map(|damage| (damage.at, damage.kind)),
        Some((Position::new(3), DamageKind::File))
    );
    let asked = ErasureRequested {
        events: vec![span(3, 3)],
        basis: Content::Present(String::new()),
    };
    append(
        &store,
        Commit {
            header: header(world(1), 4),
            events: vec![Event::World(WorldEvent::ErasureRequested(asked))],
        },
    )
    .await;
    assert_eq!(damage().await, None);
}

#[tokio::test]
async fn an_erasure_reaches_a_copy_for_a_fork_that_did_not_come_to_its_end() {
    for step in 0.. {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let store = Store::with_engine(Arc::clone(&engine)).unwrap();
        dense(&store).await;
        fork(&store, (1, 9), 2).await;
        store.close().unwrap();
        let dying = Arc::new(FailingEngine::after_changes(step, Arc::clone(&engine)));
        let store = Store::with_engine(Arc::clone(&dying) as _).unwrap();
        let is_copied = store.copy_base(world(2)).await.is_ok();
        dying.let_changes_through(u64::MAX);
        store.erase(world(1), &[span(3, 14)], BY).await.unwrap();
        assert!(!kept_by(&*engine, CANARY), "step {step}");
        if is_copied {
            assert!(step > 1, "only {step} steps");
            return;
        }
    }
}
