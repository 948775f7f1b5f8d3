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
        parts: _,
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

#[tokio::test]
async fn a_file_larger_than_a_blob_is_kept_in_parts_however_it_comes() {
    const BLOB: usize = 8 * 1024 * 1024;
    let store = Store::memory();
    let (_runtime, world) = Room::auto()
        .agent("a", &[], FakeModel::new([says("I see it")]))
        .with(|spec| spec.limits.attachment_bytes_max = u32::MAX)
        .open(&store)
        .await;
    let ada = person(&world, "ada");
    let bytes: Vec<u8> = (0..BLOB * 2 + 3).map(|at| (at % 251) as u8).collect();
    let whole = ada.attach(file("a.txt", &bytes)).await.unwrap();
    assert_eq!(whole.blob, Digest::sha256(&bytes));
    let sizes: Vec<u64> = whole.parts.iter().map(|part| part.bytes).collect();
    assert_eq!(sizes, [BLOB as u64, BLOB as u64, 3]);
    for piece in [BLOB - 1, BLOB, BLOB + 1, 3_000_001] {
        let mut keeper = ada.begin_file("a.txt", "text/plain").await.unwrap();
        for bytes in bytes.chunks(piece) {
            keeper.push(bytes).await.unwrap();
        }
        assert_eq!(keeper.finish().await, Ok(whole.clone()), "by {piece}");
    }
    let mut read = Vec::new();
    for part in whole.blobs() {
        read.extend(ada.attached(part.blob).await.unwrap().unwrap());
    }
    assert_eq!(read, bytes);
    let mut lost = whole.clone();
    lost.parts[1].blob = Digest::sha256(b"never put");
    let refused = ada.publish_message(with(vec![lost.clone()])).await;
    let blob = lost.parts[1].blob;
    assert_eq!(
        refused,
        bad(format!(
            "no file of {BLOB} bytes is kept as {blob}, which \"a.txt\" names; attach it first"
        ))
    );
    lost.parts.pop();
    let refused = ada.publish_message(with(vec![lost])).await;
    assert!(refused.is_err());
    ada.publish_message(with(vec![whole])).await.unwrap();
}
