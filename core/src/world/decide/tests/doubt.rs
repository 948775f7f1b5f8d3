use crate::command::Settlement;
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::principal::Principal;
use crate::ids::{Attempt, CallId};
use crate::prompt::Item;
use crate::spec::Mode;
use crate::testing::*;
use crate::tool::{Reconciliation, ToolErrorCode, ToolOutcome};
use crate::world::effect::Effect;

fn running(name: &str) -> Past {
    let room = room_with(|spec| spec.policy.mode = Mode::Auto);
    Past::with(room)
        .bob_calls(&[(name, "{}")])
        .started("bob", 0, 1)
}

fn run(call: CallId, attempt: u32) -> Effect {
    Effect::RunTool {
        agent: agent("bob"),
        call,
        attempt: Attempt(attempt),
    }
}

fn result(past: &Past) -> Item {
    past.memory("bob")
        .items
        .last()
        .unwrap()
        .item
        .as_ref()
        .clone()
}

fn result_of(text: &str, failed: bool) -> Item {
    Item::Result {
        label: "call_1".into(),
        text: text.into(),
        failed,
    }
}

/// A call in doubt that people are asked about.
fn declared() -> Past {
    let past = running("write").crashed();
    let command = past.declare("bob", 0);
    past.then(command)
}

#[test]
fn lost_run_that_may_repeat_runs_again_under_the_same_key() {
    for name in ["look", "keep", "brief"] {
        let past = running(name);
        let call = past.call("bob", 0);
        let key = past
            .world
            .runnable(&agent("bob"), call)
            .unwrap()
            .idempotency_key;
        let past = past.crashed();
        assert_eq!(past.owed(), [run(call, 2)], "{name}");
        assert_eq!(
            past.world
                .runnable(&agent("bob"), call)
                .unwrap()
                .idempotency_key,
            key
        );
        let past = past.started("bob", 0, 2);
        assert_eq!(
            past.world
                .runnable(&agent("bob"), call)
                .unwrap()
                .idempotency_key,
            key
        );
        past.finished("bob", 0, 2, ToolOutcome::text("ok"));
    }
}

#[test]
fn key_is_good_up_to_its_horizon_counted_from_the_first_start() {
    let past = running("brief")
        .after_ms(60_000)
        .crashed()
        .started("bob", 0, 2);
    let call = past.call("bob", 0);
    assert_eq!(
        past.after_ms(1).crashed().owed(),
        [Effect::DeclareUnknown {
            agent: agent("bob"),
            call
        }]
    );
}

#[test]
fn lost_run_that_may_not_repeat_is_declared_unknown_and_its_turn_waits() {
    let past = running("write").crashed();
    let call = past.call("bob", 0);
    assert_eq!(
        past.owed(),
        [Effect::DeclareUnknown {
            agent: agent("bob"),
            call
        }]
    );
    check(&past, &past.start("bob", 0, 2), &quietly(Refusal::Stale));
    let request = crate::ids::RequestId(past.world.head().next());
    let told = notice(
        Notice::OutcomeUnknown {
            agent: agent("bob"),
            request,
        },
        4,
    );
    check(
        &past,
        &past.declare("bob", 0),
        &accepted([unknown(call, UnknownCause::Crash), told]),
    );
    assert_eq!(declared().owed(), []);
    assert_eq!(declared().world.activity(), crate::world::Activity::Parked);
}

#[test]
fn tool_that_can_tell_is_asked_once() {
    let past = running("wipe").crashed();
    let (agent, call) = (agent("bob"), past.call("bob", 0));
    let ask = Effect::Reconcile {
        agent: agent.clone(),
        call,
        attempt: Attempt(1),
    };
    assert_eq!(past.owed(), [ask]);
    check(&past, &past.declare("bob", 0), &quietly(Refusal::Stale));
    let did_not = past
        .clone()
        .then(past.reconcile("bob", 0, Reconciliation::DidNot));
    assert_eq!(did_not.owed(), [run(call, 2)]);
    let cannot = past
        .clone()
        .then(past.reconcile("bob", 0, Reconciliation::CannotTell));
    assert_eq!(cannot.owed(), [Effect::DeclareUnknown { agent, call }]);
    check(
        &cannot,
        &cannot.reconcile("bob", 0, Reconciliation::DidNot),
        &quietly(Refusal::Stale),
    );
    let landed = past.clone().then(past.reconcile(
        "bob",
        0,
        Reconciliation::Landed(ToolOutcome::text("wiped")),
    ));
    assert_eq!(
        result(&landed),
        result_of("<tool_output>wiped</tool_output>", false)
    );
}

