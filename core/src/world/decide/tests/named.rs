//! Who acts: under which names, and whose hands are behind the people of a script.

use crate::command::{Action, Command, ConsentAction, Judgement, TalkAction, WorldAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::PersonName;
use crate::ids::principal::{Person, Principal};
use crate::spec::AgentSpec;
use crate::testing::*;
use crate::tool::EffectClass;

fn of_script(name: &str) -> Principal {
    Principal::Person(Person {
        method: Person::SCRIPT.to_owned(),
        ..person(name)
    })
}

fn of_app(name: &str) -> Principal {
    Principal::Person(Person {
        method: "my-app".to_owned(),
        ..person(name)
    })
}

fn yes(past: &Past, by: &Principal) -> Command {
    let request = past.request();
    let judgement = Judgement::new(Verdict::Allow);
    Command::of(
        by.clone(),
        Action::Consent(ConsentAction::Decide {
            agent: Some(agent("bob")),
            request,
            judgement,
        }),
    )
}

/// Bob was asked by `by` to wipe, and asks whether he may, where two are wanted for that.
fn wipes(by: &Principal) -> Past {
    let past = Past::with(room_with(|spec| {
        spec.policy.four_eyes = [EffectClass::Destructive].into()
    }));
    let past = past
        .then(Command::of(by.clone(), post("@bob wipe").action))
        .woke("bob");
    past.answered("bob", calls(&[("wipe", "{}")]))
}

fn acts(past: Past, by: &Principal) -> Past {
    past.then(Command::of(by.clone(), post("@cody hi").action))
}

fn refusal(past: &Past, command: &Command) -> Option<RefusalReason> {
    let refusal = past.decide(command).answer.err()?;
    let Refusal::Right { reason, .. } = refusal else {
        panic!("{refusal:?}")
    };
    Some(reason)
}

#[test]
fn people_of_a_script_are_distinct_as_long_as_nobody_else_has_acted() {
    let past = wipes(&of_script("ada"));
    assert_eq!(
        refusal(&past, &yes(&past, &of_script("ada"))),
        Some(RefusalReason::SamePerson)
    );
    assert_eq!(refusal(&past, &yes(&past, &of_script("kim"))), None);
    let past = acts(past, &of_app("eva"));
    assert_eq!(
        refusal(&past, &yes(&past, &of_script("kim"))),
        Some(RefusalReason::SamePerson)
    );
    assert_eq!(
        refusal(&past, &yes(&past, &of_app("eva"))),
        None,
        "an application's people are none of a script's"
    );
}

#[test]
fn local_user_may_be_whoever_a_script_plays() {
    for (began, decides) in [(of_script("kim"), ada()), (of_script("ada"), ada())] {
        let past = wipes(&began);
        assert_eq!(
            refusal(&past, &yes(&past, &decides)),
            Some(RefusalReason::SamePerson)
        );
    }
}

#[test]
fn where_a_local_user_has_acted_no_decision_of_a_script_is_taken() {
    let past = wipes(&of_script("ada"));
    let attempt = Command::of(
        person_of("mallory"),
        Action::Talk(TalkAction::Stop { episode: None }),
    );
    let tried = past
        .clone()
        .then_refused(of(Principal::Tool(tool("x")), &attempt));
    assert_eq!(
        refusal(&tried, &yes(&tried, &of_script("kim"))),
        None,
        "a tool's attempt is nobody's act"
    );
    let past = acts(past, &ada());
    let command = yes(&past, &of_script("kim"));
    check(
        &past,
        &command,
        &recorded(
            RefusalReason::Played,
            [refused(&command, RefusalReason::Played, None)],
        ),
    );
    let rights = Action::World(WorldAction::SetRights {
        holder: Holder::Person,
        method: "local".to_owned(),
        subject: "x".to_owned(),
        rights: None,
    });
    assert_eq!(
        refusal(&past, &Command::of(of_script("kim"), rights)),
        Some(RefusalReason::Played)
    );
    acts(past, &of_script("kim"));
}

fn person_of(name: &str) -> Principal {
    Principal::Person(person(name))
}

#[test]
fn refused_command_is_no_act() {
    let room = room_with(|spec| spec.policy.rights.default = Rights([Right::Read].into()));
    let past = Past::with(room).then_refused(post("@bob hi"));
    assert!(!past.world.people().are_in_other_hands());
}

fn named(display: &str) -> Principal {
    Principal::Person(Person {
        display: PersonName::new(display).unwrap(),
        ..person("mallory")
    })
}

#[test]
fn nobody_is_called_like_what_is_nobody_or_like_somebody_of_the_room() {
    let room = room_with(|spec| spec.agents.push(AgentSpec::new(agent("Ren\u{e9}"), None)));
    let past = Past::with(room)
        .said("@cody hi")
        .bob_calls(&[("wipe", "{}")]);
    let names = [
        "runtime",
        "World",
        "syst\u{435}m",
        "agent:bob",
        "Tool:x", // for nobody
        "\u{430}da",
        "Ada",
        "b\u{43e}b",
        "C0dy",
        "Rene\u{301}", // for somebody else
    ];
    for name in names {
        let said = past.decide(&Command::of(named(name), post("@cody hi").action));
        assert!(
            matches!(said.answer, Err(Refusal::BadMessage { .. })),
            "{name}: {said:?}"
        );
        assert_eq!(said.events, [], "{name}");
        let decided = past.decide(&yes(&past, &named(name)));
        let Err(Refusal::Right {
            reason: RefusalReason::NotAPerson,
            ..
        }) = decided.answer
        else {
            panic!("{name}: {decided:?}")
        };
        assert_eq!(decided.events.len(), 1, "{name} is recorded");
    }
    for name in ["ada", "mallory", "eda"] {
        acts(past.clone(), &named(name));
    }
}

#[test]
fn agents_are_told_from_one_another_and_from_people() {
    let with = |name: &'static str| {
        let spec = room_with(|spec| spec.agents.push(AgentSpec::new(agent(name), None)));
        runtime(Action::World(WorldAction::Revise {
            definition: definition(spec),
        }))
    };
    let past = Past::began().said("@cody hi");
    for name in [
        "b\u{43e}b",
        "C0DY",
        "runtime",
        "system",
        "agent:x",
        "\u{430}da",
        "ada",
    ] {
        let answer = past.decide(&with(name)).answer;
        assert!(
            matches!(answer, Err(Refusal::BadDefinition { .. })),
            "{name}: {answer:?}"
        );
    }
    past.then(with("finn"));
}

