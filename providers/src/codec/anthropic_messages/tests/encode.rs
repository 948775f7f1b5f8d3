use folkmoot_core::model::Parameters;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Layer, LayerKind, ToolDeclaration};

use super::*;

pub(super) type Item = folkmoot_core::prompt::Item<String>;

pub(super) fn request(items: Vec<Item>) -> ForgedRequest {
    ForgedRequest {
        model: "small-1".into(),
        items,
        ..ForgedRequest::default()
    }
}

pub(super) fn heard(from: &str, text: &str) -> Item {
    Item::Heard {
        from: from.into(),
        text: text.into(),
        attachments: Vec::new(),
    }
}

pub(super) fn said(parts: impl Into<Vec<Part>>) -> Item {
    Item::Said {
        parts: parts.into(),
    }
}

pub(super) fn result(label: &str, text: &str) -> Item {
    Item::Result {
        label: label.into(),
        text: text.into(),
        failed: false,
    }
}

pub(super) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

pub(super) fn user(blocks: &[Value]) -> Value {
    json!({ "role": "user", "content": blocks })
}

pub(super) fn assistant(blocks: &[Value]) -> Value {
    json!({ "role": "assistant", "content": blocks })
}

pub(super) fn asks(id: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "t", "input": input })
}

fn gives(id: &str, content: &str) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": [text(content)] })
}

