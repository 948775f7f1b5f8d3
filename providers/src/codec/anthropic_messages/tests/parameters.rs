use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::prompt::{Layer, LayerKind, ToolDeclaration};

use super::encode::{heard, request};
use super::*;

/// The body of a request with two tools, and its warnings.
fn encode_by(codec: AnthropicMessages, parameters: Parameters) -> (Value, Vec<String>) {
    let mut request = request(vec![heard("Ada", "Hi")]);
    let tool = |name: &str| ToolDeclaration {
        name: name.into(),
        description: "d".into(),
        schema: json!({}),
    };
    request.tools = vec![tool("t"), tool("u")];
    request.system = vec![Layer {
        kind: LayerKind::Role,
        text: "One.".into(),
    }];
    request.parameters = parameters;
    let wire = codec.encode(&request.into_request(), &Files::new(), AnswerMode::Whole);
    (wire.body, wire.warnings)
}

fn encode(parameters: Parameters) -> (Value, Vec<String>) {
    encode_by(codec(), parameters)
}

/// The one field of the body, if there are no warnings.
fn field(name: &str, parameters: Parameters) -> Value {
    let (body, warnings) = encode(parameters);
    assert_eq!(warnings, Vec::<String>::new());
    body[name].clone()
}

fn reasoning(reasoning: Reasoning) -> Parameters {
    Parameters {
        reasoning: Some(reasoning),
        ..Parameters::default()
    }
}

fn effort(effort: Effort) -> Reasoning {
    Reasoning {
        effort: Some(effort),
        ..Reasoning::default()
    }
}

