//! Heads of logs are signed while worlds live: when they are quiet, when they are let go of, and by whichever key there is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::command::{Action, TalkAction};
use folkmoot::core::event::{ClockKind, Event, HeadSigned, Occasion, WorldEvent};
use folkmoot::core::ids::Position;
use folkmoot::core::model::response::ModelErrorKind;
use folkmoot::core::port::{Custody as _, EventLog as _};
use folkmoot::core::world::Activity;
use folkmoot::proof::note::{SignerKey, VerifierKey};
use folkmoot::{
    Drafts, HeadSigner, LLMResponse, Model, ModelCall, ModelError, Opening, Perform, Post, Runtime,
    Store, WorldHandle, note_of,
};
use folkmoot_tests::{FakeModel, Room, commits_of, person, room_name, says};
use futures::StreamExt as _;

fn signer(seed: u8) -> Arc<HeadSigner> {
    Arc::new(HeadSigner::new(
        SignerKey::generate("example.com/desk", &[seed; 32]).unwrap(),
    ))
}

fn room() -> Room {
    Room::auto().agent("bob", &[], FakeModel::new([says("aye"), says("aye again")]))
}

/// A runtime in which whatever is opened is signed with that key, if there is one.
fn runtime(store: &Store, room: &Room, key: Option<&Arc<HeadSigner>>) -> Runtime {
    let builder = Runtime::builder(store).assembler(room.parts());
    match key {
        Some(key) => builder.signer(Arc::clone(key) as _).build(),
        None => builder.build(),
    }
}

async fn open(runtime: &Runtime, room: &Room, clock: ClockKind) -> WorldHandle {
    runtime
        .open(Opening {
            clock,
            ..Opening::with(room_name(), room.definition())
        })
        .await
        .unwrap()
}

async fn talk(world: &WorldHandle, text: &str) -> Activity {
    person(world, "ada")
        .publish_message(Post::text(text))
        .await
        .unwrap();
    world.quiet().await.unwrap()
}

/// Each signed head, with the position at which it is recorded.
async fn signed(store: &Store) -> Vec<(Position, HeadSigned)> {
    let commits = commits_of(store, &room_name()).await;
    let heads = commits
        .iter()
        .flat_map(Commit::numbered)
        .filter_map(|(at, event)| match event {
            Event::World(WorldEvent::HeadSigned(signed)) => Some((at, signed.clone())),
            _ => None,
        });
    heads.collect()
}

async fn occasions(store: &Store) -> Vec<Occasion> {
    signed(store)
        .await
        .into_iter()
        .map(|(_, signed)| signed.occasion)
        .collect()
}

/// Verifies all signed heads: each covers all before it, and was signed by one of `keys`.
async fn verify(store: &Store, keys: &[VerifierKey]) {
    let world = store.find(&room_name()).await.unwrap().unwrap().world;
    let commits = commits_of(store, &room_name()).await;
    for (at, signed) in signed(store).await {
        assert_eq!(signed.head.of.get() + 1, at.get());
        let before = commits
            .iter()
            .filter(|commit| commit.header.first < at)
            .count();
        assert_eq!(signed.head.commits, u64::try_from(before).unwrap());
        note_of(world, &signed).unwrap().verify(keys).unwrap();
    }
}

#[tokio::test]
async fn a_world_is_quiet_only_once_its_head_is_signed() {
    let (store, room, key) = (Store::memory(), room(), signer(1));
    let runtime = runtime(&store, &room, Some(&key));
    let world = open(&runtime, &room, ClockKind::System).await;
    let ends_signed =
        async || signed(&store).await.last().map(|(at, _)| *at) == Some(store_head(&store).await);
    assert_eq!(world.quiet().await.unwrap(), Activity::Idle);
    assert!(ends_signed().await);
    assert_eq!(talk(&world, "hello").await, Activity::Idle);
    assert!(ends_signed().await);
    runtime.shutdown().await;
    assert_eq!(
        occasions(&store).await,
        [Occasion::Quiet, Occasion::Quiet],
        "a signed world is closed as it is"
    );
    verify(&store, &[key.verifier()]).await;
}

async fn store_head(store: &Store) -> Position {
    store.find(&room_name()).await.unwrap().unwrap().head
}

#[tokio::test]
async fn the_signed_root_is_that_of_the_tree() {
    let (store, room, key) = (Store::memory(), room(), signer(1));
    let first = runtime(&store, &room, None);
    open(&first, &room, ClockKind::System).await;
    first.shutdown().await;
    let id = store.find(&room_name()).await.unwrap().unwrap().world;
    let second = Runtime::builder(&store)
        .signer(Arc::clone(&key) as _)
        .build();
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::recorded(room_name())
    };
    second.open(opening).await.unwrap();
    let head = store.tree_head(id).await.unwrap();
    second.shutdown().await;
    let all = signed(&store).await;
    assert_eq!(
        all.iter()
            .map(|(_, signed)| &signed.head)
            .collect::<Vec<_>>(),
        [&head]
    );
    assert_ne!(
        store.tree_head(id).await.unwrap(),
        head,
        "the signature is a leaf of its own"
    );
}

