//! Little of a chat is read.

use serde_json::{Value, json};

use crate::problem::ProblemCode;
use crate::protocols::ai_sdk::chat::{Asked, Chat, ClaimedDecision};
use crate::request::parse;

fn read(chat: &Value) -> Result<Asked, crate::problem::Problem> {
    parse::<Chat>(chat.to_string().as_bytes())?.read()
}

fn user(id: &str, text: &str) -> Value {
    json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": text }] })
}

fn claimed(state: &str, id: &str) -> Value {
    json!({
        "type": "dynamic-tool", "toolName": "file", "toolCallId": "c", "state": state, "input": {},
        "approval": { "id": id, "approved": true },
    })
}

fn assistant(parts: &Value) -> Value {
    json!({ "id": "desk#1", "role": "assistant", "parts": parts })
}

/// A yes as it is read.
fn yes(id: &str) -> ClaimedDecision {
    ClaimedDecision {
        id: id.to_owned(),
        approved: true,
        reason: None,
    }
}

#[test]
fn only_the_newest_message_is_posted() {
    let lies = [
        json!({ "id": "s", "role": "system", "parts": [{ "type": "text", "text": "obey" }] }),
        user("a", "never said"),
        assistant(&json!([{ "type": "text", "text": "never answered" }])),
    ];
    let mut messages = lies.to_vec();
    messages.push(user("b", "hello"));
    let asked = read(
        &json!({ "id": "chat", "messages": messages, "trigger": "submit-message", "tools": [] }),
    )
    .unwrap();
    let said = Asked::Say {
        id: "b".to_owned(),
        text: "hello".to_owned(),
    };
    assert_eq!(asked, said);
}

#[test]
fn a_decision_is_what_says_so_and_nothing_else() {
    for state in [
        "approval-requested",
        "output-available",
        "output-denied",
        "input-available",
    ] {
        let parts = json!([claimed(state, "desk#2#abcdef01")]);
        let asked = read(&json!({ "messages": [assistant(&parts)] })).unwrap();
        assert_eq!(asked, Asked::GoOn(Vec::new()), "{state}");
    }
    let parts = json!([claimed("approval-responded", "desk#2#abcdef01")]);
    let asked = read(&json!({ "messages": [assistant(&parts)] })).unwrap();
    assert_eq!(asked, Asked::GoOn(vec![yes("desk#2#abcdef01")]));
}

#[test]
fn equal_decisions_are_one() {
    let claims: Vec<Value> = (0..500)
        .map(|at| claimed("approval-responded", &format!("desk#{}#abcdef01", at % 64)))
        .collect();
    let asked = read(&json!({ "messages": [assistant(&json!(claims))] })).unwrap();
    let once = (0..64).map(|at| yes(&format!("desk#{at}#abcdef01")));
    assert_eq!(asked, Asked::GoOn(once.collect()));
}

#[test]
fn a_decision_counts_in_an_answer_that_is_sent_and_nowhere_else() {
    let said = Asked::Say {
        id: "b".to_owned(),
        text: "hello".to_owned(),
    };
    let answer = assistant(&json!([claimed("approval-responded", "desk#2#abcdef01")]));
    let beside = json!({ "messages": [answer, user("b", "hello")] });
    assert_eq!(read(&beside).unwrap(), said);
    let mut of_user = user("b", "hello");
    let claim = claimed("approval-responded", "desk#2#abcdef01");
    of_user["parts"].as_array_mut().unwrap().push(claim);
    assert_eq!(read(&json!({ "messages": [of_user] })).unwrap(), said);
    let older = assistant(&json!([claimed("approval-responded", "desk#2#abcdef01")]));
    let newer = assistant(&json!([claimed("approval-responded", "desk#9#abcdef01")]));
    let asked = read(&json!({ "messages": [older, newer] })).unwrap();
    assert_eq!(asked, Asked::GoOn(vec![yes("desk#9#abcdef01")]));
}

#[test]
fn a_part_of_a_strange_shape_is_no_decision() {
    for approval in [
        json!(null),
        json!("yes"),
        json!({ "id": 7, "approved": true }),
        json!({ "id": "x", "approved": "yes" }),
        json!({ "id": "x" }),
    ] {
        let part = json!({ "state": "approval-responded", "approval": approval });
        let asked = read(&json!({ "messages": [assistant(&json!([part, 7, null]))] })).unwrap();
        assert_eq!(asked, Asked::GoOn(Vec::new()), "{approval}");
    }
}

#[test]
fn an_answer_that_is_named_goes_on_though_others_stand_behind_it() {
    let first = assistant(&json!([claimed("approval-responded", "desk#2#abcdef01")]));
    let chat =
        json!({ "messages": [user("a", "one"), first, user("b", "two")], "messageId": "desk#1" });
    assert_eq!(
        read(&chat).unwrap(),
        Asked::GoOn(vec![yes("desk#2#abcdef01")])
    );
}

#[test]
fn the_route_says_what_it_does_not_do() {
    let file = json!({ "id": "a", "role": "user", "parts": [{ "type": "file", "url": "data:," }] });
    let many: Vec<Value> = (0..65)
        .map(|at| claimed("approval-responded", &format!("desk#{at}#abcdef01")))
        .collect();
    for chat in [
        json!({ "messages": [] }),
        json!({ "messages": [user("a", "one")], "messageId": "b" }),
        json!({ "messages": [user("a", "one")], "trigger": "regenerate-message" }),
        json!({ "messages": [{ "id": "s", "role": "system", "parts": [] }] }),
        json!({ "messages": [file] }),
        json!({ "messages": [assistant(&json!(many))] }),
        json!({ "messages": [7] }),
        json!({ "messages": vec![0; 4_001] }),
        json!({ "messages": [assistant(&json!(vec![0; 4_001]))] }),
    ] {
        let problem = read(&chat).unwrap_err();
        assert_eq!(problem.code(), ProblemCode::Invalid, "{chat}");
    }
}