#[test]
fn revision_names_who_made_it_and_asks_for_the_right_to_operate() {
    let past = Past::with(room_with(|spec| {
        spec.policy.rights.default = Rights([Right::Post].into())
    }));
    let other = definition(room_with(|spec| {
        spec.policy.rights.default = Rights([Right::Post].into());
        spec.policy.mode = crate::spec::Mode::Auto;
        spec.agents.pop();
    }));
    let open = Action::World(WorldAction::Open {
        node: node(),
        base: None,
        revise: Some(other.clone()),
        signer: None,
        copy: None,
    });
    for action in [
        open.clone(),
        Action::World(WorldAction::Revise { definition: other }),
    ] {
        assert_eq!(
            refusal(&past, &Command::of(ada(), action)),
            Some(RefusalReason::NoRight)
        );
    }
    let rights = Action::World(WorldAction::SetRights {
        holder: Holder::Person,
        method: "local".to_owned(),
        subject: "ada".to_owned(),
        rights: Some(Rights([Right::Operate].into())),
    });
    let past = past
        .then(Command::of(Principal::World, rights))
        .then(Command::of(ada(), open));
    let revised = past.last().iter().find_map(|event| {
        if let Event::World(WorldEvent::SpecRevised(revised)) = event {
            Some(revised)
        } else {
            None
        }
    });
    let revised = revised.unwrap();
    assert_eq!(revised.by, Some(ada()));
    let said: Vec<_> = revised
        .changes
        .iter()
        .map(|change| (change.what.as_str(), change.how))
        .collect();
    assert_eq!(
        said,
        [
            ("agents.cody", crate::spec::How::Removed),
            ("policy.mode", crate::spec::How::Changed)
        ]
    );
    assert!(past.world.people().are_in_local_hands());
}