#[tokio::test]
async fn a_world_that_performs_nothing_is_signed_when_it_is_closed() {
    let (store, room, key) = (Store::memory(), room(), signer(1));
    let runtime = runtime(&store, &room, Some(&key));
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::with(room_name(), room.definition())
    };
    let world = runtime.open(opening).await.unwrap();
    assert_eq!(
        world.quiet().await.unwrap(),
        Activity::Idle,
        "a signature is no work of the room"
    );
    assert_eq!(talk(&world, "@bob hello").await, Activity::Parked);
    assert_eq!(occasions(&store).await, []);
    runtime.close(&room_name()).await;
    assert_eq!(occasions(&store).await, [Occasion::Close]);
    verify(&store, &[key.verifier()]).await;
}

/// A model that never answers.
#[derive(Debug)]
struct Endless;

#[async_trait::async_trait]
impl Model for Endless {
    async fn call(&self, _: &ModelCall, _: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_world_that_is_closed_in_the_middle_of_its_work_is_signed() {
    let (store, key) = (Store::memory(), signer(1));
    let room = Room::auto().agent("bob", &[], Arc::new(Endless));
    let runtime = runtime(&store, &room, Some(&key));
    let world = open(&runtime, &room, ClockKind::System).await;
    assert_eq!(world.quiet().await.unwrap(), Activity::Idle);
    person(&world, "ada")
        .publish_message(Post::text("hello"))
        .await
        .unwrap();
    runtime.shutdown().await;
    assert_eq!(occasions(&store).await, [Occasion::Quiet, Occasion::Close]);
    verify(&store, &[key.verifier()]).await;
}

#[tokio::test(start_paused = true)]
async fn a_world_is_signed_before_it_falls_asleep() {
    let (store, room, key) = (Store::memory(), room(), signer(1));
    let runtime = runtime(&store, &room, Some(&key));
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::with(room_name(), room.definition())
    };
    let world = runtime.open(opening).await.unwrap();
    world.quiet().await.unwrap();
    assert_eq!(occasions(&store).await, []);
    let entry = store.find(&room_name()).await.unwrap().unwrap();
    let mut news = store
        .subscribe(entry.world, entry.head.next())
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(86_400)).await;
    // The clock of the test passes without the thread that appends.
    news.next().await.unwrap().unwrap();
    assert_eq!(occasions(&store).await, [Occasion::Close]);
    assert!(world.is_open());

    let stop = Action::Talk(TalkAction::Stop { episode: None });
    assert!(
        person(&world, "ada").give(stop, None).await.is_err(),
        "it was opened again for that"
    );
    runtime.shutdown().await;
    assert_eq!(occasions(&store).await, [Occasion::Close, Occasion::Close]);
    verify(&store, &[key.verifier()]).await;
}

#[tokio::test]
async fn keys_come_go_and_change_between_openings() {
    let (store, room) = (Store::memory(), room());
    let (old, new) = (signer(1), signer(2));
    for (key, text) in [
        (Some(&old), "hello"),
        (None, "unheard"),
        (Some(&new), "unheard as well"),
    ] {
        let runtime = runtime(&store, &room, key);
        let world = open(&runtime, &room, ClockKind::System).await;
        talk(&world, text).await;
        runtime.shutdown().await;
    }
    let all = signed(&store).await;
    let mut keys: Vec<&str> = all.iter().map(|(_, signed)| signed.key.as_str()).collect();
    keys.dedup();
    let named = |key: &HeadSigner| format!("example.com/desk+{}", key.verifier().id());
    assert_eq!(keys, [named(&old), named(&new)]);
    verify(&store, &[old.verifier(), new.verifier()]).await;
    let unkeyed = commits_of(&store, &room_name()).await;
    let openings =
        unkeyed
            .iter()
            .flat_map(|commit| &commit.events)
            .filter_map(|event| match event {
                Event::World(WorldEvent::Opened(opened)) => Some(opened.signer.is_some()),
                _ => None,
            });
    assert_eq!(openings.collect::<Vec<_>>(), [true, false, true]);
}

/// A model whose provider wants to be left alone for a while, once.
#[derive(Debug, Default)]
struct Hesitant(AtomicBool);

const PAUSE: Duration = Duration::from_secs(200);

#[async_trait::async_trait]
impl Model for Hesitant {
    async fn call(
        &self,
        _call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        if self.0.swap(true, Ordering::SeqCst) {
            return Ok(says("aye"));
        }
        let retry_after_ms = u64::try_from(PAUSE.as_millis()).ok();
        Err(ModelError {
            retry_after_ms,
            ..ModelError::new(ModelErrorKind::Rate, "later")
        })
    }
}

#[tokio::test]
async fn a_simulated_clock_does_not_move_for_a_signature() {
    let (store, key) = (Store::memory(), signer(1));
    let room = Room::auto().agent("bob", &[], Arc::new(Hesitant::default()));
    let runtime = runtime(&store, &room, Some(&key));
    let world = open(&runtime, &room, ClockKind::Simulated).await;
    world.quiet().await.unwrap();
    let began = commits_of(&store, &room_name())
        .await
        .last()
        .unwrap()
        .header
        .stamp
        .time;
    assert_eq!(talk(&world, "hello").await, Activity::Idle);
    let commits = commits_of(&store, &room_name()).await;
    let passed = commits
        .iter()
        .map(|commit| began.until(commit.header.stamp.time))
        .filter(|time| !time.is_zero());
    assert!(
        passed.collect::<Vec<_>>().iter().all(|time| *time >= PAUSE),
        "time passes for the retry alone"
    );
    assert_eq!(
        occasions(&store).await,
        [Occasion::Quiet, Occasion::Time, Occasion::Quiet]
    );
    runtime.shutdown().await;
}
