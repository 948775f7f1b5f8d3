use crate::command::{Action, Command, ConsentAction, Judgement, Reply, WorldAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::{CallId, Incarnation, Time, TurnId};
use crate::prompt::Item;
use crate::spec::Mode;
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::FORKS_DEEP_MAX;
use crate::world::effect::Effect;
use crate::world::memory::CallState;

fn kinds(past: &Past) -> Vec<&'static str> {
    past.last()
        .iter()
        .map(|event| event.kind().name())
        .collect()
}

fn asks() -> Past {
    Past::with(room()).bob_calls(&[("wipe", "{\"path\":\"a\"}")])
}

fn results(past: &Past) -> Vec<String> {
    let text = |item: &Item| {
        if let Item::Result { text, .. } = item {
            Some(text.to_string())
        } else {
            None
        }
    };
    past.memory("bob")
        .items
        .iter()
        .filter_map(|kept| text(&kept.item))
        .collect()
}

#[test]
fn idle_world_goes_on_under_another_id_and_remembers_everything() {
    let before = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("hello"));
    let child = before.clone().forked();
    assert_eq!(kinds(&child), ["Forked", "Opened"]);
    assert_eq!(child.world.head(), before.world.head().plus(2));
    assert_ne!(child.world.id(), before.world.id());
    assert_eq!(child.world.name().unwrap().as_str(), "branch-1");
    assert_eq!(child.world.incarnation(), Incarnation(1));
    assert_eq!(child.memory("bob"), before.memory("bob"));
    assert_eq!(child.world.transcript(), before.world.transcript());
    assert_eq!(child.world.effects(), ForkEffects::Recorded);
    assert_eq!(before.world.effects(), ForkEffects::Live);
    let child = child.said("@bob again").woke("bob");
    assert_eq!(child.memory("bob").turn.as_ref().unwrap().news.len(), 1);
}

#[test]
fn pending_request_is_asked_again_under_the_childs_ids_with_its_full_time() {
    let before = asks().after_ms(60_000);
    let (request, call) = (before.request(), before.call("bob", 0));
    let child = before.clone().forked();
    assert_eq!(
        kinds(&child),
        [
            "Forked",
            "Opened",
            "TurnOpened",
            "CallsAdmitted",
            "ApprovalRequested"
        ]
    );
    let at = before.world.head().plus(4);
    let own = CallId::of(child.world.id().unwrap(), at, 0);
    let [
        ..,
        Event::Turn(TurnEvent::TurnOpened(opened)),
        Event::Call(CallEvent::CallsAdmitted(admitted)),
        Event::Call(CallEvent::ApprovalRequested(asked)),
    ] = child.last()
    else {
        panic!()
    };
    assert_eq!(opened.resumes, Some(before.turn("bob")));
    assert_eq!(child.turn("bob"), TurnId(before.world.head().plus(3)));
    let admitted: Vec<_> = admitted
        .calls
        .iter()
        .map(|admitted| (admitted.call, admitted.origin))
        .collect();
    assert_eq!(admitted, [(own, Some(call))]);
    let then = before.events().find_map(|event| {
        if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
            Some(asked)
        } else {
            None
        }
    });
    let later = Time(then.unwrap().expires_at.0 + 60_000);
    assert_eq!(
        *asked,
        ApprovalRequested {
            call: own,
            expires_at: later,
            ..then.unwrap().clone()
        }
    );
    assert_ne!(child.request(), request);
    let child = child.clone().then(allow(child.request()));
    assert_eq!(
        child.owed(),
        [Effect::RunTool {
            agent: agent("bob"),
            call: own,
            attempt: crate::ids::Attempt(1)
        }]
    );
    let child = child
        .started("bob", 0, 1)
        .finished("bob", 0, 1, ToolOutcome::text("gone"))
        .carried_on("bob");
    assert_eq!(
        results(&child).len(),
        1,
        "the result answers the call as the model wrote it"
    );
}

#[test]
fn finished_sibling_keeps_its_result_and_a_started_one_is_closed() {
    let ok = |past: Past| {
        past.started("bob", 0, 1)
            .finished("bob", 0, 1, ToolOutcome::text("seen"))
            .started("bob", 1, 1)
    };
    let wanted = [
        ("look", "{\"path\":\"a\"}"),
        ("look", "{\"path\":\"b\"}"),
        ("wipe", "{}"),
    ];
    let child = ok(Past::began().bob_calls(&wanted)).forked();
    let states: Vec<_> = child
        .memory("bob")
        .open_calls
        .values()
        .map(|open| open.state.clone())
        .collect();
    assert_eq!(
        states,
        [CallState::AwaitsApproval {
            request: child.request(),
            next: crate::ids::Attempt(1)
        }]
    );
    let child = child.clone().then(deny(child.request())).carried_on("bob");
    let results = results(&child);
    assert!(results[0].contains("seen"), "{results:?}");
    assert!(results[1].starts_with("closed_by_fork: "), "{results:?}");
    assert!(results[2].starts_with("denied: "), "{results:?}");
}

#[test]
fn turn_that_asks_nobody_is_closed_and_each_call_has_its_one_result() {
    let running = Past::with(room_with(|spec| spec.policy.mode = Mode::Auto));
    let child = running
        .bob_calls(&[("write", "{}"), ("look", "{}")])
        .started("bob", 0, 1)
        .forked();
    assert_eq!(kinds(&child), ["Forked", "Opened"]);
    assert!(child.memory("bob").turn.is_none());
    assert_eq!(child.owed(), []);
    assert_eq!(results(&child).len(), 2);
    assert!(
        results(&child)
            .iter()
            .all(|result| result.starts_with("closed_by_fork: "))
    );
}

