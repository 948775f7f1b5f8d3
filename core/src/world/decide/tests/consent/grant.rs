use crate::command::WorldAction;
use crate::event::CallEvent;
use crate::event::refusal::Refusal;
use crate::spec::limits::ARGUMENTS_BYTES_MAX;
use crate::tool::ToolSpec;
use crate::world::decide::tests::consent::*;

/// Bob asks once more, in the same turn.
fn again(past: Past, paths: &[&str]) -> Past {
    let mut past = past;
    for n in 0..past.memory("bob").turn.as_ref().unwrap().slots.len() {
        if past.memory("bob").turn.as_ref().unwrap().slots[n]
            .result
            .is_none()
        {
            past = past.started("bob", n, 1).finished(
                "bob",
                n,
                1,
                crate::tool::ToolOutcome::text("gone"),
            );
        }
    }
    let wanted: Vec<String> = paths
        .iter()
        .map(|path| json!({ "path": path }).to_string())
        .collect();
    let wanted: Vec<(&str, &str)> = wanted
        .iter()
        .map(|arguments| ("wipe", arguments.as_str()))
        .collect();
    past.carried_on("bob").answered("bob", calls(&wanted))
}

fn granted(scope: Scope) -> Past {
    let past = asks_to_wipe(&["a"]);
    let command = judged("bob", past.oldest(), yes().within(scope));
    past.then(command)
}

