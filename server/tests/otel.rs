//! Spans of a server, taken by a receiver that decodes them with the official types.
//!
//! No test waits for a time: each waits for a request, or for a count, under the deadline of all.
#![cfg(feature = "otel")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panics"
)]
#![expect(dead_code, reason = "the harness serves other tests too")]

#[path = "attacks/harness.rs"]
mod harness;
#[path = "otel/receiver.rs"]
mod receiver;

use std::time::Duration;

use folkmoot::otlp::Encoding;
use folkmoot::spans::Capture;
use folkmoot::{Runtime, Store};
use folkmoot_server::{Collector, Compression, OtlpSettings, Pace, ServerLimits};
use harness::{DEADLINE, Served};
use receiver::{Answer, Receiver, Told, silent, told_to};
use tokio::task::JoinHandle;
use tracing::instrument::WithSubscriber as _;

/// Waits that are as short as can be.
const QUICK: Pace = Pace {
    look_every: Duration::from_millis(5),
    pause_min: Duration::from_millis(5),
    pause_max: Duration::from_millis(5),
    flush_timeout: Duration::from_millis(500),
};

fn settings(endpoint: &str) -> OtlpSettings {
    let settings = OtlpSettings::read(Some(endpoint), |_| None).unwrap();
    OtlpSettings {
        pace: QUICK,
        timeout: Duration::from_millis(200),
        ..settings
    }
}

/// A server that sends its spans as `settings` say.
async fn traced(store: &Store, settings: OtlpSettings) -> (Served, JoinHandle<()>) {
    let served = Served::over(store, ServerLimits::default()).await;
    let server = served.server.clone();
    let drain = served.drain.clone();
    let collector = Collector::new(settings).unwrap();
    let tracing = async move { server.trace(collector, &drain).await.unwrap() };
    let tracing = tokio::spawn(tracing.with_current_subscriber());
    (served, tracing)
}

async fn post(served: &Served, room: &str, text: &str) {
    let path = format!("/v1/worlds/{room}/messages");
    let body = serde_json::json!({ "text": text }).to_string();
    let posted = served.ask("POST", &path, &body).await;
    assert_eq!(posted.status, 201, "{}", posted.text);
}

/// Ends the server, and what sends its spans.
async fn end(served: Served, tracing: JoinHandle<()>) {
    served.drain.begin();
    within(tracing).await.unwrap();
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap()
}

async fn count(served: &Served, name: &str) -> u64 {
    let counts = served.ask("GET", "/metrics", "").await.text;
    let line = counts.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0, |count| count.trim().parse().unwrap())
}

