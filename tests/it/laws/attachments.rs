//! What a message names is kept before the message is; nothing else is posted.

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::event::{Attachment, Event, MessagePosted, TalkEvent};
use folkmoot::core::ids::Digest;
use folkmoot::core::port::Blobs as _;
use folkmoot::core::prompt::{Attached, Item};
use folkmoot::{File, Post, Proof, SeatError, Store};
use folkmoot_tests::{FakeModel, Room, agent_name, person, says};

use super::events;

fn file(name: &str, bytes: &[u8]) -> File {
    File {
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: bytes.to_vec(),
    }
}

fn with(attachments: Vec<Attachment>) -> Post {
    Post {
        attachments,
        ..Post::text("@a look")
    }
}

fn bad<T>(why: impl Into<String>) -> Result<T, SeatError> {
    Err(SeatError::Refused(Refusal::BadMessage { why: why.into() }))
}

#[tokio::test]
async fn a_file_is_posted_heard_and_read_back() {
    let (store, model) = (Store::memory(), FakeModel::new([says("I see it")]));
    let (_runtime, world) = Room::auto()
        .agent("a", &[], model.clone())
        .open(&store)
        .await;
    let ada = person(&world, "ada");
    let attachment = ada.attach(file("a.txt", b"hello")).await.unwrap();
    assert_eq!(attachment, Attachment::of("a.txt", "text/plain", b"hello"));
    ada.publish_message(with(vec![attachment.clone()]))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    let (from, text) = ("ada".to_owned(), "@a look".to_owned());
    let Attachment {
        blob,
        media_type,
        name,
        bytes,
    } = attachment.clone();
    let heard = Item::Heard {
        from,
        text,
        attachments: vec![Attached {
            blob,
            media_type,
            name,
            bytes,
        }],
    };
    assert_eq!(model.asked()[0].request.items()[0].to_plain(), heard);
    let bob = person(&world, "bob");
    assert_eq!(
        bob.attached(attachment.blob).await,
        Ok(Some(b"hello".to_vec()))
    );
    assert_eq!(bob.attached(Digest::sha256(b"other")).await, Ok(None));
}

#[tokio::test]
async fn a_message_names_only_what_is_kept_in_its_world() {
    let store = Store::memory();
    let (_runtime, world) = Room::auto()
        .agent("a", &[], FakeModel::new([]))
        .open(&store)
        .await;
    let ada = person(&world, "ada");
    let unknown = Attachment::of("a.txt", "text/plain", b"never put");
    let why = format!(
        "no file of 9 bytes is kept as {}, which \"a.txt\" names; attach it first",
        unknown.blob
    );
    assert_eq!(ada.publish_message(with(vec![unknown])).await, bad(why));
    let kept = ada.attach(file("a.txt", b"hello")).await.unwrap();
    let larger = Attachment { bytes: 6, ..kept };
    let why = format!(
        "no file of 6 bytes is kept as {}, which \"a.txt\" names; attach it first",
        larger.blob
    );
    assert_eq!(ada.publish_message(with(vec![larger])).await, bad(why));
    assert!(!events(&store).await.iter().any(|event| matches!(
        event,
        Event::Talk(TalkEvent::MessagePosted(MessagePosted { .. }))
    )));
}

#[tokio::test]
async fn a_file_that_the_room_does_not_take_is_not_kept() {
    let store = Store::memory();
    let (_runtime, world) = Room::auto()
        .agent("a", &[], FakeModel::new([]))
        .open(&store)
        .await;
    let ada = person(&world, "ada");
    let large = vec![0; 8 * 1024 * 1024 + 1];
    let why = "the attachment \"a.txt\" has 8388609 bytes, at most 8388608 are allowed";
    assert_eq!(ada.attach(file("a.txt", &large)).await, bad(why));
    let why = "an attachment cannot be called \"../a\": it has a path separator; give the file's name alone";
    assert_eq!(ada.attach(file("../a", b"hello")).await, bad(why));
    assert_eq!(ada.attached(Digest::sha256(b"hello")).await, Ok(None));
}

#[tokio::test]
async fn an_agents_file_is_kept_nowhere_and_its_post_is_refused_and_recorded() {
    let store = Store::memory();
    let (_runtime, world) = Room::auto()
        .agent("a", &[], FakeModel::new([]))
        .open(&store)
        .await;
    let agent = world.as_principal(Proof::agent(agent_name("a")));
    let attachment = agent.attach(file("a.txt", b"hello")).await.unwrap();
    let id = world_id(&store).await;
    assert_eq!(store.get(id, attachment.blob).await.unwrap(), None);
    let refused = Refusal::Right {
        reason: RefusalReason::NotAPerson,
        decided: None,
    };
    assert_eq!(
        agent.publish_message(with(vec![attachment])).await,
        Err(SeatError::Refused(refused))
    );
    assert!(matches!(
        events(&store).await.last(),
        Some(Event::Refused(_))
    ));
}

async fn world_id(store: &Store) -> folkmoot::core::ids::WorldId {
    use folkmoot::core::port::EventLog as _;
    store
        .find(&folkmoot_tests::room_name())
        .await
        .unwrap()
        .unwrap()
        .world
}
