//! The files of a room as tools see them: whose they are, and what becomes of what is derived of them.

use std::path::Path;
use std::sync::{Arc, Mutex};

use folkmoot::core::event::Span;
use folkmoot::core::ids::{Digest, MessageId, Position};
use folkmoot::core::port::ToolCall;
use folkmoot::core::tool::{BlobRef, EffectClass, FileChange, NamedFile, ToolOutput};
use folkmoot::core::world::World;
use folkmoot::{File, OpenMode, Post, Seat, Store, ToolOutcome, WorldHandle};
use folkmoot_tests::{FakeModel, FakeTool, Room, commits_of, person, room_name, says, wants};

const CANARY: &str = "canary-5d0c";

/// The names of the files that each call saw.
type Seen = Arc<Mutex<Vec<Vec<String>>>>;

/// A tool that reads every file it sees, and keeps a copy where derived things go.
fn looking(seen: &Seen) -> FakeTool {
    let seen = Arc::clone(seen);
    FakeTool::new("look", EffectClass::Read, move |call: ToolCall| {
        let seen = Arc::clone(&seen);
        async move {
            let files = call.files.unwrap();
            let names = files.seen().iter().map(|file| file.file.name.clone());
            seen.lock().unwrap().push(names.collect());
            for file in files.seen() {
                if let Some(folder) = files.derived() {
                    std::fs::create_dir_all(&folder).unwrap();
                    let copy = folder.join(file.id.to_string());
                    std::fs::write(&copy, "").unwrap();
                    let bytes = files.read(file.id, 0).await.unwrap().unwrap();
                    std::fs::write(&copy, bytes).unwrap();
                }
            }
            ToolOutcome::text("looked")
        }
    })
    .reading_files()
}

fn room(seen: &Seen, asks: usize) -> Room {
    let script = (0..asks).flat_map(|_| [wants(&["look"]), says("Done.")]);
    Room::auto()
        .tool(looking(seen))
        .agent("bob", &["look"], FakeModel::new(script))
}

async fn bring(seat: &Seat, name: &str, bytes: &str) -> MessageId {
    let file = seat
        .attach(File {
            name: name.to_owned(),
            media_type: "text/csv".to_owned(),
            bytes: bytes.into(),
        })
        .await
        .unwrap();
    let post = Post {
        attachments: vec![file],
        ..Post::text("@bob look at this")
    };
    seat.publish_message(post).await.unwrap()
}

async fn ask(world: &WorldHandle, name: &str) {
    let post = Post::text("@bob which files do I have?");
    person(world, name).publish_message(post).await.unwrap();
    world.quiet().await.unwrap();
}

fn last(seen: &Seen) -> Vec<String> {
    seen.lock().unwrap().last().unwrap().clone()
}

