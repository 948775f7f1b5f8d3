//! What is too large to be recorded: refused, or a failed attempt, and never a commit that the store would refuse.

use crate::command::{Action, Command, ShellAction, WorldAction};
use crate::event::refusal::Refusal;
use crate::event::*;
use crate::ids::ModelName;
use crate::model::response::{
    CallPart, LLMResponse, ModelError, ModelErrorKind, Part, Reached, Reply,
};
use crate::spec::ModelSpec;
use crate::spec::limits::*;
use crate::testing::*;
use crate::world::decide::fit;

fn call(label: &str, tool: &str, arguments: &str) -> Part {
    let (label, tool, arguments) = (label.to_owned(), tool.to_owned(), arguments.to_owned());
    Part::Call(CallPart {
        label,
        tool,
        arguments,
    })
}

fn of(parts: Vec<Part>) -> LLMResponse {
    LLMResponse::Calls(Reply {
        parts,
        ..Reply::default()
    })
}

fn warned(code: String) -> LLMResponse {
    LLMResponse::Text(Reply {
        parts: vec![Part::Text("hi".to_owned())],
        warnings: vec![code],
        ..Reply::default()
    })
}

/// Whether `answer` is meant as a failure. The room is the same for all: only the answer counts.
fn is_too_large(past: &Past, answer: LLMResponse) -> bool {
    let command = past.answer("bob", answer);
    let meant = past.world.meant(&command);
    matches!(&meant.action, Action::Shell(ShellAction::RecordFailure { error, .. }) if error.kind == ModelErrorKind::AnswerTooLarge)
}

#[test]
fn answer_is_taken_up_to_each_limit_and_is_a_failed_attempt_one_above_it() {
    let past = Past::began().said("@bob go").woke("bob");
    let is_too_large = |answer| is_too_large(&past, answer);
    let name = |len: usize| "n".repeat(len);
    let calls = |count: usize| {
        of((0..count)
            .map(|n| call(&n.to_string(), "look", "{}"))
            .collect())
    };
    assert!(!is_too_large(calls(ANSWER_CALLS_MAX)) && is_too_large(calls(ANSWER_CALLS_MAX + 1)));
    let labelled = |len| of(vec![call(&name(len), "look", "{}")]);
    assert!(
        !is_too_large(labelled(CALL_NAME_BYTES_MAX))
            && is_too_large(labelled(CALL_NAME_BYTES_MAX + 1))
    );
    let named = |len| of(vec![call("1", &name(len), "{}")]);
    assert!(
        !is_too_large(named(CALL_NAME_BYTES_MAX)) && is_too_large(named(CALL_NAME_BYTES_MAX + 1))
    );
    let around = serde_json::to_vec(&LLMResponse::Text(Reply {
        parts: vec![Part::Reasoning(String::new())],
        ..Reply::default()
    }));
    let largest = CONTENT_BYTES_MAX - around.unwrap().len();
    let thought = |len: usize| {
        LLMResponse::Text(Reply {
            parts: vec![Part::Reasoning("a".repeat(len))],
            ..Reply::default()
        })
    };
    assert!(!is_too_large(thought(largest)) && is_too_large(thought(largest + 1)));
    assert!(
        !is_too_large(warned("w".repeat(FACTS_BYTES_MAX / 2)))
            && is_too_large(warned("w".repeat(FACTS_BYTES_MAX)))
    );
}

#[test]
fn answer_that_is_too_large_is_not_asked_for_again_and_another_model_stands_in() {
    let second = ModelName::new("second").unwrap();
    let room = room_with(|spec| {
        spec.models
            .insert(second.clone(), ModelSpec::new("scripted", "second"));
        spec.models.get_mut(&model()).unwrap().fallback = vec![second.clone()];
        spec.limits.attempts = 3;
    });
    let too_large = of(vec![call("1", &"n".repeat(600), "{}")]);
    let past = Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", too_large.clone());
    let Event::Turn(TurnEvent::ModelFailed(failed)) = &past.last()[0] else {
        panic!("{:?}", past.last())
    };
    assert_eq!(
        (failed.fallback.as_ref(), failed.retry_at),
        (Some(&second), Some(past.now))
    );
    assert_eq!(
        (failed.kind, failed.reached),
        (ModelErrorKind::AnswerTooLarge, Some(Reached::Answer))
    );
    let detail = "a call has a label or a tool name of 600 bytes, at most 512 are possible";
    assert_eq!(failed.detail.present().map(String::as_str), Some(detail));
    let alone = Past::began()
        .said("@bob go")
        .woke("bob")
        .answered("bob", too_large);
    assert_eq!(alone.owed(), [], "the turn is over");
}

#[test]
fn details_of_failures_are_cut() {
    let error = ModelError::new(ModelErrorKind::RefusesRequest, "ä".repeat(DETAIL_BYTES_MAX));
    let past = Past::began().said("@bob go").woke("bob");
    let command = past.fail_model("bob", error);
    let past = past.then(command);
    let Event::Turn(TurnEvent::ModelFailed(ModelFailed { detail, .. })) = &past.last()[0] else {
        panic!("{:?}", past.last())
    };
    let detail = detail.present().unwrap();
    assert!(detail.len() <= DETAIL_BYTES_MAX && detail.ends_with("ä [cut: 131072 bytes in all]"));
}

#[test]
fn agent_in_code_that_gives_too_much_has_failed() {
    let past = Past::began().said("@eve go");
    let reaction = answer(text(&"a".repeat(CONTENT_BYTES_MAX)));
    let command = Command::of_runtime(Action::Shell(ShellAction::OpenTurn {
        agent: agent("eve"),
        horizon: past.world.head(),
        reaction,
    }));
    let past = past.then(command);
    let Event::Turn(TurnEvent::AgentFailed(failed)) = &past.last()[0] else {
        panic!("{:?}", past.last())
    };
    assert_eq!(failed.code, "reaction_too_large");
}

#[test]
fn definition_that_cannot_be_recorded_is_refused_before_anything_is() {
    let spec = room_with(|spec| {
        for n in 0..4_000 {
            spec.models.insert(
                ModelName::new(format!("model-{n}")).unwrap(),
                ModelSpec::new("scripted", "x".repeat(60)),
            );
        }
    });
    let decision = crate::world::World::default()
        .decide(&Command::of_runtime(create(spec)), &Past::began().stamp());
    let Err(Refusal::BadDefinition { why }) = decision.answer else {
        panic!("{:?}", decision.answer)
    };
    assert!(
        why.contains("bytes as JSON, at most 589824 are possible"),
        "{why}"
    );
    assert_eq!(decision.events, []);
}

#[test]
fn command_that_leads_to_too_much_is_refused() {
    let warned = |len: usize| {
        Event::World(WorldEvent::WarningRecorded(WarningRecorded {
            code: "w".repeat(len),
            agent: None,
        }))
    };
    let settings = Action::World(WorldAction::Label {
        owner: None,
        labels: std::collections::BTreeMap::new(),
    });
    assert_eq!(
        fit::check(&settings, &[warned(FACTS_BYTES_MAX / 2)]),
        Ok(())
    );
    let events = [warned(FACTS_BYTES_MAX / 2), warned(FACTS_BYTES_MAX / 2)];
    let Err(Refusal::TooLarge { why }) = fit::check(&settings, &events) else {
        panic!("it is taken")
    };
    assert!(
        why.ends_with("bytes of facts to record, at most 655360 are possible"),
        "{why}"
    );
}
