//! Erasing content from worlds that are open: what is told behind it, what is left anywhere, and what a restart finishes.

use std::path::Path;
use std::sync::Arc;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, PrefixCause, Span, TurnEvent, WorldEvent};
use folkmoot::core::ids::Position;
use folkmoot::core::model::response::Part;
use folkmoot::core::port::{Checkpoints as _, EventLog as _};
use folkmoot::core::prompt::Item;
use folkmoot::core::world::World;
use folkmoot::core::world::decider::{checkpoint_id, decider_id};
use folkmoot::{
    Effect, File, OpenMode, Opening, Perform, Post, Runtime, SeatError, Store, ToolOutcome,
    WorldHandle,
};
use folkmoot_tests::{
    Cut, FakeModel, FakeTool, Probe, Room, commits_of, person, room_name, says, wants,
};

const CANARY: &str = "canary-93ab17";

fn span(from: u64, to: u64) -> Span {
    Span {
        from: Position::new(from),
        to: Position::new(to),
    }
}

fn files_with_canary(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with_canary(&path));
        } else if std::fs::read(&path)
            .unwrap()
            .windows(CANARY.len())
            .any(|window| window == CANARY.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

fn room(answers: &[&str]) -> (Room, Arc<FakeModel>) {
    let model = FakeModel::new(answers.iter().map(|answer| says(answer)));
    (
        Room::auto().agent("bob", &[], Arc::clone(&model) as _),
        model,
    )
}

async fn talk(world: &WorldHandle, text: &str) {
    person(world, "ada")
        .publish_message(Post::text(text))
        .await
        .unwrap();
    world.quiet().await.unwrap();
}

/// The world as the log has it.
fn folded(commits: &[Commit]) -> World {
    let mut world = World::default();
    commits.iter().for_each(|commit| world.apply(commit));
    world
}

async fn live(world: &WorldHandle) -> World {
    world.operator().read(World::clone).await.unwrap()
}

fn texts(items: &[Arc<Item>]) -> String {
    format!("{items:?}")
}

#[tokio::test]
async fn what_is_erased_is_in_no_state_no_request_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path().join("store"), OpenMode::Create).unwrap();
    let (room, model) = room(&["noted", "once more", "go on"]);
    let (runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    let file = ada
        .attach(File {
            name: "a.txt".to_owned(),
            media_type: "text/plain".to_owned(),
            bytes: CANARY.into(),
        })
        .await
        .unwrap();
    let post = Post {
        attachments: vec![file],
        ..Post::text(format!("my secret is {CANARY}"))
    };
    ada.publish_message(post).await.unwrap();
    world.quiet().await.unwrap();
    talk(&world, "and now?").await;
    let head = live(&world).await.head();
    let request = world
        .operator()
        .erase(vec![span(3, head.get())], "article 17", None)
        .await
        .unwrap();
    let erased = world.erased(request).await.unwrap();
    assert_eq!((erased.request, erased.files), (request, 1));
    assert_eq!(
        files_with_canary(&dir.path().join("store")),
        Vec::<String>::new()
    );
    let commits = commits_of(&store, &room_name()).await;
    assert_eq!(live(&world).await, folded(&commits), "live and replayed");
    assert!(
        !serde_json::to_string(&live(&world).await)
            .unwrap()
            .contains(CANARY)
    );
    talk(&world, "hello?").await;
    let broken: Vec<PrefixCause> = commits_of(&store, &room_name())
        .await
        .iter()
        .flat_map(|commit| &commit.events)
        .filter_map(|event| {
            if let Event::Turn(TurnEvent::PrefixBroken(broken)) = event {
                Some(broken.cause)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(broken, [PrefixCause::Erasure]);
    let requests = model.asked();
    let last = texts(requests.last().unwrap().request.items());
    assert!(
        last.contains("[erased]") && last.contains("hello?") && !last.contains(CANARY),
        "{last}"
    );
    runtime.shutdown().await;
    store.close().unwrap();
    assert_eq!(
        files_with_canary(&dir.path().join("store")),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn an_erasure_is_owed_until_it_is_done_also_to_a_world_that_performs_nothing() {
    let store = Store::memory();
    let (room, _) = room(&["noted"]);
    let cut = Arc::new(Cut::never(&Probe::default()));
    let (runtime, world) = room.open_through(&store, Arc::clone(&cut) as _).await;
    talk(&world, &format!("my secret is {CANARY}")).await;
    // It dies when it is to record that the store has done it.
    cut.in_a_while(1);
    let asked = world
        .operator()
        .erase(vec![span(3, 8)], "article 17", None)
        .await
        .unwrap();
    assert!(matches!(world.quiet().await, Err(SeatError::Stopped(_))));
    let before = store.find(&room_name()).await.unwrap().unwrap().head;
    assert_eq!(asked, before);
    drop(runtime);
    let runtime = Runtime::builder(&store).build();
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::recorded(room_name())
    };
    let world = runtime.open(opening).await.unwrap();
    world.quiet().await.unwrap();
    runtime.shutdown().await;
    let commits = commits_of(&store, &room_name()).await;
    let done = commits
        .iter()
        .flat_map(|commit| &commit.events)
        .filter(|event| matches!(event, Event::World(WorldEvent::Erased(_))));
    assert_eq!(done.count(), 1);
    assert!(!format!("{commits:?}").contains(CANARY));
    let saved = store
        .latest(commits[0].header.world, checkpoint_id(decider_id()), None)
        .await;
    assert_eq!(
        saved, None,
        "whoever had the world open saves no fold of it any more"
    );
}

#[tokio::test]
async fn a_world_that_was_closed_with_an_erasure_under_way_has_done_it() {
    let store = Store::memory();
    let (room, _) = room(&["noted"]);
    let (runtime, world) = room.open(&store).await;
    talk(&world, &format!("my secret is {CANARY}")).await;
    world
        .operator()
        .erase(vec![span(3, 8)], "article 17", None)
        .await
        .unwrap();
    runtime.shutdown().await;
    let commits = commits_of(&store, &room_name()).await;
    assert!(
        commits
            .iter()
            .flat_map(|commit| &commit.events)
            .any(|event| matches!(event, Event::World(WorldEvent::Erased(_))))
    );
    assert!(!format!("{commits:?}").contains(CANARY));
}

/// What every vendor wants of a request: each call has its one result right behind it, and somebody else speaks last.
fn is_valid(items: &[Arc<Item>], what: &str) {
    let mut open: Vec<&str> = Vec::new();
    for item in items {
        match &**item {
            Item::Result { label, .. } => {
                let at = open.iter().position(|open| open == label);
                open.remove(
                    at.unwrap_or_else(|| panic!("{what}: a result without a call: {items:?}")),
                );
            }
            other => {
                assert!(
                    open.is_empty(),
                    "{what}: a call without a result: {items:?}"
                );
                if let Item::Said { parts } = other {
                    open.extend(parts.iter().filter_map(|part| match part {
                        Part::Call(call) => Some(call.label.as_str()),
                        _ => None,
                    }));
                }
            }
        }
    }
    assert!(
        open.is_empty(),
        "{what}: a call without a result: {items:?}"
    );
    let last = items.last().map(|item| &**item);
    assert!(
        !matches!(last, Some(Item::Said { .. })),
        "{what}: the agent speaks last: {items:?}"
    );
}

/// Erases ranges of a world's events in turn, goes on, and looks at what its model is asked then.
#[tokio::test]
async fn requests_stay_valid_whatever_is_erased() {
    let tool = || {
        FakeTool::new("look", Effect::Read, |_| async {
            ToolOutcome::text("seen")
        })
    };
    for from in (3..=16).step_by(2) {
        for to in [from + 1, 16] {
            let store = Store::memory();
            let model = FakeModel::new([
                wants(&["look", "look"]),
                says("one"),
                wants(&["look"]),
                says("two"),
                says("three"),
            ]);
            let room = Room::auto()
                .agent("bob", &["look"], Arc::clone(&model) as _)
                .tool(tool());
            let (runtime, world) = room.open(&store).await;
            talk(&world, "first").await;
            let head = live(&world).await.head().get();
            let events = vec![span(from, to.min(head).max(from))];
            let asked = world
                .operator()
                .erase(events, "asked for", None)
                .await
                .unwrap();
            world.erased(asked).await.unwrap();
            talk(&world, "second").await;
            runtime.shutdown().await;
            for call in model.asked() {
                is_valid(call.request.items(), &format!("{from} to {to}"));
            }
            assert_eq!(live_log(&store).await, 1, "{from} to {to}");
        }
    }
}

/// How many erasures are done.
async fn live_log(store: &Store) -> usize {
    let commits = commits_of(store, &room_name()).await;
    commits
        .iter()
        .flat_map(|commit| &commit.events)
        .filter(|event| matches!(event, Event::World(WorldEvent::Erased(_))))
        .count()
}

#[tokio::test]
async fn a_call_whose_arguments_go_is_not_asked_about_any_more() {
    let store = Store::memory();
    let model = FakeModel::new([wants(&["send"]), says("so be it")]);
    let send = FakeTool::new("send", Effect::Write, |_| async {
        ToolOutcome::text("sent")
    });
    let room = Room::asking()
        .agent("bob", &["send"], Arc::clone(&model) as _)
        .tool(send);
    let (runtime, world) = room.open(&store).await;
    talk(&world, "send it").await;
    let parked = live(&world).await;
    assert_eq!(parked.consent().pending().len(), 1);
    let asked = world
        .operator()
        .erase(vec![span(3, parked.head().get())], "asked for", None)
        .await
        .unwrap();
    let head = live(&world).await;
    assert_eq!(
        head.consent().pending().len(),
        0,
        "with the commit that asks for it"
    );
    world.erased(asked).await.unwrap();
    world.quiet().await.unwrap();
    assert_eq!(model.asked().len(), 2, "the turn goes on");
    runtime.shutdown().await;
}

#[tokio::test]
async fn only_whoever_operates_the_room_erases() {
    let store = Store::memory();
    let (room, _) = room(&["noted"]);
    let (runtime, world) = room.open(&store).await;
    talk(&world, "hello").await;
    let definition = world
        .operator()
        .erase(vec![span(1, 2)], "asked for", None)
        .await
        .unwrap_err();
    assert!(
        matches!(definition, SeatError::Refused(_)),
        "{definition:?}"
    );
    let behind = world
        .operator()
        .erase(vec![span(3, 10_000)], "asked for", None)
        .await
        .unwrap_err();
    assert!(matches!(behind, SeatError::Refused(_)), "{behind:?}");
    runtime.shutdown().await;
}
