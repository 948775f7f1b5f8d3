//! Agents that wait until all whom they addressed are done.

use crate::event::refusal::Refusal;
use crate::event::*;
use crate::ids::{MessageId, Time};
use crate::model::response::{LLMResponse, ModelErrorKind};
use crate::spec::{Join, WorldSpec};
use crate::testing::*;
use crate::world::effect::{Due, Effect};
use crate::world::{Activity, Doing};

/// Bob waits for eve and cody, five seconds at most.
fn room_that_joins() -> WorldSpec {
    room_with(|spec| {
        let all_of = vec![agent("eve"), agent("cody")];
        spec.agents[0].join = Some(Join {
            all_of,
            or_after_ms: 5_000,
        });
    })
}

/// Bob has asked eve and cody.
fn asked() -> Past {
    asked_in(room_that_joins())
}

fn asked_in(room: WorldSpec) -> Past {
    Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("@eve and you?\n@cody and you?"))
}

fn until() -> Time {
    Time(Time::SIMULATED_START.0 + 5_000)
}

fn join_tick() -> Effect {
    Effect::TickAt {
        time: until(),
        due: Due::Join,
    }
}

fn wake(name: &str) -> Effect {
    Effect::Wake {
        agent: agent(name),
        not_before: None,
    }
}

fn by_cody(past: Past, response: LLMResponse) -> Past {
    let command = past.wake("cody", answer(response));
    past.then(command)
}

fn tick(past: &Past) -> Past {
    past.clone().then(runtime(crate::command::Action::Shell(
        crate::command::ShellAction::Tick,
    )))
}

#[test]
fn joining_agent_is_woken_once_when_all_have_answered() {
    let past = asked();
    assert_eq!(past.owed(), [wake("cody"), wake("eve"), join_tick()]);
    let past = by_cody(past, text("@bob mine"));
    assert_eq!(past.owed(), [wake("eve"), join_tick()]);
    let past = past.woke("eve").answered("eve", text("@bob ours"));
    assert_eq!(past.owed(), [wake("bob")]);
    let past = past.woke("bob");
    assert_eq!(
        (
            past.memory("bob").inbox.len(),
            past.memory("bob").turn.as_ref().unwrap().news.len()
        ),
        (0, 2)
    );
}

#[test]
fn agent_that_joins_nobody_is_woken_by_each_answer() {
    let past = by_cody(asked_in(room()), text("@bob mine"));
    assert_eq!(past.owed(), [wake("bob"), wake("eve")]);
}

#[test]
fn agent_waits_for_those_only_whom_it_addressed() {
    let past = Past::with(room_that_joins())
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("@cody and you?"));
    let past = by_cody(past, text("@bob mine"));
    assert_eq!(past.owed(), [wake("bob")]);
}

#[test]
fn word_of_a_person_waits_with_the_others() {
    let past = asked().said("@bob quick");
    assert_eq!(past.owed(), [wake("cody"), wake("eve"), join_tick()]);
    assert_eq!(past.world.doing(&agent("bob")), Doing::WaitingForAgent);
    check(&past, &past.wake("bob", ask()), &quietly(Refusal::Stale));
    check(&past, &past.fail_agent("bob"), &quietly(Refusal::Stale));
    let past = by_cody(past, text("@bob mine"))
        .woke("eve")
        .answered("eve", text("@bob ours"))
        .woke("bob");
    assert_eq!(past.memory("bob").turn.as_ref().unwrap().news.len(), 3);
}

/// What the world tells bob at the end of his wait: at which position, and how.
fn told(past: &Past, position: u64, text: &str) -> [Event; 2] {
    let joining = past.memory("bob").joining.as_ref().unwrap();
    let said = MessagePosted::said(
        MessageId(at(position)),
        Author::World,
        None,
        MessageBody::text(text),
    );
    let routed = MessageRouted {
        others: Others::Ignore,
        episode: joining.episode,
        ..route(
            position,
            RoutingRule::Joined,
            &[("bob", RoutingReason::Joined)],
        )
    };
    [
        Event::Talk(TalkEvent::MessagePosted(said)),
        Event::Talk(TalkEvent::MessageRouted(routed)),
    ]
}