pub(super) fn encode(items: Vec<Item>) -> (Value, Vec<String>) {
    let wire = codec().encode(
        &request(items).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    (wire.body["messages"].clone(), wire.warnings)
}

pub(super) fn no_warnings() -> Vec<String> {
    Vec::new()
}

#[test]
fn a_request_is_written_whole() {
    let mut request = request(vec![
        heard("Ada", "Hi"),
        Item::Notice {
            text: "It may have run.".into(),
        },
    ]);
    let layer = |kind, text: &str| Layer {
        kind,
        text: text.into(),
    };
    request.system = vec![
        layer(LayerKind::Identity, "One."),
        layer(LayerKind::Role, " \n"),
        layer(LayerKind::Task, "Two."),
    ];
    request.parameters = Parameters {
        temperature_milli: Some(700),
        output_tokens_max: Some(9),
        ..Parameters::default()
    };
    let schema = json!({ "type": "object" });
    request.tools = vec![ToolDeclaration {
        name: "t".into(),
        description: "d".into(),
        schema: schema.clone(),
    }];
    let wire = codec().encode(&request.into_request(), &Files::new(), AnswerMode::Stream);
    let expected = json!({
        "model": "small-1",
        "system": [text("One."), text("Two.")],
        "messages": [user(&[text("Ada: Hi"), text("[notice] It may have run.")])],
        "tools": [{ "name": "t", "description": "d", "input_schema": schema }],
        "temperature": 0.7,
        "max_tokens": 9,
        "stream": true,
    });
    assert_eq!(
        (wire.path.as_str(), wire.body, wire.warnings),
        ("/v1/messages", expected, no_warnings())
    );
    assert_eq!(
        wire.headers,
        [("anthropic-version", "2023-06-01".to_owned())]
    );
}

#[test]
fn what_is_not_given_is_not_sent_but_for_the_limit_that_the_wire_wants() {
    let wire = codec().encode(
        &request(vec![heard("Ada", "Hi")]).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    let expected =
        json!({ "model": "small-1", "max_tokens": 4_096, "messages": [user(&[text("Ada: Hi")])] });
    assert_eq!(wire.body, expected);
}

#[test]
fn results_stand_in_one_message_before_what_was_heard_meanwhile() {
    let items = vec![
        heard("Ada", "Go"),
        said([
            Part::Text("So.".into()),
            call("a", "t", "{\"x\":1}"),
            call("b", "t", "{}"),
        ]),
        result("b", "2"),
        heard("Ada", "Hurry"),
        Item::Result {
            label: "a".into(),
            text: "1".into(),
            failed: true,
        },
        heard("Bo", "Thanks"),
    ];
    let failed = json!({ "type": "tool_result", "tool_use_id": "a", "content": [text("1")], "is_error": true });
    let expected = json!([
        user(&[text("Ada: Go")]),
        assistant(&[
            text("So."),
            asks("a", &json!({ "x": 1 })),
            asks("b", &json!({}))
        ]),
        user(&[
            failed,
            gives("b", "2"),
            text("Ada: Hurry"),
            text("Bo: Thanks")
        ]),
    ]);
    assert_eq!(encode(items), (expected, no_warnings()));
}

#[test]
fn a_result_without_a_text_has_no_content() {
    let (messages, _) = encode(vec![
        heard("Ada", "Go"),
        said([call("a", "t", "{}")]),
        result("a", "\n"),
    ]);
    assert_eq!(
        messages[2],
        user(&[json!({ "type": "tool_result", "tool_use_id": "a" })])
    );
}

#[test]
fn a_call_without_a_result_gets_one_and_a_result_without_a_call_is_told() {
    let items = vec![
        result("z", "lost"),
        said([call("a", "t", "{}")]),
        said([Part::Text("Well.".into())]),
    ];
    let expected = json!([
        user(&[text("[result] lost")]),
        assistant(&[asks("a", &json!({}))]),
        user(&[gives("a", "[no result of this call is known]")]),
        assistant(&[text("Well.")]),
        user(&[text("[go on]")]),
    ]);
    let warnings = ["closing_added", "result_missing", "result_without_call"].map(str::to_owned);
    assert_eq!(encode(items), (expected, warnings.to_vec()));
}

#[test]
fn ids_are_of_the_letters_that_the_wire_takes_and_stay_apart() {
    let items = vec![
        heard("Ada", "Go"),
        said([
            call("a.b/ü", "t", "{}"),
            call("a_b__", "t", "{}"),
            call("", "t", "{}"),
        ]),
        result("a.b/ü", "one"),
        result("a_b__", "two"),
        result("", "three"),
    ];
    let (messages, warnings) = encode(items);
    let ids = ["a_b__", "call_1", "call_2"];
    let none = json!({});
    assert_eq!(messages[1], assistant(&ids.map(|id| asks(id, &none))));
    let [a, b, c] = ids;
    assert_eq!(
        messages[2],
        user(&[gives(a, "one"), gives(b, "two"), gives(c, "three")])
    );
    assert_eq!(warnings, no_warnings());
}

#[test]
fn arguments_that_are_no_object_go_back_as_the_text_they_are() {
    for arguments in ["{\"x", "", "[1]", "null", "\"{}\"", "{} {}"] {
        let items = vec![
            heard("Ada", "Go"),
            said([call("a", "t", arguments)]),
            result("a", "not_json"),
        ];
        let (messages, warnings) = encode(items);
        assert_eq!(
            messages[1],
            assistant(&[asks("a", &json!({ "INVALID_JSON": arguments }))])
        );
        assert_eq!(warnings, ["arguments_not_object"]);
    }
}

#[test]
fn an_answer_goes_back_block_by_block_as_it_came() {
    let fixtures = [
        include_bytes!("../../../../tests/fixtures/anthropic-messages/calls.json").as_slice(),
        include_bytes!("../../../../tests/fixtures/anthropic-messages/searched.json"),
    ];
    for fixture in fixtures {
        let mut recorded: Value = serde_json::from_slice(fixture).unwrap();
        for block in recorded["content"].as_array_mut().unwrap() {
            let block = block.as_object_mut().unwrap();
            block.retain(|field, value| field != "caller" || value["type"] != "direct");
        }
        let response = codec().decode(fixture).unwrap();
        let items = vec![
            heard("Ada", "Go"),
            said(response.reply().parts.clone()),
            heard("Ada", "Well?"),
        ];
        let (messages, warnings) = encode(items);
        assert_eq!(messages[1]["content"], recorded["content"]);
        assert!(
            warnings.iter().all(|warning| warning == "result_missing"),
            "{warnings:?}"
        );
    }
}

#[test]
fn what_is_of_another_wire_is_not_sent_and_told() {
    let foreign = Part::Opaque(json!({ "another-wire": { "signature": "s" } }));
    let parts = [Part::Reasoning("r".into()), Part::Text("x".into()), foreign];
    let (messages, warnings) = encode(vec![heard("Ada", "Go"), said(parts), heard("Ada", "Well?")]);
    assert_eq!(messages[1], assistant(&[text("x")]));
    assert_eq!(warnings, ["opaque_not_carried", "reasoning_not_carried"]);
}

#[test]
fn a_note_about_a_blank_text_is_not_given_to_another() {
    let cited = opaque(&json!({ "text": { "citations": [1] } }));
    let parts = [Part::Text("x".into()), Part::Text("\n".into()), cited];
    let (messages, _) = encode(vec![heard("Ada", "Go"), said(parts), heard("Ada", "Well?")]);
    assert_eq!(messages[1], assistant(&[text("x")]));
}

#[test]
fn a_note_cannot_change_what_its_part_says() {
    let note =
        opaque(&json!({ "call": { "type": "text", "id": "z", "input": {}, "caller": "c" } }));
    let items = vec![
        heard("Ada", "Go"),
        said([call("a", "t", "{\"x\":1}"), note]),
        result("a", "1"),
    ];
    let mut expected = asks("a", &json!({ "x": 1 }));
    expected["caller"] = json!("c");
    assert_eq!(encode(items).0[1], assistant(&[expected]));
}

#[test]
fn a_user_speaks_first_and_last() {
    assert_eq!(
        encode(vec![]),
        (
            json!([user(&[text("[the conversation begins]")])]),
            vec!["opening_added".into()]
        )
    );
    let expected = json!([
        user(&[text("[the conversation begins]")]),
        assistant(&[text("Hello.")]),
        user(&[text("[go on]")])
    ]);
    let warnings = vec!["closing_added".to_owned(), "opening_added".to_owned()];
    assert_eq!(
        encode(vec![said([Part::Text("Hello.".into())])]),
        (expected, warnings)
    );
}

#[test]
fn a_paused_answer_is_given_back_as_the_last_word() {
    let block = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
    let items = vec![
        heard("Ada", "Go"),
        said([opaque(&json!({ "block": block }))]),
    ];
    assert_eq!(
        encode(items),
        (
            json!([user(&[text("Ada: Go")]), assistant(&[block])]),
            no_warnings()
        )
    );
}

#[test]
fn messages_of_one_role_are_one_and_an_empty_answer_is_none() {
    let items = vec![
        heard("Ada", "One"),
        said([]),
        heard("Bo", "Two"),
        said([Part::Text("a".into())]),
        said([Part::Refusal("b".into())]),
        heard("Ada", "Three"),
    ];
    let expected = json!([
        user(&[text("Ada: One"), text("Bo: Two")]),
        assistant(&[text("a"), text("b")]),
        user(&[text("Ada: Three")]),
    ]);
    assert_eq!(encode(items), (expected, no_warnings()));
}

proptest! {
    #[test]
    fn roles_take_turns_and_every_call_has_its_result_in_the_next_message(
        steps in prop::collection::vec((0..6_u8, 0..3_usize), 0..30),
    ) {
        let label = |number: usize| ["", "a", "b.c"][number];
        let items = steps.iter().map(|(kind, number)| match kind {
            0 => heard("Ada", "Hi"),
            1 => said([Part::Text("x".into()), call(label(*number), "t", "{}")]),
            2 => said([call(label(*number), "t", "{}"), call("a", "t", "nonsense")]),
            3 => said([]),
            4 => said([Part::Text("x".into())]),
            _ => result(label(*number), "r"),
        });
        let (messages, _) = encode(items.collect());
        let messages = messages.as_array().unwrap();
        let ids = |message: &Value, kind: &str, field: &str| {
            let blocks = message["content"].as_array().unwrap().iter().filter(|block| block["type"] == kind);
            blocks.map(|block| block[field].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let mut seen = std::collections::BTreeSet::new();
        for (at, message) in messages.iter().enumerate() {
            prop_assert_eq!(&message["role"], if at % 2 == 0 { "user" } else { "assistant" });
            let calls = ids(message, "tool_use", "id");
            let next = messages.get(at + 1).map_or(Vec::new(), |next| ids(next, "tool_result", "tool_use_id"));
            prop_assert_eq!(&calls, &next, "{:?}", messages);
            for id in calls {
                prop_assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')), "{id}");
                prop_assert!(seen.insert(id), "{:?}", messages);
            }
        }
        prop_assert_eq!(messages.len() % 2, 1, "a user speaks last");
    }
}

#[test]
fn arguments_that_an_object_does_not_keep_are_told() {
    for (arguments, code) in [
        ("{\"x\":123456789012345678901}", "arguments_rounded"),
        ("{\"x\":1,\"x\":2}", "arguments_repeated"),
    ] {
        let (_, warnings) = encode(vec![
            heard("Ada", "Go"),
            said([call("a", "t", arguments)]),
            result("a", "1"),
        ]);
        assert_eq!(warnings, [code]);
    }
}
