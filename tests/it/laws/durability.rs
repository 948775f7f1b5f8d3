//! What is seen is durable, what cannot be made durable stops the room, and what is durable is not lost on anybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::core::world::Activity;
use folkmoot::{Key, Post, SeatError, Store};
use folkmoot_tests::{
    Cut, FakeModel, FakeTool, Hold, Probe, Room, Side, person, room_name, says, wants,
};
use futures::FutureExt as _;

use super::events;

#[tokio::test]
async fn nobody_sees_a_message_before_it_is_durable() {
    let (store, hold) = (Store::memory(), Arc::new(Hold::default()));
    let room = Room::auto().agent("a", &[], FakeModel::new([says("hello")]));
    hold.release(1);
    let (_runtime, world) = room.open_through(&store, Arc::clone(&hold) as _).await;
    hold.arrival().await;
    world.quiet().await.unwrap();
    let seat = person(&world, "ada");
    let mut texts = seat.subscribe_text().await.unwrap();
    let mut activity = seat.subscribe_activity().unwrap();
    let posting = tokio::spawn({
        let seat = seat.clone();
        async move { seat.publish_message(Post::text("hi")).await }
    });
    hold.arrival().await;
    assert!(
        texts.next().now_or_never().is_none(),
        "the message was seen before it was durable"
    );
    assert!(
        activity.try_recv().is_err(),
        "something was announced before it was durable"
    );
    assert!(
        !posting.is_finished(),
        "the answer came before the message was durable"
    );

    hold.release(100);
    let message = posting.await.unwrap().unwrap();
    let seen = texts.next().await.unwrap().unwrap();
    assert_eq!((seen.message, seen.text.as_str()), (message, "hi"));
    assert_eq!(texts.next().await.unwrap().unwrap().text, "hello");
}

#[tokio::test]
async fn no_tool_runs_before_its_start_is_durable() {
    let (store, hold, runs) = (
        Store::memory(),
        Arc::new(Hold::default()),
        Arc::new(AtomicUsize::new(0)),
    );
    let counted = Arc::clone(&runs);
    let tool = FakeTool::new("write", EffectClass::Write, move |_call| {
        let runs = Arc::clone(&counted);
        async move { ToolOutcome::text(format!("run {}", runs.fetch_add(1, Ordering::SeqCst))) }
    });
    let room = Room::auto()
        .agent(
            "a",
            &["write"],
            FakeModel::new([wants(&["write"]), says("done")]),
        )
        .tool(tool);
    // The opening, and the message with the model call are let through; the answer with the start is not.
    hold.release(2);
    let (_runtime, world) = room.open_through(&store, Arc::clone(&hold) as _).await;
    person(&world, "ada")
        .publish_message(Post::text("hi"))
        .await
        .unwrap();
    for _ in 0..3 {
        hold.arrival().await;
    }
    assert_eq!(
        runs.load(Ordering::SeqCst),
        0,
        "it ran before its start was durable"
    );
    hold.release(100);
    world.quiet().await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_append_that_fails_stops_the_room_and_says_why() {
    let (store, probe) = (Store::memory(), Probe::default());
    let room = Room::auto().agent("a", &[], FakeModel::new([says("hello")]));
    let cut = Cut::after(1, Side::After, &probe);
    let (runtime, world) = room.open_through(&store, Arc::new(cut)).await;
    let seat = person(&world, "ada");
    let is_told = |error: &SeatError| matches!(error, SeatError::Stopped(why) if why.contains("the test cuts the run"));
    let error = seat.publish_message(Post::text("hi")).await.unwrap_err();
    assert!(is_told(&error), "{error}");
    assert!(is_told(&world.quiet().await.unwrap_err()));
    assert!(is_told(&world.operator().read(|_| ()).await.unwrap_err()));
    assert!(is_told(
        &seat.publish_message(Post::text("hi")).await.unwrap_err()
    ));
    assert!(!world.is_open() && runtime.world(&room_name()).is_none());
    // Nothing of it happened: the room is opened again as it was.
    let (_runtime, world) = room.open(&store).await;
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    assert_eq!(
        world
            .operator()
            .read(|world| world.transcript().len())
            .await,
        Ok(0)
    );
}

#[tokio::test]
async fn an_append_that_fails_while_a_model_answers_stops_the_room_visibly() {
    let (store, probe) = (Store::memory(), Probe::default());
    let room = Room::auto().agent("a", &[], FakeModel::new([says("hello")]));
    // Opening, the message and the model call are let through; the answer is not.
    let (_runtime, world) = room
        .open_through(&store, Arc::new(Cut::after(3, Side::After, &probe)))
        .await;
    person(&world, "ada")
        .publish_message(Post::text("hi"))
        .await
        .unwrap();
    assert!(
        matches!(world.quiet().await, Err(SeatError::Stopped(why)) if why.contains("the test cuts the run"))
    );
}

#[tokio::test]
async fn a_slow_observer_misses_nothing() {
    const MESSAGES: usize = 1_500;
    let store = Store::memory();
    let (_runtime, world) = Room::auto()
        .agent("a", &[], FakeModel::new([]))
        .open(&store)
        .await;
    let seat = person(&world, "ada");
    let mut texts = seat.subscribe_text().await.unwrap();
    let said: Vec<String> = (0..MESSAGES)
        .map(|number| format!("@nobody {number}"))
        .collect();
    for text in &said {
        seat.publish_message(Post::text(text)).await.unwrap();
    }
    for text in &said {
        assert_eq!(texts.next().await.unwrap().unwrap().text, *text);
    }
    assert!(
        texts.next().now_or_never().is_none(),
        "there is one message too many"
    );
}

#[tokio::test]
async fn a_key_makes_sending_again_harmless_even_after_a_restart() {
    let store = Store::memory();
    let room = Room::auto().agent("a", &[], FakeModel::new([says("hello")]));
    let (runtime, world) = room.open(&store).await;
    let post = |text: &str| Post {
        key: Some(Key::Client("post-1".to_owned())),
        ..Post::text(text)
    };
    let first = person(&world, "ada")
        .publish_message(post("hi"))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    assert_eq!(
        person(&world, "ada").publish_message(post("hi")).await,
        Ok(first)
    );
    let reused = SeatError::KeyReused("post-1".to_owned());
    assert_eq!(
        person(&world, "ada")
            .publish_message(post("hi, again"))
            .await,
        Err(reused.clone())
    );
    assert_eq!(
        person(&world, "bob").publish_message(post("hi")).await,
        Err(reused.clone())
    );
    let before = events(&store).await.len();
    runtime.shutdown().await;

    let (_runtime, world) = room.open(&store).await;
    assert_eq!(
        person(&world, "ada").publish_message(post("hi")).await,
        Ok(first)
    );
    assert_eq!(
        person(&world, "ada").publish_message(post("no")).await,
        Err(reused)
    );
    assert_eq!(
        events(&store).await.len(),
        before + 1,
        "only the opening was added"
    );
}