/// Waits until as many spans were counted.
async fn counted(served: &Served, name: &str, at_least: u64) {
    within(async {
        while count(served, name).await < at_least {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_turn_is_sent_as_a_tree_with_the_times_of_the_log() {
    let receiver = Receiver::start(Answer::Take).await;
    let store = Store::memory();
    let (served, tracing) = traced(&store, settings(&receiver.url)).await;
    let room = served.room().await;
    post(&served, &room, "a secret word").await;
    let spans = within(receiver.spans(2)).await;
    let named = |name: &str| {
        let found = spans.iter().find(|span| span.name.starts_with(name));
        found.unwrap_or_else(|| panic!("no {name} in {spans:?}"))
    };
    let turn = named("invoke_agent clerk");
    let chat = named("chat ");
    assert_eq!(chat.trace_id, turn.trace_id);
    assert_eq!(chat.parent_span_id, turn.span_id);
    assert_eq!(turn.parent_span_id, Vec::<u8>::new());
    assert_eq!((turn.trace_id.len(), turn.span_id.len()), (16, 8));
    assert_eq!((turn.kind, chat.kind), (1, 3));
    assert_eq!(receiver::text(chat, "gen_ai.operation.name"), "chat");
    assert_eq!(receiver::text(chat, "gen_ai.conversation.id"), room);
    assert_eq!(receiver::text(chat, "gen_ai.provider.name"), "scripted");
    assert_eq!(receiver::text(turn, "gen_ai.agent.name"), "clerk");
    let path = format!("/v1/worlds/{room}/export?format=otlp");
    let log = served.ask("GET", &path, "").await;
    assert_eq!(log.status, 200, "{}", log.text);
    // The answer comes in chunks, each behind its length.
    let line = log.text.lines().find(|line| line.starts_with('{'));
    let exported = Encoding::Json.read(line.unwrap().as_bytes());
    let exported = receiver::spans_of(exported.unwrap());
    assert_eq!(exported, spans, "an export gives the same");
    assert!(!receiver.has_seen("secret"), "no words unless asked for");
    end(served, tracing).await;
}

#[tokio::test]
async fn words_are_sent_if_they_are_asked_for() {
    let receiver = Receiver::start(Answer::Take).await;
    let settings = OtlpSettings {
        capture: Capture::Words,
        encoding: Encoding::Json,
        compression: Compression::Gzip,
        ..settings(&receiver.url)
    };
    let (served, tracing) = traced(&Store::memory(), settings).await;
    let room = served.room().await;
    post(&served, &room, "a secret word").await;
    let spans = within(receiver.spans(2)).await;
    let heard = spans.iter().find(|span| span.name.starts_with("invoke"));
    let heard = receiver::text(heard.unwrap(), "gen_ai.input.messages");
    assert!(heard.contains("a secret word"), "{heard}");
    let said = spans.iter().find(|span| span.name.starts_with("chat"));
    let said = receiver::text(said.unwrap(), "gen_ai.output.messages");
    assert!(said.contains("Noted."), "{said}");
    end(served, tracing).await;
}

/// Endpoints that are broken, each in its own way.
#[tokio::test]
async fn a_broken_collector_holds_no_room_up_and_is_said_once() {
    let closed = "http://127.0.0.1:9".to_owned();
    let silent = silent().await;
    let busy = Receiver::start(Answer::Status(503)).await;
    for url in [closed, silent.url.clone(), busy.url.clone()] {
        let told = Told::default();
        let ((), lines) = told_to(&told, async {
            let (served, tracing) = traced(&Store::memory(), settings(&url)).await;
            let room = served.room().await;
            for number in 0..10 {
                post(&served, &room, &format!("message {number}")).await;
            }
            // The room goes on to its end, whatever becomes of its spans.
            within(quiet(&served, &room)).await;
            within(told.has("spans are not taken")).await;
            assert_eq!(count(&served, "folkmoot_spans_sent_total").await, 0);
            end(served, tracing).await;
        })
        .await;
        let said = lines.matches("spans are not taken").count();
        assert_eq!(said, 1, "{url}: {lines}");
        assert!(lines.contains("before all spans are sent"), "{lines}");
    }
}

/// Waits until nothing goes on in a room any more.
async fn quiet(served: &Served, room: &str) {
    let path = format!("/v1/worlds/{room}");
    loop {
        let state = served.ask("GET", &path, "").await;
        if state.json()["activity"] == "idle" {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn nothing_is_lost_while_a_collector_is_away() {
    let receiver = Receiver::start(Answer::Status(503)).await;
    let told = Told::default();
    let (_, lines) = told_to(&told, async {
        let (served, tracing) = traced(&Store::memory(), settings(&receiver.url)).await;
        let room = served.room().await;
        post(&served, &room, "one").await;
        within(told.has("spans are not taken")).await;
        post(&served, &room, "two").await;
        receiver.answer(Answer::Take);
        let spans = within(receiver.spans(4)).await;
        assert_eq!(spans.len(), 4, "{spans:?}");
        within(told.has("spans are taken again")).await;
        assert_eq!(count(&served, "folkmoot_spans_dropped_total").await, 0);
        end(served, tracing).await;
    })
    .await;
    assert_eq!(lines.matches("spans are taken again").count(), 1, "{lines}");
}

#[tokio::test]
async fn spans_that_are_refused_are_counted_and_not_sent_again() {
    for answer in [Answer::Status(400), Answer::Reject] {
        let receiver = Receiver::start(answer).await;
        let told = Told::default();
        let ((), lines) = told_to(&told, async {
            let (served, tracing) = traced(&Store::memory(), settings(&receiver.url)).await;
            let room = served.room().await;
            post(&served, &room, "one").await;
            counted(&served, "folkmoot_spans_dropped_total", 2).await;
            receiver.answer(Answer::Take);
            post(&served, &room, "two").await;
            counted(&served, "folkmoot_spans_sent_total", 2).await;
            assert_eq!(count(&served, "folkmoot_spans_dropped_total").await, 2);
            end(served, tracing).await;
        })
        .await;
        assert!(lines.contains("no such tenant"), "{lines}");
    }
}

#[tokio::test]
async fn a_server_that_starts_again_goes_on_with_what_is_new() {
    let receiver = Receiver::start(Answer::Take).await;
    let store = Store::memory();
    let (served, tracing) = traced(&store, settings(&receiver.url)).await;
    let room = served.room().await;
    post(&served, &room, "one").await;
    let before = within(receiver.spans(2)).await;
    end(served, tracing).await;
    Runtime::builder(&store).build().shutdown().await;

    let again = Receiver::start(Answer::Take).await;
    let (served, tracing) = traced(&store, settings(&again.url)).await;
    post(&served, &room, "two").await;
    let after = within(again.spans(2)).await;
    assert_eq!(after.len(), 2, "what was sent is not sent again");
    assert!(after.iter().all(|span| !before.contains(span)));
    end(served, tracing).await;
}

#[tokio::test]
async fn the_last_spans_are_sent_when_the_server_ends() {
    let receiver = Receiver::start(Answer::Take).await;
    let pace = Pace {
        // The first look finds nothing, and there is no second one.
        look_every: DEADLINE * 10,
        flush_timeout: DEADLINE,
        ..QUICK
    };
    let settings = OtlpSettings {
        pace,
        ..settings(&receiver.url)
    };
    let (served, tracing) = traced(&Store::memory(), settings).await;
    let room = served.room().await;
    for number in 0..10 {
        post(&served, &room, &format!("message {number}")).await;
    }
    within(quiet(&served, &room)).await;
    end(served, tracing).await;
    assert!(!within(receiver.spans(1)).await.is_empty());
}
