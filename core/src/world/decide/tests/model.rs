use crate::event::refusal::Refusal;
use crate::event::*;
use crate::ids::{Attempt, Incarnation, ModelName, Time};
use crate::model::response::{ModelError, ModelErrorKind};
use crate::spec::ModelSpec;
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::effect::Effect;

fn asking() -> Past {
    Past::began().said("@bob hi").woke("bob")
}

fn retry_at(past: &Past) -> Option<Time> {
    let Event::Turn(TurnEvent::ModelFailed(failed)) = &past.last()[0] else {
        panic!("{:?}", past.last())
    };
    failed.retry_at
}

fn failing(past: Past, kind: ModelErrorKind, retry_after_ms: u64) -> Past {
    let error = ModelError {
        retry_after_ms: Some(retry_after_ms),
        ..ModelError::new(kind, "d")
    };
    let command = past.fail_model("bob", error);
    past.then(command)
}

/// Waits out the back-off and begins the next attempt.
fn retried(past: Past) -> Past {
    let wait = retry_at(&past).unwrap().0 - past.now.0;
    let past = past.after_ms(wait);
    let command = past.retry("bob");
    past.then(command)
}

#[test]
fn failed_attempt_is_made_again_when_its_back_off_is_over() {
    let past = asking().model_failed("bob", ModelErrorKind::Overload);
    let due = retry_at(&past).unwrap();
    assert_eq!(due, Time(past.now.0 + 500));
    let call = crate::ids::ModelCallId(at(7));
    let (agent, after) = (agent("bob"), Attempt(1));
    assert_eq!(
        past.owed(),
        [Effect::RetryModel {
            agent: agent.clone(),
            call,
            after,
            not_before: Some(due)
        }]
    );
    check(&past, &past.retry("bob"), &quietly(Refusal::Stale));
    let past = retried(past);
    assert_eq!(
        past.owed(),
        [Effect::CallModel {
            agent,
            call,
            attempt: Attempt(2)
        }]
    );
}

#[test]
fn further_attempt_is_no_new_call() {
    let room = room_with(|spec| spec.limits.model_calls_per_agent = 2);
    let past = retried(
        Past::with(room)
            .said("@bob go")
            .woke("bob")
            .model_failed("bob", ModelErrorKind::Overload),
    );
    let total = past.world.meters().total;
    assert_eq!((total.calls, total.attempts), (1, 2));
    let past = past
        .answered("bob", calls(&[("look", "{}")]))
        .started("bob", 0, 1);
    let past = past
        .finished("bob", 0, 1, ToolOutcome::text("seen"))
        .carried_on("bob");
    assert!(
        matches!(past.last(), [.., Event::Turn(TurnEvent::ModelCalled(called))] if called.purpose == Purpose::Closing)
    );
}

#[test]
fn third_failure_ends_the_turn_with_one_notice() {
    let past = retried(
        retried(asking().model_failed("bob", ModelErrorKind::Rate))
            .model_failed("bob", ModelErrorKind::Rate),
    );
    let turn = past.turn("bob");
    let past = past.model_failed("bob", ModelErrorKind::Rate);
    assert_eq!(retry_at(&past), None);
    let told = notice(
        Notice::TurnFailed {
            agent: agent("bob"),
            code: "rate".to_owned(),
        },
        4,
    );
    assert_eq!(
        past.last()[1..],
        [told, closed("bob", turn, CloseReason::Failed)]
    );
}

#[test]
fn provider_is_not_asked_before_it_wants_to_be() {
    let past = failing(asking(), ModelErrorKind::Rate, 300_000);
    assert_eq!(retry_at(&past), Some(Time(past.now.0 + 300_000)));
    assert_eq!(
        retry_at(&failing(asking(), ModelErrorKind::Rate, 300_001)),
        None
    );
}

#[test]
fn what_will_be_refused_again_is_not_tried_again() {
    assert_eq!(
        retry_at(&asking().model_failed("bob", ModelErrorKind::RefusesAccount)),
        None
    );
}

#[test]
fn attempts_lost_to_crashes_do_not_count() {
    let mut past = asking();
    for _ in 0..5 {
        past = past.crashed();
        assert!(matches!(
            past.owed()[..],
            [Effect::RetryModel {
                not_before: None,
                ..
            }]
        ));
        let command = past.retry("bob");
        past = past.then(command);
    }
    let past = past.model_failed("bob", ModelErrorKind::Outage);
    assert!(retry_at(&past).is_some());
}

