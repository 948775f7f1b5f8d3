//! The conversation.

use std::sync::Arc;

use folkmoot_core::ids::Digest;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Attached, Layer, LayerKind, ToolDeclaration};

use super::*;

type Item = folkmoot_core::prompt::Item<String>;

pub(super) fn request(items: Vec<Item>) -> ForgedRequest {
    ForgedRequest {
        model: "small-1".into(),
        items,
        ..ForgedRequest::default()
    }
}

pub(super) fn heard(text: &str) -> Item {
    Item::Heard {
        from: "Ada".into(),
        text: text.into(),
        attachments: Vec::new(),
    }
}

fn said(parts: impl Into<Vec<Part>>) -> Item {
    Item::Said {
        parts: parts.into(),
    }
}

fn result(label: &str, text: &str) -> Item {
    Item::Result {
        label: label.into(),
        text: text.into(),
        failed: false,
    }
}

fn user(parts: &Value) -> Value {
    json!({ "role": "user", "parts": parts })
}

fn model(parts: &Value) -> Value {
    json!({ "role": "model", "parts": parts })
}

fn answered(tool: &str, text: &str) -> Value {
    json!({ "functionResponse": { "name": tool, "response": { "result": text } } })
}

fn encode(items: Vec<Item>) -> (Value, Vec<String>) {
    let wire = codec().encode(
        &request(items).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    (wire.body["contents"].clone(), wire.warnings)
}

#[test]
fn a_request_is_written_whole() {
    let mut request = request(vec![
        heard("Hi"),
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
        layer(LayerKind::Role, "Two."),
    ];
    let schema = json!({ "type": "object" });
    request.tools = vec![ToolDeclaration {
        name: "t".into(),
        description: "d".into(),
        schema: schema.clone(),
    }];
    let wire = codec().encode(&request.into_request(), &Files::new(), AnswerMode::Stream);
    let expected = json!({
        "systemInstruction": { "parts": [{ "text": "One.\n\nTwo." }] },
        "contents": [user(&json!([{ "text": "Ada: Hi" }])), user(&json!([{ "text": "[notice] It may have run." }]))],
        "tools": [{ "functionDeclarations": [{ "name": "t", "description": "d", "parameters": schema }] }],
    });
    assert_eq!((wire.body, wire.warnings), (expected, vec![]));
    assert_eq!(
        wire.path,
        "/v1beta/models/small-1:streamGenerateContent?alt=sse"
    );
}

#[test]
fn a_models_name_stays_in_its_place_of_the_path() {
    let path = |prefix: &str, model: &str| {
        let request = ForgedRequest {
            model: model.into(),
            ..ForgedRequest::default()
        };
        let codec = GoogleGenerateContent {
            prefix: prefix.into(),
        };
        codec
            .encode(&request.into_request(), &Files::new(), AnswerMode::Whole)
            .path
    };
    assert_eq!(
        path("v1", "gemini-2.5-flash"),
        "/v1/models/gemini-2.5-flash:generateContent"
    );
    assert_eq!(
        path("/v1/", "models/a_b~1"),
        "/v1/models/a_b~1:generateContent"
    );
    assert_eq!(
        path("v1", "tunedModels/mine"),
        "/v1/tunedModels/mine:generateContent"
    );
    assert_eq!(
        path("v1", "../files/x"),
        "/v1/models/..%2Ffiles%2Fx:generateContent"
    );
    assert_eq!(
        path("v1", "models/../../x"),
        "/v1/models/..%2F..%2Fx:generateContent"
    );
    assert_eq!(
        path("v1", "a?b#c:d%2F é"),
        "/v1/models/a%3Fb%23c%3Ad%252F%20%C3%A9:generateContent"
    );
}

#[test]
fn the_first_content_is_a_users() {
    let beginning = user(&json!([{ "text": "[the conversation begins]" }]));
    assert_eq!(encode(vec![]).0, json!([beginning]));
    let spoke = model(&json!([{ "text": "Hello." }]));
    assert_eq!(
        encode(vec![said([Part::Text("Hello.".into())])]).0,
        json!([beginning, spoke])
    );
    assert_eq!(
        encode(vec![said([]), heard("Hm")]).0,
        json!([user(&json!([{ "text": "Ada: Hm" }]))])
    );
}

#[test]
fn answers_in_a_row_are_one_content() {
    let items = vec![
        heard("Hi"),
        said([Part::Text("Wait.".into())]),
        said([Part::Refusal("No.".into()), call("", "t", "{}")]),
        result("", "1"),
    ];
    let expected = json!([
        user(&json!([{ "text": "Ada: Hi" }])),
        model(
            &json!([{ "text": "Wait." }, { "text": "No." }, { "functionCall": { "name": "t", "args": {} } }])
        ),
        user(&json!([answered("t", "1")])),
    ]);
    assert_eq!(encode(items), (expected, vec![]));
}

#[test]
fn results_stand_in_one_content_right_behind_their_calls_in_the_order_of_the_calls() {
    let items = vec![
        heard("Go"),
        said([
            call("a", "one", "{\"x\":18446744073709551615}"),
            call("b", "two", "{}"),
        ]),
        result("b", "2"),
        heard("Hurry"),
        Item::Result {
            label: "a".into(),
            text: "down".into(),
            failed: true,
        },
    ];
    let first = json!({ "functionCall": { "name": "one", "args": { "x": 18_446_744_073_709_551_615_u64 } } });
    let failed = json!({ "functionResponse": { "name": "one", "response": { "error": "down" } } });
    let expected = json!([
        user(&json!([{ "text": "Ada: Go" }])),
        model(&json!([first, { "functionCall": { "name": "two", "args": {} } }])),
        user(&json!([failed, answered("two", "2")])),
        user(&json!([{ "text": "Ada: Hurry" }])),
    ]);
    assert_eq!(encode(items), (expected, vec![]));
}

#[test]
fn a_call_without_a_result_gets_one_and_a_result_without_a_call_is_told() {
    let items = vec![result("z", "lost"), said([call("a", "t", "{}")])];
    let expected = json!([
        user(&json!([{ "text": "[result] lost" }])),
        model(&json!([{ "functionCall": { "name": "t", "args": {} } }])),
        user(&json!([answered("t", "[no result of this call is known]")])),
    ]);
    assert_eq!(
        encode(items),
        (
            expected,
            vec!["result_missing".into(), "result_without_call".into()]
        )
    );
}

#[test]
fn an_id_goes_back_where_the_model_gave_one() {
    let given = with("call", &json!({ "functionCall": { "id": "b" } }));
    let items = vec![
        heard("Go"),
        said([call("call_1", "t", "{}"), call("b", "t", "{}"), given]),
        result("b", "2"),
    ];
    let (contents, _) = encode(items);
    let answers = json!([
        answered("t", "[no result of this call is known]"),
        { "functionResponse": { "id": "b", "name": "t", "response": { "result": "2" } } },
    ]);
    let calls = json!([
        { "functionCall": { "name": "t", "args": {} } },
        { "functionCall": { "id": "b", "name": "t", "args": {} } },
    ]);
    assert_eq!(
        contents,
        json!([
            user(&json!([{ "text": "Ada: Go" }])),
            model(&calls),
            user(&answers)
        ])
    );
}

/// What the provider gave goes back part by part, as it came.
#[test]
fn an_answer_of_this_wire_goes_back_as_it_came() {
    let given = json!([
        { "text": "Hm.", "thought": true },
        { "text": "So.", "thought": true, "thoughtSignature": "YQ==" },
        { "text": "", "thoughtSignature": "Yg==" },
        { "executableCode": { "language": "PYTHON", "code": "1" }, "thoughtSignature": "Yw==" },
        { "text": "It is 1." },
        { "text": " Bye.", "thoughtSignature": "+/8=\u{e9}" },
        { "functionCall": { "id": "x", "name": "t", "args": { "b": 1, "a": [] } }, "thoughtSignature": "ZA==" },
        { "functionCall": { "name": "u", "args": {} } },
    ]);
    let (contents, warnings) = encode(vec![
        heard("Go"),
        said(parts(&given)),
        result("x", "1"),
        result("", "2"),
    ]);
    assert_eq!((&contents[1], warnings), (&model(&given), vec![]));
    assert_eq!(contents[2]["parts"][0]["functionResponse"]["id"], "x");
    assert_eq!(contents[2]["parts"][1]["functionResponse"].get("id"), None);
}

#[test]
fn what_is_of_another_wire_stays_there() {
    let foreign = Part::Opaque(json!({ "another-wire": { "signature": "s" } }));
    let items = vec![
        heard("Go"),
        said([Part::Reasoning("r".into()), Part::Text("x".into()), foreign]),
    ];
    let (contents, warnings) = encode(items);
    assert_eq!(contents[1], model(&json!([{ "text": "x" }])));
    assert_eq!(warnings, ["opaque_not_carried", "reasoning_not_carried"]);
}

#[test]
fn a_signature_never_goes_to_another_part() {
    let signature = with("call", &json!({ "thoughtSignature": "s" }));
    let (contents, warnings) = encode(vec![heard("Go"), said([Part::Text("x".into()), signature])]);
    assert_eq!(
        (&contents[1], warnings),
        (
            &model(&json!([{ "text": "x" }])),
            vec!["opaque_not_carried".to_owned()]
        )
    );
}

#[test]
fn arguments_that_the_wire_cannot_carry_are_told() {
    let sent = |arguments: &str| {
        let (contents, warnings) = encode(vec![
            heard("Go"),
            said([call("a", "t", arguments)]),
            result("a", "1"),
        ]);
        (
            contents[1]["parts"][0]["functionCall"]["args"].clone(),
            warnings,
        )
    };
    for malformed in ["{bad", "[1]", "", "null"] {
        let expected = (
            json!({ "malformed_arguments": malformed }),
            vec!["arguments_not_object".to_owned()],
        );
        assert_eq!(sent(malformed), expected);
    }
    for exact in [
        "{\"x\":-9223372036854775808}",
        "{\"x\":\"a\\\"1234567890123456789012345\"}",
        "{\"x\":0.123456789}",
    ] {
        assert_eq!(sent(exact), (serde_json::from_str(exact).unwrap(), vec![]));
    }
    for rounded in [
        "{\"x\":123456789012345678901}",
        "{\"x\":0.1234567890123456789}",
    ] {
        assert_eq!(sent(rounded).1, ["arguments_rounded"], "{rounded}");
    }
}

#[test]
fn files_stand_behind_the_text_and_others_are_told() {
    let attached = |media_type: &str| Attached {
        blob: Digest::sha256(b"12345"),
        media_type: media_type.into(),
        name: "a".into(),
        bytes: 5,
    };
    let attachments = ["image/png", "application/zip"].map(attached).to_vec();
    let item = Item::Heard {
        from: "Ada".into(),
        text: "Look!".into(),
        attachments,
    };
    let files = Files::from([(Digest::sha256(b"12345"), Arc::from(b"12345".as_slice()))]);
    let wire = codec().encode(
        &request(vec![item]).into_request(),
        &files,
        AnswerMode::Whole,
    );
    let lines = "Ada: Look!\n[attached: \"a\", image/png, 5 bytes]\n[attached: \"a\", application/zip, 5 bytes]";
    let data = json!({ "inlineData": { "mimeType": "image/png", "data": "MTIzNDU=" } });
    assert_eq!(
        wire.body["contents"],
        json!([user(&json!([{ "text": lines }, data]))])
    );
    assert_eq!(wire.warnings, ["attachment_not_sent"]);
}

proptest! {
    #[test]
    fn every_call_has_one_result_right_behind_it(steps in prop::collection::vec((0..5_u8, 0..3_usize), 0..30)) {
        let label = |number: usize| ["", "a", "b"][number];
        let items = steps.iter().map(|(kind, number)| match kind {
            0 => heard("Hi"),
            1 => said([Part::Text("x".into()), call(label(*number), "t", "{}")]),
            2 => said([call(label(*number), "t", "{}"), call("a", "u", "{}")]),
            3 => said([]),
            _ => result(label(*number), "r"),
        });
        let (contents, _) = encode(items.collect());
        let contents = contents.as_array().unwrap();
        prop_assert_eq!(&contents[0]["role"], "user");
        let named = |content: &Value, field: &str| -> Vec<Value> {
            let parts = content["parts"].as_array().unwrap();
            parts.iter().filter_map(|part| part.get(field)).map(|part| part["name"].clone()).collect()
        };
        for pair in contents.windows(2) {
            prop_assert_eq!(named(&pair[0], "functionCall"), named(&pair[1], "functionResponse"));
            prop_assert!(pair[1]["role"] == "user" || pair[0]["role"] == "user");
        }
        prop_assert!(named(contents.last().unwrap(), "functionCall").is_empty());
    }
}

#[test]
fn a_call_that_the_model_did_not_sign_is_sent_as_such_to_models_that_want_signatures() {
    let sent = |model: &str, parts: Vec<Part>| {
        let mut request = request(vec![
            heard("Go"),
            said(parts),
            result("a", "1"),
            result("b", "2"),
        ]);
        request.model = model.into();
        let wire = codec().encode(&request.into_request(), &Files::new(), AnswerMode::Whole);
        let signatures =
            [0, 1].map(|at| wire.body["contents"][1]["parts"][at]["thoughtSignature"].clone());
        (signatures, wire.warnings)
    };
    let foreign = || vec![call("a", "t", "{}"), call("b", "t", "{}")];
    let told = (
        [json!("skip_thought_signature_validator"), Value::Null],
        vec!["signature_not_known".to_owned()],
    );
    for model in [
        "gemini-3-flash-preview",
        "models/gemini-3.1-pro",
        "gemini-10-pro",
        "gemini-flash-latest",
    ] {
        assert_eq!(sent(model, foreign()), told, "{model}");
    }
    for model in [
        "gemini-2.5-flash",
        "models/gemini-1.5-pro",
        "small-3",
        "gemma-3",
    ] {
        assert_eq!(
            sent(model, foreign()),
            ([Value::Null, Value::Null], vec![]),
            "{model}"
        );
    }
    let signed = with("call", &json!({ "thoughtSignature": "s" }));
    let own = vec![call("a", "t", "{}"), signed, call("b", "t", "{}")];
    assert_eq!(
        sent("gemini-3-pro", own),
        ([json!("s"), Value::Null], vec![])
    );
}