fn passed(past: Past, name: &str) -> Past {
    let command = past.wake(name, reaction::Reaction::Pass { note: None });
    past.then(command)
}

fn tick_command() -> crate::command::Command {
    runtime(crate::command::Action::Shell(
        crate::command::ShellAction::Tick,
    ))
}

#[test]
fn agent_whose_members_all_pass_or_fail_is_woken_once_with_what_became_of_each() {
    let past = passed(asked(), "cody")
        .woke("eve")
        .model_failed("eve", ModelErrorKind::RefusesRequest);
    let now = past.world.time();
    assert_eq!(
        past.owed(),
        [Effect::TickAt {
            time: now,
            due: Due::Join
        }]
    );
    assert_eq!(past.world.activity(), Activity::Running);
    let position = past.world.head().next().get();
    let both = told(
        &past,
        position,
        "bob waits no longer: cody had nothing to say; eve failed.",
    );
    check(&past, &tick_command(), &accepted(both));
    let past = tick(&past.crashed());
    assert_eq!(
        (past.owed(), &past.memory("bob").joining),
        (vec![wake("bob")], &None)
    );
    let past = past.woke("bob");
    let turn = past.memory("bob").turn.as_ref().unwrap();
    assert_eq!((turn.news.len(), turn.began_by.len()), (1, 1));
    let ask = past.world.model_ask(&agent("bob")).unwrap();
    let heard = ask.request.items.last().unwrap();
    assert!(
        matches!(&**heard, crate::prompt::Item::Heard { from, .. } if &**from == "world"),
        "{heard:?}"
    );
    let past = past.answered("bob", text("@ada nobody knows"));
    assert_eq!((past.owed(), past.world.episodes().len()), (Vec::new(), 0));
}

#[test]
fn agent_with_some_answers_is_told_of_the_others_and_woken_once() {
    let past = passed(by_cody(asked(), text("@bob mine")), "eve");
    let position = past.world.head().next().get();
    let both = told(
        &past,
        position,
        "bob waits no longer: eve had nothing to say.",
    );
    check(&past, &tick_command(), &accepted(both));
    let past = tick(&past);
    assert_eq!(past.owed(), [wake("bob")]);
    assert_eq!(
        past.woke("bob")
            .memory("bob")
            .turn
            .as_ref()
            .unwrap()
            .news
            .len(),
        2
    );
}

#[test]
fn answer_to_somebody_else_is_none_to_the_agent_that_waits() {
    let past = passed(by_cody(asked(), text("@ada mine")), "eve");
    let position = past.world.head().next().get();
    let both = told(
        &past,
        position,
        "bob waits no longer: cody answered somebody else; eve had nothing to say.",
    );
    check(&past, &tick_command(), &accepted(both));
}

#[test]
fn end_of_a_wait_is_gone_with_what_was_waited_for() {
    let past = passed(passed(asked(), "cody"), "eve");
    let said = past.world.transcript().back().unwrap().id.0.get();
    let past = tick(&past).then(retract(said));
    assert_eq!(
        (past.owed(), past.world.transcript().len()),
        (Vec::new(), 1)
    );
}

#[test]
fn stop_leaves_nothing_to_be_told_of_a_wait() {
    let past = passed(passed(asked(), "cody"), "eve").then(stop());
    assert_eq!(
        (past.owed(), past.world.activity()),
        (Vec::new(), Activity::Idle)
    );
}

#[test]
fn failure_that_passes_is_waited_for() {
    let past = asked();
    let failed = past.fail_agent("cody");
    let past = past
        .then(failed)
        .woke("eve")
        .answered("eve", text("@bob ours"));
    assert!(!past.owed().contains(&wake("bob")));
    assert!(past.owed().contains(&join_tick()));
}

