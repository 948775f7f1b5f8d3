//! Who sits where reads what they may read, and only as long as they may.

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::event::{Event, Right, Rights};
use folkmoot::core::ids::{Digest, Position};
use folkmoot::{
    File, Post, RevisionSubscription, Seat, SeatError, Store, TextSubscription, WorldHandle,
};
use folkmoot_tests::{FakeModel, Room, agent_name, person, says};

use super::events;

async fn set(world: &WorldHandle, seat: &Seat, rights: &[Right]) {
    let who = seat.principal().person().unwrap();
    let rights = Rights(rights.iter().copied().collect());
    world
        .operator()
        .set_rights(&who.method, &who.subject, Some(rights), None)
        .await
        .unwrap();
}

fn no_right<T: std::fmt::Debug>(answer: Result<T, SeatError>) {
    let refusal = Refusal::Right {
        reason: RefusalReason::NoRight,
        decided: None,
    };
    assert_eq!(answer.unwrap_err(), SeatError::Refused(refusal));
}

async fn open(store: &Store) -> (folkmoot::Runtime, WorldHandle) {
    Room::auto()
        .agent("a", &[], FakeModel::new([says("first"), says("second")]))
        .open(store)
        .await
}

#[tokio::test]
async fn nothing_is_read_without_the_right_to_read() {
    let store = Store::memory();
    let (_runtime, world) = open(&store).await;
    let kim = person(&world, "kim");
    set(&world, &kim, &[Right::Post, Right::Decide, Right::Operate]).await;
    no_right(kim.read(|world| world.head()).await);
    no_right(kim.transcript(None, 10).await);
    no_right(kim.attached(Digest::sha256(b"x")).await);
    no_right(kim.subscribe_text().await);
    no_right(kim.subscribe_tool_results(&agent_name("a")).await);
    no_right(kim.subscribe_revisions().await);
    no_right(kim.subscribe_activity());
    no_right(TextSubscription::from(&kim, Position::new(1)).await);
    no_right(RevisionSubscription::from(&kim, Position::new(1)).await);
    kim.publish_message(Post::text("hi")).await.unwrap();
    set(&world, &kim, &[Right::Read]).await;
    world.quiet().await.unwrap();
    assert_eq!(kim.read(|world| world.transcript().len()).await, Ok(2));
    assert_eq!(kim.transcript(None, 10).await.unwrap().entries.len(), 2);
}

#[tokio::test]
async fn subscriptions_end_when_the_right_is_taken_away() {
    let store = Store::memory();
    let (_runtime, world) = open(&store).await;
    let (ada, kim) = (person(&world, "ada"), person(&world, "kim"));
    let mut texts = kim.subscribe_text().await.unwrap();
    let mut results = kim.subscribe_tool_results(&agent_name("a")).await.unwrap();
    let mut revisions = kim.subscribe_revisions().await.unwrap();
    let mut activity = kim.subscribe_activity().unwrap();
    ada.publish_message(Post::text("hi")).await.unwrap();
    world.quiet().await.unwrap();
    assert_eq!(texts.next().await.unwrap().unwrap().text, "hi");
    let waits = tokio::spawn(async move { revisions.next().await });
    set(&world, &kim, &[Right::Post]).await;
    ada.publish_message(Post::text("secret")).await.unwrap();
    world.quiet().await.unwrap();
    assert_eq!(texts.next().await.unwrap(), None);
    assert_eq!(results.next().await.unwrap(), None);
    assert_eq!(waits.await.unwrap().unwrap(), None);
    assert!(activity.recv().await.is_err() && activity.try_recv().is_err());
    let mut of_ada = TextSubscription::from(&ada, Position::new(1))
        .await
        .unwrap();
    assert_eq!(of_ada.next().await.unwrap().unwrap().text, "hi");
}

#[tokio::test]
async fn whoever_may_not_post_has_the_attempt_recorded_and_no_file_kept() {
    let store = Store::memory();
    let (_runtime, world) = open(&store).await;
    let kim = person(&world, "kim");
    set(&world, &kim, &[Right::Read]).await;
    let file = File {
        name: "a.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: b"hello".to_vec(),
    };
    let attachment = kim.attach(file).await.unwrap();
    let post = Post {
        attachments: vec![attachment],
        ..Post::text("hi")
    };
    no_right(kim.publish_message(post).await);
    assert_eq!(kim.attached(Digest::sha256(b"hello")).await, Ok(None));
    let refused = |event: &Event| matches!(event, Event::Refused(refused) if refused.reason == RefusalReason::NoRight);
    assert_eq!(
        events(&store)
            .await
            .iter()
            .filter(|event| refused(event))
            .count(),
        1
    );
}
