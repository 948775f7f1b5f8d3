use crate::event::reaction::Reaction;
use crate::event::refusal::Refusal;
use crate::event::*;
use crate::ids::Attempt;
use crate::model::response::LLMResponse;
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::effect::Effect;

fn woken(reaction: Reaction) -> Past {
    let past = Past::began().said("@cody go");
    let command = past.wake("cody", reaction);
    past.then(command)
}

fn failed(attempt: u32, code: &str, retry_at: Option<crate::ids::Time>) -> Event {
    let detail = if code == "broken" { "why" } else { "" };
    Event::Turn(TurnEvent::AgentFailed(AgentFailed {
        agent: agent("cody"),
        turn: None,
        attempt: Attempt(attempt),
        code: code.to_owned(),
        retry_at,
        detail: detail.to_owned().into(),
    }))
}

#[test]
fn answer_of_an_agent_in_code_is_taken_like_a_models() {
    let past = woken(answer(text("@bob hello")));
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("bob"),
            not_before: None
        }]
    );
    let past = woken(answer(calls(&[("look", "{}"), ("write", "{}")])));
    assert_eq!(past.world.consent().pending().len(), 1);
    let past = past
        .started("cody", 0, 1)
        .finished("cody", 0, 1, ToolOutcome::text("seen"));
    let past = past
        .clone()
        .then(decide_of("cody", past.request(), Verdict::Deny));
    let results: Vec<String> = past
        .world
        .tool_results(&agent("cody"))
        .iter()
        .map(|one| one.text().to_owned())
        .collect();
    assert_eq!(results.len(), 2);
    let command = past.carry_on("cody", answer(LLMResponse::text("done")));
    assert_eq!(past.then(command).owed(), []);
}

#[test]
fn pass_says_nothing_and_its_note_is_kept() {
    let past = woken(Reaction::Pass {
        note: Some("later".to_owned()),
    });
    assert_eq!(
        past.last().last(),
        Some(&closed(
            "cody",
            crate::ids::TurnId(at(6)),
            CloseReason::Passed
        ))
    );
    let past = past.said("@cody well?");
    assert_eq!(
        past.world
            .turn_view(&agent("cody"))
            .unwrap()
            .note
            .as_deref(),
        Some("later")
    );
}

#[test]
fn third_failure_of_an_agent_ends_its_turn_with_one_notice() {
    let mut past = Past::began().said("@cody go");
    for (attempt, wait) in [(1, 500), (2, 1_000)] {
        let due = crate::ids::Time(past.now.0 + wait);
        check(
            &past,
            &past.fail_agent("cody"),
            &accepted([failed(attempt, "broken", Some(due))]),
        );
        let command = past.fail_agent("cody");
        past = past.then(command);
        assert_eq!(
            past.owed(),
            [Effect::Wake {
                agent: agent("cody"),
                not_before: Some(due)
            }]
        );
        past = past.after_ms(wait);
    }
    let turn = crate::ids::TurnId(past.world.head().plus(2));
    let told = notice(
        Notice::TurnFailed {
            agent: agent("cody"),
            code: "broken".to_owned(),
        },
        4,
    );
    let opened = turn_opened("cody", 4, past.world.head().get(), &[4]);
    let over = closed("cody", turn, CloseReason::Failed);
    check(
        &past,
        &past.fail_agent("cody"),
        &accepted([failed(3, "broken", None), opened, told, over]),
    );
}

#[test]
fn delivery_that_three_processes_died_of_counts_as_failed() {
    let past = Past::began().said("@cody go").crashed().crashed();
    let turn = crate::ids::TurnId(past.world.head().plus(3));
    let told = notice(
        Notice::TurnFailed {
            agent: agent("cody"),
            code: "lost_to_crashes".to_owned(),
        },
        4,
    );
    let opened = turn_opened("cody", 4, past.world.head().get(), &[4]);
    let past = past.crashed();
    let over = closed("cody", turn, CloseReason::Failed);
    assert_eq!(
        past.last()[1..],
        [failed(1, "lost_to_crashes", None), opened, told, over]
    );
    assert_eq!(past.owed(), []);
}

#[test]
fn crashes_do_not_count_against_an_agent_with_a_model() {
    let past = Past::began()
        .said("@bob go")
        .crashed()
        .crashed()
        .crashed()
        .crashed();
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("bob"),
            not_before: None
        }]
    );
}

#[test]
fn agent_in_code_that_wants_a_model_or_leaves_too_long_a_note_has_failed() {
    for (reaction, code) in [
        (ask(), "no_model"),
        (
            Reaction::Pass {
                note: Some("x".repeat(4_097)),
            },
            "note_too_long",
        ),
    ] {
        let past = woken(reaction);
        let due = crate::ids::Time(past.now.0 + 500);
        assert_eq!(past.last(), [failed(1, code, Some(due))]);
    }
}

#[test]
fn failure_of_an_agent_that_was_told_nothing_is_stale() {
    let past = Past::began().said("@bob hi").woke("bob");
    check(&past, &past.fail_agent("bob"), &quietly(Refusal::Stale));
    check(&past, &past.fail_agent("eve"), &quietly(Refusal::Stale));
}