#[test]
fn yes_to_this_call_alone_gives_no_grant() {
    let past = granted(Scope::Once);
    assert_eq!(past.world.grants().count(), 0);
    let past = again(past, &["a"]);
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn grant_allows_the_same_call_and_no_other() {
    let past = granted(Scope::Turn);
    assert_eq!(
        past.kinds(),
        [
            EventKind::ApprovalDecided,
            EventKind::GrantGiven,
            EventKind::GrantUsed
        ]
    );
    let past = again(past, &["a", "b"]);
    let asked: Vec<_> = past
        .world
        .consent()
        .pending()
        .values()
        .map(|request| request.arguments.present().unwrap())
        .collect();
    assert_eq!(asked, [r#"{"path":"b"}"#]);
}

#[test]
fn arguments_are_the_same_however_they_are_written() {
    let past = granted(Scope::Turn);
    let past =
        past.started("bob", 0, 1)
            .finished("bob", 0, 1, crate::tool::ToolOutcome::text("gone"));
    let past = past
        .carried_on("bob")
        .answered("bob", calls(&[("wipe", "{ \"path\" : \"\\u0061\" }")]));
    assert_eq!(past.world.consent().pending().len(), 0);
}

#[test]
fn grant_of_a_turn_ends_with_it() {
    let past = granted(Scope::Turn).started("bob", 0, 1).finished(
        "bob",
        0,
        1,
        crate::tool::ToolOutcome::text("gone"),
    );
    let past = past.carried_on("bob").answered("bob", text("done"));
    assert_eq!(past.world.grants().count(), 0);
    assert_eq!(wiping(past, &["a"]).world.consent().pending().len(), 1);
}

#[test]
fn grant_of_a_world_holds_for_other_turns_of_the_agent_and_for_no_other_agent() {
    let past = granted(Scope::World).started("bob", 0, 1).finished(
        "bob",
        0,
        1,
        crate::tool::ToolOutcome::text("gone"),
    );
    let past = past.carried_on("bob").answered("bob", text("done"));
    let past = wiping(past, &["a"]);
    assert_eq!(past.world.consent().pending().len(), 0);
    let past = past
        .said("@eve wipe")
        .woke("eve")
        .answered("eve", calls(&[("wipe", r#"{"path":"a"}"#)]));
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn uses_are_counted_from_the_decided_call_on() {
    let past = again(granted(Scope::Uses(2)), &["a"]);
    assert_eq!(past.world.consent().pending().len(), 0);
    assert_eq!(past.world.grants().count(), 0);
    let past = again(past, &["a"]);
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn uses_within_one_answer_are_counted_too() {
    let past = again(granted(Scope::Uses(3)), &["a", "a", "a"]);
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn grant_expires_by_recorded_time() {
    let past = Past::with(room_with(|spec| spec.limits.grant_ttl_ms = 60_000));
    let past = wiping(past, &["a"]);
    let command = judged("bob", past.oldest(), yes().within(Scope::World));
    let past = past.then(command).after_ms(60_000);
    let past = again(past, &["a"]);
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn new_grant_decides_the_requests_that_wait_and_are_like_it() {
    let past = asks_to_wipe(&["a", "b", "a"]);
    let (first, last) = (
        past.oldest(),
        *past.world.consent().pending().keys().last().unwrap(),
    );
    let past = past.then(judged("bob", first, yes().within(Scope::Turn)));
    let used: Vec<Option<RequestId>> = past
        .last()
        .iter()
        .filter_map(|event| {
            if let Event::Call(CallEvent::GrantUsed(used)) = event {
                Some(used.request)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(used, [None, Some(last)]);
    assert_eq!(past.world.consent().pending().len(), 1);
    let decision = past.decide(&judged("bob", last, yes()));
    let Err(Refusal::Right {
        reason: RefusalReason::AlreadyDecided,
        decided: Some(decided),
    }) = decision.answer
    else {
        panic!("{decision:?}")
    };
    assert_eq!(
        (decided.by, decided.how.as_str()),
        (Some(person("ada").into()), "granted")
    );
}

#[test]
fn constraints_free_the_places_that_they_name_and_no_other() {
    let past = asks_to_wipe(&["tmp/a"]);
    let free = json!([{ "path": "/path", "prefix": "tmp/" }]);
    let command = judged("bob", past.oldest(), wide(Scope::Turn, free));
    let past = again(past.then(command), &["tmp/b", "etc/b"]);
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn constraints_must_fit_the_decided_call_and_name_a_part_of_it() {
    let past = asks_to_wipe(&["tmp/a"]);
    let request = past.oldest();
    for constraints in [
        json!([{ "path": "/path", "prefix": "etc/" }]),
        json!([{ "path": "", "prefix": {} }]),
        json!([{ "path": "/path", "prefix": "" }]),
        json!([]),
        json!([{ "path": "/other", "equals": 1 }]),
    ] {
        let command = judged("bob", request, wide(Scope::Turn, constraints));
        refuses(&past, &command, RefusalReason::BadConstraint, Some(request));
    }
}

/// A room whose tool `wipe` calls its argument `/path` a path.
fn room_of_paths() -> crate::spec::WorldSpec {
    room_with(|spec| {
        spec.tools.get_mut(&tool("wipe")).unwrap().paths =
            crate::tool::PathArguments::at(["/path"]);
    })
}

#[test]
fn paths_are_granted_by_folder_and_by_nothing_that_compares_letters() {
    let past = wiping(Past::with(room_of_paths()), &["notes/a"]);
    let request = past.oldest();
    for (allowed, reason) in [
        (
            json!({ "path": "/path", "prefix": "notes/" }),
            RefusalReason::PathByLetters,
        ),
        (
            json!({ "path": "/path", "equals": "./notes/a" }),
            RefusalReason::PathNotPlain,
        ),
        (
            json!({ "path": "/other", "beneath": "notes" }),
            RefusalReason::NoPath,
        ),
        (
            json!({ "path": "/path", "beneath": "secrets" }),
            RefusalReason::BadConstraint,
        ),
    ] {
        refuses(
            &past,
            &judged("bob", request, wide(Scope::Turn, json!([allowed]))),
            reason,
            Some(request),
        );
    }
    let free = json!([{ "path": "/path", "beneath": "notes" }]);
    let past = past.then(judged("bob", request, wide(Scope::Turn, free)));
    let past = again(past, &["notes/b", "notes2/b", "notes/../secrets/key.txt"]);
    let asked: Vec<_> = past
        .world
        .consent()
        .pending()
        .values()
        .map(|request| request.arguments.present().unwrap())
        .collect();
    assert_eq!(
        asked,
        [r#"{"path":"notes2/b"}"#],
        "the last one does not fit at all"
    );
}

/// The same past as a build reads it whose definition says that the argument of `wipe` is a path: older ones did not.
fn knowing_paths(past: &Past) -> Past {
    let saved = serde_json::to_string(&past.world).unwrap();
    let known = saved.replace(
        r#""name":"wipe","#,
        r#""name":"wipe","paths":{"at":["/path"]},"#,
    );
    assert_ne!(saved, known);
    let mut past = past.clone();
    past.world = crate::world::World::restore(known.as_bytes()).unwrap();
    past
}

#[test]
fn recorded_grant_by_letters_covers_no_path() {
    let past = asks_to_wipe(&["notes/a"]);
    let free = json!([{ "path": "/path", "prefix": "notes/" }]);
    let past = past
        .clone()
        .then(judged("bob", past.oldest(), wide(Scope::World, free)));
    let past = past
        .started("bob", 0, 1)
        .finished("bob", 0, 1, crate::tool::ToolOutcome::text("gone"))
        .carried_on("bob");
    let answer = past.answer("bob", calls(&[("wipe", r#"{"path":"notes/b"}"#)]));
    let uses = |past: &Past| {
        let events = past.decide(&answer).events;
        events
            .iter()
            .filter(|event| matches!(event, Event::Call(CallEvent::GrantUsed(_))))
            .count()
    };
    assert_eq!((uses(&past), uses(&knowing_paths(&past))), (1, 0));
}

#[test]
fn request_whose_arguments_have_two_meanings_can_only_be_denied_or_edited() {
    let past = knowing_paths(&asks_to_wipe(&["notes/../a"]));
    let request = past.oldest();
    let answer = |judgement| past.decide(&judged("bob", request, judgement)).answer;
    let refused = answer(yes()).unwrap_err();
    assert!(
        matches!(
            refused,
            Refusal::Right {
                reason: RefusalReason::BadArguments,
                ..
            }
        ),
        "{refused:?}"
    );
    answer(edited(&json!({ "path": "a" }))).unwrap();
    answer(Judgement::new(Verdict::Deny)).unwrap();
}

#[test]
fn any_arguments_are_granted_only_where_the_tool_offers_it() {
    let past = asks_to_wipe(&["a"]);
    let any = Judgement {
        wider: Wider::Any,
        ..yes().within(Scope::Turn)
    };
    refuses(
        &past,
        &judged("bob", past.oldest(), any.clone()),
        RefusalReason::AnyNotOffered,
        Some(past.oldest()),
    );
    let spec = room_with(|spec| spec.tools.get_mut(&tool("wipe")).unwrap().grants_any = true);
    let past = wiping(Past::with(spec), &["a"]);
    let command = judged("bob", past.oldest(), any);
    assert_eq!(
        again(past.then(command), &["b", "c"])
            .world
            .consent()
            .pending()
            .len(),
        0
    );
}

#[test]
fn parts_of_a_decision_fit_together() {
    let past = asks_to_wipe(&["a"]);
    let request = past.oldest();
    let no = Judgement::new(Verdict::Deny);
    for judgement in [
        no.clone().within(Scope::World),
        Judgement {
            arguments: Some("{}".to_owned()),
            ..no
        },
        yes().within(Scope::Uses(0)),
        Judgement {
            wider: Wider::Any,
            ..yes()
        },
    ] {
        refuses(
            &past,
            &judged("bob", request, judgement),
            RefusalReason::BadScope,
            Some(request),
        );
    }
}

#[test]
fn revoked_grant_allows_nothing_more() {
    let past = granted(Scope::World);
    let grant = past.grant();
    let past = past.then(revoke(grant));
    assert_eq!(
        again(past.clone(), &["a"]).world.consent().pending().len(),
        1
    );
    refuses(&past, &revoke(grant), RefusalReason::UnknownGrant, None);
    let command = of(Principal::Agent(agent("bob")), &revoke(grant));
    refuses(
        &granted(Scope::World),
        &command,
        RefusalReason::NotAPerson,
        None,
    );
}

#[test]
fn changed_tool_loses_its_grants() {
    let past = granted(Scope::World);
    let revised = |change: fn(&mut ToolSpec)| {
        let spec = room_with(|spec| change(spec.tools.get_mut(&tool("wipe")).unwrap()));
        past.clone().then(revise(spec)).world.grants().count()
    };
    assert_eq!(revised(|tool| tool.description.push('!')), 1);
    assert_eq!(revised(|tool| tool.schema = json!({ "type": "object" })), 0);
    assert_eq!(
        revised(|tool| tool.effect = crate::tool::EffectClass::Write),
        0
    );
    assert_eq!(
        revised(|tool| tool.settings = crate::ids::Digest::of(&[b"another root"])),
        0
    );
    let gone = room_with(|spec| spec.agents[0].tools.clear());
    assert_eq!(past.clone().then(revise(gone)).world.grants().count(), 0);
}

#[test]
fn grant_holds_only_while_its_giver_may_decide() {
    let past = granted(Scope::World);
    let rights = Some(Rights([Right::Read].into()));
    let (method, subject) = ("local".to_owned(), "ada".to_owned());
    let kim = Principal::Person(person("kim"));
    let past = past.then(Command::of(
        kim,
        Action::World(WorldAction::SetRights {
            holder: Holder::Person,
            method,
            subject,
            rights,
        }),
    ));
    assert_eq!(again(past, &["a"]).world.consent().pending().len(), 1);
}

#[test]
fn new_grant_leaves_a_request_alone_whose_time_is_over() {
    let spec = room_with(|spec| spec.limits.approval_ttl_write_ms = 60_000);
    let past = Past::with(spec)
        .bob_calls(&[("write", r#"{"path":"a"}"#)])
        .after_ms(60_000);
    let past = past
        .said("@eve wipe")
        .woke("eve")
        .answered("eve", calls(&[("wipe", r#"{"path":"a"}"#)]));
    let last = *past.world.consent().pending().keys().last().unwrap();
    let past = past.then(judged("eve", last, yes().within(Scope::World)));
    assert!(past.last().iter().all(|event| !matches!(
        event,
        Event::Call(CallEvent::GrantUsed(GrantUsed {
            request: Some(_),
            ..
        }))
    )));
}

#[test]
fn what_is_too_long_to_record_is_refused() {
    let past = asks_to_wipe(&["a"]);
    let request = past.oldest();
    let blanks = format!("{{\"path\":\"a\"}}{}", " ".repeat(ARGUMENTS_BYTES_MAX));
    for judgement in [
        Judgement {
            arguments: Some(blanks),
            ..yes()
        },
        Judgement::new(Verdict::Deny).because(Some("no ".repeat(100_000))),
    ] {
        refuses(
            &past,
            &judged("bob", request, judgement),
            RefusalReason::TooLong,
            Some(request),
        );
    }
}

#[test]
fn decision_that_names_its_own_world_is_rebuilt_without_it() {
    let past = asks_to_wipe(&["a"]);
    let command = judged(
        "bob",
        past.oldest(),
        Judgement {
            world: past.world.id(),
            ..yes()
        },
    );
    past.then(command);
}

/// The room whose tool `wipe` works in this folder.
fn room_in(folder: &str) -> crate::spec::WorldSpec {
    room_with(|spec| spec.tools.get_mut(&tool("wipe")).unwrap().folder = Some(folder.to_owned()))
}

fn requests(past: &Past) -> Vec<Option<String>> {
    let folder = |event: &Event| {
        if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
            Some(asked.folder.clone())
        } else {
            None
        }
    };
    past.last().iter().filter_map(folder).collect()
}

#[test]
fn request_says_in_which_folder_its_tool_works_and_another_one_asks_again() {
    let here = Some("notes".to_owned());
    let past = wiping(Past::with(room_in("notes")), &["a", "b"]);
    assert_eq!(requests(&past), [here.clone(), here]);
    let (first, second) = (
        past.oldest(),
        *past.world.consent().pending().keys().last().unwrap(),
    );
    let past = past.then(judged("bob", first, yes()));
    let same = past.clone().then(revise(room_in("notes")));
    assert_eq!(same.world.consent().pending().len(), 1, "nothing is news");
    let past = past.then(revise(room_in("../secrets")));
    let there = Some("../secrets".to_owned());
    assert_eq!(
        requests(&past),
        [there.clone(), there],
        "of the allowed call and of the one that waits"
    );
    let old = past
        .decide(&judged("bob", second, yes()))
        .answer
        .unwrap_err();
    assert!(
        matches!(
            old,
            Refusal::Right {
                reason: RefusalReason::Closed,
                ..
            }
        ),
        "{old:?}"
    );
    let past = past.clone().then(judged("bob", past.oldest(), yes()));
    assert!(past.world.has_tool_of(&agent("bob"), past.call("bob", 0)));
    assert_eq!(past.world.consent().pending().len(), 1);
}

#[test]
fn granted_call_asks_again_in_another_folder_and_its_grant_is_over() {
    let past = wiping(Past::with(room_in("notes")), &["a"]);
    let past = past
        .clone()
        .then(judged("bob", past.oldest(), yes().within(Scope::World)));
    let past =
        past.started("bob", 0, 1)
            .finished("bob", 0, 1, crate::tool::ToolOutcome::text("gone"));
    let past = past
        .carried_on("bob")
        .answered("bob", calls(&[("wipe", r#"{"path":"a"}"#)]));
    assert_eq!(past.world.consent().pending().len(), 0);
    let past = past.then(revise(room_in("secrets")));
    assert_eq!(
        (
            past.world.consent().pending().len(),
            past.world.grants().count()
        ),
        (1, 0)
    );
    assert_eq!(requests(&past), [Some("secrets".to_owned())]);
}

#[test]
fn lost_run_is_not_made_again_in_another_folder() {
    let past = wiping(Past::with(room_in("notes")), &["a"]);
    let past = past
        .clone()
        .then(judged("bob", past.oldest(), yes()))
        .started("bob", 0, 1)
        .crashed();
    let call = past.call("bob", 0);
    assert!(past.world.has_tool_of(&agent("bob"), call));
    let past = past.then(revise(room_in("secrets")));
    assert!(!past.world.has_tool_of(&agent("bob"), call));
}
