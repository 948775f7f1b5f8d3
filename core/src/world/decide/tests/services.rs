use proptest::prelude::*;

use crate::command::{Action, Command, TalkAction, WorldAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::*;
use crate::ids::PersonName;
use crate::ids::principal::{Person, Principal, Service};
use crate::spec::{RightsPolicy, WorldSpec};
use crate::testing::*;

const HOUR_MS: u64 = 60 * 60 * 1_000;

fn ci() -> Service {
    Service {
        method: "token".to_owned(),
        subject: "ci".to_owned(),
        display: PersonName::new("ci").unwrap(),
    }
}

fn says(text: &str) -> Command {
    of(Principal::Service(ci()), &post(text))
}

/// A room that lets the service read and post, and begin two episodes an hour.
fn room_of_ci() -> WorldSpec {
    room_with(|spec| {
        let rights = Rights([Right::Read, Right::Post].into());
        spec.policy.rights = RightsPolicy {
            people: [(ci().proof(), rights)].into(),
            ..RightsPolicy::default()
        };
        spec.limits.service_episodes_per_hour = 2;
    })
}

fn woken(past: &Past) -> usize {
    let routed = past.last().iter().find_map(MessageRouted::of_event);
    routed.unwrap().respond.len()
}

fn is_told(past: &Past) -> bool {
    let is_it =
        |posted: &NoticePosted| matches!(posted.notice, Notice::ServiceEpisodesSpent { max: 2 });
    past.last()
        .iter()
        .filter_map(NoticePosted::of_event)
        .any(is_it)
}

#[test]
fn service_that_nothing_names_may_do_nothing() {
    let past = Past::began();
    let answer = past.decide(&says("@bob hi")).answer;
    assert!(past.world.rights_of(&ada()).is_all());
    assert_eq!(
        past.world.rights_of(&Principal::Service(ci())),
        Rights([].into())
    );
    assert!(matches!(
        answer,
        Err(Refusal::Right {
            reason: RefusalReason::NoRight,
            ..
        })
    ));
}

#[test]
fn service_that_may_post_is_heard_as_a_service_and_begins_an_episode() {
    let past = Past::with(room_of_ci()).then(says("@bob hi"));
    let message = past.world.transcript().back().unwrap();
    assert_eq!(message.author, Author::Service(ci().display));
    assert_eq!(message.service, Some(ci()));
    assert_eq!((message.from.as_str(), woken(&past)), ("ci (service)", 1));
    assert!(PersonName::new("ci (service)").is_err());
    assert!(message.began_by.is_empty());
    assert!(past.world.people().roster().is_empty());
}

#[test]
fn service_gets_rights_by_its_own_proof() {
    let rights = Rights([Right::Post].into());
    let set = Action::World(WorldAction::SetRights {
        holder: Holder::Service,
        method: ci().method,
        subject: ci().subject,
        rights: Some(rights.clone()),
    });
    let past = Past::began().then(Command::of(ada(), set));
    assert_eq!(past.world.rights_of(&Principal::Service(ci())), rights);
    let namesake = Person {
        method: ci().method,
        subject: ci().subject,
        display: ci().display,
    };
    assert!(past.world.rights_of(&Principal::Person(namesake)).is_all());
}

#[test]
fn services_begin_so_many_episodes_an_hour_and_people_are_told_once() {
    let past = Past::with(room_of_ci())
        .then(says("@bob 1"))
        .after_ms(HOUR_MS / 2);
    let past = past.then(says("@bob 2"));
    assert_eq!((woken(&past), is_told(&past)), (1, false));
    let past = past.then(says("@bob 3"));
    assert_eq!((woken(&past), is_told(&past)), (0, true));
    let past = past.then(says("@bob 4"));
    assert_eq!((woken(&past), is_told(&past)), (0, false));
    assert_eq!(past.last().len(), 2);
    let person = past.clone().then(post("@bob 5"));
    assert_eq!(woken(&person), 1);
    let past = past.after_ms(HOUR_MS / 2).then(says("@bob 6"));
    assert_eq!(woken(&past), 1);
    let past = past.then(says("@bob 7"));
    assert_eq!((woken(&past), is_told(&past)), (0, true));
}

#[test]
fn whoever_begins_a_world_owns_it_in_the_same_commit() {
    for founder in [ada(), Principal::Service(ci())] {
        let labelled = Labelled {
            owner: Some("team".to_owned()),
            ..Labelled::default()
        };
        let action = create_with(room_of_ci(), None, labelled);
        let past = Past::empty().then(Command::of(founder.clone(), action));
        assert_eq!(past.commits.len(), 1);
        assert!(past.world.rights_of(&founder).is_all());
        assert_eq!(past.world.labelled().owner.as_deref(), Some("team"));
        assert_eq!(past.commits[0].header.principal, founder);
    }
}

#[test]
fn world_that_the_runtime_begins_gives_nobody_rights() {
    let past = Past::began();
    assert!(
        past.last()
            .iter()
            .all(|event| RightsChanged::of_event(event).is_none())
    );
}

#[test]
fn service_edits_only_its_own_messages() {
    let past = Past::with(room_of_ci()).then(says("@bob hi"));
    let message = past.world.transcript().back().unwrap().id;
    let edit = |by: Principal| {
        let text = "@bob hello".to_owned();
        Command::of(by, Action::Talk(TalkAction::Edit { message, text }))
    };
    assert!(past.decide(&edit(ada())).answer.is_err());
    let past = past.then(edit(Principal::Service(ci())));
    assert_eq!(past.world.transcript().back().unwrap().service, Some(ci()));
}

proptest! {
    #[test]
    fn no_person_has_the_proof_of_a_service(
        method in "[service%:25A3]{0,12}", subject in "[service%:25A3]{0,12}",
        other in "[service%:25A3]{0,12}", id in "[service%:25A3]{0,12}",
    ) {
        let person = Holder::Person.proof(&method, &subject);
        prop_assert_ne!(&person, &Holder::Service.proof(&other, &id));
        let same = (&method, &subject) == (&other, &id);
        prop_assert_eq!(
            Holder::Service.proof(&method, &subject) == Holder::Service.proof(&other, &id),
            same
        );
    }
}
