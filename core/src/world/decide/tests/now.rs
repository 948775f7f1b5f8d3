//! A call is allowed by the rules it was taken up under and by those of now, or it does not run.

use crate::command::{Action, Command, ConsentAction, Judgement, ShellAction, WorldAction};
use crate::event::*;
use crate::ids::principal::Principal;
use crate::spec::{DenyRule, Mode, WorldSpec};
use crate::testing::*;
use crate::tool::EffectClass;
use crate::world::effect::Effect;

/// What a room makes of a destructive call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Law {
    Runs,
    Asks,
    AsksTwo,
    Denies,
    Reads,
}

const LAWS: [Law; 5] = [Law::Runs, Law::Asks, Law::AsksTwo, Law::Denies, Law::Reads];

fn under(law: Law) -> WorldSpec {
    room_with(|spec| {
        spec.policy.mode = match law {
            Law::Runs | Law::Denies => Mode::Auto,
            Law::Asks | Law::AsksTwo => Mode::Ask,
            Law::Reads => Mode::Read,
        };
        if law == Law::AsksTwo {
            spec.policy.four_eyes = [EffectClass::Destructive].into();
        }
        if law == Law::Denies {
            spec.policy.deny = vec![DenyRule {
                tool: tool("wipe"),
                when: Vec::new(),
            }];
        }
    })
}

/// The moment before which the rules change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Answer,
    Decision,
    Start,
}

fn revised(past: Past, law: Law) -> Past {
    past.then(revise(law))
}

fn revise(law: Law) -> Command {
    runtime(Action::World(WorldAction::Revise {
        definition: definition(under(law)),
    }))
}

/// `by` allows whatever waits; whether anything did.
fn allowed(past: &mut Past, by: &Principal) -> bool {
    past.world
        .consent()
        .pending()
        .keys()
        .next()
        .copied()
        .is_some_and(|request| {
            let judgement = Judgement::new(Verdict::Allow);
            let decide = Action::Consent(ConsentAction::Decide {
                agent: Some(agent("bob")),
                request,
                judgement,
            });
            takes(past, &Command::of(by.clone(), decide)).is_some()
        })
}

/// Gives a command without looking at the laws, which other tests do: its events, if it is accepted.
fn takes(past: &mut Past, command: &Command) -> Option<Vec<Event>> {
    let (stamp, world) = (past.stamp(), &mut past.world);
    let decision = world.decide(command, &stamp);
    if let Some(commit) = world.commit(command, &stamp, &decision) {
        world.apply(&commit);
    }
    decision.answer.is_ok().then_some(decision.events)
}

/// Whether bob's call ran: all that is owed is done, and `by` allows what waits, as often as they may.
fn ran(woke: &Past, (now, when): (Law, When), by: &Principal) -> bool {
    let mut past = woke.clone();
    let at = |past: &mut Past, here: When| {
        if when == here {
            takes(past, &revise(now)).unwrap();
        }
    };
    at(&mut past, When::Answer);
    let answer = past.answer("bob", calls(&[("wipe", "{}")]));
    takes(&mut past, &answer).unwrap();
    at(&mut past, When::Decision);
    for round in 0..4 {
        allowed(&mut past, by);
        if round == 0 {
            at(&mut past, When::Start);
        }
        let runs = |effect: Effect| {
            let Effect::RunTool { call, attempt, .. } = effect else {
                return None;
            };
            Some(Action::Shell(ShellAction::StartTool {
                agent: agent("bob"),
                call,
                attempt,
            }))
        };
        let Some(start) = past.owed().into_iter().find_map(runs) else {
            continue;
        };
        let events = takes(&mut past, &runtime(start)).unwrap();
        if events
            .iter()
            .any(|event| matches!(event, Event::Call(CallEvent::ToolStarted(_))))
        {
            return true;
        }
    }
    false
}

#[test]
fn call_runs_only_if_the_rules_of_then_and_those_of_now_allow_it() {
    let kim = Principal::Person(person("kim"));
    for then in LAWS {
        let woke = Past::with(under(then)).said("@bob wipe").woke("bob");
        for now in LAWS {
            for when in [When::Answer, When::Decision, When::Start] {
                let case = (then, now, when);
                let strictest = then.max(now);
                assert_eq!(
                    ran(&woke, (now, when), &kim),
                    strictest <= Law::AsksTwo,
                    "{case:?} by another person"
                );
                assert_eq!(
                    ran(&woke, (now, when), &ada()),
                    strictest <= Law::Asks,
                    "{case:?} by who began it"
                );
            }
        }
    }
}

