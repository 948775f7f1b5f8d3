//! Models that stand in for others.

use crate::event::*;
use crate::ids::{Attempt, ModelName};
use crate::model::response::ModelErrorKind;
use crate::spec::{ModelSpec, WorldSpec};
use crate::testing::*;
use crate::world::effect::Effect;

fn name(name: &str) -> ModelName {
    ModelName::new(name).unwrap()
}

/// `m` falls back on `second`, that one's place is taken by `third`.
fn chained(change: impl FnOnce(&mut WorldSpec)) -> Past {
    Past::with(room_with(|spec| {
        for (other, timeout_ms) in [("second", 2_000), ("third", 3_000)] {
            spec.models.insert(
                name(other),
                ModelSpec {
                    timeout_ms,
                    ..ModelSpec::new("scripted", other)
                },
            );
        }
        spec.models.get_mut(&model()).unwrap().fallback = vec![name("second"), name("third")];
        spec.limits.attempts = 2;
        change(spec);
    }))
}

fn failed(past: &Past) -> &ModelFailed {
    let Event::Turn(TurnEvent::ModelFailed(failed)) = &past.last()[0] else {
        panic!("{:?}", past.last())
    };
    failed
}

/// The next attempt, when it is due.
fn again(past: Past) -> Past {
    let past = past.after_ms(600_000);
    let command = past.retry("bob");
    past.then(command)
}

#[test]
fn next_model_is_owed_at_once_in_the_same_call_when_the_attempts_are_over() {
    let past = chained(|_| {}).said("@bob hi").woke("bob");
    let key = past.world.model_ask(&agent("bob")).unwrap().idempotency_key;
    let past = again(past.model_failed("bob", ModelErrorKind::Overload));
    assert_eq!(
        past.world.model_ask(&agent("bob")).unwrap().model,
        model(),
        "the first model has two attempts"
    );
    let past = past.model_failed("bob", ModelErrorKind::Overload);
    assert_eq!(
        (failed(&past).fallback.clone(), failed(&past).retry_at),
        (Some(name("second")), Some(past.now))
    );
    let call = failed(&past).call;
    let (agent, not_before) = (agent("bob"), Some(past.now));
    assert_eq!(
        past.owed(),
        [Effect::RetryModel {
            agent: agent.clone(),
            call,
            after: Attempt(2),
            not_before
        }]
    );
    let command = past.retry("bob");
    let past = past.then(command);
    let broken = PrefixBroken {
        agent: agent.clone(),
        cause: PrefixCause::Model,
        dropped: 0,
    };
    assert_eq!(past.last()[0], Event::Turn(TurnEvent::PrefixBroken(broken)));
    let ask = past.world.model_ask(&agent).unwrap();
    assert_eq!(
        (ask.model, ask.attempt, ask.timeout_ms),
        (name("second"), Attempt(3), 2_000)
    );
    assert_eq!((ask.request.model(), ask.idempotency_key), ("second", key));
}

#[test]
fn each_model_has_its_attempts_and_then_the_turn_fails_once() {
    let mut past = chained(|_| {}).said("@bob hi").woke("bob");
    let mut asked = vec![model()];
    for _ in 0..5 {
        past = again(past.model_failed("bob", ModelErrorKind::Outage));
        asked.push(past.world.model_ask(&agent("bob")).unwrap().model);
    }
    assert_eq!(
        asked,
        [
            model(),
            model(),
            name("second"),
            name("second"),
            name("third"),
            name("third")
        ]
    );
    let turn = past.turn("bob");
    let past = past.model_failed("bob", ModelErrorKind::Outage);
    assert_eq!(
        (failed(&past).fallback.as_ref(), failed(&past).retry_at),
        (None, None)
    );
    let told = notice(
        Notice::TurnFailed {
            agent: agent("bob"),
            code: "outage".to_owned(),
        },
        4,
    );
    assert_eq!(
        past.last()[1..],
        [told, closed("bob", turn, CloseReason::Failed)]
    );
}

#[test]
fn what_no_further_attempt_would_help_falls_back_at_once() {
    let next = |kind| {
        let past = chained(|_| {})
            .said("@bob hi")
            .woke("bob")
            .model_failed("bob", kind);
        failed(&past).fallback.clone()
    };
    for kind in [
        ModelErrorKind::RefusesRequest,
        ModelErrorKind::RefusesAccount,
        ModelErrorKind::ContentFilter,
    ] {
        assert_eq!(next(kind), Some(name("second")), "{kind}");
    }
    assert_eq!(
        next(ModelErrorKind::NotRecorded),
        None,
        "a replay asks nobody else"
    );
    assert_eq!(
        next(ModelErrorKind::Rate),
        None,
        "there is another attempt first"
    );
}

