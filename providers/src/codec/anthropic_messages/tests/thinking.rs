//! What goes back of reasoning, and when the model may be asked for it.

use folkmoot_core::model::{Parameters, Reasoning};

use super::encode::{
    Item, asks, assistant, encode, heard, no_warnings, request, result, said, text, user,
};
use super::*;

#[test]
fn thinking_keeps_its_signature_and_its_place() {
    let signed = |signature: &str| opaque(&json!({ "thinking": { "signature": signature } }));
    let parts = [
        Part::Reasoning("one".into()),
        signed("s1"),
        signed("s2"),
        Part::Text("x".into()),
        Part::Reasoning("two".into()),
        signed("s3"),
        Part::Text("y".into()),
    ];
    let (messages, warnings) = encode(vec![heard("Ada", "Go"), said(parts), heard("Ada", "Well?")]);
    let thinking = |text: &str, signature: &str| json!({ "type": "thinking", "thinking": text, "signature": signature });
    let expected = [
        thinking("one", "s1"),
        thinking("", "s2"),
        text("x"),
        thinking("two", "s3"),
        text("y"),
    ];
    assert_eq!(
        (&messages[1], warnings),
        (&assistant(&expected), no_warnings())
    );
}

#[test]
fn thinking_with_nothing_behind_it_is_not_sent() {
    let thinking = |signature: &str| opaque(&json!({ "thinking": { "signature": signature } }));
    let redacted = opaque(&json!({ "block": { "type": "redacted_thinking", "data": "x" } }));
    let cut = said([
        Part::Reasoning("Hm".into()),
        thinking("s"),
        redacted.clone(),
    ]);
    let lost = vec!["reasoning_not_carried".to_owned()];
    assert_eq!(
        encode(vec![heard("Ada", "Go"), cut]),
        (json!([user(&[text("Ada: Go")])]), lost.clone())
    );

    let behind = said([
        redacted.clone(),
        Part::Text("So.".into()),
        Part::Reasoning("Hm".into()),
        thinking("s"),
    ]);
    let (messages, warnings) = encode(vec![heard("Ada", "Go"), behind, heard("Ada", "On")]);
    let redacted = json!({ "type": "redacted_thinking", "data": "x" });
    assert_eq!(
        (&messages[1], warnings),
        (&assistant(&[redacted, text("So.")]), lost)
    );
}

#[test]
fn thinking_that_broke_off_before_its_signature_is_not_sent() {
    let unsigned = opaque(&json!({ "thinking": {} }));
    let (messages, warnings) = encode(vec![
        heard("Ada", "Go"),
        said([Part::Reasoning("Hm".into()), unsigned, call("a", "t", "{}")]),
    ]);
    assert_eq!(messages[1], assistant(&[asks("a", &json!({}))]));
    assert_eq!(warnings, ["reasoning_not_carried", "result_missing"]);
}

#[test]
fn a_turn_that_was_begun_without_thinking_goes_on_without_it() {
    let given = |label: &str| result(label, "1");
    let thinking = |tokens_max, items: Vec<Item>| {
        let mut request = request(items);
        let reasoning = Reasoning {
            effort: None,
            tokens_max,
            show: None,
        };
        request.parameters = Parameters {
            reasoning: Some(reasoning),
            ..Parameters::default()
        };
        let wire = codec().encode(&request.into_request(), &Files::new(), AnswerMode::Whole);
        (
            wire.body["thinking"]["type"].as_str().map(str::to_owned),
            wire.warnings,
        )
    };
    let thought = opaque(&json!({ "thinking": { "signature": "s" } }));
    let foreign = || vec![heard("Ada", "Go"), said([call("a", "t", "{}")]), given("a")];
    let lost = vec!["reasoning_tokens_not_carried".to_owned()];
    assert_eq!(thinking(Some(2_000), foreign()), (None, lost));
    assert_eq!(
        thinking(None, foreign()),
        (Some("adaptive".to_owned()), vec![])
    );

    let enabled = (Some("enabled".to_owned()), vec![]);
    let begun = [
        said([thought, call("b", "t", "{}")]),
        given("b"),
        said([call("c", "t", "{}")]),
        given("c"),
    ];
    let own = std::iter::once(heard("Ada", "Go")).chain(begun).collect();
    assert_eq!(
        thinking(Some(2_000), own),
        enabled,
        "some models think only before the first answer of a turn"
    );
    let over = foreign()
        .into_iter()
        .chain([said([Part::Text("So.".into())]), heard("Ada", "On")])
        .collect();
    assert_eq!(thinking(Some(2_000), over), enabled, "the turn is over");
}