#[test]
fn attempts_over_restarts_are_bounded() {
    for attempts in 1..=3 {
        let mut past = Past::with(room_with(|spec| spec.limits.attempts = attempts))
            .said("@bob hi")
            .woke("bob");
        let turn = past.turn("bob");
        for begun in 1..=3 * attempts {
            assert!(
                matches!(past.owed()[..], [Effect::CallModel { attempt, .. }] if attempt == Attempt(begun))
            );
            past = past.crashed();
            let command = past.retry("bob");
            past = past.then(command);
        }
        let told = notice(
            Notice::TurnFailed {
                agent: agent("bob"),
                code: "lost_to_crashes".to_owned(),
            },
            4,
        );
        assert_eq!(
            (retry_at(&past), &past.last()[1..]),
            (None, &[told, closed("bob", turn, CloseReason::Failed)][..])
        );
        assert_eq!(past.owed(), []);
    }
}

#[test]
fn attempts_that_fail_and_attempts_that_are_lost_are_bounded_together() {
    let mut past = Past::with(room_with(|spec| spec.limits.attempts = 2))
        .said("@bob hi")
        .woke("bob");
    for _ in 0..5 {
        past = past.crashed();
        let command = past.retry("bob");
        past = past.then(command);
    }
    assert_eq!(
        retry_at(&past.model_failed("bob", ModelErrorKind::Overload)),
        None,
        "the sixth is the last"
    );
}

#[test]
fn model_that_stands_in_for_one_that_processes_died_of_has_attempts_of_its_own() {
    let other = ModelName::new("other").unwrap();
    let mut past = Past::with(room_with(|spec| {
        spec.limits.attempts = 1;
        let own = spec.models[&model()].clone();
        spec.models.insert(
            other.clone(),
            ModelSpec {
                model: "m-2".to_owned(),
                ..own
            },
        );
        spec.models
            .get_mut(&model())
            .unwrap()
            .fallback
            .push(other.clone());
    }));
    past = past.said("@bob hi").woke("bob");
    for _ in 0..3 {
        past = past.crashed();
        let command = past.retry("bob");
        past = past.then(command);
    }
    assert!(
        matches!(past.last(), [Event::Turn(TurnEvent::ModelFailed(failed))] if failed.fallback == Some(other.clone()))
    );
    let command = past.retry("bob");
    let past = past.then(command);
    assert!(
        matches!(past.last(), [.., Event::Turn(TurnEvent::ModelCalled(called))] if called.model == other)
    );
}

#[test]
fn attempt_that_people_saw_part_of_is_not_made_again_unless_the_room_says_so() {
    for retry_shown in [false, true] {
        let past = Past::with(room_with(|spec| spec.policy.retry_shown = retry_shown))
            .said("@bob hi")
            .woke("bob");
        let past = past
            .clone()
            .then(past.stream("bob"))
            .model_failed("bob", ModelErrorKind::Outage);
        assert_eq!(retry_at(&past).is_some(), retry_shown);
    }
}

#[test]
fn stream_of_a_lost_attempt_is_replaced_under_a_new_id() {
    let past = asking();
    let past = past.clone().then(past.stream("bob")).crashed();
    let past = past.clone().then(past.retry("bob"));
    let started = StreamStarted {
        agent: agent("bob"),
        call: crate::ids::ModelCallId(at(7)),
        attempt: Attempt(2),
        incarnation: Incarnation(2),
        replaces: Some(at(8)),
    };
    check(
        &past,
        &past.stream("bob"),
        &accepted([Event::Turn(TurnEvent::StreamStarted(started))]),
    );
    let past = past.clone().then(past.stream("bob"));
    check(&past, &past.stream("bob"), &accepted([]));
}

#[test]
fn outcome_of_an_attempt_that_was_lost_is_stale() {
    let past = asking();
    let late = past.answer("bob", text("hello"));
    check(&past.crashed(), &late, &quietly(Refusal::Stale));
}

#[test]
fn retry_asks_what_was_asked_though_the_room_was_revised() {
    let past = asking().model_failed("bob", ModelErrorKind::Overload);
    let read = past.world.model_ask(&agent("bob")).unwrap().request;
    let mut revised = definition(room_with(|spec| {
        spec.agents[1].display = Some(agent("Eve L"))
    }));
    revised.text = crate::spec::SpecText::default().into();
    let past = retried_after(past, revised);
    assert_eq!(past.world.model_ask(&agent("bob")).unwrap().request, read);
}

fn retried_after(past: Past, definition: crate::spec::Definition) -> Past {
    let due = retry_at(&past).unwrap();
    let past = past
        .then(runtime(crate::command::Action::World(
            crate::command::WorldAction::Revise { definition },
        )))
        .after_ms(500);
    assert!(due <= past.now);
    let command = past.retry("bob");
    past.then(command)
}

#[test]
fn stream_begins_because_of_its_attempt() {
    let past = asking();
    let called = past.world.head();
    let past = past.clone().then(past.stream("bob"));
    assert_eq!(past.commits.last().unwrap().header.cause, Some(called));
}