#[test]
fn settlement_is_the_calls_one_result() {
    let cases = [
        (
            Settlement::Ran(Some("it says 7".to_owned())),
            result_of("<tool_output>it says 7</tool_output>", false),
        ),
        (
            Settlement::Ran(None),
            result_of(
                "settled_ran: A person found that the call took effect.",
                false,
            ),
        ),
        (
            Settlement::NotRun,
            result_of(
                "settled_not_run: A person found that the call did not take effect.",
                true,
            ),
        ),
    ];
    for (settlement, expected) in cases {
        let past = declared();
        let request = past.request();
        let past = past.then(settle(request, settlement));
        assert_eq!(result(&past), expected);
        assert!(matches!(past.owed()[..], [Effect::Continue { .. }]));
    }
}

#[test]
fn call_that_is_to_run_again_is_replaced_and_does_not_ask_anew() {
    let room = room_with(|_| ());
    let past = Past::with(room).bob_calls(&[("write", "{}")]);
    let past = past
        .clone()
        .then(allow(past.request()))
        .started("bob", 0, 1)
        .crashed();
    let past = past.clone().then(past.declare("bob", 0));
    let (request, old) = (past.request(), past.call("bob", 0));
    let past = past.then(settle(request, Settlement::RunAgain));
    let new = past.call("bob", 0);
    let replaced = Event::Call(CallEvent::CallReplaced(CallReplaced {
        call: old,
        agent: agent("bob"),
        by: new,
    }));
    assert_eq!(past.last().last(), Some(&replaced));
    assert_eq!(past.owed(), [run(new, 1)]);
    let past = past
        .started("bob", 0, 1)
        .finished("bob", 0, 1, ToolOutcome::text("written"));
    assert_eq!(
        result(&past),
        result_of("<tool_output>written</tool_output>", false)
    );
}

#[test]
fn unrepeatable_run_that_takes_too_long_may_have_taken_effect() {
    let past = running("write");
    let call = past.call("bob", 0);
    let request = crate::ids::RequestId(past.world.head().next());
    let then = [
        unknown(call, UnknownCause::TimedOut),
        cut(call, 1, CallStatus::Unknown(UnknownCause::TimedOut)),
        notice(
            Notice::OutcomeUnknown {
                agent: agent("bob"),
                request,
            },
            4,
        ),
    ];
    check(&past, &past.time_out("bob", 0, 1), &accepted(then));
}

#[test]
fn unrepeatable_run_whose_tool_says_that_it_was_lost_or_too_slow_may_have_taken_effect() {
    for (code, cause) in [
        (ToolErrorCode::Lost, UnknownCause::Lost),
        (ToolErrorCode::TimedOut, UnknownCause::TimedOut),
    ] {
        let past = running("write");
        let call = past.call("bob", 0);
        let request = crate::ids::RequestId(past.world.head().next());
        let outcome = ToolOutcome::failed(code, "its helper was killed");
        let then = [
            unknown(call, cause),
            tool_finished(
                call,
                Some(Attempt(1)),
                CallStatus::Unknown(cause),
                Some(outcome.clone()),
            ),
            notice(
                Notice::OutcomeUnknown {
                    agent: agent("bob"),
                    request,
                },
                4,
            ),
        ];
        check(&past, &past.finish("bob", 0, 1, outcome), &accepted(then));
    }
}

#[test]
fn repeatable_run_that_was_lost_has_failed_and_the_model_may_try_again() {
    let past = running("look");
    let past = past.finished(
        "bob",
        0,
        1,
        ToolOutcome::failed(ToolErrorCode::Lost, "its helper was killed"),
    );
    let text = "lost: What ran the tool was lost before it reported. It may be called again.";
    assert_eq!(
        (result(&past), past.world.consent().pending().len()),
        (result_of(text, true), 0)
    );
}

