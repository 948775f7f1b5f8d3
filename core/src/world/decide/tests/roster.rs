use crate::command::{Action, Command, Reply, Settlement, TalkAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::principal::{Person, Principal};
use crate::spec::Mode;
use crate::testing::*;
use crate::tool::ToolOutcome;

fn by(name: &str, command: &Command) -> Command {
    of(Principal::Person(person(name)), command)
}

fn join() -> Command {
    Command::of(ada(), Action::Talk(TalkAction::Join))
}

fn leave() -> Command {
    Command::of(ada(), Action::Talk(TalkAction::Leave))
}

fn joined(name: &str) -> Event {
    Event::World(WorldEvent::PersonJoined(PersonJoined {
        person: person(name),
    }))
}

#[test]
fn person_joins_and_leaves_once() {
    let past = Past::began();
    check(&past, &join(), &accepted([joined("ada")]));
    check(&past, &leave(), &accepted([]));
    let past = past.then(join());
    check(&past, &join(), &accepted([]));
    check(
        &past,
        &leave(),
        &accepted([Event::World(WorldEvent::PersonLeft(PersonLeft {
            person: person("ada").display,
        }))]),
    );
    let past = past.then(leave());
    assert_eq!(past.world.people().roster().len(), 0);
    check(&past, &join(), &accepted([joined("ada")]));
}

#[test]
fn first_message_after_leaving_joins_again() {
    let past = Past::began().said("@bob hi").then(leave()).said("@bob you");
    assert_eq!(past.last()[0], joined("ada"));
}

#[test]
fn nobody_joins_or_leaves_under_anothers_name() {
    let past = Past::began().said("@bob hi");
    let impostor = Principal::Person(Person {
        subject: "other".to_owned(),
        ..person("ada")
    });
    for command in [join(), leave()] {
        let (command, reason) = (of(impostor.clone(), &command), RefusalReason::NotYours);
        check(
            &past,
            &command,
            &recorded(reason, [refused(&command, reason, None)]),
        );
    }
    let why = "an agent is called bob".to_owned();
    check(
        &past,
        &by("bob", &join()),
        &quietly(Refusal::BadMessage { why }),
    );
}

#[test]
fn whoever_bears_a_name_later_has_no_say_in_what_was_said_under_it() {
    let past = Past::began()
        .said("@bob hi")
        .then(edit(4, "@bob ho"))
        .then(leave());
    let other = Principal::Person(Person {
        subject: "other".to_owned(),
        ..person("ada")
    });
    let taken_over = past.clone().then(of(other.clone(), &join()));
    for (past, command) in [
        (&past, retract(4)),
        (&past, edit(4, "no")),
        (&taken_over, edit(4, "no")),
    ] {
        let (command, reason) = (of(other.clone(), &command), RefusalReason::NotYours);
        check(
            past,
            &command,
            &recorded(reason, [refused(&command, reason, None)]),
        );
    }
    assert_eq!(past.then(retract(4)).world.transcript().len(), 0);
}

#[test]
fn only_people_join_and_leave() {
    let past = Past::began();
    for principal in [
        Principal::Agent(agent("bob")),
        Principal::Tool(tool("look")),
        Principal::World,
    ] {
        for command in [join(), leave()] {
            let (command, reason) = (of(principal.clone(), &command), RefusalReason::NotAPerson);
            check(
                &past,
                &command,
                &recorded(reason, [refused(&command, reason, None)]),
            );
        }
    }
}

#[test]
fn person_who_decides_is_in_the_roster_from_then_on() {
    let past = Past::began().bob_calls(&[("write", "{}")]);
    let past = past.clone().then(by("kim", &allow(past.request())));
    assert!(
        matches!(past.last(), [first, Event::Call(CallEvent::ApprovalDecided(_))] if *first == joined("kim"))
    );
    let past = past
        .started("bob", 0, 1)
        .finished("bob", 0, 1, ToolOutcome::text("ok"))
        .carried_on("bob");
    let past = past.answered("bob", text("@kim it is written"));
    let routed = past.last().iter().find_map(|event| {
        if let Event::Talk(TalkEvent::MessageRouted(it)) = event {
            Some(it)
        } else {
            None
        }
    });
    assert_eq!(
        routed.map(|routed| (routed.rule, routed.undeliverable)),
        Some((RoutingRule::Addressed, 0))
    );
}

#[test]
fn person_who_answers_is_too() {
    let past = Past::began()
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1)
        .finished("bob", 0, 1, question());
    let past = past
        .clone()
        .then(by("kim", &reply(past.request(), Reply::Options(vec![0]))));
    assert!(
        matches!(past.last(), [first, Event::Call(CallEvent::QuestionAnswered(_))] if *first == joined("kim"))
    );
}

#[test]
fn person_who_settles_is_too_even_if_the_call_runs_again() {
    let room = room_with(|spec| spec.policy.mode = Mode::Auto);
    let past = Past::with(room)
        .bob_calls(&[("write", "{}")])
        .started("bob", 0, 1)
        .crashed();
    let declare = past.declare("bob", 0);
    let past = past.then(declare);
    let past = past
        .clone()
        .then(by("kim", &settle(past.request(), Settlement::RunAgain)));
    assert!(
        matches!(past.last(), [first, Event::Call(CallEvent::OutcomeSettled(_)), Event::Call(CallEvent::CallsAdmitted(_)), Event::Call(CallEvent::CallReplaced(_))]
        if *first == joined("kim"))
    );
    assert_eq!(past.started("bob", 0, 1).world.consent().pending().len(), 0);
}

#[test]
fn person_whose_decision_is_refused_is_not() {
    let past = Past::began().bob_calls(&[("write", "{}")]);
    let request = past.request();
    let past = past.then_refused(by("kim", &decide_of("eve", request, Verdict::Allow)));
    assert!(matches!(past.last(), [Event::Refused(_)]));
    assert_eq!(past.world.people().roster().len(), 1);
}
