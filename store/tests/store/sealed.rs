//! Worlds whose content is encrypted: nothing of it is in any file, and without a key it is gone from every copy.

use std::fs;
use std::path::{Path, PathBuf};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::content::Content;
use folkmoot_core::event::{Attachment, Event, MessageBody, Span, TalkEvent, WorldEvent};
use folkmoot_core::ids::principal::{Person, Principal};
use folkmoot_core::ids::{Digest, Position};
use folkmoot_core::port::{Blobs as _, Checkpoints as _, Custody as _, Erasure};
use folkmoot_core::spec::{Privacy, SpecText};
use folkmoot_store::Store;

use crate::canary::files_with;
use crate::fixture::*;

crate::on_every_engine! {
    sealed_content_comes_back_as_it_was_written
    a_person_who_is_erased_takes_nobody_along
    a_part_that_is_erased_leaves_the_rest_of_its_person
}

const CANARY: &str = "canary-51b7e0";
const BY: Position = Position::new(90);

fn span(from: u64, to: u64) -> Span {
    Span {
        from: Position::new(from),
        to: Position::new(to),
    }
}

fn sealed_creation() -> Commit {
    let mut commit = creation(1);
    if let Event::World(WorldEvent::WorldOpened(opened)) = &mut commit.events[0] {
        opened.spec.policy.privacy = Privacy::Sealed;
        opened.text = Content::Present(SpecText {
            description: Some(CANARY.to_owned()),
            ..SpecText::default()
        });
    }
    commit
}

fn by(person: &str, first: u64, text: &str) -> Commit {
    let mut commit = say(1, first, text);
    let display = person.to_owned().try_into().unwrap();
    commit.header.principal = Principal::Person(Person {
        method: "test".to_owned(),
        subject: person.to_owned(),
        display,
    });
    commit
}

/// Ada has the odd events, bob the even ones, and the world event 9.
async fn filled(store: &Store) -> Vec<Commit> {
    let mut commits = vec![sealed_creation()];
    for first in 3..=8 {
        let person = if first % 2 == 1 { "ada" } else { "bob" };
        commits.push(by(person, first, &format!("{CANARY} {first} of {person}")));
    }
    commits.push(say(1, 9, format!("{CANARY} said again")));
    for commit in &commits {
        append(store, commit.clone()).await;
    }
    commits
}

fn keys_in(home: &Path) -> Vec<PathBuf> {
    let folder = home.join("keys").join(world(1).to_string());
    let mut keys: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    keys.sort();
    keys
}

fn is_erased(commit: &Commit) -> bool {
    matches!(&commit.events[0], Event::Talk(TalkEvent::MessagePosted(posted)) if posted.body.present().is_none())
}

async fn sealed_content_comes_back_as_it_was_written(store: Store) {
    let commits = filled(&store).await;
    assert_eq!(read(&store, 1, 1).await, commits);
    let blob = store.put(world(1), b"a file".to_vec()).await.unwrap();
    assert_eq!(blob, Digest::sha256(b"a file"));
    assert_eq!(
        store.get(world(1), blob).await.unwrap(),
        Some(b"a file".to_vec())
    );
    assert_eq!(store.size(world(1), blob).await.unwrap(), Some(6));
}

async fn a_person_who_is_erased_takes_nobody_along(store: Store) {
    let commits = filled(&store).await;
    let head = store.tree_head(world(1)).await.unwrap();
    let odd = [span(3, 3), span(5, 5), span(7, 7)];
    assert_eq!(
        store.erase(world(1), &odd, BY).await.unwrap(),
        Erasure {
            events: 3,
            files: 0
        }
    );
    let after = read(&store, 1, 1).await;
    for (before, after) in commits.iter().zip(&after) {
        let is_meant = [3, 5, 7].contains(&before.header.first.get());
        assert!(
            if is_meant {
                is_erased(after)
            } else {
                before == after
            },
            "{after:?}"
        );
    }
    assert_eq!(store.tree_head(world(1)).await.unwrap(), head);
    append(&store, by("ada", 10, "here again")).await;
    assert_eq!(read(&store, 1, 10).await, [by("ada", 10, "here again")]);
}

async fn a_part_that_is_erased_leaves_the_rest_of_its_person(store: Store) {
    let commits = filled(&store).await;
    assert_eq!(
        store.erase(world(1), &[span(3, 3)], BY).await.unwrap(),
        Erasure {
            events: 1,
            files: 0
        }
    );
    for (before, after) in commits.iter().zip(&read(&store, 1, 1).await) {
        let is_meant = before.header.first.get() == 3;
        assert!(
            if is_meant {
                is_erased(after)
            } else {
                before == after
            },
            "{after:?}"
        );
    }
}

