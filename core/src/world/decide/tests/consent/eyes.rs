use crate::command::{ConsentAction, TalkAction};
use crate::ids::principal::{Party, Person};
use crate::tool::EffectClass;
use crate::world::decide::tests::consent::*;

fn two_eyes() -> Past {
    Past::with(room_with(|spec| {
        spec.policy.four_eyes = [EffectClass::Destructive].into()
    }))
}

fn kim() -> Principal {
    Principal::Person(person("kim"))
}

#[test]
fn who_began_it_cannot_allow_it() {
    let past = wiping(two_eyes(), &["a"]);
    let request = past.oldest();
    refuses(
        &past,
        &judged("bob", request, yes()),
        RefusalReason::SamePerson,
        Some(request),
    );
    past.clone().then(judged_by(kim(), "bob", request, yes()));
    past.then(deny(request));
}

#[test]
fn a_room_of_four_eyes_names_who_cannot_allow_a_call() {
    let past = wiping(two_eyes(), &["a"]);
    let request = past.oldest();
    let ada = person("ada");
    let party = Party::from(ada.clone());
    assert_eq!(past.world.barred_from(request), Some(vec![&ada]));
    assert!(past.world.is_barred_from(request, &party));
    assert!(!past.world.is_barred_from(request, &person("kim").into()));
    let tool = past.world.tool_asked_about(request).unwrap();
    assert_eq!(tool.name.as_str(), "wipe");
    let past = wiping(Past::with(room_with(|_| {})), &["a"]);
    assert_eq!(past.world.barred_from(past.oldest()), None);
    let none = RequestId(crate::ids::Position::ZERO);
    assert_eq!(past.world.barred_from(none), None);
    assert!(!past.world.is_barred_from(past.oldest(), &party));
}

#[test]
fn another_name_does_not_make_another_person() {
    let past = wiping(two_eyes(), &["a"]);
    let other = Principal::Person(Person {
        display: person("kim").display,
        ..person("ada")
    });
    let request = past.oldest();
    refuses(
        &past,
        &judged_by(other, "bob", request, yes()),
        RefusalReason::SamePerson,
        Some(request),
    );
}

#[test]
fn who_speaks_under_another_persons_name_is_the_one_who_began_it() {
    let past = two_eyes().said("hello");
    let mallory = Principal::Person(Person {
        display: person("ada").display,
        ..person("mallory")
    });
    let post = Action::Talk(TalkAction::PostMessage {
        text: "@bob wipe".to_owned(),
        attachments: Vec::new(),
        reply_to: None,
    });
    let past = past.then(Command::of(mallory.clone(), post)).woke("bob");
    let past = past.answered("bob", calls(&[("wipe", "{}")]));
    let request = past.oldest();
    refuses(
        &past,
        &judged_by(mallory, "bob", request, yes()),
        RefusalReason::SamePerson,
        Some(request),
    );
}

#[test]
fn who_began_it_cannot_allow_it_by_a_grant_of_before_either() {
    let past = two_eyes()
        .then(Command::of(kim(), post("@bob wipe").action))
        .woke("bob");
    let past = past.answered("bob", calls(&[("wipe", "{}")]));
    let command = judged("bob", past.oldest(), yes().within(Scope::World));
    let past = past.then(command).started("bob", 0, 1).finished(
        "bob",
        0,
        1,
        crate::tool::ToolOutcome::text("gone"),
    );
    let past = past.carried_on("bob").answered("bob", text("done"));
    let past = past
        .said("@bob wipe")
        .woke("bob")
        .answered("bob", calls(&[("wipe", "{}")]));
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn other_effects_need_one_person() {
    let past = two_eyes().bob_calls(&[("write", "{}")]);
    let command = judged("bob", past.oldest(), yes());
    past.then(command);
}

/// `name` says `words` in the name of a person.
fn says(past: Past, principal: &Principal, words: &str) -> Past {
    past.then(Command::of(principal.clone(), post(words).action))
}

#[test]
fn who_began_it_stays_so_when_the_reply_is_made_anew() {
    let past = two_eyes()
        .said("@bob wipe")
        .woke("bob")
        .answered("bob", text("Shall I?"));
    let reply = past.world.transcript().back().unwrap().id;
    let past = past
        .then(Command::of(
            ada(),
            Action::Talk(TalkAction::Regenerate { message: reply }),
        ))
        .woke("bob");
    let past = past.answered("bob", calls(&[("wipe", "{}")]));
    let request = past.oldest();
    refuses(
        &past,
        &judged("bob", request, yes()),
        RefusalReason::SamePerson,
        Some(request),
    );
}

#[test]
fn who_began_a_part_of_it_stays_so_when_somebody_elses_part_is_taken_back() {
    let past = says(two_eyes().said("@bob wipe"), &kim(), "@bob hi");
    let kims = past.world.transcript().back().unwrap().id;
    let past = past
        .woke("bob")
        .then(Command::of(
            kim(),
            Action::Talk(TalkAction::Retract { message: kims }),
        ))
        .woke("bob");
    let past = past.answered("bob", calls(&[("wipe", "{}")]));
    let request = past.oldest();
    refuses(
        &past,
        &judged("bob", request, yes()),
        RefusalReason::SamePerson,
        Some(request),
    );
}

#[test]
fn who_began_a_part_of_it_stays_so_behind_an_agent_between() {
    let past = says(two_eyes(), &kim(), "@bob hi");
    let past = past
        .said("@bob have eve wipe it")
        .woke("bob")
        .answered("bob", text("@eve wipe it"))
        .woke("eve");
    let past = past.answered("eve", calls(&[("wipe", "{}")]));
    let request = past.oldest();
    refuses(
        &past,
        &judged("eve", request, yes()),
        RefusalReason::SamePerson,
        Some(request),
    );
}

#[test]
fn who_began_it_cannot_have_it_run_again() {
    let spec = room_with(|spec| {
        spec.policy.four_eyes = [EffectClass::Destructive].into();
        spec.tools.get_mut(&tool("wipe")).unwrap().reconciles = false;
    });
    let past = wiping(Past::with(spec), &["a"]);
    let command = judged_by(kim(), "bob", past.oldest(), yes());
    let past = past.then(command).started("bob", 0, 1).crashed();
    let command = past.declare("bob", 0);
    let past = past.then(command);
    let request = past.oldest();
    let again = Action::Consent(ConsentAction::Settle {
        request,
        settlement: crate::command::Settlement::RunAgain,
    });
    refuses(
        &past,
        &Command::of(ada(), again.clone()),
        RefusalReason::SamePerson,
        Some(request),
    );
    past.then(Command::of(kim(), again));
}