fn derived(store: &Path) -> Vec<String> {
    let Ok(worlds) = std::fs::read_dir(store.join("derived")) else {
        return Vec::new();
    };
    let folders = worlds.map(|world| world.unwrap().path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect()
}

#[tokio::test]
async fn a_call_sees_the_files_of_those_who_led_to_it() {
    let seen = Seen::default();
    let store = Store::memory();
    let (_runtime, world) = room(&seen, 4).open(&store).await;
    bring(&person(&world, "ada"), "a.csv", "x\n1\n").await;
    world.quiet().await.unwrap();
    assert_eq!(last(&seen), ["a.csv"]);
    bring(&person(&world, "ben"), "b.csv", "x\n2\n").await;
    world.quiet().await.unwrap();
    assert_eq!(last(&seen), ["b.csv"]);
    ask(&world, "ada").await;
    assert_eq!(last(&seen), ["a.csv"]);
    ask(&world, "cleo").await;
    assert_eq!(last(&seen), Vec::<String>::new());
    // The same after every commit is folded anew.
    let commits = commits_of(&store, &room_name()).await;
    let mut folded = World::default();
    commits.iter().for_each(|commit| folded.apply(commit));
    let live = world.operator().read(World::clone).await.unwrap();
    assert_eq!(live, folded);
}

#[tokio::test]
async fn what_was_derived_is_gone_before_anybody_is_told_that_the_file_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let seen = Seen::default();
    let store = Store::open(path.clone(), OpenMode::Create).unwrap();
    let (runtime, world) = room(&seen, 4).open(&store).await;
    let ada = person(&world, "ada");
    let message = bring(&ada, "a.csv", CANARY).await;
    world.quiet().await.unwrap();
    assert_eq!(derived(&path), [CANARY]);
    ada.retract(message, None).await.unwrap();
    assert_eq!(derived(&path), Vec::<String>::new(), "taken back");
    world.quiet().await.unwrap();

    bring(&ada, "b.csv", CANARY).await;
    world.quiet().await.unwrap();
    assert_eq!(
        (last(&seen), derived(&path)),
        (vec!["b.csv".to_owned()], vec![CANARY.to_owned()])
    );
    let head = world.operator().read(World::head).await.unwrap();
    let all = Span {
        from: Position::new(3),
        to: head,
    };
    let request = world
        .operator()
        .erase(vec![all], "article 17", None)
        .await
        .unwrap();
    world.erased(request).await.unwrap();
    assert_eq!(derived(&path), Vec::<String>::new(), "erased");

    bring(&ada, "c.csv", CANARY).await;
    world.quiet().await.unwrap();
    assert_eq!(derived(&path), [CANARY]);
    drop((world, ada, runtime));
    store.close().unwrap();
    assert_eq!(derived(&path), [CANARY], "what a process that dies leaves");
    let store = Store::open(path.clone(), OpenMode::Existing).unwrap();
    assert_eq!(derived(&path), Vec::<String>::new(), "opened again");
    store.close().unwrap();
}

/// A tool that makes these changes to the files, one a call; `None` puts the first file away that its first call saw.
fn changing(changes: Vec<Option<FileChange>>) -> FakeTool {
    let changes = Mutex::new(changes.into_iter());
    let first = Mutex::new(None);
    FakeTool::new("change", EffectClass::Read, move |call: ToolCall| {
        let files = call.files.unwrap();
        let mut first = first.lock().unwrap();
        let first = *first.get_or_insert_with(|| files.seen()[0].id);
        let change = changes.lock().unwrap().next().unwrap();
        async move {
            ToolOutcome::Done(ToolOutput {
                files: vec![change.unwrap_or(FileChange::Removed(first))],
                ..ToolOutput::text("changed")
            })
        }
    })
    .reading_files()
}

fn named(name: &str) -> FileChange {
    let file = BlobRef {
        blob: Digest::sha256(b"x"),
        bytes: 1,
        media_type: "text/csv".to_owned(),
    };
    let name = name.to_owned();
    FileChange::Added(NamedFile {
        name,
        file,
        parts: Vec::new(),
    })
}

#[tokio::test]
async fn a_tool_brings_files_in_for_who_led_to_it_and_puts_away_none_of_others() {
    let seen = Seen::default();
    let store = Store::memory();
    let changes = vec![Some(named("new.csv")), None, None, Some(named("../x"))];
    let script = (0..4).flat_map(|_| [wants(&["change", "look"]), wants(&["look"]), says("Done.")]);
    let (_runtime, world) = Room::auto()
        .tool(looking(&seen))
        .tool(changing(changes))
        .agent("bob", &["change", "look"], FakeModel::new(script))
        .open(&store)
        .await;
    bring(&person(&world, "ada"), "a.csv", "x").await;
    world.quiet().await.unwrap();
    assert_eq!(last(&seen), ["a.csv", "new.csv"]);
    ask(&world, "ben").await;
    assert_eq!(last(&seen), Vec::<String>::new(), "of another person");
    ask(&world, "ada").await;
    assert_eq!(last(&seen), ["new.csv"], "put away by its owner only");
    ask(&world, "ada").await;
    assert_eq!(last(&seen), ["new.csv"], "a name that is none");
}
