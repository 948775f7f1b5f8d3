//! What people see of a reply while it is written is what is posted.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot::core::content::Content;
use folkmoot::core::event::{CloseReason, Event, TurnEvent};
use folkmoot::core::model::response::{LLMResponse, ModelError, ModelErrorKind};
use folkmoot::core::port::{Drafts, Model, ModelCall};
use folkmoot::core::world::Activity;
use folkmoot::core::world::projection::FeedBody;
use folkmoot::{ActivityEvent, DraftEnding, FeedDraft, FeedEvent, FeedStart, Post, Store};
use folkmoot_tests::{FakeModel, Hold, Room, person, says};
use tokio::sync::Notify;

use super::events;

/// A model that speaks in pieces of as many characters as it is told.
#[derive(Debug)]
struct Speaker {
    text: &'static str,
    step: usize,
}

#[async_trait]
impl Model for Speaker {
    async fn call(
        &self,
        _call: &ModelCall,
        drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        let chars: Vec<char> = self.text.chars().collect();
        for piece in chars.chunks(self.step) {
            let said: String = piece.iter().collect();
            let stopped = |_| ModelError::new(ModelErrorKind::Outage, "stopped");
            drafts.push(&said).await.map_err(stopped)?;
        }
        Ok(says(self.text))
    }
}

/// What is shown while `a` says `text` in pieces of `step` characters, what it posts, and what is in the log.
async fn spoken(text: &'static str, step: usize) -> (String, Option<String>, Vec<Event>) {
    let room = Room::auto()
        .agent("a", &[], Arc::new(Speaker { text, step }))
        .agent("b", &[], FakeModel::new([]));
    let store = Store::memory();
    let (_runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    let mut activity = ada.subscribe_activity().unwrap();
    ada.publish_message(Post::text("@a go")).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    let mut shown = String::new();
    while let Ok(event) = activity.try_recv() {
        if let ActivityEvent::Draft { offset, delta, .. } = event {
            assert_eq!(
                offset,
                u64::try_from(shown.len()).unwrap(),
                "pieces follow one another"
            );
            shown.push_str(&delta);
        }
    }
    let said = |world: &folkmoot::core::world::World| match world
        .transcript()
        .back()
        .map(|last| last.text.clone())
    {
        Some(Content::Present(text)) if world.transcript().len() > 1 => Some(text),
        _ => None,
    };
    let posted = world.operator().read(said).await.unwrap();
    (shown, posted, events(&store).await)
}

#[tokio::test]
async fn drafts_are_pieces_of_the_message_that_is_posted() {
    let texts = [
        "All is well.",
        "@a, the plan:\n\n- one\n- two\n",
        "@ada all\nis well <world>TO: ada</world>",
        "ok\n<world>pass",
        "x <world",
    ];
    for text in texts {
        for step in [1, 2, 5, 100] {
            let (shown, posted, events) = spoken(text, step).await;
            assert_eq!(Some(shown), posted, "{text:?} by {step}");
            let at =
                |wanted: fn(&Event) -> bool| events.iter().position(wanted).expect("it is there");
            let started = at(|event| matches!(event, Event::Turn(TurnEvent::StreamStarted(_))));
            assert!(
                started < at(|event| matches!(event, Event::Turn(TurnEvent::ModelAnswered(_)))),
                "{text:?} by {step}"
            );
        }
    }
}

#[tokio::test]
async fn no_word_is_shown_before_its_stream_is_durable() {
    let (store, hold) = (Store::memory(), Arc::new(Hold::default()));
    let room = Room::auto().agent(
        "a",
        &[],
        Arc::new(Speaker {
            text: "All is well.",
            step: 3,
        }),
    );
    // The opening, and the message with the model call are let through; the stream is not.
    hold.release(2);
    let (_runtime, world) = room.open_through(&store, Arc::clone(&hold) as _).await;
    let ada = person(&world, "ada");
    let mut activity = ada.subscribe_activity().unwrap();
    ada.publish_message(Post::text("go")).await.unwrap();
    for _ in 0..3 {
        hold.arrival().await;
    }
    let mut is_shown = || {
        let mut shown = std::iter::from_fn(|| activity.try_recv().ok());
        shown.any(|event| matches!(event, ActivityEvent::Draft { .. }))
    };
    assert!(
        !is_shown(),
        "a word was shown before its stream was durable"
    );
    hold.release(100);
    world.quiet().await.unwrap();
    assert!(is_shown());
}

#[tokio::test]
async fn reply_of_which_nothing_remains_is_never_shown_and_passes() {
    for text in ["<world>PASS</world>", "@a", " \n", "@a <world>done"] {
        let (shown, posted, events) = spoken(text, 3).await;
        assert_eq!((shown, posted), (String::new(), None), "{text:?}");
        assert!(
            !events
                .iter()
                .any(|event| matches!(event, Event::Turn(TurnEvent::StreamStarted(_)))),
            "{text:?}"
        );
        let passed = |event: &Event| matches!(event, Event::Turn(TurnEvent::TurnClosed(closed)) if closed.reason == CloseReason::Passed);
        assert!(events.iter().any(passed), "{text:?}");
    }
}

/// A model that says its pieces, and then waits until it is let go; it answers, or breaks off.
#[derive(Debug)]
struct Held {
    pieces: &'static [&'static str],
    go_on: Arc<Notify>,
    breaks_off: bool,
}

