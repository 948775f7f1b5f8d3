use crate::command::{Action, ShellAction};
use crate::event::refusal::Refusal;
use crate::event::*;
use crate::ids::{Digest, Time};
use crate::testing::*;
use crate::world::Activity;
use crate::world::effect::Effect;

const KEY: &str = "example.com/desk+0a1b2c3d";
const MINUTE: u64 = 60_000;

/// A world that was just opened with a key.
fn keyed() -> Past {
    Past::began().then(reopen_with(Some(KEY)))
}

fn signatures(past: &Past) -> Vec<Effect> {
    past.owed()
        .into_iter()
        .filter(|effect| matches!(effect, Effect::Sign { .. }))
        .collect()
}

fn owed_at_once(occasion: Occasion) -> Vec<Effect> {
    vec![Effect::Sign {
        not_before: None,
        occasion,
    }]
}

fn owed_after_a_minute(since: Time) -> Vec<Effect> {
    vec![Effect::Sign {
        not_before: Some(Time(since.0 + MINUTE)),
        occasion: Occasion::Time,
    }]
}

fn signature(past: &Past, occasion: Occasion) -> Action {
    upkeep(
        &past.world,
        &Effect::Sign {
            not_before: None,
            occasion,
        },
    )
}

#[test]
fn a_world_without_a_key_owes_no_signature_and_records_none() {
    let past = Past::began().said("@bob do it");
    assert_eq!(
        (
            signatures(&past),
            past.world.upkeep().signer(),
            past.world.upkeep().has_unsigned()
        ),
        (vec![], None, false)
    );
    let head = TreeHead {
        of: past.world.head(),
        commits: 2,
        root: Digest::of(&[]),
    };
    let sign = Action::Shell(ShellAction::Sign {
        head,
        key: KEY.to_owned(),
        signature: "signature".to_owned(),
        occasion: Occasion::Close,
    });
    check(&past, &runtime(sign), &quietly(Refusal::Stale));
}

#[test]
fn a_quiet_world_owes_a_signature_at_once_and_is_not_idle_before() {
    let past = keyed();
    assert_eq!(signatures(&past), owed_at_once(Occasion::Quiet));
    assert_eq!(
        (past.world.activity(), past.world.room_activity()),
        (Activity::Running, Activity::Idle)
    );
    let past = past.signed();
    assert_eq!(
        (signatures(&past), past.world.activity()),
        (vec![], Activity::Idle)
    );
}

#[test]
fn a_signature_covers_all_before_it_and_says_why_it_was_made() {
    let past = keyed();
    let head = TreeHead {
        of: past.world.head(),
        commits: 1,
        root: Digest::of(&[]),
    };
    let signed = HeadSigned {
        head,
        key: KEY.to_owned(),
        signature: "signature".to_owned(),
        occasion: Occasion::Quiet,
    };
    check(
        &past,
        &runtime(signature(&past, Occasion::Quiet)),
        &accepted([Event::World(WorldEvent::HeadSigned(signed))]),
    );
}

#[test]
fn a_signature_is_not_signed_in_turn() {
    let past = keyed().signed();
    assert!(!past.world.upkeep().has_unsigned());
    check(
        &past,
        &runtime(signature(&past, Occasion::Close)),
        &quietly(Refusal::Stale),
    );
}

#[test]
fn a_world_that_waits_for_a_person_owes_a_signature_at_once() {
    let past = keyed().signed().bob_calls(&[("write", "{}")]);
    assert_eq!(
        (past.world.room_activity(), past.world.activity()),
        (Activity::Parked, Activity::Running)
    );
    assert_eq!(signatures(&past), owed_at_once(Occasion::Quiet));
    assert_eq!(past.signed().world.activity(), Activity::Parked);
}

#[test]
fn a_busy_world_owes_a_signature_a_minute_after_the_first_unsigned_event() {
    let past = keyed().signed().after_ms(5).said("@bob do it");
    let since = past.world.time();
    assert_eq!(signatures(&past), owed_after_a_minute(since));
    let past = past.after_ms(1_000).woke("bob");
    assert_eq!(
        signatures(&past),
        owed_after_a_minute(since),
        "later events change nothing"
    );
    let past = past.after_ms(1_000).signed();
    assert_eq!(signatures(&past), []);
    let past = past
        .after_ms(1_000)
        .answered("bob", calls(&[("look", "{}")]));
    assert_eq!(
        signatures(&past),
        owed_after_a_minute(past.world.time()),
        "the minute begins anew"
    );
}

