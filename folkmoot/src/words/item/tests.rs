use folkmoot_core::event::Notice;
use folkmoot_core::ids::principal::{Party, Person};
use folkmoot_core::ids::{CallId, PersonName, Position, RequestId, Seed, Stamp, Time, WorldId};
use folkmoot_core::tool::ToolErrorCode;

use super::*;

fn call() -> CallId {
    let stamp = Stamp {
        time: Time(1),
        seed: Seed::new([1; 16]),
    };
    CallId::of(WorldId::from_stamp(&stamp), Position::new(3), 0)
}

fn ada() -> Party {
    Party::Person(Person {
        method: "test".to_owned(),
        subject: "ada".to_owned(),
        display: PersonName::new("ada").unwrap(),
    })
}

fn decision(how: &str, by: Option<Party>, scope: Option<Scope>) -> String {
    let body = FeedBody::Decision {
        request: RequestId(Position::new(7)),
        call: call(),
        how: how.to_owned(),
        by,
        scope,
        text: Some("a secret".to_owned()),
        options: Vec::new(),
        arguments: Some("a secret".to_owned()),
    };
    item(&body, None).unwrap()
}

#[test]
fn a_decision_names_who_took_it_and_how_far_it_reaches() {
    let of = |how, scope| decision(how, Some(ada()), scope);
    assert_eq!(of("allow", Some(Scope::Once)), "ada allowed request 7");
    assert_eq!(
        of("allow", Some(Scope::Uses(3))),
        "ada allowed request 7, 3 times in all"
    );
    assert_eq!(of("deny", Some(Scope::Once)), "ada denied request 7");
    assert_eq!(of("answered", None), "ada answered request 7");
    assert_eq!(
        decision("expired", None, None),
        "request 7 waits no longer: nobody decided it in time"
    );
}

#[test]
fn the_end_of_a_call_is_told_without_its_result() {
    let end = |status, same_as| {
        let body = FeedBody::CallFinished {
            call: call(),
            tool: "note\n\u{202e}x".to_owned(),
            status,
            same_as,
            text: Some("a secret".to_owned()),
            views: Vec::new(),
        };
        item(&body, Some(&AgentName::new("clerk").unwrap())).unwrap()
    };
    let failed = end(CallStatus::Failed(ToolErrorCode::TimedOut), None);
    assert!(
        failed.ends_with(" of clerk: failed (timed out)"),
        "{failed}"
    );
    assert!(!failed.contains('\n'), "{failed:?}");
    assert!(end(CallStatus::Denied, None).ends_with("denied, did not run"));
    let same = end(CallStatus::Done, Some(Position::new(2)));
    assert!(same.ends_with("it did not run again"), "{same}");
}

#[test]
fn a_notice_is_the_sentence_of_the_terminal_and_a_message_has_none() {
    let notice = Notice::RequestExpired {
        request: RequestId(Position::new(7)),
    };
    let body = FeedBody::Notice { notice, to: None };
    assert_eq!(
        item(&body, None).unwrap(),
        "nobody decided request 7 in time"
    );
    assert_eq!(item(&FeedBody::Branched {}, None), None);
}