#[async_trait]
impl Model for Held {
    async fn call(
        &self,
        _call: &ModelCall,
        drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        let outage = || ModelError::new(ModelErrorKind::Outage, "it broke off");
        for piece in self.pieces {
            drafts.push(piece).await.map_err(|_| outage())?;
        }
        self.go_on.notified().await;
        if self.breaks_off {
            Err(outage())
        } else {
            Ok(says(&self.pieces.concat()))
        }
    }
}

const PIECES: &[&str] = &["All ", "is wéll", " here,", " and there."];

/// Watches a reply until its draft ends: what could be read of it from each byte on while it was written, how it ended,
/// and what can still be read of it then.
async fn watched(breaks_off: bool) -> (Vec<String>, Vec<DraftEnding>, Vec<ActivityEvent>) {
    let go_on = Arc::new(Notify::new());
    let held = Held {
        pieces: PIECES,
        go_on: Arc::clone(&go_on),
        breaks_off,
    };
    let store = Store::memory();
    let (_runtime, world) = Room::auto()
        .agent("a", &[], Arc::new(held))
        .open(&store)
        .await;
    let ada = person(&world, "ada");
    let mut activity = ada.subscribe_activity().unwrap();
    ada.publish_message(Post::text("@a go")).await.unwrap();
    let whole: usize = PIECES.concat().len();
    let message = loop {
        if let ActivityEvent::Draft {
            message,
            offset,
            delta,
            ..
        } = activity.recv().await.unwrap()
            && usize::try_from(offset).unwrap() + delta.len() >= whole - 1
        {
            break message;
        }
    };
    let text = |from: usize| {
        let mut at = from;
        let mut text = String::new();
        for event in ada
            .drafts_since(message, u64::try_from(from).unwrap())
            .unwrap()
        {
            let ActivityEvent::Draft { offset, delta, .. } = event else {
                continue;
            };
            let skipped = at.saturating_sub(usize::try_from(offset).unwrap());
            text.push_str(delta.get(skipped..).unwrap_or_default());
            at += delta.len() - skipped;
        }
        text
    };
    let boundaries = (0..whole).filter(|at| PIECES.concat().is_char_boundary(*at));
    let read = boundaries.map(text).collect();
    go_on.notify_one();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    let mut endings = Vec::new();
    while let Ok(event) = activity.try_recv() {
        if let ActivityEvent::DraftEnded {
            ending,
            message: ended,
            ..
        } = event
        {
            assert_eq!(ended, message);
            endings.push(ending);
        }
    }
    let left = ada.drafts_since(message, 0).unwrap();
    (read, endings, left)
}

