//! Who may do what: each command against each right, and what a world does with those who may not.

use std::collections::BTreeMap;

use crate::command::{
    Action, Command, ConsentAction, Judgement, Reply, Settlement, TalkAction, WorldAction,
};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::principal::{Person, Principal};
use crate::ids::{Digest, GrantId, MessageId, RequestId, StepKey};
use crate::spec::{RightsPolicy, WorldSpec};
use crate::testing::*;
use crate::world::People;

const ALL: [Right; 4] = [Right::Read, Right::Post, Right::Decide, Right::Operate];

fn only(rights: &[Right]) -> Rights {
    Rights(rights.iter().copied().collect())
}

fn by(name: &str, action: Action) -> Command {
    Command::of(Principal::Person(person(name)), action)
}

fn set(subject: &str, rights: Option<&[Right]>) -> Action {
    let (method, subject) = ("local".to_owned(), subject.to_owned());
    Action::World(WorldAction::SetRights {
        holder: Holder::Person,
        method,
        subject,
        rights: rights.map(only),
    })
}

/// A room where everyone may read, and ada all.
fn closed_room() -> WorldSpec {
    room_with(|spec| {
        let people = [("local:ada".to_owned(), Rights::all())].into();
        spec.policy.rights = RightsPolicy {
            default: only(&[Right::Read]),
            people,
        };
        spec.states = super::observe::states();
    })
}

fn lacks(past: &Past, command: &Command) {
    let reason = RefusalReason::NoRight;
    check(
        past,
        command,
        &recorded(reason, [refused(command, reason, None)]),
    );
}

/// Every command that a person can give, with the right that it needs. None of them names anything that is there.
fn commands() -> Vec<(Right, Action)> {
    let (message, request) = (MessageId(at(900)), RequestId(at(901)));
    let step = StepKey { run: 1, index: 1 };
    vec![
        (
            Right::Post,
            Action::Talk(TalkAction::PostMessage {
                text: "hi".to_owned(),
                attachments: Vec::new(),
                reply_to: None,
            }),
        ),
        (
            Right::Post,
            Action::Talk(TalkAction::Edit {
                message,
                text: "ho".to_owned(),
            }),
        ),
        (Right::Post, Action::Talk(TalkAction::Retract { message })),
        (
            Right::Post,
            Action::Talk(TalkAction::Regenerate { message }),
        ),
        (Right::Post, Action::Talk(TalkAction::Join)),
        (Right::Post, Action::Talk(TalkAction::Leave)),
        (
            Right::Post,
            Action::Talk(TalkAction::Observe {
                name: super::observe::ui(),
                state: "{}".to_owned(),
            }),
        ),
        (
            Right::Decide,
            Action::Consent(ConsentAction::Decide {
                agent: Some(agent("bob")),
                request,
                judgement: Judgement::new(Verdict::Allow),
            }),
        ),
        (
            Right::Decide,
            Action::Consent(ConsentAction::Answer {
                request,
                reply: Reply::Options(vec![0]),
            }),
        ),
        (
            Right::Decide,
            Action::Consent(ConsentAction::Settle {
                request,
                settlement: Settlement::NotRun,
            }),
        ),
        (
            Right::Decide,
            Action::Consent(ConsentAction::Revoke {
                grant: GrantId(at(902)),
            }),
        ),
        (
            Right::Operate,
            Action::Talk(TalkAction::Stop { episode: None }),
        ),
        (
            Right::Operate,
            Action::World(WorldAction::Revise {
                definition: definition(room()),
            }),
        ),
        (
            Right::Operate,
            Action::World(WorldAction::Open {
                node: node(),
                base: None,
                revise: Some(definition(room())),
                signer: None,
                copy: None,
            }),
        ),
        (
            Right::Operate,
            Action::World(WorldAction::Open {
                node: node(),
                base: None,
                revise: None,
                signer: None,
                copy: None,
            }),
        ),
        (
            Right::Operate,
            Action::World(WorldAction::Label {
                owner: Some("kim".to_owned()),
                labels: BTreeMap::new(),
            }),
        ),
        (Right::Operate, set("kim", Some(&ALL))),
        (
            Right::Operate,
            Action::World(WorldAction::RecordStep {
                step,
                digest: Digest::default(),
            }),
        ),
    ]
}

