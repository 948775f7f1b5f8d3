use crate::command::{Action, Command, WorldAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::principal::Principal;
use crate::ids::{Digest, Incarnation, StepKey};
use crate::spec::{Change, How};
use crate::testing::*;

fn step(run: u32, index: u32, says: &str) -> Command {
    runtime(Action::World(WorldAction::RecordStep {
        step: StepKey { run, index },
        digest: Digest::of(&[says.as_bytes()]),
    }))
}

fn opened(incarnation: u32) -> Event {
    Event::World(WorldEvent::Opened(Opened {
        incarnation: Incarnation(incarnation),
        node: node(),
        base: None,
        signer: None,
    }))
}

#[test]
fn every_opening_is_a_new_incarnation() {
    let past = Past::began();
    check(&past, &reopen(), &accepted([opened(2)]));
    check(&past.crashed(), &reopen(), &accepted([opened(3)]));
}

#[test]
fn opening_with_the_definition_in_force_revises_nothing() {
    let past = Past::began();
    let open = |spec| {
        runtime(Action::World(WorldAction::Open {
            node: node(),
            base: None,
            revise: Some(definition(spec)),
            signer: None,
            copy: None,
        }))
    };
    check(&past, &open(room()), &accepted([opened(2)]));
    let other = definition(room_with(|spec| spec.limits.attempts = 1));
    let revised = Event::World(WorldEvent::SpecRevised(SpecRevised {
        by: Some(Principal::Runtime),
        changes: vec![Change {
            what: "limits.attempts".to_owned(),
            how: How::Changed,
            from: Some(3.into()),
            to: Some(1.into()),
        }],
        source: None,
        spec_digest: other.digest().unwrap(),
        spec: Box::new(other.spec.clone()),
        text: other.text.clone(),
    }));
    check(&past, &open(other.spec), &accepted([opened(2), revised]));
}

#[test]
fn world_whose_last_rules_were_others_begins_an_epoch() {
    let mut past = Past::began();
    past.world
        .evolve(&Event::World(WorldEvent::EpochOpened(EpochOpened {
            decider: Digest::default(),
            binary: "0".to_owned(),
        })));
    let (decider, binary) = (
        crate::world::decider::decider_id(),
        crate::world::decider::BINARY.to_owned(),
    );
    let then = vec![
        opened(2),
        Event::World(WorldEvent::EpochOpened(EpochOpened { decider, binary })),
    ];
    assert_eq!(past.decide(&reopen()).events, then);
}

#[test]
fn bad_definition_is_refused_without_a_trace() {
    let past = Past::began();
    let bad = definition(room_with(|spec| spec.limits.news_max = 0));
    let why = "the limit news_max is 0; it must be at least 1".to_owned();
    check(
        &past,
        &runtime(Action::World(WorldAction::Revise { definition: bad })),
        &quietly(Refusal::BadDefinition { why }),
    );
}

#[test]
fn agents_and_tools_have_no_say_in_the_room() {
    let past = Past::began();
    let revise = Action::World(WorldAction::Revise {
        definition: definition(room()),
    });
    for action in [reopen().action, revise, step(1, 0, "a").action] {
        let command = Command::of(Principal::Agent(agent("bob")), action);
        let reason = RefusalReason::NotAPerson;
        check(
            &past,
            &command,
            &recorded(reason, [refused(&command, reason, None)]),
        );
    }
}

#[test]
fn step_is_recorded_once() {
    let past = Past::began();
    let (key, digest) = (StepKey { run: 1, index: 0 }, Digest::of(&[b"a"]));
    check(
        &past,
        &step(1, 0, "a"),
        &accepted([Event::World(WorldEvent::StepDone(StepDone {
            step: key,
            digest,
        }))]),
    );
    let past = past.then(step(1, 0, "a"));
    check(&past, &step(1, 0, "a"), &accepted([]));
    check(&past, &step(1, 0, "b"), &quietly(Refusal::Stale));
}

#[test]
fn new_run_of_a_script_forgets_the_old_ones_steps() {
    let past = Past::began().then(step(1, 0, "a")).then(step(2, 0, "b"));
    assert_eq!(
        (past.world.script().run, past.world.script().done.len()),
        (2, 1)
    );
    check(&past, &step(1, 1, "c"), &quietly(Refusal::Stale));
}

#[test]
fn command_with_a_steps_key_records_the_step() {
    let key = crate::command::commit::Keyed {
        key: crate::command::commit::CommandKey::Step(StepKey { run: 1, index: 3 }),
        digest: Digest::of(&[b"say"]),
    };
    let past = Past::began().then(Command {
        key: Some(key),
        ..post("@bob hi")
    });
    assert_eq!(past.world.script().done[&3].digest, Digest::of(&[b"say"]));
    assert_eq!(past.world.script().done[&3].at, past.world.head());
}

/// The events of a new world, and the command that is read back from its first commit.
fn begun(principal: Principal, labelled: Labelled) -> (Past, Command) {
    let create = create_with(room(), None, labelled);
    let command = Command::of(principal, create);
    (Past::empty().then(command.clone()), command)
}

#[test]
fn whoever_begins_a_world_owns_it_from_the_first_commit_on() {
    let labelled = Labelled {
        owner: Some("local:ada".to_owned()),
        labels: [("title".to_owned(), "A desk".to_owned())].into(),
    };
    let ada = Principal::Person(person("ada"));
    let (past, command) = begun(ada.clone(), labelled.clone());
    assert_eq!(past.world.rights_of(&ada), Rights::all());
    assert_eq!(
        past.world.access().people().get("local:ada"),
        Some(&&Rights::all())
    );
    assert_eq!(*past.world.labelled(), labelled);
    assert_eq!(past.commits.len(), 1);
    assert_eq!(Command::rebuild(&past.commits[0]), Ok(command));
}

#[test]
fn world_that_nobody_in_particular_begins_names_nobody() {
    let (past, command) = begun(Principal::Runtime, Labelled::default());
    assert!(past.world.access().people().is_empty());
    assert_eq!(*past.world.labelled(), Labelled::default());
    assert_eq!(Command::rebuild(&past.commits[0]), Ok(command));
}