#[test]
fn call_of_the_parent_is_none_of_the_childs() {
    let before =
        Past::with(room_with(|spec| spec.policy.mode = Mode::Auto)).bob_calls(&[("write", "{}")]);
    let forged = of(ada(), &before.start("bob", 0, 1));
    let refused = before.forked().decide(&forged).answer;
    assert!(
        matches!(
            refused,
            Err(Refusal::Right {
                reason: RefusalReason::OfParent,
                ..
            })
        ),
        "{refused:?}"
    );
}

#[test]
fn model_call_and_inbox_of_the_parent_are_closed() {
    let child = Past::began().said("@bob @eve go").woke("bob").forked();
    assert_eq!(
        (child.owed(), child.world.episodes().len()),
        (Vec::new(), 0)
    );
    assert!(child.memory("eve").inbox.is_empty());
    assert_eq!(child.world.meters().total.lost, 1);
    assert_eq!(
        child.world.meters().total.spent.reserved,
        crate::model::money::Money::ZERO
    );
}

#[test]
fn no_grant_of_the_parent_allows_anything() {
    let before = asks();
    let request = before.request();
    let judgement = Judgement::new(Verdict::Allow).within(Scope::World);
    let decide = Action::Consent(ConsentAction::Decide {
        agent: Some(agent("bob")),
        request,
        judgement,
    });
    let before = before.then(Command::of(ada(), decide)).started("bob", 0, 1);
    let before = before
        .finished("bob", 0, 1, ToolOutcome::text("wiped"))
        .carried_on("bob")
        .answered("bob", text("ok"));
    let same = |past: Past| past.bob_calls(&[("wipe", "{\"path\":\"a\"}")]);
    assert_eq!(
        same(before.clone()).world.consent().pending().len(),
        0,
        "the parent's grant still holds there"
    );
    let child = before.forked();
    assert_eq!(child.world.grants().count(), 0);
    assert_eq!(same(child).world.consent().pending().len(), 1);
}

#[test]
fn question_of_a_tool_is_asked_again() {
    let before = Past::began()
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1)
        .finished("bob", 0, 1, question());
    let child = before.forked();
    assert_eq!(
        kinds(&child)[2..],
        ["TurnOpened", "CallsAdmitted", "QuestionAsked"]
    );
    let answer = reply(child.request(), Reply::Options(vec![1]));
    let child = child.then(answer);
    let call = child.call("bob", 0);
    assert_eq!(
        child.owed(),
        [Effect::RunTool {
            agent: agent("bob"),
            call,
            attempt: crate::ids::Attempt(2)
        }]
    );
}

#[test]
fn run_that_was_lost_in_a_dry_fork_is_cleared_up_by_the_record() {
    let child = asks().forked();
    let child = child
        .clone()
        .then(allow(child.request()))
        .started("bob", 0, 1)
        .crashed();
    let call = child.call("bob", 0);
    let attempt = crate::ids::Attempt(1);
    assert_eq!(
        child.owed(),
        [Effect::Reconcile {
            agent: agent("bob"),
            call,
            attempt
        }]
    );
    let did_not = child.reconcile("bob", 0, crate::tool::Reconciliation::DidNot);
    let child = child.then(did_not);
    assert_eq!(
        child.owed(),
        [Effect::RunTool {
            agent: agent("bob"),
            call,
            attempt: crate::ids::Attempt(2)
        }]
    );
}

#[test]
fn outcome_that_is_unknown_in_the_parent_is_not_asked_about_in_the_child() {
    let past = Past::with(room_with(|spec| spec.policy.mode = Mode::Auto));
    let past = past
        .bob_calls(&[("write", "{}")])
        .started("bob", 0, 1)
        .crashed();
    let declare = past.declare("bob", 0);
    let before = past.then(declare);
    let child = before.clone().forked();
    assert_eq!(kinds(&child), ["Forked", "Opened"]);
    assert!(child.world.consent().pending().is_empty());
    let settle = settle(before.request(), crate::command::Settlement::NotRun);
    let refused = child.decide(&settle).answer;
    assert!(
        matches!(
            refused,
            Err(Refusal::Right {
                reason: RefusalReason::OfParent,
                ..
            })
        ),
        "{refused:?}"
    );
}

#[test]
fn child_has_no_recorded_steps_and_keeps_its_people() {
    let step = Command::of(
        crate::ids::principal::Principal::World,
        Action::World(WorldAction::RecordStep {
            step: crate::ids::StepKey { run: 1, index: 0 },
            digest: crate::ids::Digest::of(&[]),
        }),
    );
    let before = Past::began().said("@bob hi").then(step);
    let child = before.clone().forked();
    let done = |past: &Past| past.world.script().done.len();
    assert_eq!((done(&before), done(&child)), (1, 0));
    assert_eq!(
        child.world.people().roster(),
        before.world.people().roster()
    );
}

#[test]
fn fork_that_does_not_fit_its_parent_is_refused() {
    let past = asks();
    let of = |change: fn(&mut TreeHead)| {
        let mut command = fork_of(&past.world);
        let Action::World(WorldAction::Fork { base, .. }) = &mut command.action else {
            panic!()
        };
        change(base);
        past.decide(&command).answer.unwrap_err().code()
    };
    assert_eq!(of(|base| base.of = at(1)), "bad_fork");
    let mut deep = Past::began();
    for _ in 0..FORKS_DEEP_MAX {
        deep = deep.forked();
    }
    assert_eq!(
        deep.decide(&fork_of(&deep.world))
            .answer
            .unwrap_err()
            .code(),
        "bad_fork"
    );
}