#[test]
fn rules_that_wanted_two_when_a_call_was_taken_up_count_for_it_when_they_are_gone() {
    let past = Past::with(under(Law::Asks)).said("@bob wipe").woke("bob");
    let past = revised(past, Law::AsksTwo).answered("bob", calls(&[("wipe", "{}")]));
    let mut past = revised(past, Law::Asks);
    assert!(!allowed(&mut past, &ada()));
    assert!(allowed(&mut past, &Principal::Person(person("kim"))));
}

#[test]
fn call_of_a_tool_that_its_agent_has_lost_does_not_start() {
    for change in [
        (|spec| spec.agents[0].tools.retain(|known| *known != tool("look"))) as fn(&mut WorldSpec),
        |spec| spec.tools.get_mut(&tool("look")).unwrap().effect = EffectClass::Destructive,
    ] {
        let past = Past::began().bob_calls(&[("look", "{}")]);
        let past = past.then(runtime(Action::World(WorldAction::Revise {
            definition: definition(room_with(change)),
        })));
        let call = past.call("bob", 0);
        let past = past.started("bob", 0, 1);
        assert_eq!(past.last(), [cut(call, 1, CallStatus::Missing)]);
    }
}

#[test]
fn lost_run_that_the_rules_of_now_would_not_repeat_is_a_question_to_people() {
    let past =
        Past::with(room_with(|spec| spec.policy.mode = Mode::Auto)).bob_calls(&[("keep", "{}")]);
    let past = past.started("bob", 0, 1).crashed();
    let past = revised(past, Law::Asks);
    let call = past.call("bob", 0);
    let past = past.started("bob", 0, 2);
    assert!(
        past.last().contains(&unknown(call, UnknownCause::Crash)),
        "{:?}",
        past.last()
    );
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn lost_run_whose_arguments_are_erased_is_a_question_under_other_rules() {
    let past = Past::with(under(Law::Runs))
        .bob_calls(&[("keep", "{}")])
        .started("bob", 0, 1)
        .crashed();
    let all = Span {
        from: at(4),
        to: past.world.head(),
    };
    let past = past.then(Command::of(
        ada(),
        Action::World(WorldAction::Erase {
            events: vec![all],
            basis: "asked for".to_owned(),
        }),
    ));
    let request = past.world.head();
    let past = past.then(runtime(Action::Shell(ShellAction::RecordErased {
        request,
        events: 1,
        files: 0,
    })));
    let past = revised(past, Law::Asks);
    let call = past.call("bob", 0);
    let past = past.started("bob", 0, 2);
    assert!(
        past.last().contains(&unknown(call, UnknownCause::Crash)),
        "{:?}",
        past.last()
    );
}

#[test]
fn call_that_is_asked_about_again_goes_on_with_its_next_attempt() {
    let past =
        Past::with(room_with(|spec| spec.policy.mode = Mode::Auto)).bob_calls(&[("wipe", "{}")]);
    let past = past.started("bob", 0, 1).finished("bob", 0, 1, question());
    let request = past.request();
    let answer = Action::Consent(ConsentAction::Answer {
        request,
        reply: crate::command::Reply::Options(vec![0]),
    });
    let past = revised(past.then(Command::of(ada(), answer)), Law::Asks).started("bob", 0, 2);
    let request = past.request();
    assert_eq!(
        past.last().iter().map(Event::kind).collect::<Vec<_>>(),
        [EventKind::ApprovalRequested]
    );
    let past = past.then(allow(request)).started("bob", 0, 2);
    assert_eq!(
        past.last().iter().map(Event::kind).collect::<Vec<_>>(),
        [EventKind::ToolStarted]
    );
}

#[test]
fn grant_of_before_is_used_where_only_the_rules_of_now_ask() {
    let past = Past::began().bob_calls(&[("wipe", "{}")]);
    let yes = Judgement::new(Verdict::Allow).within(Scope::World);
    let decide = Action::Consent(ConsentAction::Decide {
        agent: Some(agent("bob")),
        request: past.request(),
        judgement: yes,
    });
    let past = past.then(Command::of(ada(), decide)).started("bob", 0, 1);
    let past = past
        .finished("bob", 0, 1, crate::tool::ToolOutcome::text("ok"))
        .carried_on("bob");
    let past = revised(past.answered("bob", text("done")), Law::Runs).bob_calls(&[("wipe", "{}")]);
    let past = revised(past, Law::Asks).started("bob", 0, 1);
    assert_eq!(
        past.last().iter().map(Event::kind).collect::<Vec<_>>(),
        [EventKind::GrantUsed, EventKind::ToolStarted]
    );
}
