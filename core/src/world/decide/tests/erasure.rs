//! Erasing: what is refused, what is cancelled with it, what waits for it, and what goes on behind it.

use crate::command::{Action, Command, ShellAction, WorldAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::Position;
use crate::ids::principal::Principal;
use crate::spec::Privacy;
use crate::testing::*;
use crate::world::effect::Effect;

fn span(from: u64, to: u64) -> Span {
    Span {
        from: at(from),
        to: at(to),
    }
}

fn erase(events: &[Span]) -> Command {
    Command::of(
        ada(),
        Action::World(WorldAction::Erase {
            events: events.to_vec(),
            basis: "asked for".to_owned(),
        }),
    )
}

fn requested(events: &[Span]) -> Event {
    Event::World(WorldEvent::ErasureRequested(ErasureRequested {
        events: events.to_vec(),
        basis: "asked for".to_owned().into(),
    }))
}

fn done(request: Position) -> Command {
    runtime(Action::Shell(ShellAction::RecordErased {
        request,
        events: 1,
        files: 0,
    }))
}

fn bad(why: &str) -> Then {
    quietly(Refusal::BadErasure {
        why: why.to_owned(),
    })
}

#[test]
fn only_events_that_are_there_are_erased_and_never_the_definition_in_force() {
    let past = Past::began().said("@bob hi");
    let head = past.world.head().get();
    check(
        &past,
        &erase(&[]),
        &bad("the command names 0 ranges of events, from 1 to 1000 are allowed"),
    );
    let behind = format!(
        "the range {head} to {} must begin behind 0 and end at {head} at the latest",
        head + 1
    );
    check(&past, &erase(&[span(head, head + 1)]), &bad(&behind));
    check(
        &past,
        &erase(&[span(1, 2)]),
        &bad("event 1 contains the definition in force; revise the definition first"),
    );
    check(
        &past,
        &erase(&[span(4, 4)]),
        &accepted([requested(&[span(4, 4)])]),
    );
}

#[test]
fn agents_erase_nothing() {
    let past = Past::began().said("@bob hi");
    let command = of(Principal::Agent(agent("bob")), &erase(&[span(4, 4)]));
    let reason = RefusalReason::NotAPerson;
    check(
        &past,
        &command,
        &recorded(reason, [refused(&command, reason, None)]),
    );
}

#[test]
fn a_call_whose_arguments_go_is_cancelled_in_the_same_commit() {
    let past = Past::began().bob_calls(&[("wipe", "{\"path\":\"a\"}")]);
    let (call, answer) = (
        past.call("bob", 0),
        past.memory("bob")
            .open_calls
            .values()
            .next()
            .unwrap()
            .answer,
    );
    let meant = [Span {
        from: answer,
        to: answer,
    }];
    check(
        &past,
        &erase(&meant),
        &accepted([requested(&meant), ended(call, CallStatus::Cancelled)]),
    );
    let past = past.then(erase(&meant));
    assert!(past.world.consent().pending().is_empty());
    let other = Past::began().bob_calls(&[("wipe", "{\"path\":\"a\"}")]);
    check(
        &other,
        &erase(&[span(4, 4)]),
        &accepted([requested(&[span(4, 4)])]),
    );
}

#[test]
fn until_it_is_done_nothing_else_is_owed_and_nobody_is_asked() {
    let past = Past::began().said("@bob hi");
    let wake = past.wake("bob", ask());
    let past = past.then(erase(&[span(4, 4)]));
    let request = past.world.head();
    assert_eq!(past.owed(), [Effect::Erase { request }]);
    check(&past, &wake, &quietly(Refusal::Stale));
    check(
        &past.clone().then(reopen()),
        &wake,
        &quietly(Refusal::Stale),
    );
    let past = past.then(done(request));
    assert_eq!(
        past.owed(),
        [Effect::Wake {
            agent: agent("bob"),
            not_before: None
        }]
    );
    check(&past, &done(request), &quietly(Refusal::Stale));
}

#[test]
fn a_model_that_is_being_asked_is_asked_again_behind_it() {
    let past = Past::began().said("@bob hi").woke("bob");
    let answer = past.answer("bob", text("late"));
    let past = past.then(erase(&[span(4, 4)]));
    let request = past.world.head();
    check(&past, &answer, &quietly(Refusal::Stale));
    let past = past.then(done(request));
    check(&past, &answer, &quietly(Refusal::Stale));
    let retry = past.retry("bob");
    let past = past.then(retry);
    let broken = PrefixBroken {
        agent: agent("bob"),
        cause: PrefixCause::Erasure,
        dropped: 0,
    };
    assert_eq!(past.last()[0], Event::Turn(TurnEvent::PrefixBroken(broken)));
    let asked = past.world.model_ask(&agent("bob")).unwrap();
    let items = format!("{:?}", asked.request.items());
    assert!(
        items.contains("[erased]") && !items.contains("hi"),
        "{items}"
    );
}

#[test]
fn the_privacy_of_a_world_stays() {
    let past = Past::began();
    let sealed = definition(room_with(|spec| spec.policy.privacy = Privacy::Sealed));
    let why = "the privacy of a world cannot change; begin another world".to_owned();
    check(
        &past,
        &runtime(Action::World(WorldAction::Revise { definition: sealed })),
        &quietly(Refusal::BadDefinition { why }),
    );
}
