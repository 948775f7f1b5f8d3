use crate::command::{Reply, Settlement};
use crate::event::refusal::{Decided, Refusal};
use crate::ids::PersonName;
use crate::ids::principal::{Party, Service};
use crate::spec::RightsPolicy;
use crate::tool::EffectClass;
use crate::world::decide::tests::consent::*;
use crate::world::projection::FeedBody;

fn named(display: &str) -> Service {
    Service {
        method: "token".to_owned(),
        subject: "ci".to_owned(),
        display: PersonName::new(display).unwrap(),
    }
}

fn ci() -> Party {
    named("ci").into()
}

fn of_ci(action: impl Into<Action>) -> Command {
    Command::of(ci().into(), action.into())
}

/// A room where the service may decide, and `change` holds.
fn room_of(rights: &[Right], change: impl FnOnce(&mut crate::spec::WorldSpec)) -> Past {
    let rights = Rights(rights.iter().copied().collect());
    Past::with(room_with(|spec| {
        spec.policy.rights = RightsPolicy {
            people: [(ci().proof(), rights)].into(),
            ..RightsPolicy::default()
        };
        change(spec);
    }))
}

fn deciding() -> Past {
    room_of(&[Right::Read, Right::Post, Right::Decide], |_| {})
}

fn judges(past: &Past, judgement: Judgement) -> Command {
    judged_by(ci().into(), "bob", past.oldest(), judgement)
}

#[test]
fn service_that_may_decide_decides() {
    let past = wiping(deciding(), &["a"]);
    let request = past.oldest();
    let mut before = past.world.clone();
    let past = past.clone().then(judges(&past, yes()));
    let decided = ApprovalDecided::of_event(&past.last()[0]).unwrap();
    assert_eq!(decided.by, ci());
    assert!(
        past.world
            .people()
            .roster()
            .keys()
            .all(|name| name.as_str() != "ci")
    );
    let late = past.decide(&judged("bob", request, yes())).answer;
    let decided = Decided {
        by: Some(ci()),
        how: "allow".to_owned(),
    };
    assert_eq!(
        late,
        Err(Refusal::Right {
            reason: RefusalReason::AlreadyDecided,
            decided: Some(decided)
        })
    );
    let items = before.apply_watched(past.commits.last().unwrap());
    assert!(
        items.iter().any(
            |item| matches!(&item.body, FeedBody::Decision { by: Some(by), .. } if *by == ci())
        )
    );
}

#[test]
fn service_without_the_right_is_refused_and_that_is_recorded() {
    let past = wiping(room_of(&[Right::Read, Right::Post], |_| {}), &["a"]);
    let command = judges(&past, yes());
    refuses(&past, &command, RefusalReason::NoRight, None);
}

#[test]
fn service_is_nobody_s_second_pair_of_eyes() {
    let past = room_of(&[Right::Decide], |spec| {
        spec.policy.four_eyes = [EffectClass::Destructive].into();
    });
    let past = wiping(past, &["a"]);
    let request = past.oldest();
    assert!(past.world.is_barred_from(request, &ci()));
    let command = judges(&past, yes());
    refuses(&past, &command, RefusalReason::ServiceForTwo, Some(request));
    past.clone()
        .then(judges(&past, Judgement::new(Verdict::Deny)));
}

#[test]
fn grant_of_a_service_holds_while_it_may_decide_and_can_be_revoked_by_it() {
    let past = wiping(deciding(), &["a"]);
    let past = past.clone().then(judges(&past, yes().within(Scope::World)));
    let grant = past.grant();
    assert_eq!(past.world.consent().grants()[&grant].given.by, ci());
    let past = past.then(of_ci(ConsentAction::Revoke { grant }));
    let revoked = GrantRevoked::of_event(&past.last()[0]).unwrap();
    assert_eq!(revoked.by, Some(ci()));
}

#[test]
fn service_answers_and_settles_what_there_is_to_answer_and_settle() {
    let past = wiping(deciding(), &["a"]);
    let request = past.oldest();
    let reply = Reply::Options(vec![0]);
    let command = of_ci(ConsentAction::Answer { request, reply });
    refuses(&past, &command, RefusalReason::OtherKind, Some(request));
    let settlement = Settlement::NotRun;
    let command = of_ci(ConsentAction::Settle {
        request,
        settlement,
    });
    refuses(&past, &command, RefusalReason::OtherKind, Some(request));
}

#[test]
fn service_has_the_name_of_no_agent_and_of_nobody_in_the_room() {
    let past = wiping(deciding(), &["a"]);
    let request = past.oldest();
    for (display, about) in [("bob", Some(request)), ("ada", None)] {
        let command = judged_by(Principal::Service(named(display)), "bob", request, yes());
        refuses(&past, &command, RefusalReason::NotAPerson, about);
        let post = Command::of(Principal::Service(named(display)), post("hi").action);
        assert!(matches!(
            past.decide(&post).answer,
            Err(Refusal::BadMessage { .. })
        ));
    }
}

#[test]
fn what_a_service_decides_is_below_its_own_key_and_a_person_stands_as_ever() {
    let service = serde_json::to_value(ci()).unwrap();
    assert_eq!(
        service,
        json!({ "service": { "method": "token", "subject": "ci", "display": "ci" } })
    );
    assert_eq!(serde_json::from_value::<Party>(service).unwrap(), ci());
    let ada = person("ada");
    let stored = serde_json::to_value(&ada).unwrap();
    assert_eq!(serde_json::from_value::<Party>(stored).unwrap(), ada.into());
    assert_eq!(ci().to_string(), "ci (service)");
}