#[test]
fn declined_turn_counts_as_an_answer() {
    let room = WorldSpec {
        limits: crate::spec::Limits {
            model_calls_per_episode: 2,
            ..Default::default()
        },
        ..room_that_joins()
    };
    let past = asked_in(room);
    let past = by_cody(past, text("@bob mine")).woke("eve");
    assert!(
        past.last()
            .iter()
            .any(|event| matches!(event, Event::Turn(TurnEvent::TurnDeclined(_))))
    );
    let position = past.world.head().next().get();
    check(
        &past,
        &tick_command(),
        &accepted(told(
            &past,
            position,
            "bob waits no longer: eve may ask no model any more.",
        )),
    );
    assert_eq!(tick(&past).owed(), [wake("bob")]);
}

#[test]
fn wait_ends_after_its_time_and_says_who_is_missing() {
    let past = by_cody(asked(), text("@bob mine"))
        .woke("eve")
        .after_ms(4_999);
    check(
        &past,
        &runtime(crate::command::Action::Shell(
            crate::command::ShellAction::Tick,
        )),
        &accepted([]),
    );
    let past = past.after_ms(1);
    let elapsed = Event::Turn(TurnEvent::JoinElapsed(JoinElapsed {
        agent: agent("bob"),
        missing: vec![agent("eve")],
    }));
    let position = past.world.head().next().get();
    let both = told(
        &past,
        position,
        "bob waits no longer: eve has not answered yet.",
    );
    check(
        &past,
        &tick_command(),
        &accepted(both.into_iter().chain([elapsed])),
    );
    let past = tick(&past);
    assert!(past.owed().contains(&wake("bob")));
    let past = past
        .woke("bob")
        .answered("eve", text("@bob ours"))
        .answered("bob", text("@ada done"));
    assert_eq!(past.owed(), [wake("bob")]);
}

#[test]
fn wait_for_time_is_running_while_the_others_wait_for_a_person() {
    let past = asked();
    let command = past.wake("cody", reaction::Reaction::Pass { note: None });
    let past = past
        .then(command)
        .woke("eve")
        .answered("eve", calls(&[("wipe", "{}")]));
    assert_eq!(past.world.activity(), Activity::Running);
    let dues: Vec<Due> = past
        .owed()
        .into_iter()
        .filter_map(|effect| {
            if let Effect::TickAt { due, .. } = effect {
                Some(due)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(dues, [Due::Expiry, Due::Join]);
    let past = tick(&past.after_ms(5_000));
    assert!(past.owed().contains(&wake("bob")));
    let past = past
        .woke("bob")
        .answered("bob", text("@ada they are at it"));
    assert_eq!(past.world.activity(), Activity::Parked);
}

#[test]
fn stop_ends_a_wait() {
    let past = asked().then(stop());
    assert_eq!(
        (past.owed(), past.world.activity()),
        (Vec::new(), Activity::Idle)
    );
    assert_eq!(past.memory("bob").joining, None);
}

#[test]
fn nobody_waits_for_answers_to_what_is_taken_back() {
    let past = asked();
    let said = past.world.transcript().back().unwrap().id.0.get();
    let past = past.said("@bob quick").then(retract(said));
    assert_eq!(past.memory("bob").joining, None);
    assert_eq!(past.owed(), [wake("bob")]);
}

#[test]
fn wait_survives_a_crash() {
    let past = asked().crashed();
    assert_eq!(past.owed(), [wake("cody"), wake("eve"), join_tick()]);
}

#[test]
fn agents_that_join_each_other_come_to_an_end() {
    let room = room_with(|spec| {
        for (place, other) in [(0, "eve"), (1, "bob")] {
            spec.agents[place].join = Some(Join {
                all_of: vec![agent(other)],
                or_after_ms: 5_000,
            });
        }
    });
    let past = Past::with(room)
        .said("@bob @eve go")
        .woke("bob")
        .woke("eve");
    let past = past
        .answered("bob", text("@eve you?"))
        .answered("eve", text("@bob you?"));
    // Each waits until the other has taken up its word, which the other does not before that.
    let both = past.owed();
    assert!(both.iter().all(|effect| *effect == join_tick()), "{both:?}");
    let past = tick(&past.after_ms(5_000));
    assert_eq!(past.owed(), [wake("bob"), wake("eve")]);
}
