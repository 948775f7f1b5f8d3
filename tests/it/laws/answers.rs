//! No answer of a model stops a room, whatever its size and shape: it is recorded or it is a failed attempt, the room goes on, and
//! nobody is asked again for what was answered when the room is opened again.

use folkmoot::core::event::{Event, ModelFailed, TurnEvent};
use folkmoot::core::model::response::{CallPart, LLMResponse, ModelErrorKind, Part, Reply};
use folkmoot::core::spec::limits::{ANSWER_CALLS_MAX, CONTENT_BYTES_MAX};
use folkmoot::store::EngineKind;
use folkmoot::{Effect, OpenMode, Post, Store, ToolOutcome};
use folkmoot_tests::{FakeModel, FakeTool, Room, person, says};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use super::events;

/// How large a large part is. `FOLKMOOT_ANSWERS_BYTES=2000000` tries real megabytes; the firewall takes its time for them where
/// nothing is optimised.
fn large() -> usize {
    std::env::var("FOLKMOOT_ANSWERS_BYTES")
        .ok()
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(100_000)
}

fn text(len: usize) -> String {
    "word ".repeat(len / 5)
}

fn call(label: &str, tool: &str, arguments: String) -> Part {
    Part::Call(CallPart {
        label: label.to_owned(),
        tool: tool.to_owned(),
        arguments,
    })
}

fn of(parts: Vec<Part>) -> LLMResponse {
    let reply = Reply {
        parts,
        ..Reply::default()
    };
    if reply.calls().next().is_some() {
        LLMResponse::Calls(reply)
    } else {
        LLMResponse::Text(reply)
    }
}

fn calls(count: usize, label: &str) -> LLMResponse {
    of((0..count)
        .map(|n| call(&format!("{label}{n}"), "look", "{}".to_owned()))
        .collect())
}

/// Each answer, and whether it can be recorded.
fn answers() -> Vec<(&'static str, LLMResponse, bool)> {
    let large = large();
    let picture = json!({ "type": "image", "data": "QUFB".repeat(600_000 / 4) });
    let warned = Reply {
        warnings: vec!["w".repeat(700_000)],
        parts: vec![Part::Text("hi".to_owned())],
        ..Reply::default()
    };
    let finish = Reply {
        finish: Some(text(600_000)),
        model: Some(text(100_000)),
        warnings: Vec::new(),
        ..warned.clone()
    };
    let unknown = format!("{{\"{}\":1}}", text(large));
    vec![
        ("a long text", says(&text(large)), true),
        (
            "long arguments",
            of(vec![call(
                "1",
                "look",
                format!("{{\"a\":\"{}\"}}", text(600_000)),
            )]),
            true,
        ),
        (
            "arguments that no tool takes",
            of(vec![call("1", "look", text(1_100_000))]),
            true,
        ),
        (
            "an unknown name in arguments",
            of(vec![call("1", "look", unknown)]),
            true,
        ),
        (
            "a long tool name",
            of(vec![call("1", &text(600_000), "{}".to_owned())]),
            false,
        ),
        (
            "a long call id",
            of(vec![call(&text(600_000), "look", "{}".to_owned())]),
            false,
        ),
        ("many calls", calls(2_000, "c"), false),
        (
            "as many calls as can be",
            calls(ANSWER_CALLS_MAX, &"c".repeat(500)),
            true,
        ),
        (
            "as many calls as can be, whose labels take six times their bytes",
            calls(ANSWER_CALLS_MAX, &"\u{1}".repeat(500)),
            true,
        ),
        (
            "long reasoning",
            of(vec![
                Part::Reasoning(text(1_000_000)),
                Part::Text("so".to_owned()),
            ]),
            true,
        ),
        (
            "a picture in it",
            of(vec![Part::Opaque(picture), Part::Text("look".to_owned())]),
            true,
        ),
        (
            "more than can be kept",
            of(vec![Part::Reasoning("\u{1}".repeat(CONTENT_BYTES_MAX / 6))]),
            false,
        ),
        ("a long warning", LLMResponse::Text(warned), false),
        ("a long finish reason", LLMResponse::Text(finish), true),
    ]
}

/// Lives a room through `answer`, and through being opened again; says whether it was recorded.
async fn live(what: &str, answer: LLMResponse) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let open = || {
        Store::open_with(
            dir.path().join("store"),
            OpenMode::Create,
            EngineKind::Files,
        )
        .unwrap()
    };
    let model = FakeModel::new([answer, says("fine")]);
    let look = FakeTool::new("look", Effect::Read, |_| async {
        ToolOutcome::text("seen")
    });
    let room = Room::auto().agent("a", &["look"], model.clone()).tool(look).with(|spec| {
        let look = spec.tools.values_mut().next().unwrap();
        look.schema = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    });
    let store = open();
    let (runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("@a go")).await.unwrap();
    world
        .quiet()
        .await
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let asked = model.asked().len();
    drop((ada, world));
    runtime.shutdown().await;
    drop(runtime);
    store.close().unwrap();
    drop(store);

    let store = open();
    let (_runtime, world) = room.open(&store).await;
    world
        .quiet()
        .await
        .unwrap_or_else(|error| panic!("{what}, opened again: {error}"));
    assert_eq!(model.asked().len(), asked, "{what}: it was asked again");
    let events = events(&store).await;
    let failed = |event: &Event| {
        matches!(
            event,
            Event::Turn(TurnEvent::ModelFailed(ModelFailed {
                kind: ModelErrorKind::AnswerTooLarge,
                ..
            }))
        )
    };
    let is_recorded = !events.iter().any(failed);
    person(&world, "ada")
        .publish_message(Post::text("@a and now?"))
        .await
        .unwrap();
    world
        .quiet()
        .await
        .unwrap_or_else(|error| panic!("{what}, asked something else: {error}"));
    assert!(model.asked().len() > asked, "{what}: the room goes on");
    is_recorded
}

#[tokio::test]
async fn no_answer_stops_a_room_whatever_its_size_and_shape() {
    for (what, answer, is_recorded) in answers() {
        assert_eq!(live(what, answer).await, is_recorded, "{what}");
    }
}

fn part() -> impl Strategy<Value = Part> {
    let len = || prop_oneof![4 => 0..200_usize, 2 => 400..700_usize, 1 => 50_000..70_000_usize];
    let letter = prop_oneof![4 => Just("a"), 1 => Just("\u{1}"), 1 => Just("ü"), 1 => Just("\" [TO @a] "), 1 => Just("{")];
    (0..5, len(), len(), letter).prop_map(|(kind, len, other, letter)| {
        let text = letter.repeat(len);
        match kind {
            0 => Part::Text(text),
            1 => Part::Reasoning(text),
            2 => Part::Refusal(text),
            3 => Part::Opaque(json!({ "type": "unknown", letter: text })),
            _ => call(
                &"l".repeat(other.min(600)),
                &letter.repeat(other.min(300)),
                json!({ "a": text }).to_string(),
            ),
        }
    })
}

#[test]
fn no_answer_that_can_be_put_together_stops_a_room() {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let cases = std::env::var("FOLKMOOT_ANSWERS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(2);
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    };
    let parts = (prop::collection::vec(part(), 0..4), 1..12_usize);
    let live = |(parts, times): (Vec<Part>, usize)| {
        let parts: Vec<Part> = (0..times).flat_map(|_| parts.clone()).collect();
        let is_recorded = executor.block_on(live("a drawn answer", of(parts)));
        let _either = is_recorded;
        Ok(())
    };
    TestRunner::new(config).run(&parts, live).unwrap();
}
