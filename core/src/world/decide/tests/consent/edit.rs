use crate::ids::Attempt;
use crate::tool::{CallRule, EffectClass, ToolOutcome};
use crate::world::decide::tests::consent::*;
use crate::world::effect::Effect;

fn edited_to(arguments: &Value) -> Past {
    let past = asks_to_wipe(&["a"]);
    let command = judged("bob", past.oldest(), edited(arguments));
    past.then(command)
}

#[test]
fn edited_call_takes_the_place_of_the_one_that_asked() {
    let past = edited_to(&json!({ "path": "b" }));
    assert_eq!(
        past.kinds(),
        [
            EventKind::ApprovalDecided,
            EventKind::CallsAdmitted,
            EventKind::CallReplaced
        ]
    );
    let call = past.call("bob", 0);
    let runnable = past.world.runnable(&agent("bob"), call).unwrap();
    assert_eq!(runnable.arguments.as_deref(), Some(r#"{"path":"b"}"#));
    assert_eq!(
        past.owed(),
        [Effect::RunTool {
            agent: agent("bob"),
            call,
            attempt: Attempt(1)
        }]
    );
}

#[test]
fn agent_reads_that_a_person_changed_its_call_and_how() {
    let past = edited_to(&json!({ "path": "b", "more": [1] }));
    let past = past
        .started("bob", 0, 1)
        .finished("bob", 0, 1, ToolOutcome::text("gone"));
    let read = past.world.tool_results(&agent("bob"))[0].text().to_owned();
    assert!(
        read.starts_with("edited: A person changed the arguments of this call before it ran."),
        "{read}"
    );
    assert!(
        read.contains("/path is now \"b\"\n") && read.contains("/more is now [1]\n"),
        "{read}"
    );
    assert!(read.ends_with("gone") || read.contains("gone"), "{read}");
}

#[test]
fn edit_that_changes_nothing_is_a_plain_yes() {
    assert_eq!(
        edited_to(&json!({ "path": "a" })).kinds(),
        [EventKind::ApprovalDecided]
    );
}

#[test]
fn edited_arguments_are_checked_like_an_agents() {
    let past = asks_to_wipe(&["a"]);
    let request = past.oldest();
    let judgement = Judgement {
        arguments: Some("not json".to_owned()),
        ..yes()
    };
    refuses(
        &past,
        &judged("bob", request, judgement),
        RefusalReason::BadArguments,
        Some(request),
    );
    let command = judged("bob", request, edited(&json!({ "path": 7 })));
    refuses(&past, &command, RefusalReason::BadArguments, Some(request));
    let rule = json!({ "tool": "wipe", "where": [{ "path": "/path", "equals": "/" }] });
    let rule = serde_json::from_value(rule).unwrap();
    let past = wiping(
        Past::with(room_with(|spec| spec.policy.deny = vec![rule])),
        &["a"],
    );
    let command = judged("bob", past.oldest(), edited(&json!({ "path": "/" })));
    refuses(
        &past,
        &command,
        RefusalReason::Forbidden,
        Some(past.oldest()),
    );
}

#[test]
fn edit_to_a_worse_effect_asks_again() {
    let spec = room_with(|spec| {
        let wipe = spec.tools.get_mut(&tool("wipe")).unwrap();
        let when = serde_json::from_value(json!([{ "path": "/path", "prefix": "tmp" }])).unwrap();
        wipe.rules = vec![CallRule {
            when,
            effect: EffectClass::Write,
        }];
    });
    let past = wiping(Past::with(spec), &["tmp/a"]);
    let command = judged(
        "bob",
        past.oldest(),
        edited(&json!({ "path": "etc" })).within(Scope::World),
    );
    let past = past.then(command);
    assert_eq!(past.kinds().last(), Some(&EventKind::ApprovalRequested));
    assert_eq!(
        (
            past.world.consent().pending().len(),
            past.world.grants().count(),
            past.owed().len()
        ),
        (1, 0, 1)
    );
}

#[test]
fn grant_beside_an_edit_is_for_the_edited_arguments() {
    let past = asks_to_wipe(&["a", "b"]);
    let command = judged(
        "bob",
        past.oldest(),
        edited(&json!({ "path": "b" })).within(Scope::Turn),
    );
    assert_eq!(past.then(command).world.consent().pending().len(), 0);
}

#[test]
fn agent_reads_of_many_changes_the_first_and_how_many_there_are_beside() {
    let many = (0..20).map(|number| (format!("p{number}"), json!(number)));
    let past = edited_to(&Value::Object(
        many.chain([("path".to_owned(), json!("a"))]).collect(),
    ));
    let past = past
        .started("bob", 0, 1)
        .finished("bob", 0, 1, ToolOutcome::text("gone"));
    let read = past.world.tool_results(&agent("bob"))[0].text().to_owned();
    assert_eq!(
        (
            read.matches(" is now ").count(),
            read.contains("and 4 more changes")
        ),
        (16, true),
        "{read}"
    );
}
