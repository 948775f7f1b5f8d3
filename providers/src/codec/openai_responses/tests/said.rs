//! The agent's own answers, sent again.

use super::encode::{assistant, heard, input, input_of, no_warnings, output, result, said, user};
use super::*;

#[test]
fn an_answer_goes_back_as_it_came() {
    let reasoning = json!({ "type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "AAAA", "status": null });
    let search = json!({ "type": "web_search_call", "id": "ws", "status": "completed" });
    let citation = json!({ "type": "url_citation", "url": "https://example.org" });
    let message = json!({ "type": "message", "role": "assistant", "id": "m", "status": "completed", "phase": "commentary", "content": [
        { "type": "output_text", "text": "A", "annotations": [citation] },
        { "type": "refusal", "refusal": "No." },
    ] });
    let asked = json!({ "type": "function_call", "id": "fc", "status": "completed", "call_id": "a", "name": "t", "arguments": "{ }" });
    let output_items = json!([reasoning, search, message, asked]);
    let reply = decode(&answer(&output_items)).reply().clone();
    let (input, warnings) = input(vec![said(reply.parts), result("a", "1")]);
    let expected: Vec<Value> = output_items
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .chain([output("a", "1")])
        .collect();
    assert_eq!((input, warnings), (Value::Array(expected), no_warnings()));
}

#[test]
fn without_echo_only_texts_and_calls_go_back() {
    let output_items = json!([
        { "type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "AAAA" },
        { "type": "message", "role": "assistant", "id": "m", "content": [{ "type": "output_text", "text": "A" }] },
        { "type": "function_call", "id": "fc", "call_id": "a", "name": "t", "arguments": "{}" },
    ]);
    let reply = decode(&answer(&output_items)).reply().clone();
    let codec = OpenAiResponses {
        item_echo: ItemEcho::Never,
        ..OpenAiResponses::default()
    };
    let expected = json!([
        assistant("A"),
        function_call("a", "t", "{}"),
        output("a", "1")
    ]);
    let warnings = vec!["reasoning_not_carried".to_owned()];
    assert_eq!(
        input_of(codec, vec![said(reply.parts), result("a", "1")]),
        (expected, warnings)
    );
}

#[test]
fn reasoning_that_only_a_storing_server_knows_goes_back_only_to_one() {
    let reasoning = json!({ "type": "reasoning", "id": "rs", "summary": [] });
    let parts = vec![opaque(&json!({ "item": reasoning })), text("x")];
    let (items, warnings) = input(vec![said(parts.clone())]);
    assert_eq!(
        (items, warnings),
        (
            json!([assistant("x")]),
            vec!["reasoning_not_carried".to_owned()]
        )
    );
    for store in [AnswerStorage::Always, AnswerStorage::Unsaid] {
        let codec = OpenAiResponses {
            store,
            ..OpenAiResponses::default()
        };
        assert_eq!(
            input_of(codec, vec![said(parts.clone())]),
            (json!([reasoning, assistant("x")]), no_warnings())
        );
    }
}

#[test]
fn answers_of_other_providers_are_texts_and_calls() {
    let foreign = Part::Opaque(json!({ "another-wire": { "signature": "s" } }));
    let parts = [
        Part::Reasoning("r".into()),
        text("A"),
        Part::Refusal("B".into()),
        foreign,
        call("x".repeat(65).as_str(), "t", "{}"),
    ];
    let (items, warnings) = input(vec![said(parts), result(&"x".repeat(65), "1")]);
    let expected = json!([
        assistant("AB"),
        function_call("call_0", "t", "{}"),
        output("call_0", "1")
    ]);
    assert_eq!(items, expected);
    assert_eq!(warnings, ["opaque_not_carried", "reasoning_not_carried"]);
}

#[test]
fn an_answer_without_anything_to_send_is_no_item() {
    assert_eq!(
        input(vec![said([]), heard("Ada", "Hm")]),
        (json!([user("Ada: Hm")]), no_warnings())
    );
}

#[test]
fn a_note_never_overrules_the_call_that_it_is_about() {
    let note =
        opaque(&json!({ "call": { "call_id": "z", "name": "u", "arguments": "[]", "id": "fc" } }));
    let mut asked = function_call("a", "t", "{}");
    asked["id"] = json!("fc");
    let expected = json!([asked, output("a", "1")]);
    let warnings = vec!["call_contradicted".to_owned()];
    assert_eq!(
        input(vec![said([call("a", "t", "{}"), note]), result("a", "1")]),
        (expected, warnings)
    );
}

#[test]
fn reasoning_with_nothing_behind_it_is_not_sent() {
    let reasoning = |id: &str| json!({ "type": "reasoning", "id": id, "summary": [], "encrypted_content": "AAAA" });
    let item = |id: &str| opaque(&json!({ "item": reasoning(id) }));
    let lost = vec!["reasoning_not_carried".to_owned()];
    assert_eq!(
        input(vec![said([item("r"), item("s")]), heard("Ada", "Hm")]),
        (json!([user("Ada: Hm")]), lost.clone())
    );
    let parts = [
        item("r"),
        text("A"),
        Part::Reasoning("Hm".into()),
        item("s"),
    ];
    assert_eq!(
        input(vec![said(parts)]),
        (json!([reasoning("r"), assistant("A")]), lost)
    );
}
