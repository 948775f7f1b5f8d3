//! Replies that another process writes, as those who follow see them.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::ids::{MessageId, WorldId, WorldName};
use folkmoot::core::port::{Model, ModelCall};
use folkmoot::{
    DraftEnding, DraftPieces, DraftSource, Drafts, Feed, FeedDraft, FeedEvent, FeedStart,
    LLMResponse, ModelError, Post, Runtime, Seat,
};
use folkmoot_tests::{Commons, Member, Room, person, says};
use futures::StreamExt as _;
use tokio::sync::Semaphore;

use super::{Process, id_of};

/// Nothing here takes this long; what does hangs.
const SOON: Duration = Duration::from_secs(30);

/// Says a word for each permit.
#[derive(Debug, Clone)]
struct Teller {
    may_say: Arc<Semaphore>,
    words: usize,
}

impl Teller {
    fn of(words: usize) -> Self {
        let may_say = Arc::new(Semaphore::new(0));
        Self { may_say, words }
    }

    fn room(&self) -> Room {
        Room::auto().agent("bob", &[], Arc::new(self.clone()))
    }
}

#[async_trait]
impl Model for Teller {
    async fn call(&self, _: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let mut said = String::new();
        for number in 0..self.words {
            self.may_say.acquire().await.unwrap().forget();
            let word = format!("word {number} is said. ");
            drafts.push(&word).await.unwrap();
            said.push_str(&word);
        }
        Ok(says(said.trim_end()))
    }
}

/// The drafts of whatever process holds a room: here both are in one.
#[derive(Debug, Default)]
struct Holder(OnceLock<Runtime>, Arc<()>);

impl Holder {
    /// Tells whether anybody follows its drafts.
    fn is_followed(&self) -> bool {
        Arc::strong_count(&self.1) > 1
    }
}

#[async_trait]
impl DraftSource for Holder {
    async fn follow(&self, _: WorldId, name: &WorldName) -> Option<DraftPieces> {
        let world = self.0.get()?.world(name)?;
        let pieces = world.draft_pieces().ok()??;
        let follows = Arc::clone(&self.1);
        Some(Box::pin(
            pieces.inspect(move |_| drop(Arc::clone(&follows))),
        ))
    }
}

/// A process that sees what the process in `holder` writes.
fn watching(member: Member, (room, commons): (&Room, &Commons), holder: &Arc<Holder>) -> Process {
    let runtime = Runtime::builder(&member.store())
        .assembler(room.parts())
        .tenures(Arc::new(member.clone()))
        .inbox(Arc::new(commons.clone()))
        .drafts_from(Arc::clone(holder) as _)
        .build();
    Process {
        runtime,
        member,
        work: Vec::new(),
    }
}

/// The next piece or end of a reply.
async fn next(feed: &mut Feed) -> FeedDraft {
    loop {
        if let FeedEvent::Draft(draft) = feed.next().await.unwrap().unwrap() {
            return draft;
        }
    }
}

/// The pieces of a reply, up to its end.
async fn whole(feed: &mut Feed) -> (MessageId, String, DraftEnding) {
    let mut all = String::new();
    loop {
        match next(feed).await {
            FeedDraft::Draft { offset, text, .. } => {
                assert_eq!(usize::try_from(offset).unwrap(), all.len(), "{all}");
                all.push_str(&text);
            }
            FeedDraft::DraftEnd { message, ending } => return (message, all, ending),
        }
    }
}

/// Waits until the holder's drafts are followed, or are not any more.
async fn until(holder: &Holder, seat: &Seat, is_followed: bool) {
    let changed = async {
        while holder.is_followed() != is_followed {
            seat.read(|world| world.head()).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SOON, changed).await.unwrap();
}

#[tokio::test]
async fn who_leaves_in_the_midst_of_a_reply_and_comes_back_sees_each_word_once() {
    let teller = Teller::of(3);
    let (commons, room) = (Commons::default(), teller.room());
    let first = Process::start(1, &room, &commons).serving(&commons);
    first.begin(&room).await;
    let holder = Arc::new(Holder::default());
    holder.0.set(first.runtime.clone()).unwrap();
    let other = watching(commons.member(99, 0).unfit(), (&room, &commons), &holder);
    let there = other.reach().await;
    let ada = person(&there, "ada");
    let mut feed = ada.feed(FeedStart::Now).unwrap();
    ada.publish_message(Post::text("hello")).await.unwrap();
    teller.may_say.add_permits(1);
    let FeedDraft::Draft { message, .. } = next(&mut feed).await else {
        panic!("a reply ends before it began");
    };
    drop(feed);
    until(&holder, &ada, false).await;
    let mut feed = ada.feed(FeedStart::Now).unwrap();
    until(&holder, &ada, true).await;
    teller.may_say.add_permits(2);
    let (of, text, ending) = whole(&mut feed).await;
    assert_eq!((of, ending), (message, DraftEnding::Whole));
    assert!(
        "word 0 is said. word 1 is said. word 2 is said.".starts_with(&text),
        "{text}"
    );
    assert!(text.contains("word 1"), "{text}");
}

#[tokio::test]
async fn a_reply_whose_writer_died_breaks_off_and_the_next_one_is_seen() {
    let teller = Teller::of(2);
    let (commons, room) = (Commons::default(), teller.room());
    let first = Process::start(1, &room, &commons).serving(&commons);
    first.begin(&room).await;
    let holder = Arc::new(Holder::default());
    holder.0.set(first.runtime.clone()).unwrap();
    let second = watching(commons.member(2, 10), (&room, &commons), &holder).serving(&commons);
    let there = second.reach().await;
    let ada = person(&there, "ada");
    let mut feed = ada.feed(FeedStart::Now).unwrap();
    ada.publish_message(Post::text("hello")).await.unwrap();
    teller.may_say.add_permits(1);
    let FeedDraft::Draft { message, .. } = next(&mut feed).await else {
        panic!("a reply ends before it began");
    };
    drop(first);
    commons.evict(id_of(&commons).await);
    let FeedDraft::DraftEnd {
        message: ended,
        ending,
    } = next(&mut feed).await
    else {
        panic!("a reply goes on though its writer is dead");
    };
    assert_eq!((ended, ending), (message, DraftEnding::Aborted));
    teller.may_say.add_permits(2);
    let (next, text, ending) = whole(&mut feed).await;
    assert!(next > message && text.starts_with("word 0"), "{text}");
    assert_eq!(ending, DraftEnding::Whole);
}