#[test]
fn model_that_cannot_read_the_request_is_passed_over() {
    let next = |kind, second: u32, third: u32| {
        let past = chained(|spec| {
            spec.models
                .get_mut(&name("second"))
                .unwrap()
                .context_tokens_max = second;
            spec.models
                .get_mut(&name("third"))
                .unwrap()
                .context_tokens_max = third;
        });
        let past = past
            .said(&format!("@bob {}", "x".repeat(4_000)))
            .woke("bob")
            .model_failed("bob", kind);
        failed(&past).fallback.clone()
    };
    assert_eq!(
        next(ModelErrorKind::RefusesRequest, 700, 100_000),
        Some(name("third"))
    );
    assert_eq!(next(ModelErrorKind::RefusesRequest, 700, 700), None);
    assert_eq!(
        next(ModelErrorKind::ContextTooLong, 100_000, 100_001),
        Some(name("third")),
        "it must take more"
    );
}

#[test]
fn model_that_reads_as_much_stands_in_for_a_request_that_was_too_long_already() {
    let next = |kind, second: u32| {
        let past = chained(|spec| {
            spec.models.get_mut(&model()).unwrap().context_tokens_max = 1_000;
            spec.models
                .get_mut(&name("second"))
                .unwrap()
                .context_tokens_max = second;
            spec.models.remove(&name("third"));
            spec.models.get_mut(&model()).unwrap().fallback.pop();
        });
        let past = past
            .said(&format!("@bob {}", "x".repeat(8_000)))
            .woke("bob")
            .model_failed("bob", kind);
        failed(&past).fallback.clone()
    };
    assert_eq!(
        next(ModelErrorKind::RefusesAccount, 1_000),
        Some(name("second"))
    );
    assert_eq!(
        next(ModelErrorKind::RefusesAccount, 900),
        None,
        "it reads less"
    );
    assert_eq!(
        next(ModelErrorKind::ContextTooLong, 1_000),
        None,
        "that would be as long"
    );
}

#[test]
fn nobody_stands_in_for_a_reply_that_people_saw_unless_the_room_says_so() {
    let shown = |retry_shown| {
        let past = chained(|spec| spec.policy.retry_shown = retry_shown)
            .said("@bob hi")
            .woke("bob");
        let stream = past.stream("bob");
        let past = past
            .then(stream)
            .model_failed("bob", ModelErrorKind::RefusesRequest);
        failed(&past).fallback.clone()
    };
    assert_eq!(shown(false), None);
    assert_eq!(shown(true), Some(name("second")));
}

#[test]
fn next_call_begins_with_the_agents_own_model_again() {
    let past = chained(|_| {})
        .said("@bob hi")
        .woke("bob")
        .model_failed("bob", ModelErrorKind::RefusesAccount);
    let past = again(past)
        .answered("bob", calls(&[("look", "{}")]))
        .started("bob", 0, 1);
    let past = past
        .finished("bob", 0, 1, crate::tool::ToolOutcome::text("seen"))
        .carried_on("bob");
    let broken = PrefixBroken {
        agent: agent("bob"),
        cause: PrefixCause::Model,
        dropped: 0,
    };
    assert_eq!(past.last()[0], Event::Turn(TurnEvent::PrefixBroken(broken)));
    assert_eq!(past.world.model_ask(&agent("bob")).unwrap().model, model());
}

#[test]
fn crash_repeats_the_attempt_on_the_model_that_stood_in() {
    let past = chained(|_| {})
        .said("@bob hi")
        .woke("bob")
        .model_failed("bob", ModelErrorKind::RefusesAccount);
    let past = again(again(past).crashed());
    let ask = past.world.model_ask(&agent("bob")).unwrap();
    assert_eq!((ask.model, ask.attempt), (name("second"), Attempt(3)));
    let crashed_before = chained(|_| {})
        .said("@bob hi")
        .woke("bob")
        .model_failed("bob", ModelErrorKind::RefusesAccount);
    let past = again(crashed_before.crashed());
    assert_eq!(
        past.world.model_ask(&agent("bob")).unwrap().model,
        name("second")
    );
}
