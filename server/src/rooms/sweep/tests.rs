//! Two servers over one ledger: one takes messages, and the other one sweeps. Time passes when a test says so.

use std::sync::Arc;

use folkmoot::core::event::Attachment;
use folkmoot::core::event::refusal::Refusal;
use folkmoot::core::ids::{Digest, PersonName};
use folkmoot::core::port::Blobs as _;
use folkmoot::store::MemoryLedger;
use folkmoot::{File, MessageId, Post, Proof, Right, Room, Seat, SeatError};

use super::super::tests::lobby;
use super::*;
use crate::identity::Caller;

const ROOM: &str = "
world: desk
agents: [{ name: clerk, model: scripted }]
models: { scripted: { provider: scripted } }
replies: { clerk: [{ text: Noted. }] }";

const HOUR: Duration = Duration::from_secs(3_600);

/// The two servers, and a seat at the first one.
struct Two {
    ledger: Arc<MemoryLedger>,
    posts: Lobby,
    sweeps: Lobby,
    ada: Seat,
}

impl Two {
    async fn open() -> Self {
        let ledger = Arc::new(MemoryLedger::default());
        let [posts, sweeps] = [1, 2].map(|number| lobby(&ledger, number));
        let room = Room::from_yaml(ROOM).unwrap();
        posts.rooms.runtime.open_room(&room).await.unwrap();
        let ada = Caller::of(Proof::script(PersonName::new("ada").unwrap()));
        let ada = posts.seat(&ada, "desk", Right::Post).await.unwrap();
        Self {
            ledger,
            posts,
            sweeps,
            ada,
        }
    }

    /// Uploads a file.
    async fn file(&self, text: &str) -> Attachment {
        let file = File {
            name: "a.txt".to_owned(),
            media_type: "text/plain".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        self.ada.attach(file).await.unwrap()
    }

    /// Posts a message that names a file.
    async fn post(&self, file: &Attachment) -> Result<MessageId, SeatError> {
        let post = Post {
            text: "see".to_owned(),
            attachments: vec![file.clone()],
            ..Post::default()
        };
        self.ada.publish_message(post).await
    }

    async fn sweep(&self) -> usize {
        self.sweeps.sweep(HOUR).await.unwrap()
    }

    /// The world, and the files that its messages name by now, as the other server reads them.
    async fn read(&self) -> (WorldId, BTreeSet<Digest>) {
        let store = &self.sweeps.rooms.store;
        let name = WorldName::new("desk").unwrap();
        let entry = store.find(&name).await.unwrap().unwrap();
        let named = self.sweeps.files.all(store, &entry).await.unwrap();
        (entry.world, named)
    }

    async fn is_there(&self, file: &Attachment) -> bool {
        let (world, _) = self.read().await;
        let store = &self.sweeps.rooms.store;
        store.get(world, file.blob).await.unwrap().is_some()
    }
}

#[tokio::test]
async fn file_that_is_named_while_another_server_sweeps_stays() {
    let two = Two::open().await;
    let file = two.file("a plan").await;
    two.ledger.advance(2 * HOUR);
    let before = earlier(two.ledger.now(), HOUR);
    let (world, named) = two.read().await;
    assert!(named.is_empty());
    two.post(&file).await.unwrap();
    let before = SystemTime::UNIX_EPOCH + Duration::from_millis(before.0);
    let store = &two.sweeps.rooms.store;
    let removed = store.sweep_blobs(world, named, before).await.unwrap();
    assert_eq!(removed, 0);
    assert!(two.is_there(&file).await);
}

#[tokio::test]
async fn message_behind_the_sweep_is_refused() {
    let two = Two::open().await;
    let file = two.file("a plan").await;
    two.ledger.advance(2 * HOUR);
    assert_eq!(two.sweep().await, 1);
    let refused = two.post(&file).await.unwrap_err();
    assert!(
        matches!(
            refused,
            SeatError::Refused(Refusal::BadMessage { ref why }) if why.contains("attach it first")
        ),
        "{refused}"
    );
    let (_, named) = two.read().await;
    assert!(named.is_empty());
    // It is attached again as any other.
    let again = two.file("a plan").await;
    two.post(&again).await.unwrap();
}

#[tokio::test]
async fn file_that_is_about_to_be_named_stays() {
    let two = Two::open().await;
    let file = two.file("a plan").await;
    two.ledger.advance(2 * HOUR);
    let (world, _) = two.read().await;
    let store = &two.sweeps.rooms.store;
    store.touch(world, &[file.blob]).await.unwrap();
    assert_eq!(two.sweep().await, 0);
    two.post(&file).await.unwrap();
    two.ledger.advance(2 * HOUR);
    assert_eq!(two.sweep().await, 0);
    assert!(two.is_there(&file).await);
}

#[tokio::test]
async fn upload_is_looked_at_for_a_day() {
    let two = Two::open().await;
    let young = two.file("a plan").await;
    two.ledger.advance(HOUR / 2);
    assert_eq!(two.sweep().await, 0);
    assert!(two.is_there(&young).await);
    two.ledger.advance(HOUR);
    assert_eq!(two.sweep().await, 1);
    assert!(!two.is_there(&young).await);
    let old = two.file("another plan").await;
    two.ledger.advance(LOOKED_AT + 2 * HOUR);
    assert_eq!(two.sweep().await, 0);
    assert!(two.is_there(&old).await);
}

#[tokio::test]
async fn one_server_sweeps_for_all() {
    let two = Two::open().await;
    let file = two.file("a plan").await;
    two.ledger.advance(HOUR - Duration::from_secs(60));
    assert_eq!(two.sweep().await, 0);
    two.ledger.advance(Duration::from_secs(120));
    assert_eq!(two.posts.sweep(HOUR).await.unwrap(), 0);
    assert!(two.is_there(&file).await);
    two.ledger.advance(HOUR / 2);
    assert_eq!(two.posts.sweep(HOUR).await.unwrap(), 1);
}