#[test]
fn each_command_needs_its_one_right_and_no_other() {
    for (needed, action) in commands() {
        for right in ALL {
            let past =
                Past::with(closed_room()).then(Command::of(ada(), set("kim", Some(&[right]))));
            let command = by("kim", action.clone());
            if right == needed {
                let refusal = past.decide(&command).answer.err();
                let is_right = |refusal: &Refusal| refusal.code() != "no_right";
                assert!(
                    refusal.as_ref().is_none_or(is_right),
                    "{action:?} with {right:?}: {refusal:?}"
                );
            } else {
                lacks(&past, &command);
            }
        }
        lacks(&Past::with(closed_room()), &by("kim", action));
    }
}

#[test]
fn forged_principals_are_refused_for_what_they_are() {
    let past = Past::with(closed_room());
    for (needed, action) in commands() {
        for principal in [
            Principal::Agent(agent("bob")),
            Principal::Tool(tool("look")),
        ] {
            let command = Command::of(principal, action.clone());
            let reason = RefusalReason::NotAPerson;
            let answer = past.decide(&command).answer;
            assert!(
                matches!(&answer, Err(Refusal::Right { reason: other, .. }) if *other == reason),
                "{needed:?} {action:?}: {answer:?}"
            );
        }
    }
}

#[test]
fn whoever_may_not_decide_learns_nothing_of_what_there_is_to_decide() {
    let past = Past::with(closed_room()).bob_calls(&[("wipe", "{}")]);
    let request = past.request();
    let real = by(
        "kim",
        Action::Consent(ConsentAction::Answer {
            request,
            reply: Reply::Options(vec![0]),
        }),
    );
    let unreal = by(
        "kim",
        Action::Consent(ConsentAction::Answer {
            request: RequestId(at(900)),
            reply: Reply::Options(vec![0]),
        }),
    );
    lacks(&past, &real);
    lacks(&past, &unreal);
    assert_eq!(
        past.decide(&real).answer.unwrap_err().outward(),
        past.decide(&unreal).answer.unwrap_err().outward()
    );
}

#[test]
fn agents_and_tools_may_read_and_the_world_may_everything() {
    let world = Past::with(closed_room()).world;
    assert_eq!(
        world.rights_of(&Principal::Agent(agent("bob"))),
        only(&[Right::Read])
    );
    assert_eq!(
        world.rights_of(&Principal::Tool(tool("look"))),
        only(&[Right::Read])
    );
    assert!(world.rights_of(&Principal::World).is_all());
    assert!(world.rights_of(&Principal::Runtime).is_all());
    assert_eq!(
        world.rights_of(&Principal::Person(person("kim"))),
        only(&[Right::Read])
    );
    assert!(world.rights_of(&ada()).is_all());
}

#[test]
fn rights_are_of_the_proof_and_not_of_the_name() {
    let past = Past::with(closed_room());
    let claims = Person {
        subject: "eve".to_owned(),
        ..person("ada")
    };
    lacks(
        &past,
        &Command::of(
            Principal::Person(claims),
            Action::Talk(TalkAction::Stop { episode: None }),
        ),
    );
    let joined = Person {
        method: "local:a".to_owned(),
        subject: "b".to_owned(),
        ..person("x")
    };
    let other = Person {
        method: "local".to_owned(),
        subject: "a:b".to_owned(),
        ..person("x")
    };
    assert_ne!(joined.proof(), other.proof());
}

#[test]
fn changed_rights_hold_until_they_are_changed_back() {
    let change = |rights| Command::of(ada(), set("kim", rights));
    let past = Past::with(closed_room()).then(change(Some(&[Right::Post])));
    check(&past, &change(Some(&[Right::Post])), &accepted([]));
    let past = past.then(by("kim", Action::Talk(TalkAction::Join)));
    let back = past.then(change(None));
    lacks(&back, &by("kim", Action::Talk(TalkAction::Leave)));
    check(&back, &change(None), &accepted([]));
}

#[test]
fn last_one_who_may_operate_can_give_that_up_and_the_world_can_give_it_back() {
    let past = Past::with(closed_room()).then(Command::of(ada(), set("ada", Some(&[]))));
    lacks(&past, &Command::of(ada(), set("ada", None)));
    let past = past.then(Command::of(Principal::World, set("ada", None)));
    assert!(past.world.rights_of(&ada()).is_all());
}

