//! What people edit, take back and have made anew, as an observer of a running room sees it.

use folkmoot::core::ids::MessageId;
use folkmoot::core::world::Activity;
use folkmoot::{Post, Revised, Store, TextSubscription};
use folkmoot_tests::{FakeModel, Room, person, says};

#[tokio::test]
async fn observers_see_each_message_under_its_id_and_what_became_of_it() {
    let store = Store::memory();
    let model = FakeModel::new([says("first"), says("second"), says("third")]);
    let (_runtime, world) = Room::auto().agent("a", &[], model).open(&store).await;
    let seat = person(&world, "ada");
    let mut texts = seat.subscribe_text().await.unwrap();
    let mut revisions = seat.subscribe_revisions().await.unwrap();

    let mut said: Vec<(MessageId, String)> = Vec::new();

    let message = seat.publish_message(Post::text("hi")).await.unwrap();
    world.quiet().await.unwrap();
    hear(&mut texts, 2, &mut said).await;
    seat.edit(message, "hello", None).await.unwrap();
    world.quiet().await.unwrap();
    hear(&mut texts, 2, &mut said).await;
    let reply = said[3].0;
    seat.regenerate(reply, None).await.unwrap();
    world.quiet().await.unwrap();
    hear(&mut texts, 1, &mut said).await;
    seat.retract(message, None).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    assert_eq!(
        world
            .operator()
            .read(|world| world.transcript().len())
            .await,
        Ok(0)
    );

    let words: Vec<&str> = said.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(words, ["hi", "first", "hello", "second", "third"]);
    assert_eq!((said[0].0, said[2].0, said[3].0), (message, message, reply));
    let mut told = Vec::new();
    for _ in 0..3 {
        let revision = revisions.next().await.unwrap().unwrap();
        told.push((revision.message, revision.how, revision.gone.len()));
    }
    assert_eq!(
        told,
        [
            (message, Revised::Edited, 2),
            (reply, Revised::Regenerated, 1),
            (message, Revised::Retracted, 2)
        ]
    );
}

/// Hears the next `count` messages.
async fn hear(texts: &mut TextSubscription, count: usize, said: &mut Vec<(MessageId, String)>) {
    for _ in 0..count {
        let text = texts.next().await.unwrap().unwrap();
        said.push((text.message, text.text));
    }
}
