use folkmoot_core::ids::Digest;
use folkmoot_core::model::Parameters;
use folkmoot_core::port::Files;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Attached, Layer, LayerKind, ToolDeclaration};

use super::*;

type Item = folkmoot_core::prompt::Item<String>;

fn request(items: Vec<Item>) -> ForgedRequest {
    ForgedRequest {
        model: "small-1".into(),
        items,
        ..ForgedRequest::default()
    }
}

fn heard(from: &str, text: &str) -> Item {
    Item::Heard {
        from: from.into(),
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

fn user(content: &str) -> Value {
    json!({ "role": "user", "content": content })
}

fn tool(id: &str, content: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": content })
}

fn asks(calls: &[(&str, &str)]) -> Value {
    let call = |(id, arguments): &(&str, &str)| json!({ "id": id, "type": "function", "function": { "name": "t", "arguments": arguments } });
    json!({ "role": "assistant", "content": null, "tool_calls": calls.iter().map(call).collect::<Vec<_>>() })
}

fn encode(items: Vec<Item>) -> (Value, Vec<String>) {
    let wire = OpenAiChat::default().encode(
        &request(items).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    (wire.body["messages"].clone(), wire.warnings)
}

/// The same for a server that takes back what it gave.
fn echo(items: Vec<Item>) -> (Value, Vec<String>) {
    let codec = OpenAiChat {
        reasoning_echo: ReasoningEcho::AsReceived,
        ..OpenAiChat::default()
    };
    let wire = codec.encode(
        &request(items).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    (wire.body["messages"].clone(), wire.warnings)
}

fn no_warnings() -> Vec<String> {
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
        layer(LayerKind::Role, "Two."),
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
    let wire =
        OpenAiChat::default().encode(&request.into_request(), &Files::new(), AnswerMode::Stream);
    let function = json!({ "name": "t", "description": "d", "parameters": schema });
    let expected = json!({
        "model": "small-1",
        "messages": [{ "role": "system", "content": "One.\n\nTwo." }, user("Ada: Hi"), user("[notice] It may have run.")],
        "tools": [{ "type": "function", "function": function }],
        "temperature": 0.7,
        "max_completion_tokens": 9,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    assert_eq!(
        (wire.path.as_str(), wire.body, wire.warnings),
        ("/chat/completions", expected, vec![])
    );
}

#[test]
fn what_is_not_given_is_not_sent() {
    let wire = OpenAiChat::default().encode(
        &request(vec![heard("Ada", "Hi")]).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    assert_eq!(
        wire.body,
        json!({ "model": "small-1", "messages": [user("Ada: Hi")] })
    );
}

#[test]
fn the_token_limit_goes_where_the_server_wants_it() {
    let mut request = request(vec![]);
    request.parameters.output_tokens_max = Some(9);
    let codec = OpenAiChat {
        output_limit: OutputLimit::MaxTokens,
        ..OpenAiChat::default()
    };
    assert_eq!(
        codec
            .encode(
                &request.clone().into_request(),
                &Files::new(),
                AnswerMode::Whole
            )
            .body["max_tokens"],
        json!(9)
    );
}

#[test]
fn results_stand_right_behind_their_calls_in_the_order_of_the_calls() {
    let items = vec![
        said([call("a", "t", "{}"), call("b", "t", "{bad")]),
        result("b", "2"),
        heard("Ada", "Hurry"),
        Item::Result {
            label: "a".into(),
            text: "1".into(),
            failed: true,
        },
        heard("Ada", "Thanks"),
    ];
    let ask = asks(&[("a", "{}"), ("b", "{\"malformed_arguments\":\"{bad\"}")]);
    let expected = json!([
        ask,
        tool("a", "[failed] 1"),
        tool("b", "2"),
        user("Ada: Hurry"),
        user("Ada: Thanks")
    ]);
    assert_eq!(
        encode(items),
        (expected, vec!["arguments_not_object".to_owned()])
    );
}

#[test]
fn a_call_without_a_result_gets_one_and_a_result_without_a_call_is_told() {
    let items = vec![
        result("z", "lost"),
        said([call("a", "t", "{}")]),
        said([Part::Text("Well.".into())]),
    ];
    let missing = tool("a", "[no result of this call is known]");
    let well = json!({ "role": "assistant", "content": "Well." });
    let expected = json!([user("[result] lost"), asks(&[("a", "{}")]), missing, well]);
    assert_eq!(
        encode(items),
        (
            expected,
            vec!["result_missing".into(), "result_without_call".into()]
        )
    );
}

#[test]
fn calls_without_a_label_of_their_own_get_an_id() {
    let items = vec![
        said([call("", "t", "{\"n\":1}"), call("", "t", "{\"n\":2}")]),
        result("", "one"),
        result("", "two"),
        said([
            call("call_0", "t", "{\"n\":3}"),
            call("x", "t", "{\"n\":4}"),
        ]),
        result("call_0", "three"),
        result("x", "four"),
        said([call("x", "t", "{\"n\":5}")]),
        result("x", "five"),
    ];
    let expected = json!([
        asks(&[("call_0", "{\"n\":1}"), ("call_1", "{\"n\":2}")]),
        tool("call_0", "one"),
        tool("call_1", "two"),
        asks(&[("call_2", "{\"n\":3}"), ("x", "{\"n\":4}")]),
        tool("call_2", "three"),
        tool("x", "four"),
        asks(&[("call_4", "{\"n\":5}")]),
        tool("call_4", "five"),
    ]);
    assert_eq!(encode(items), (expected, no_warnings()));
}

#[test]
fn what_the_provider_signed_goes_back_as_it_came() {
    let signed = include_bytes!("../../../../tests/fixtures/openai-chat/signed.json");
    let response = OpenAiChat::default().decode(signed).unwrap();
    let recorded: Value = serde_json::from_slice(signed).unwrap();
    let (messages, warnings) = echo(vec![
        said(response.reply().parts.clone()),
        result("a", "1"),
        result("b", "malformed"),
    ]);
    assert_eq!(
        messages[0]["reasoning_details"],
        recorded["choices"][0]["message"]["reasoning_details"]
    );
    assert_eq!(
        (&messages[0]["reasoning"], &messages[0]["mood"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        warnings,
        ["arguments_not_object"],
        "one of its calls was cut"
    );

    let calls = include_bytes!("../../../../tests/fixtures/openai-chat/calls.json");
    let response = OpenAiChat::default().decode(calls).unwrap();
    let recorded: Value = serde_json::from_slice(calls).unwrap();
    let recorded = &recorded["choices"][0]["message"];
    let (messages, _) = echo(vec![said(response.reply().parts.clone())]);
    let mut recorded = recorded.clone();
    let broken = json!("{\"malformed_arguments\":\"{\\\"place\\\": \\\"Bern\"}");
    recorded["tool_calls"][1]["function"]["arguments"] = broken; // servers refuse what is no JSON
    for field in ["role", "content", "reasoning_content", "tool_calls"] {
        assert_eq!(messages[0][field], recorded[field], "{field}");
    }
}

#[test]
fn reasoning_goes_back_only_with_calls_and_only_where_it_came_from_this_wire() {
    let field = opaque(&json!({ "reasoning_field": "reasoning_content" }));
    let text = said([
        Part::Reasoning("r".into()),
        Part::Text("x".into()),
        field.clone(),
    ]);
    assert_eq!(
        echo(vec![text]),
        (
            json!([{ "role": "assistant", "content": "x" }]),
            no_warnings()
        )
    );

    let parts = [Part::Reasoning("r".into()), call("a", "t", "{}"), field];
    let (messages, warnings) = echo(vec![said(parts), result("a", "1")]);
    assert_eq!(
        (&messages[0]["reasoning_content"], warnings),
        (&json!("r"), no_warnings())
    );

    let foreign = Part::Opaque(json!({ "another-wire": { "signature": "s" } }));
    let (messages, warnings) = echo(vec![
        said([Part::Reasoning("r".into()), call("a", "t", "{}"), foreign]),
        result("a", "1"),
    ]);
    assert_eq!(messages[0], asks(&[("a", "{}")]));
    assert_eq!(warnings, ["opaque_not_carried", "reasoning_not_carried"]);
}

#[test]
fn what_a_server_gave_goes_to_no_other_unless_it_is_said_to_take_it() {
    let notes = [
        (
            vec![
                Part::Reasoning("r".into()),
                opaque(&json!({ "reasoning_field": "reasoning" })),
            ],
            "reasoning_not_carried",
        ),
        (
            vec![opaque(&json!({ "message": { "reasoning_details": [{}] } }))],
            "reasoning_not_carried",
        ),
        (
            vec![opaque(&json!({ "message": { "extra_content": {} } }))],
            "opaque_not_carried",
        ),
        (
            vec![opaque(
                &json!({ "call": { "call": 0, "fields": { "extra_content": {} } } }),
            )],
            "opaque_not_carried",
        ),
    ];
    for (parts, code) in notes {
        let items = vec![
            said([vec![call("a", "t", "{}")], parts].concat()),
            result("a", "1"),
        ];
        let (messages, warnings) = encode(items.clone());
        assert_eq!(
            (&messages[0], warnings),
            (&asks(&[("a", "{}")]), vec![code.to_owned()])
        );
        let (messages, warnings) = echo(items);
        assert_ne!(messages[0], asks(&[("a", "{}")]));
        assert_eq!(warnings, no_warnings());
    }
}

#[test]
fn two_reasoning_fields_stay_two() {
    let calls =
        json!([{ "id": "a", "type": "function", "function": { "name": "t", "arguments": "{}" } }]);
    let message = json!({ "reasoning": "one", "reasoning_content": "two", "tool_calls": calls });
    let reply = decode(&answer(&message, "tool_calls")).reply().clone();
    let (messages, warnings) = echo(vec![said(reply.parts), result("a", "1")]);
    assert_eq!(
        (
            &messages[0]["reasoning"],
            &messages[0]["reasoning_content"],
            warnings
        ),
        (&json!("one"), &json!("two"), no_warnings())
    );
}

#[test]
fn an_answer_without_anything_to_send_is_no_message() {
    assert_eq!(
        encode(vec![said([]), heard("Ada", "Hm")]),
        (json!([user("Ada: Hm")]), no_warnings())
    );
}

#[test]
fn a_refusal_is_sent_as_what_the_agent_said() {
    let (messages, _) = encode(vec![said([Part::Refusal("No.".into())])]);
    assert_eq!(messages, json!([{ "role": "assistant", "content": "No." }]));
}

proptest! {
    #[test]
    fn every_call_has_one_result_right_behind_it(steps in prop::collection::vec((0..5_u8, 0..3_usize), 0..30)) {
        let label = |number: usize| ["", "a", "b"][number];
        let items = steps.iter().map(|(kind, number)| match kind {
            0 => heard("Ada", "Hi"),
            1 => said([Part::Text("x".into()), call(label(*number), "t", "{}")]),
            2 => said([call(label(*number), "t", "{}"), call("a", "t", "{}")]),
            3 => said([]),
            _ => result(label(*number), "r"),
        });
        let (messages, _) = encode(items.collect());
        let mut ids = std::collections::BTreeSet::new();
        let mut open = std::collections::VecDeque::new();
        for message in messages.as_array().unwrap() {
            if message["role"] == "tool" {
                prop_assert_eq!(Some(message["tool_call_id"].clone()), open.pop_front());
            } else {
                prop_assert!(open.is_empty(), "{messages}");
            }
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                prop_assert!(ids.insert(call["id"].to_string()), "{messages}");
                open.push_back(call["id"].clone());
            }
        }
        prop_assert!(open.is_empty(), "{messages}");
    }
}

#[test]
fn what_is_attached_is_told_in_a_line_each_and_that_it_was_not_sent() {
    let attachments = ["cat.png", "\"].png"].map(|name| Attached {
        blob: Digest::sha256(b"12345"),
        media_type: "image/png".into(),
        name: name.into(),
        bytes: 5,
    });
    let heard = |text: &str| Item::Heard {
        from: "Ada".into(),
        text: text.into(),
        attachments: attachments.to_vec(),
    };
    let (messages, warnings) = encode(vec![heard("Look!"), heard("")]);
    let lines = "[attached: \"cat.png\", image/png, 5 bytes]\n[attached: \"\\\"].png\", image/png, 5 bytes]";
    assert_eq!(
        messages,
        json!([
            user(&format!("Ada: Look!\n{lines}")),
            user(&format!("Ada: {lines}"))
        ])
    );
    assert_eq!(warnings, ["attachment_not_sent"]);
}

#[test]
fn a_summary_is_a_marked_message() {
    let summary = Item::Summary {
        text: "Ada asked twice.".into(),
    };
    let (messages, warnings) = encode(vec![summary, heard("Ada", "Hi")]);
    let marked = user("[summary of the earlier conversation] Ada asked twice.");
    assert_eq!(
        (messages, warnings),
        (json!([marked, user("Ada: Hi")]), no_warnings())
    );
}

#[test]
fn an_id_that_is_too_long_becomes_another_for_the_call_and_its_result() {
    let (fits, long) = ("x".repeat(40), "x".repeat(41));
    let items = vec![
        said([call(&fits, "t", "{\"n\":1}"), call(&long, "t", "{\"n\":2}")]),
        result(&long, "two"),
        result(&fits, "one"),
    ];
    let expected = json!([
        asks(&[(&fits, "{\"n\":1}"), ("call_1", "{\"n\":2}")]),
        tool(&fits, "one"),
        tool("call_1", "two")
    ]);
    assert_eq!(encode(items), (expected, no_warnings()));
}