#[test]
fn a_busy_world_owes_a_signature_at_once_when_a_thousand_events_are_unsigned() {
    let mut past = keyed().signed().said("@bob do it").woke("bob");
    let warning = Event::World(WorldEvent::WarningRecorded(WarningRecorded {
        code: "a_fact".to_owned(),
        agent: None,
    }));
    let unsigned = |past: &Past| past.world.head().get() - 4;
    assert_eq!(
        past.commits[..3]
            .iter()
            .map(|commit| commit.events.len())
            .sum::<usize>(),
        4,
        "all signed"
    );
    while unsigned(&past) < 1_023 {
        past.world.evolve(&warning);
    }
    assert_eq!(signatures(&past), owed_after_a_minute(past.world.time()));
    past.world.evolve(&warning);
    assert_eq!(signatures(&past), owed_at_once(Occasion::Count));
    let Action::Shell(ShellAction::Sign {
        head,
        key,
        signature,
        occasion,
    }) = signature(&past, Occasion::Count)
    else {
        panic!()
    };
    past.world
        .evolve(&Event::World(WorldEvent::HeadSigned(HeadSigned {
            head,
            key,
            signature,
            occasion,
        })));
    assert_eq!(signatures(&past), []);
}

#[test]
fn a_head_that_is_not_that_of_the_log_is_not_recorded() {
    let past = keyed();
    let stale = runtime(signature(&past, Occasion::Quiet));
    check(&past.said("@bob do it"), &stale, &quietly(Refusal::Stale));
}

#[test]
fn a_signature_of_another_key_is_not_recorded() {
    let past = keyed();
    let Action::Shell(ShellAction::Sign {
        head,
        signature,
        occasion,
        ..
    }) = signature(&past, Occasion::Quiet)
    else {
        panic!()
    };
    let other = Action::Shell(ShellAction::Sign {
        head,
        signature,
        occasion,
        key: "example.com/other+00000000".to_owned(),
    });
    check(&past, &runtime(other), &quietly(Refusal::Stale));
}

#[test]
fn nobody_but_the_shell_records_a_signature() {
    let past = keyed();
    let sign = runtime(signature(&past, Occasion::Quiet));
    let decision = past.decide(&of(ada(), &sign));
    assert!(decision.answer.is_err());
    assert!(
        !decision
            .events
            .iter()
            .any(|event| matches!(event, Event::World(WorldEvent::HeadSigned(_))))
    );
}

#[test]
fn the_next_opening_signs_what_the_one_before_left_with_its_own_key() {
    let past = keyed().said("@bob do it");
    let since = past.commits[1].header.stamp.time;
    let past = past
        .after_ms(100)
        .then(reopen_with(Some("example.com/new+ffffffff")));
    assert_eq!(
        past.world.upkeep().signer(),
        Some("example.com/new+ffffffff")
    );
    assert_eq!(signatures(&past), owed_after_a_minute(since));
    let past = past.signed();
    let [Event::World(WorldEvent::HeadSigned(signed))] = past.last() else {
        panic!("{:?}", past.last())
    };
    assert_eq!(signed.key, "example.com/new+ffffffff");
}

#[test]
fn an_opening_without_the_key_owes_nothing_and_one_with_it_signs_all_of_it() {
    let past = keyed().said("@bob do it").crashed();
    assert_eq!(
        (signatures(&past), past.world.upkeep().signer()),
        (vec![], None)
    );
    let past = past.after_ms(100).then(reopen_with(Some(KEY)));
    assert_eq!(signatures(&past), owed_after_a_minute(past.world.time()));
    let past = past.signed();
    let [Event::World(WorldEvent::HeadSigned(signed))] = past.last() else {
        panic!("{:?}", past.last())
    };
    assert_eq!(signed.head.of.get() + 1, past.world.head().get());
}