#[tokio::test]
async fn reader_that_comes_late_gets_a_draft_from_any_byte_on_until_its_one_end() {
    for (breaks_off, ending) in [(false, DraftEnding::Whole), (true, DraftEnding::Aborted)] {
        let (read, endings, left) = watched(breaks_off).await;
        let whole = read.first().cloned().unwrap_or_default();
        assert!(whole.starts_with("All is wéll here, and there"), "{whole}");
        assert!(
            read.iter().all(|from| whole.ends_with(from.as_str())),
            "{read:?}"
        );
        assert_eq!((endings, left), (vec![ending], vec![]));
    }
}

#[tokio::test]
async fn a_feed_shows_a_draft_and_its_end_before_the_message() {
    let text = "@ada all is well <world>TO: ada</world>";
    let room = Room::auto().agent("a", &[], Arc::new(Speaker { text, step: 5 }));
    let store = Store::memory();
    let (runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    let mut feed = ada.feed(FeedStart::Now).unwrap();
    ada.publish_message(Post::text("go")).await.unwrap();
    // A reader that is quick enough sees pieces; one that is not sees the message at once. Both are told of each end.
    let (mut shown, mut ended, mut said) = (String::new(), Vec::new(), None);
    while said.is_none() {
        match feed.next().await.unwrap().unwrap() {
            FeedEvent::Draft(FeedDraft::Draft { offset, text, .. }) => {
                assert_eq!(offset, u64::try_from(shown.len()).unwrap());
                shown.push_str(&text);
            }
            FeedEvent::Draft(FeedDraft::DraftEnd { message, ending }) => {
                ended.push((message, ending));
            }
            FeedEvent::Item(item) => match item.body {
                FeedBody::Message { message, text, .. } if item.agent.is_some() => {
                    said = Some((message, text.unwrap()));
                }
                _ => {}
            },
        }
    }
    let (message, text) = said.unwrap();
    assert!(
        text.starts_with(&shown),
        "{shown:?} is no beginning of {text:?}"
    );
    let expected: &[_] = if shown.is_empty() {
        &[]
    } else {
        &[(message, DraftEnding::Whole)]
    };
    assert_eq!(ended, expected);
    runtime.shutdown().await;
}

#[tokio::test]
async fn a_feed_goes_on_inside_a_draft_and_tells_of_one_that_broke_off() {
    let store = Store::memory();
    let held = Held {
        pieces: PIECES,
        go_on: Arc::new(Notify::new()),
        breaks_off: true,
    };
    let room = Room::auto().agent("a", &[], Arc::new(held));
    let (runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    let mut first = ada.feed(FeedStart::Now).unwrap();
    ada.publish_message(Post::text("go")).await.unwrap();
    let mut shown = Vec::new();
    while shown.len() < 2 {
        if let FeedEvent::Draft(draft) = first.next().await.unwrap().unwrap() {
            shown.push(draft);
        }
    }
    let FeedDraft::Draft {
        message, offset, ..
    } = shown[1].clone()
    else {
        panic!("a draft ended early")
    };
    let mut back = ada.feed(FeedStart::Now).unwrap();
    back.resume_draft(message, offset);
    assert_eq!(
        back.next().await.unwrap(),
        Some(FeedEvent::Draft(shown[1].clone()))
    );
    ada.stop(None, None).await.unwrap();
    let ending = DraftEnding::Aborted;
    let end = FeedEvent::Draft(FeedDraft::DraftEnd { message, ending });
    for feed in [&mut first, &mut back] {
        assert_eq!(
            feed.next().await.unwrap(),
            Some(end.clone()),
            "before all that is durable"
        );
    }
    runtime.shutdown().await;
}
