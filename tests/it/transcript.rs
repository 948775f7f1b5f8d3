//! Pages of a transcript: whole, as it stands now, and at a cost that the length of the log does not touch.

use std::sync::Arc;

use folkmoot::core::command::commit::StepKey;
use folkmoot::core::content::Content;
use folkmoot::core::event::{
    Author, Event, MessageBody, MessageEdited, MessageRetracted, TalkEvent,
};
use folkmoot::core::ids::{Digest, MessageId, PersonName, Position};
use folkmoot::core::port::EventLog as _;
use folkmoot::{
    FoldError, Post, Proof, Runtime, Store, TranscriptEntry, TranscriptPage, WorldName,
    read_transcript,
};
use folkmoot_tests::{Meter, Room, commits_of, person, room_name};

/// A room in which `count` things were said.
async fn said(store: &Store, count: usize) -> Runtime {
    let (runtime, world) = Room::auto().open(store).await;
    let ada = person(&world, "ada");
    for number in 0..count {
        ada.publish_message(Post::text(format!("message {number}")))
            .await
            .unwrap();
    }
    runtime
}

fn texts(page: &TranscriptPage) -> Vec<String> {
    let text = |entry: &TranscriptEntry| match entry {
        TranscriptEntry::Message(message) => message.text.clone(),
        TranscriptEntry::Notice(_) | TranscriptEntry::Shown(_) => None,
    };
    page.entries.iter().filter_map(text).collect()
}

async fn page(store: &Store, before: Option<Position>, limit: usize) -> TranscriptPage {
    read_transcript(store, &room_name(), before, limit)
        .await
        .unwrap()
}

/// All pages of `limit` from the newest on.
async fn all(store: &Store, limit: usize) -> Vec<TranscriptEntry> {
    let (mut entries, mut next) = (Vec::new(), None);
    loop {
        let page = page(store, next, limit).await;
        assert!(page.entries.len() <= limit);
        entries.extend(page.entries);
        if page.next.is_none() {
            return entries;
        }
        next = page.next;
    }
}

/// Appends one event to a closed room.
async fn append(store: &Store, event: Event) {
    let last = commits_of(store, &room_name()).await.pop().unwrap();
    let incarnation = store.find(&room_name()).await.unwrap().unwrap().incarnation;
    let mut commit = last.clone();
    commit.header.first = last.last().next();
    commit.header.key = None;
    commit.events = vec![event];
    store.append(incarnation, vec![commit]).await.unwrap();
}

#[tokio::test]
async fn pages_of_every_size_and_from_every_position_agree() {
    let store = Store::memory();
    let _runtime = said(&store, 12).await;
    let whole = all(&store, 1_000).await;
    let expected: Vec<String> = (0..12)
        .rev()
        .map(|number| format!("message {number}"))
        .collect();
    assert_eq!(
        texts(&TranscriptPage {
            entries: whole.clone(),
            next: None
        }),
        expected
    );
    for limit in [1, 2, 3, 7] {
        assert_eq!(all(&store, limit).await, whole, "pages of {limit}");
    }
    let head = store.find(&room_name()).await.unwrap().unwrap().head;
    for before in 0..=head.get() + 3 {
        let before = Position::new(before);
        let found = read_transcript(&store, &room_name(), Some(before), 1_000)
            .await
            .unwrap();
        let expected: Vec<_> = whole
            .iter()
            .filter(|entry| entry.at() < before)
            .cloned()
            .collect();
        assert_eq!(
            found,
            TranscriptPage {
                entries: expected,
                next: None
            },
            "before {before}"
        );
    }
}

