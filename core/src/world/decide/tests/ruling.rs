//! What the rules of a room and of a tool make of a call by its arguments.

use serde_json::json;

use crate::event::*;
use crate::spec::{DenyRule, Mode, WorldSpec};
use crate::testing::*;
use crate::tool::constraint::{Allowed, Constraint};
use crate::tool::{CallRule, EffectClass, ToolSpec, Unlisted};

fn path_is(path: &str) -> Constraint {
    Constraint {
        path: "/path".to_owned(),
        allowed: Allowed::Equals(json!(path)),
    }
}

/// A room whose tool `write` may read `a` and destroy `b`.
fn room_by_path(change: impl FnOnce(&mut WorldSpec)) -> WorldSpec {
    room_with(|spec| {
        let rule = |path: &str, effect| CallRule {
            when: vec![path_is(path)],
            effect,
        };
        write_of(spec).rules = vec![
            rule("a", EffectClass::Read),
            rule("b", EffectClass::Destructive),
        ];
        change(spec);
    })
}

fn write_of(spec: &mut WorldSpec) -> &mut ToolSpec {
    spec.tools.get_mut(&tool("write")).unwrap()
}

fn writes(room: WorldSpec, paths: &[&str]) -> Past {
    let arguments: Vec<String> = paths
        .iter()
        .map(|path| json!({ "path": path }).to_string())
        .collect();
    let wanted: Vec<(&str, &str)> = arguments
        .iter()
        .map(|arguments| ("write", arguments.as_str()))
        .collect();
    Past::with(room).bob_calls(&wanted)
}

fn statuses(past: &Past) -> Vec<CallStatus> {
    let status = |event: &Event| {
        if let Event::Call(CallEvent::ToolFinished(done)) = event {
            Some(done.status.clone())
        } else {
            None
        }
    };
    past.last().iter().filter_map(status).collect()
}

fn asked(past: &Past) -> Vec<EffectClass> {
    let effect = |event: &Event| {
        if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
            Some(asked.effect)
        } else {
            None
        }
    };
    past.last().iter().filter_map(effect).collect()
}

#[test]
fn effect_is_that_of_the_call() {
    let past = writes(room_by_path(|_| {}), &["a", "b", "c"]);
    assert_eq!(asked(&past), [EffectClass::Destructive, EffectClass::Write]);
    let past = past.started("bob", 0, 1);
    let [Event::Call(CallEvent::ToolStarted(started))] = past.last() else {
        panic!()
    };
    assert_eq!(
        started.effect,
        EffectClass::Read,
        "what is recorded at the start is the call's effect as well"
    );
}

#[test]
fn call_that_a_rule_of_the_room_denies_is_forbidden_in_every_mode() {
    for mode in [Mode::Ask, Mode::Read, Mode::Auto] {
        let room = room_by_path(|spec| {
            spec.policy.mode = mode;
            spec.policy.deny = vec![DenyRule {
                tool: tool("write"),
                when: vec![path_is("a")],
            }];
        });
        assert_eq!(
            statuses(&writes(room, &["a"])),
            [CallStatus::Forbidden],
            "{mode:?}"
        );
    }
}

#[test]
fn deny_rule_without_constraints_forbids_the_tool_alone() {
    let room = room_with(|spec| {
        spec.policy.deny = vec![DenyRule {
            tool: tool("look"),
            when: Vec::new(),
        }]
    });
    let past = Past::with(room).bob_calls(&[("look", "{}"), ("wipe", "{}")]);
    assert_eq!(
        (statuses(&past), asked(&past)),
        (vec![CallStatus::Forbidden], vec![EffectClass::Destructive])
    );
}

#[test]
fn call_that_is_not_listed_is_refused_before_anybody_is_asked() {
    let past = writes(
        room_by_path(|spec| write_of(spec).unlisted = Unlisted::Refuse),
        &["b", "c"],
    );
    assert_eq!(
        (statuses(&past), asked(&past)),
        (vec![CallStatus::Forbidden], vec![EffectClass::Destructive])
    );
}

#[test]
fn call_that_is_not_listed_asks_even_where_everything_runs() {
    let room = |mode| {
        room_by_path(|spec| {
            spec.policy.mode = mode;
            write_of(spec).unlisted = Unlisted::Ask;
        })
    };
    assert_eq!(
        asked(&writes(room(Mode::Auto), &["a", "b", "c"])),
        [EffectClass::Write]
    );
    let past = writes(room(Mode::Read), &["a", "b", "c"]);
    assert_eq!(
        (asked(&past), statuses(&past)),
        (Vec::new(), vec![CallStatus::NotAllowed; 2])
    );
}

fn room_of_two_looks() -> WorldSpec {
    room_with(|spec| {
        spec.tools
            .get_mut(&tool("look"))
            .unwrap()
            .calls_per_episode_max = Some(2)
    })
}

#[test]
fn tool_is_called_as_often_in_an_episode_as_it_may_be() {
    let look = ("look", "{}");
    let past = Past::with(room_of_two_looks()).bob_calls(&[look, look, look]);
    assert_eq!(statuses(&past), [CallStatus::QuotaSpent]);
    let past = (0..2).fold(past, |past, n| {
        past.started("bob", n, 1).finished("bob", n, 1, done("x"))
    });
    let past = past.carried_on("bob").answered("bob", calls(&[look]));
    assert_eq!(
        statuses(&past),
        [CallStatus::QuotaSpent],
        "the next answer of the episode"
    );
    let past = past
        .carried_on("bob")
        .answered("bob", text("done"))
        .bob_calls(&[look]);
    assert_eq!(statuses(&past), [], "another episode");
}

#[test]
fn call_that_was_turned_away_is_not_held_against_the_quota() {
    let past = Past::with(room_of_two_looks()).bob_calls(&[
        ("look", "[1"),
        ("look", "{}"),
        ("look", "{}"),
    ]);
    assert!(
        matches!(statuses(&past)[..], [CallStatus::Invalid(_)]),
        "{:?}",
        statuses(&past)
    );
}

fn done(text: &str) -> crate::tool::ToolOutcome {
    crate::tool::ToolOutcome::text(text)
}
