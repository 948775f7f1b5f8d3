use folkmoot_core::ids::Digest;
use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Attached, Layer, LayerKind, ToolDeclaration};

use super::*;

pub(super) type Item = folkmoot_core::prompt::Item<String>;

fn request(items: Vec<Item>) -> ForgedRequest {
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

pub(super) fn user(text: &str) -> Value {
    json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] })
}

pub(super) fn assistant(text: &str) -> Value {
    json!({ "type": "message", "role": "assistant", "content": text })
}

pub(super) fn output(id: &str, text: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": id, "output": text })
}

pub(super) fn input_of(codec: OpenAiResponses, items: Vec<Item>) -> (Value, Vec<String>) {
    let wire = codec.encode(
        &request(items).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    (wire.body["input"].clone(), wire.warnings)
}

pub(super) fn input(items: Vec<Item>) -> (Value, Vec<String>) {
    input_of(OpenAiResponses::default(), items)
}

fn with(parameters: Parameters) -> (Value, Vec<String>) {
    let tool = ToolDeclaration {
        name: "t".into(),
        description: "d".into(),
        schema: json!({}),
    };
    let request = ForgedRequest {
        parameters,
        tools: vec![tool],
        ..request(vec![])
    };
    let wire = OpenAiResponses::default().encode(
        &request.into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    (wire.body, wire.warnings)
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
        layer(LayerKind::Role, "Two."),
    ];
    request.parameters = Parameters {
        temperature_milli: Some(700),
        top_p_milli: Some(900),
        output_tokens_max: Some(9),
        tool_choice: Some(ToolChoice::Tool("t".into())),
        parallel_calls: Some(false),
        output: Some(OutputFormat::Schema {
            name: "s".into(),
            schema: json!({ "type": "object" }),
            strict: Some(true),
        }),
        reasoning: Some(Reasoning {
            effort: Some(Effort::High),
            show: Some(true),
            tokens_max: None,
        }),
        ..Parameters::default()
    };
    let schema = json!({ "type": "object" });
    request.tools = vec![ToolDeclaration {
        name: "t".into(),
        description: "d".into(),
        schema: schema.clone(),
    }];
    let wire = OpenAiResponses::default().encode(
        &request.into_request(),
        &Files::new(),
        AnswerMode::Stream,
    );
    let expected = json!({
        "model": "small-1",
        "instructions": "One.\n\nTwo.",
        "input": [user("Ada: Hi"), user("[notice] It may have run.")],
        "tools": [{ "type": "function", "name": "t", "description": "d", "parameters": schema, "strict": false }],
        "tool_choice": { "type": "function", "name": "t" },
        "parallel_tool_calls": false,
        "text": { "format": { "type": "json_schema", "name": "s", "schema": schema, "strict": true } },
        "reasoning": { "effort": "high", "summary": "auto" },
        "temperature": 0.7,
        "top_p": 0.9,
        "max_output_tokens": 9,
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "stream": true,
    });
    assert_eq!(
        (wire.path.as_str(), wire.body, wire.warnings),
        ("/responses", expected, no_warnings())
    );
}

#[test]
fn a_failure_is_marked_and_a_missing_result_is_told() {
    let failed = Item::Result {
        label: "a".into(),
        text: "no".into(),
        failed: true,
    };
    let (items, warnings) = input(vec![
        said([call("a", "t", "{}"), call("b", "t", "{}")]),
        failed,
    ]);
    assert_eq!(items[2], output("a", "[failed] no"));
    assert_eq!(
        (items[3].clone(), warnings),
        (
            output("b", "[no result of this call is known]"),
            vec!["result_missing".into()]
        )
    );
}

#[test]
fn files_go_along_as_data() {
    let attached = |name: &str, media_type: &str| Attached {
        blob: Digest::sha256(name.as_bytes()),
        media_type: media_type.into(),
        name: name.into(),
        bytes: 3,
    };
    let attachments = vec![
        attached("a.png", "image/png"),
        attached("b.pdf", "application/pdf"),
        attached("c.mp3", "audio/mpeg"),
    ];
    let files: Files = attachments
        .iter()
        .map(|file| (file.blob, std::sync::Arc::from(b"abc".as_slice())))
        .collect();
    let heard = Item::Heard {
        from: "Ada".into(),
        text: "Look!".into(),
        attachments,
    };
    let wire = OpenAiResponses::default().encode(
        &request(vec![heard]).into_request(),
        &files,
        AnswerMode::Whole,
    );
    let lines = "[attached: \"a.png\", image/png, 3 bytes]\n[attached: \"b.pdf\", application/pdf, 3 bytes]\n[attached: \"c.mp3\", audio/mpeg, 3 bytes]";
    let expected = json!([
        { "type": "input_text", "text": format!("Ada: Look!\n{lines}") },
        { "type": "input_image", "image_url": "data:image/png;base64,YWJj", "detail": "auto" },
        { "type": "input_file", "filename": "b.pdf", "file_data": "data:application/pdf;base64,YWJj" },
    ]);
    assert_eq!(
        (wire.body["input"][0]["content"].clone(), wire.warnings),
        (expected, vec!["attachment_not_sent".to_owned()])
    );
    for (media_type, is_taken) in [
        ("text/markdown; charset=utf-8", true),
        ("IMAGE/JPEG", true),
        ("image/tiff", false),
        ("", false),
    ] {
        assert_eq!(
            OpenAiResponses::default().takes_file(media_type),
            is_taken,
            "{media_type}"
        );
    }
}

#[test]
fn what_the_wire_cannot_carry_is_told() {
    let parameters = Parameters {
        stop: vec!["END".into()],
        seed: Some(7),
        reasoning: Some(Reasoning {
            tokens_max: Some(9),
            ..Reasoning::default()
        }),
        ..Parameters::default()
    };
    let (body, warnings) = with(parameters);
    assert_eq!(
        warnings,
        [
            "reasoning_tokens_not_carried",
            "seed_not_carried",
            "stop_not_carried"
        ]
    );
    assert_eq!(body.get("reasoning"), None);
}

#[test]
fn choices_have_their_words() {
    for (choice, word) in [
        (ToolChoice::Auto, "auto"),
        (ToolChoice::None, "none"),
        (ToolChoice::Required, "required"),
    ] {
        let (body, _) = with(Parameters {
            tool_choice: Some(choice),
            ..Parameters::default()
        });
        assert_eq!(body["tool_choice"], word);
    }
    let (body, _) = with(Parameters {
        output: Some(OutputFormat::Json),
        ..Parameters::default()
    });
    assert_eq!(body["text"], json!({ "format": { "type": "json_object" } }));
}

#[test]
fn a_call_without_tools_says_nothing_of_tools() {
    let parameters = Parameters {
        tool_choice: Some(ToolChoice::None),
        parallel_calls: Some(true),
        ..Parameters::default()
    };
    let request = ForgedRequest {
        parameters,
        ..request(vec![])
    };
    let wire = OpenAiResponses::default().encode(
        &request.into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    assert_eq!(
        wire.body,
        json!({ "model": "small-1", "input": [], "store": false })
    );
}

#[test]
fn no_cache_can_be_asked_for_but_the_one_that_is_there() {
    let sent = |place, ttl| {
        let (body, warnings) = with(Parameters {
            cache: [(place, ttl)].into(),
            ..Parameters::default()
        });
        assert_eq!(
            body.get("prompt_cache_retention"),
            None,
            "nothing asks for a whole day"
        );
        warnings
    };
    assert_eq!(sent(CachePlace::Auto, CacheTtl::Default), no_warnings());
    for (place, ttl) in [
        (CachePlace::Auto, CacheTtl::FiveMinutes),
        (CachePlace::Auto, CacheTtl::OneHour),
        (CachePlace::System, CacheTtl::Default),
        (CachePlace::Tools, CacheTtl::OneHour),
    ] {
        assert_eq!(sent(place, ttl), ["cache_not_carried"], "{place:?} {ttl:?}");
    }
}

#[test]
fn further_fields_are_added_and_do_not_overrule_the_codec() {
    let extra = |extra: Value| Parameters {
        reasoning: Some(Reasoning {
            effort: Some(Effort::Low),
            ..Reasoning::default()
        }),
        extra: extra.as_object().unwrap().clone(),
        ..Parameters::default()
    };
    let (body, warnings) = with(extra(
        json!({ "service_tier": "flex", "reasoning": { "mode": "pro", "effort": "low" } }),
    ));
    assert_eq!(
        (&body["service_tier"], &body["reasoning"]),
        (&json!("flex"), &json!({ "effort": "low", "mode": "pro" }))
    );
    assert_eq!(warnings, no_warnings());
    for own in [
        json!({ "reasoning": { "effort": "high" } }),
        json!({ "stream": true }),
        json!({ "store": true }),
    ] {
        let (body, warnings) = with(extra(own.clone()));
        assert_eq!(warnings, ["extra_not_carried"], "{own}");
        assert_eq!(
            (&body["reasoning"], body.get("stream"), &body["store"]),
            (&json!({ "effort": "low" }), None, &json!(false))
        );
    }
}

#[test]
fn settings_say_what_is_stored_asked_for_and_strict() {
    let settings =
        json!({ "store": "unsaid", "encrypted_reasoning": "always", "strict_tools": "unsaid" });
    let codec = OpenAiResponses::deserialize(settings).unwrap();
    let tool = ToolDeclaration {
        name: "t".into(),
        description: "d".into(),
        schema: json!({}),
    };
    let request = ForgedRequest {
        tools: vec![tool],
        ..request(vec![])
    };
    let body = codec
        .encode(&request.into_request(), &Files::new(), AnswerMode::Whole)
        .body;
    let tool = json!({ "type": "function", "name": "t", "description": "d", "parameters": {} });
    let include = json!(["reasoning.encrypted_content"]);
    assert_eq!(
        body,
        json!({ "model": "small-1", "input": [], "tools": [tool], "include": include })
    );
    assert!(OpenAiResponses::deserialize(json!({ "stored": "never" })).is_err());
}

proptest! {
    #[test]
    fn every_call_has_one_result_behind_it(steps in prop::collection::vec((0..5_u8, 0..3_usize), 0..30)) {
        let label = |number: usize| ["", "a", "b"][number];
        let items = steps.iter().map(|(kind, number)| match kind {
            0 => heard("Ada", "Hi"),
            1 => said([text("x"), call(label(*number), "t", "{}")]),
            2 => said([call(label(*number), "t", "{}"), opaque(&json!({ "call": { "id": "f" } })), call("a", "t", "{}")]),
            3 => said([]),
            _ => result(label(*number), "r"),
        });
        let (items, _) = input(items.collect());
        let mut ids = std::collections::BTreeSet::new();
        let mut open = std::collections::VecDeque::new();
        for item in items.as_array().unwrap() {
            match item["type"].as_str().unwrap() {
                "function_call_output" => prop_assert_eq!(Some(item["call_id"].clone()), open.pop_front()),
                "function_call" => {
                    prop_assert!(ids.insert(item["call_id"].to_string()), "{items}");
                    open.push_back(item["call_id"].clone());
                }
                _ => prop_assert!(open.is_empty(), "{items}"),
            }
        }
        prop_assert!(open.is_empty(), "{items}");
    }
}
