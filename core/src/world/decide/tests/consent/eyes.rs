use super::*;
use crate::principal::Person;
use crate::tool::EffectClass;

fn two_eyes() -> Past {
    Past::with(room_with(|spec| spec.policy.four_eyes = [EffectClass::Destructive].into()))
}

fn kim() -> Principal {
    Principal::Person(person("kim"))
}

#[test]
fn who_began_it_cannot_allow_it() {
    let past = wiping(two_eyes(), &["a"]);
    let request = past.oldest();
    refuses(&past, &judged("bob", request, yes()), RefusalReason::SamePerson, Some(request));
    past.clone().then(judged_by(kim(), "bob", request, yes()));
    past.then(deny(request));
}

#[test]
fn another_name_does_not_make_another_person() {
    let past = wiping(two_eyes(), &["a"]);
    let other = Principal::Person(Person { display: person("kim").display, ..person("ada") });
    let request = past.oldest();
    refuses(&past, &judged_by(other, "bob", request, yes()), RefusalReason::SamePerson, Some(request));
}

#[test]
fn who_speaks_under_another_persons_name_is_the_one_who_began_it() {
    let past = two_eyes().said("hello");
    let mallory = Principal::Person(Person { display: person("ada").display, ..person("mallory") });
    let post = Action::PostMessage { text: "@bob wipe".to_owned(), attachments: Vec::new(), reply_to: None };
    let past = past.then(Command::of(mallory.clone(), post)).woke("bob");
    let past = past.answered("bob", calls(&[("wipe", "{}")]));
    let request = past.oldest();
    refuses(&past, &judged_by(mallory, "bob", request, yes()), RefusalReason::SamePerson, Some(request));
}

#[test]
fn who_began_it_cannot_allow_it_by_a_grant_of_before_either() {
    let past = two_eyes().then(Command::of(kim(), post("@bob wipe").action)).woke("bob");
    let past = past.answered("bob", calls(&[("wipe", "{}")]));
    let command = judged("bob", past.oldest(), yes().within(Scope::World));
    let past = past.then(command).started("bob", 0, 1).finished("bob", 0, 1, crate::tool::ToolOutcome::text("gone"));
    let past = past.carried_on("bob").answered("bob", text("done"));
    let past = past.said("@bob wipe").woke("bob").answered("bob", calls(&[("wipe", "{}")]));
    assert_eq!(past.world.pending().len(), 1);
}

#[test]
fn other_effects_need_one_person() {
    let past = two_eyes().bob_calls(&[("write", "{}")]);
    let command = judged("bob", past.oldest(), yes());
    past.then(command);
}
