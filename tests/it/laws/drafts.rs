//! What people see of a reply while it is written is what is posted.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot::core::content::Content;
use folkmoot::core::event::{CloseReason, Event};
use folkmoot::core::port::{Drafts, Model, ModelCall};
use folkmoot::core::response::{LLMResponse, ModelError, ModelErrorKind};
use folkmoot::core::world::Activity;
use folkmoot::{ActivityEvent, Post, Store};
use folkmoot_tests::{FakeModel, Room, person, says};

use super::events;

/// A model that speaks in pieces of as many characters as it is told.
#[derive(Debug)]
struct Speaker {
    text: &'static str,
    step: usize,
}

#[async_trait]
impl Model for Speaker {
    async fn call(&self, _call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
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
    let room = Room::auto().agent("a", &[], Arc::new(Speaker { text, step })).agent("b", &[], FakeModel::new([]));
    let store = Store::memory();
    let (_runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    let mut activity = ada.subscribe_activity().unwrap();
    ada.publish_message(Post::text("@a go")).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    let mut shown = String::new();
    while let Ok(event) = activity.try_recv() {
        if let ActivityEvent::Draft { offset, delta, .. } = event {
            assert_eq!(offset, u64::try_from(shown.len()).unwrap(), "pieces follow one another");
            shown.push_str(&delta);
        }
    }
    let said = |world: &folkmoot::core::world::World| match world.transcript().back().map(|last| last.text.clone()) {
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
            let at = |wanted: fn(&Event) -> bool| events.iter().position(wanted).expect("it is there");
            let started = at(|event| matches!(event, Event::StreamStarted(_)));
            assert!(started < at(|event| matches!(event, Event::ModelAnswered(_))), "{text:?} by {step}");
        }
    }
}

#[tokio::test]
async fn reply_of_which_nothing_remains_is_never_shown_and_passes() {
    for text in ["<world>PASS</world>", "@a", " \n", "@a <world>done"] {
        let (shown, posted, events) = spoken(text, 3).await;
        assert_eq!((shown, posted), (String::new(), None), "{text:?}");
        assert!(!events.iter().any(|event| matches!(event, Event::StreamStarted(_))), "{text:?}");
        let passed = |event: &Event| matches!(event, Event::TurnClosed(closed) if closed.reason == CloseReason::Passed);
        assert!(events.iter().any(passed), "{text:?}");
    }
}