#[tokio::test]
async fn no_file_holds_what_is_sealed_before_anything_is_erased() {
    let disk = OnDisk::new();
    let home = disk.dir.path().join("store");
    let store = disk.open();
    let commits = filled(&store).await;
    let blob = store.put(world(1), CANARY.into()).await.unwrap();
    store
        .save(
            world(1),
            Position::new(9),
            Digest::of(&[b"rules"]),
            CANARY.into(),
        )
        .await
        .unwrap();
    assert_eq!(files_with(&home, CANARY), Vec::<String>::new());
    drop(store);
    assert_eq!(files_with(&home, CANARY), Vec::<String>::new());
    let store = disk.open();
    assert_eq!(read(&store, 1, 1).await, commits);
    assert_eq!(
        store.get(world(1), blob).await.unwrap(),
        Some(CANARY.into())
    );
    assert_eq!(
        keys_in(&home).len(),
        3,
        "ada's, bob's, and that of all others"
    );
}

#[tokio::test]
async fn destroying_a_key_reaches_older_copies_of_the_frames() {
    let disk = OnDisk::new();
    let store = disk.open();
    let commits = filled(&store).await;
    drop(store);
    let backup = disk.killed();
    let store = disk.open();
    store
        .erase(world(1), &[span(3, 3), span(5, 5), span(7, 7)], BY)
        .await
        .unwrap();
    assert_eq!(keys_in(&disk.dir.path().join("store")).len(), 2);
    drop(store);
    let old = backup.dir.path().join("store").join("keys");
    fs::remove_dir_all(&old).unwrap();
    copy_folder(&disk.dir.path().join("store").join("keys"), &old);
    let store = backup.open();
    for (before, after) in commits.iter().zip(read(&store, 1, 1).await) {
        let is_adas = [3, 5, 7].contains(&before.header.first.get());
        assert!(
            if is_adas {
                is_erased(&after)
            } else {
                *before == after
            },
            "{after:?}"
        );
    }
}

#[tokio::test]
async fn a_file_of_a_sealed_message_goes_with_it() {
    let store = Store::memory();
    append(&store, sealed_creation()).await;
    let blob = store.put(world(1), b"a file".to_vec()).await.unwrap();
    let mut commit = by("ada", 3, "see this");
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = &mut commit.events[0] {
        let attachments = vec![Attachment {
            blob,
            media_type: "text/plain".to_owned(),
            name: "a.txt".to_owned(),
            bytes: 6,
            parts: Vec::new(),
        }];
        posted.body = MessageBody {
            text: "see this".to_owned(),
            attachments,
        }
        .into();
    }
    append(&store, commit).await;
    for _ in 0..2 {
        assert_eq!(
            store.erase(world(1), &[span(3, 3)], BY).await.unwrap(),
            Erasure {
                events: 1,
                files: 1
            }
        );
    }
    assert_eq!(store.get(world(1), blob).await.unwrap(), None);
}

/// Prints what `docs/assurance.md` says of it.
#[tokio::test]
#[ignore = "measures"]
async fn what_sealing_costs_in_space() {
    let words = [
        "release", "the", "worker", "counted", "please", "and", "report", "back", "notes", "of",
        "today",
    ];
    for privacy in [Privacy::Open, Privacy::Sealed] {
        let disk = OnDisk::new();
        let store = disk.open();
        let mut creation = sealed_creation();
        if let Event::World(WorldEvent::WorldOpened(opened)) = &mut creation.events[0] {
            opened.spec.policy.privacy = privacy;
        }
        append(&store, creation).await;
        let events = 20_000;
        let mut tasks = Vec::new();
        for first in 3..events {
            let text: Vec<&str> = (0..40)
                .map(|word| words[(first as usize * 7 + word * word) % words.len()])
                .collect();
            tasks.push(by("ada", first, &text.join(" ")));
        }
        for commit in tasks {
            append(&store, commit).await;
        }
        store.close().unwrap();
        let size = |folder: &Path| -> u64 {
            fn sum(folder: &Path) -> u64 {
                let entries = fs::read_dir(folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().path());
                entries
                    .map(|path| {
                        if path.is_dir() {
                            sum(&path)
                        } else {
                            fs::metadata(path).unwrap().len()
                        }
                    })
                    .sum()
            }
            sum(folder)
        };
        println!(
            "{privacy:?}: {} bytes an event",
            size(&disk.dir.path().join("store")) / events
        );
    }
}