#[test]
fn new_definition_has_the_newest_word_on_whom_it_says_something_else_of() {
    let past = Past::with(closed_room())
        .then(Command::of(ada(), set("ada", Some(&[]))))
        .then(Command::of(
            Principal::World,
            set("kim", Some(&[Right::Post])),
        ));
    let same = room_with(|spec| {
        spec.policy.rights = closed_room().policy.rights;
        spec.limits.inbox_max = 7;
    });
    let same = past
        .clone()
        .then(runtime(Action::World(WorldAction::Revise {
            definition: definition(same),
        })));
    assert_eq!(
        same.world.rights_of(&ada()),
        only(&[]),
        "it says the same of ada as before"
    );
    let other = room_with(|spec| {
        let people = [("local:ada".to_owned(), only(&[Right::Operate]))].into();
        spec.policy.rights = RightsPolicy {
            default: only(&[]),
            people,
        };
    });
    let other = past.then(runtime(Action::World(WorldAction::Revise {
        definition: definition(other),
    })));
    assert_eq!(other.world.rights_of(&ada()), only(&[Right::Operate]));
    assert_eq!(
        other.world.rights_of(&Principal::Person(person("kim"))),
        only(&[Right::Post]),
        "nor of kim"
    );
}

#[test]
fn nobody_has_rights_without_a_proof_and_not_endlessly_many_have_changed_ones() {
    let past = Past::began();
    let quiet = |action: Action| {
        let answer = past.decide(&Command::of(ada(), action)).answer;
        assert!(
            matches!(answer, Err(Refusal::BadRights { .. })),
            "{answer:?}"
        );
    };
    quiet(set("", None));
    quiet(set(&"x".repeat(600), None));
    let mut full = past.clone();
    for n in 0..People::RIGHTS_MAX {
        full.give(&Command::of(ada(), set(&format!("p{n}"), Some(&[]))))
            .unwrap();
    }
    let answer = full
        .decide(&Command::of(ada(), set("one more", Some(&[]))))
        .answer;
    assert!(
        matches!(answer, Err(Refusal::BadRights { .. })),
        "{answer:?}"
    );
    full.give(&Command::of(ada(), set("p1", Some(&ALL))))
        .unwrap();
}

/// A small generator: the same trace for the same number, on every machine.
struct Roll(u64);

impl Roll {
    fn of(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

#[test]
fn no_command_without_its_right_changes_anything() {
    let mut refusals = 0;
    for trace in 0..u64::from(3 * super::laws::cases()) {
        let (mut past, mut roll) = (Past::with(closed_room()), Roll(trace));
        let mut known = BTreeMap::from([("ada", Rights::all())]);
        for _ in 0..12 {
            if roll.of(3) == 0 {
                let rights: Vec<Right> = ALL.into_iter().filter(|_| roll.of(2) == 0).collect();
                let name = ["kim", "lee"][roll.of(2)];
                past = past.then(Command::of(Principal::World, set(name, Some(&rights))));
                known.insert(name, only(&rights));
                continue;
            }
            let name = ["ada", "kim", "lee", "joe"][roll.of(4)];
            let mut all = commands();
            // What changes rights is done above.
            all.retain(|(_, action)| {
                !matches!(
                    action,
                    Action::World(WorldAction::SetRights { .. })
                        | Action::World(WorldAction::Revise { .. })
                        | Action::World(WorldAction::Open { .. })
                )
            });
            let (right, action) = all.swap_remove(roll.of(all.len()));
            let may = known
                .get(name)
                .cloned()
                .unwrap_or_else(|| only(&[Right::Read]))
                .has(right);
            let before = past.commits.len();
            let answer = past.give(&by(name, action));
            let is_refused = answer
                .as_ref()
                .is_err_and(|refusal| refusal.code() == "no_right");
            assert_eq!(is_refused, !may, "{name} {right:?}: {answer:?}");
            if !may {
                refusals += 1;
                let events = past.commits[before..]
                    .iter()
                    .flat_map(|commit| &commit.events);
                assert!(
                    events
                        .into_iter()
                        .all(|event| matches!(event, Event::Refused(_)))
                );
            }
        }
    }
    assert!(refusals > 100, "only {refusals}");
}

#[test]
fn a_person_is_named_in_at_most_512_bytes() {
    let mut past = Past::with(closed_room());
    let mut named = |bytes: usize| {
        past.give(&Command::of(
            ada(),
            set(&"p".repeat(bytes - "local".len()), Some(&ALL)),
        ))
    };
    named(512).unwrap();
    assert!(matches!(named(513), Err(Refusal::BadRights { .. })));
}