#[test]
fn sampling_is_sent_where_the_version_takes_it_and_told_where_not() {
    let parameters = Parameters {
        temperature_milli: Some(0),
        top_p_milli: Some(950),
        seed: Some(7),
        ..Parameters::default()
    };
    let (body, warnings) = encode(parameters.clone());
    assert_eq!(
        (&body["temperature"], &body["top_p"]),
        (&json!(0.0), &json!(0.95))
    );
    assert_eq!(warnings, ["seed_not_carried"]);

    let newer = AnthropicMessages {
        api_version: ApiVersion::V20261021,
        ..codec()
    };
    let (body, warnings) = encode_by(newer, parameters);
    assert_eq!(
        (&body["temperature"], &body["top_p"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        warnings,
        [
            "seed_not_carried",
            "temperature_not_carried",
            "top_p_not_carried"
        ]
    );
}

#[test]
fn the_version_decides_where_the_key_goes() {
    assert_eq!(codec().key_header("k"), ("x-api-key", "k".to_owned()));
    let settings = json!({ "api_version": "2026-10-21" });
    let newer: AnthropicMessages = serde_json::from_value(settings).unwrap();
    assert_eq!(
        newer.key_header("k"),
        ("authorization", "Bearer k".to_owned())
    );
    let wire = newer.encode(
        &request(vec![]).into_request(),
        &Files::new(),
        AnswerMode::Whole,
    );
    assert_eq!(
        wire.headers,
        [("anthropic-version", "2026-10-21".to_owned())]
    );
    assert!(
        serde_json::from_value::<AnthropicMessages>(json!({ "api_version": "2025-01-01" }))
            .is_err()
    );
    assert!(
        serde_json::from_value::<AnthropicMessages>(json!({ "version": "2023-06-01" })).is_err()
    );
}

#[test]
fn texts_to_stop_at_are_sent() {
    let stop = vec!["\n\n".to_owned(), "###".to_owned()];
    assert_eq!(
        field(
            "stop_sequences",
            Parameters {
                stop,
                ..Parameters::default()
            }
        ),
        json!(["\n\n", "###"])
    );
}

#[test]
fn tool_choices_have_their_words() {
    let choice = |tool_choice, parallel_calls| {
        field(
            "tool_choice",
            Parameters {
                tool_choice,
                parallel_calls,
                ..Parameters::default()
            },
        )
    };
    assert_eq!(choice(None, None), Value::Null);
    assert_eq!(choice(None, Some(true)), Value::Null);
    assert_eq!(
        choice(Some(ToolChoice::Auto), None),
        json!({ "type": "auto" })
    );
    assert_eq!(
        choice(Some(ToolChoice::Required), Some(true)),
        json!({ "type": "any" })
    );
    assert_eq!(
        choice(Some(ToolChoice::Tool("t".into())), None),
        json!({ "type": "tool", "name": "t" })
    );
    assert_eq!(
        choice(None, Some(false)),
        json!({ "type": "auto", "disable_parallel_tool_use": true })
    );
    let single = json!({ "type": "any", "disable_parallel_tool_use": true });
    assert_eq!(choice(Some(ToolChoice::Required), Some(false)), single);
    assert_eq!(
        choice(Some(ToolChoice::None), Some(false)),
        json!({ "type": "none" })
    );
}

#[test]
fn a_call_without_tools_asks_nothing_of_tools_and_says_so() {
    let mut request = request(vec![heard("Ada", "Hi")]);
    request.parameters = Parameters {
        tool_choice: Some(ToolChoice::Required),
        parallel_calls: Some(false),
        strict_tools: Some(true),
        cache: [(CachePlace::Tools, CacheTtl::Default)].into(),
        ..Parameters::default()
    };
    let wire = codec().encode(&request.into_request(), &Files::new(), AnswerMode::Whole);
    let fields: Vec<&str> = wire
        .body
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let told = [
        "parallel_calls_not_carried",
        "strict_tools_not_carried",
        "tool_choice_not_carried",
    ];
    assert_eq!(
        (fields, wire.warnings),
        (
            vec!["max_tokens", "messages", "model"],
            told.map(str::to_owned).into()
        )
    );
}

#[test]
fn strictness_is_said_of_every_tool() {
    let tools = |strict_tools| {
        field(
            "tools",
            Parameters {
                strict_tools,
                ..Parameters::default()
            },
        )
    };
    assert_eq!(
        (
            &tools(Some(true))[0]["strict"],
            &tools(Some(false))[1]["strict"]
        ),
        (&json!(true), &json!(false))
    );
    assert_eq!(tools(None)[0]["strict"], Value::Null);
}

#[test]
fn reasoning_is_adaptive_enabled_or_disabled() {
    let thinking = |of: Reasoning| field("thinking", reasoning(of));
    assert_eq!(field("thinking", Parameters::default()), Value::Null);
    assert_eq!(
        thinking(Reasoning::default()),
        json!({ "type": "adaptive" })
    );
    assert_eq!(
        thinking(effort(Effort::None)),
        json!({ "type": "disabled" })
    );
    assert_eq!(
        thinking(effort(Effort::High)),
        json!({ "type": "adaptive" })
    );
    let limited = Reasoning {
        tokens_max: Some(2_048),
        show: Some(false),
        ..Reasoning::default()
    };
    assert_eq!(
        thinking(limited),
        json!({ "type": "enabled", "budget_tokens": 2_048, "display": "omitted" })
    );
    let shown = Reasoning {
        show: Some(true),
        ..Reasoning::default()
    };
    assert_eq!(
        thinking(shown),
        json!({ "type": "adaptive", "display": "summarized" })
    );
    let neither = Reasoning {
        effort: Some(Effort::None),
        tokens_max: Some(9),
        show: Some(true),
    };
    let (body, warnings) = encode(reasoning(neither));
    assert_eq!(
        (&body["thinking"], warnings),
        (
            &json!({ "type": "disabled" }),
            vec!["reasoning_tokens_not_carried".into()]
        )
    );
}

#[test]
fn the_limit_that_nobody_set_leaves_room_for_reasoning() {
    let limited = Reasoning {
        tokens_max: Some(2_048),
        ..Reasoning::default()
    };
    assert_eq!(field("max_tokens", reasoning(limited)), json!(6_144));
    let set = Parameters {
        output_tokens_max: Some(3_000),
        ..reasoning(limited)
    };
    assert_eq!(field("max_tokens", set), json!(3_000));
    let tight = Parameters {
        output_tokens_max: Some(2_048),
        ..reasoning(limited)
    };
    let (body, warnings) = encode(tight);
    assert_eq!(
        (&body["thinking"], warnings),
        (&Value::Null, vec!["reasoning_tokens_not_carried".into()])
    );
    let roomy = AnthropicMessages {
        output_tokens_default: 100,
        ..codec()
    };
    assert_eq!(
        encode_by(roomy, Parameters::default()).0["max_tokens"],
        json!(100)
    );
}

#[test]
fn effort_and_form_share_a_field() {
    let schema = json!({ "type": "object" });
    let output = |strict| {
        Some(OutputFormat::Schema {
            name: "n".into(),
            schema: schema.clone(),
            strict,
        })
    };
    let format = json!({ "type": "json_schema", "schema": schema });
    let both = Parameters {
        output: output(Some(true)),
        ..reasoning(effort(Effort::Xhigh))
    };
    assert_eq!(
        field("output_config", both),
        json!({ "effort": "xhigh", "format": format })
    );
    assert_eq!(
        field("output_config", reasoning(effort(Effort::None))),
        Value::Null
    );

    let (body, warnings) = encode(Parameters {
        output: output(Some(false)),
        ..Parameters::default()
    });
    assert_eq!(
        (&body["output_config"]["format"], warnings),
        (&format, vec!["output_strict_not_carried".into()])
    );
    let (body, warnings) = encode(Parameters {
        output: Some(OutputFormat::Json),
        ..Parameters::default()
    });
    assert_eq!(
        (&body["output_config"], warnings),
        (&Value::Null, vec!["output_not_carried".into()])
    );
    let (body, warnings) = encode(reasoning(effort(Effort::Minimal)));
    assert_eq!(
        (&body["output_config"], warnings),
        (
            &json!({ "effort": "low" }),
            vec!["reasoning_effort_raised".into()]
        )
    );
}

#[test]
fn the_cache_is_marked_where_it_is_asked_for() {
    let places = [
        (CachePlace::Auto, CacheTtl::Default),
        (CachePlace::Tools, CacheTtl::OneHour),
        (CachePlace::System, CacheTtl::FiveMinutes),
        (CachePlace::Conversation, CacheTtl::Default),
    ];
    let (body, warnings) = encode(Parameters {
        cache: places.into(),
        ..Parameters::default()
    });
    let mark = json!({ "type": "ephemeral" });
    assert_eq!((&body["cache_control"], warnings), (&mark, vec![]));
    assert_eq!(body["tools"][0]["cache_control"], Value::Null);
    assert_eq!(
        body["tools"][1]["cache_control"],
        json!({ "type": "ephemeral", "ttl": "1h" })
    );
    assert_eq!(
        body["system"][0]["cache_control"],
        json!({ "type": "ephemeral", "ttl": "5m" })
    );
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], mark);
}

#[test]
fn extra_fields_are_added_but_never_instead_of_the_codecs_own() {
    let extra = json!({ "metadata": { "user_id": "u" }, "max_tokens": 1, "stream": true });
    let extra = extra.as_object().unwrap().clone();
    let (body, warnings) = encode(Parameters {
        extra,
        ..Parameters::default()
    });
    assert_eq!(body["metadata"], json!({ "user_id": "u" }));
    assert_eq!(
        (&body["max_tokens"], &body["stream"]),
        (&json!(4_096), &Value::Null)
    );
    assert_eq!(warnings, ["extra_not_carried"]);
}