#[tokio::test]
async fn a_page_in_the_middle_shows_no_message_that_was_taken_back_or_edited_later() {
    let store = Store::memory();
    said(&store, 6).await.shutdown().await;
    let whole = all(&store, 100).await;
    let at = |back: usize| whole[back].at();
    let (first, second, last) = (at(5), at(4), at(0));
    let gone = vec![second, at(3)];
    append(
        &store,
        Event::Talk(TalkEvent::MessageRetracted(MessageRetracted {
            message: MessageId(second),
            at: second,
            gone,
        })),
    )
    .await;
    let edited = MessageEdited {
        message: MessageId(first),
        at: first,
        author: Author::Person(PersonName::new("ada").unwrap()),
        reply_to: None,
        gone: vec![first],
        body: Content::Present(MessageBody {
            text: "in other words".to_owned(),
            attachments: Vec::new(),
        }),
    };
    append(&store, Event::Talk(TalkEvent::MessageEdited(edited))).await;
    let now = ["in other words", "message 5", "message 4", "message 3"];
    assert_eq!(texts(&page(&store, None, 100).await), now);
    assert_eq!(texts(&page(&store, Some(last.next()), 100).await), now[1..]);
    assert_eq!(texts(&page(&store, Some(at(1)), 100).await), now[3..]);
    assert_eq!(texts(&page(&store, Some(at(2)), 100).await), [""; 0]);
    let found = all(&store, 1).await;
    assert_eq!(
        texts(&TranscriptPage {
            entries: found,
            next: None
        }),
        now
    );
}

#[tokio::test]
async fn a_page_costs_what_is_on_it_however_long_the_log_is() {
    let mut costs = Vec::new();
    for count in [100, 2_000] {
        let store = Store::memory();
        said(&store, count).await.shutdown().await;
        let meter = Arc::new(Meter::default());
        let runtime = Runtime::builder(&store)
            .build()
            .through(Arc::clone(&meter) as _);
        let middle = all_at(&store, count / 2).await;
        for before in [None, Some(middle)] {
            let read_before = meter.commits_read();
            let page = read_transcript(&**runtime.log(), &room_name(), before, 10)
                .await
                .unwrap();
            assert_eq!(page.entries.len(), 10);
            costs.push(meter.commits_read() - read_before);
        }
    }
    assert_eq!(
        costs[..2],
        costs[2..],
        "commits read for the newest page and for one in the middle"
    );
    assert!(costs.iter().all(|cost| *cost <= 40), "{costs:?}");
}

/// Where the message with the number `number` stands.
async fn all_at(store: &Store, number: usize) -> Position {
    let commits = commits_of(store, &room_name()).await;
    let is_it = |event: &Event| match event {
        Event::Talk(TalkEvent::MessagePosted(posted)) => posted
            .body
            .present()
            .is_some_and(|body| body.text == format!("message {number}")),
        _ => false,
    };
    let at = |commit: &folkmoot::core::command::commit::Commit| {
        commit
            .numbered()
            .find(|(_, event)| is_it(event))
            .map(|(at, _)| at)
    };
    commits.iter().find_map(at).unwrap()
}

#[tokio::test]
async fn where_little_was_said_a_page_ends_early_and_says_where_to_go_on() {
    let store = Store::memory();
    let (runtime, world) = Room::auto().open(&store).await;
    person(&world, "ada")
        .publish_message(Post::text("long ago"))
        .await
        .unwrap();
    let seat = world.as_principal(Proof::world());
    for index in 0..300 {
        seat.record_step(StepKey { run: 1, index }, Digest::default())
            .await
            .unwrap();
    }
    let newest = page(&store, None, 1).await;
    assert!(
        newest.entries.is_empty() && newest.next.is_some(),
        "{newest:?}"
    );
    assert_eq!(
        texts(&TranscriptPage {
            entries: all(&store, 1).await,
            next: None
        }),
        ["long ago"]
    );
    runtime.shutdown().await;
}

#[tokio::test]
async fn a_world_that_is_not_there_has_no_transcript() {
    let store = Store::memory();
    let nowhere = WorldName::new("nowhere").unwrap();
    let error = read_transcript(&store, &nowhere, None, 10)
        .await
        .unwrap_err();
    assert!(matches!(error, FoldError::NoSuchWorld(name) if name == nowhere));
}
