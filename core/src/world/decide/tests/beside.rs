//! Words beside tool calls.

use crate::event::*;
use crate::ids::MessageId;
use crate::model::response::{LLMResponse, Part, Reply};
use crate::prompt::Item;
use crate::spec::MemoryPolicy;
use crate::testing::*;
use crate::tool::ToolOutcome;

/// An answer that says `said` and calls `tool`.
fn says_and_calls(said: &str, tool: &str) -> LLMResponse {
    let words = Part::Text(said.to_owned());
    LLMResponse::Calls(Reply {
        parts: [vec![words], parts(&[(tool, "{}")])].concat(),
        ..Reply::default()
    })
}

fn heard(past: &Past, name: &str) -> Vec<String> {
    let past = past.clone().said(&format!("@{name} and you?"));
    let pass = past.wake(name, reaction::Reaction::Pass { note: None });
    let past = past.then(pass);
    let text = |kept: &crate::world::memory::Remembered| match &*kept.item {
        Item::Heard { from, text, .. } => Some(format!("{}: {}", &**from, &**text)),
        Item::Said { .. }
        | Item::Result { .. }
        | Item::Notice { .. }
        | Item::State { .. }
        | Item::Summary { .. } => None,
    };
    past.memory(name).items.iter().filter_map(text).collect()
}

fn room_of(memory: MemoryPolicy) -> Past {
    Past::with(room_with(|spec| spec.policy.memory = memory))
        .said("@bob go")
        .woke("bob")
}

#[test]
fn words_beside_calls_are_read_and_remembered_and_wake_nobody() {
    let past =
        room_of(MemoryPolicy::Shared).answered("bob", says_and_calls("@eve I look first", "look"));
    let [
        answered,
        Event::Talk(TalkEvent::MessagePosted(posted)),
        Event::Talk(TalkEvent::MessageRouted(routed)),
        admitted,
        ..,
    ] = past.last()
    else {
        panic!("{:?}", past.last())
    };
    assert!(matches!(
        (answered, admitted),
        (
            Event::Turn(TurnEvent::ModelAnswered(_)),
            Event::Call(CallEvent::CallsAdmitted(_))
        )
    ));
    assert_eq!(
        (&posted.author, posted.answer.is_some()),
        (&Author::Agent(agent("bob")), true)
    );
    let damped = vec![(agent("eve"), DampReason::BesideCalls)];
    assert_eq!(
        (routed.rule, &routed.respond, &routed.damped),
        (RoutingRule::BesideCalls, &vec![], &damped)
    );
    assert!(
        !past
            .events()
            .any(|event| matches!(event, Event::Talk(TalkEvent::NoticePosted(_))))
    );
    assert!(
        past.owed()
            .iter()
            .all(|effect| !matches!(effect, crate::world::effect::Effect::Wake { .. }))
    );
    assert_eq!(
        past.world
            .transcript
            .message(posted.message)
            .unwrap()
            .text
            .present()
            .unwrap(),
        "@eve I look first"
    );
    for name in ["eve", "cody"] {
        assert_eq!(
            heard(&past, name)[..2],
            ["ada: @bob go", "bob: @eve I look first"],
            "{name}"
        );
    }
}

#[test]
fn words_beside_calls_are_remembered_by_those_who_would_have_an_addressed_message() {
    let past = room_of(MemoryPolicy::Addressed)
        .answered("bob", says_and_calls("@eve I look first", "look"));
    assert_eq!(
        heard(&past, "eve")[..2],
        ["ada: @bob go", "bob: @eve I look first"]
    );
    assert_eq!(
        heard(&past, "cody")[..2],
        ["ada: @bob go", "ada: @cody and you?"]
    );
}

#[test]
fn what_is_withheld_beside_calls_is_recorded_and_not_read() {
    let said = "I look.\n{\"name\":\"look\",\"arguments\":{}}";
    let past = room_of(MemoryPolicy::Shared).answered("bob", says_and_calls(said, "look"));
    assert!(
        past.last()
            .iter()
            .any(|event| matches!(event, Event::Talk(TalkEvent::ArtifactWithheld(_))))
    );
    assert_eq!(heard(&past, "eve")[1], "bob: I look.");
    let past = room_of(MemoryPolicy::Shared).answered(
        "bob",
        says_and_calls("{\"name\":\"look\",\"arguments\":{}}", "look"),
    );
    assert!(
        past.last()
            .iter()
            .any(|event| matches!(event, Event::Talk(TalkEvent::ArtifactWithheld(_))))
    );
    assert!(
        !past
            .last()
            .iter()
            .any(|event| matches!(event, Event::Talk(TalkEvent::MessagePosted(_))))
    );
}

#[test]
fn streamed_words_beside_calls_keep_the_id_that_their_drafts_had() {
    let past = room_of(MemoryPolicy::Shared);
    let begin = past.stream("bob");
    let past = past.then(begin);
    let stream = past.world.head();
    let past = past.answered("bob", says_and_calls("I look", "look"));
    assert_eq!(
        past.world.transcript().back().unwrap().id,
        MessageId(stream)
    );
}

#[test]
fn words_of_a_turn_are_taken_back_together() {
    let past = room_of(MemoryPolicy::Shared)
        .answered("bob", says_and_calls("I look", "look"))
        .started("bob", 0, 1);
    let note = past.world.transcript().back().unwrap().id.0.get();
    let past = past
        .finished("bob", 0, 1, ToolOutcome::text("seen"))
        .carried_on("bob")
        .answered("bob", text("@ada seen"));
    assert_eq!(past.world.transcript().len(), 3);
    let reply = past.world.transcript().back().unwrap().id.0.get();
    for message in [note, reply] {
        let past = past.clone().then(retract(message));
        assert_eq!(past.world.transcript().len(), 1);
        assert_eq!(heard(&past, "eve"), ["ada: @bob go", "ada: @eve and you?"]);
        assert_eq!(past.memory("bob").items.len(), 1);
    }
}