#[test]
fn repeatable_run_that_takes_too_long_has_failed() {
    let past = running("look");
    let past = past.clone().then(past.time_out("bob", 0, 1));
    let text = "timed_out: The tool took longer than its limit and was stopped.";
    assert_eq!(result(&past), result_of(text, true));
}

#[test]
fn result_that_arrives_after_its_call_was_closed_settles_it_and_wakes_nobody() {
    let past = running("write");
    let (late, call) = (
        past.finish("bob", 0, 1, ToolOutcome::text("written")),
        past.call("bob", 0),
    );
    let past = past.then(stop());
    let request = past.request();
    let text = SettledText {
        result: None,
        late: Some((Attempt(1), ToolOutcome::text("written"))),
    };
    check(
        &past,
        &late,
        &accepted([settled(
            request,
            call,
            SettledHow::Late,
            Principal::Runtime,
            text,
        )]),
    );
    let past = past.then(late.clone());
    let told = "About an earlier call whose outcome was not known: Its result arrived after all: it took effect.";
    assert_eq!(
        (result(&past), past.owed()),
        (Item::Notice { text: told.into() }, Vec::new())
    );
    check(&past, &late, &quietly(Refusal::Stale));
}

#[test]
fn late_failure_is_not_told_as_an_effect() {
    let past = running("write");
    let late = past.finish("bob", 0, 1, ToolOutcome::failed(ToolErrorCode::Failed, "d"));
    let past = past.then(stop()).then(late);
    let told = "About an earlier call whose outcome was not known: It failed.";
    assert_eq!(result(&past), Item::Notice { text: told.into() });
}

#[test]
fn notice_waits_while_the_model_reads() {
    let past = running("write");
    let late = past.finish("bob", 0, 1, ToolOutcome::text("written"));
    let past = past.then(stop()).said("@bob again").woke("bob");
    let read = past.world.model_ask(&agent("bob")).unwrap().request;
    let past = past.then(late);
    assert_eq!(past.world.model_ask(&agent("bob")).unwrap().request, read);
    let past = past.answered("bob", text("done"));
    assert!(matches!(result(&past), Item::Notice { .. }));
}

#[test]
fn closed_call_cannot_run_again() {
    let past = running("write").then(stop());
    let (request, command) = (past.request(), settle(past.request(), Settlement::RunAgain));
    let record = refused(&command, RefusalReason::Closed, Some(request));
    check(&past, &command, &recorded(RefusalReason::Closed, [record]));
}

#[test]
fn result_of_a_lost_run_from_its_dead_process_is_stale() {
    let past = running("write");
    let late = past.finish("bob", 0, 1, ToolOutcome::text("written"));
    check(&past.crashed(), &late, &quietly(Refusal::Stale));
    // Nor is it the result of the run that takes its place.
    let past = running("keep");
    let late = past.finish("bob", 0, 1, ToolOutcome::text("kept"));
    check(
        &past.crashed().started("bob", 0, 2),
        &late,
        &quietly(Refusal::Stale),
    );
}

#[test]
fn stopping_a_call_that_waits_for_settlement_leaves_the_question_open() {
    let past = declared();
    let (request, call) = (past.request(), past.call("bob", 0));
    let past = past.then(stop());
    assert_eq!(
        past.last()[1],
        cut(call, 1, CallStatus::Unknown(UnknownCause::Stopped))
    );
    assert_eq!(past.request(), request);
    let kind = crate::world::RequestKind::Outcome {
        attempt: Attempt(1),
        is_open: false,
    };
    assert_eq!(past.world.consent().pending()[&request].kind, kind);
    let past = past.then(settle(request, Settlement::NotRun));
    let told = "About an earlier call whose outcome was not known: A person found that it did not take effect.";
    assert_eq!(
        (result(&past), past.owed()),
        (Item::Notice { text: told.into() }, Vec::new())
    );
}
