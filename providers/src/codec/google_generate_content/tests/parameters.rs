//! Settings of the answer, tools and extra fields.

use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::prompt::ToolDeclaration;
use folkmoot_core::prompt::border::ForgedRequest;

use super::encode::{heard, request};
use super::*;

fn sent(parameters: Parameters) -> (Value, Vec<String>) {
    sent_with(ForgedRequest {
        parameters,
        ..request(vec![heard("Hi")])
    })
}

/// All of the body but the conversation.
fn sent_with(request: ForgedRequest) -> (Value, Vec<String>) {
    let mut wire = codec().encode(&request.into_request(), &Files::new(), AnswerMode::Whole);
    wire.body.as_object_mut().unwrap().remove("contents");
    (wire.body, wire.warnings)
}

fn config(parameters: Parameters) -> (Value, Vec<String>) {
    let (body, warnings) = sent(parameters);
    (body["generationConfig"].clone(), warnings)
}

fn tool(schema: Value) -> ToolDeclaration<String> {
    ToolDeclaration {
        name: "t".into(),
        description: "d".into(),
        schema,
    }
}

#[test]
fn what_is_not_given_is_not_sent() {
    assert_eq!(sent(Parameters::default()), (json!({}), vec![]));
}

#[test]
fn every_setting_has_its_place() {
    let schema = json!({ "type": "object", "additionalProperties": false });
    let parameters = Parameters {
        temperature_milli: Some(700),
        top_p_milli: Some(950),
        output_tokens_max: Some(9),
        stop: vec!["END".into()],
        seed: Some(7),
        output: Some(OutputFormat::Schema {
            name: "n".into(),
            schema: schema.clone(),
            strict: Some(true),
        }),
        reasoning: Some(Reasoning {
            effort: Some(Effort::Low),
            tokens_max: None,
            show: Some(true),
        }),
        parallel_calls: Some(true),
        cache: [(CachePlace::Auto, CacheTtl::Default)].into(),
        ..Parameters::default()
    };
    let expected = json!({
        "temperature": 0.7, "topP": 0.95, "maxOutputTokens": 9, "stopSequences": ["END"], "seed": 7,
        "responseMimeType": "application/json", "responseJsonSchema": schema,
        "thinkingConfig": { "thinkingLevel": "low", "includeThoughts": true },
    });
    assert_eq!(config(parameters), (expected, vec![]));
    let json = Parameters {
        output: Some(OutputFormat::Json),
        ..Parameters::default()
    };
    assert_eq!(
        config(json),
        (json!({ "responseMimeType": "application/json" }), vec![])
    );
}

#[test]
fn reasoning_is_a_level_or_a_budget() {
    let thinking = |effort, tokens_max| {
        let reasoning = Some(Reasoning {
            effort,
            tokens_max,
            show: None,
        });
        let (config, warnings) = config(Parameters {
            reasoning,
            ..Parameters::default()
        });
        (config["thinkingConfig"].clone(), warnings)
    };
    let told = |code: &str| vec![code.to_owned()];
    assert_eq!(
        thinking(Some(Effort::None), None),
        (json!({ "thinkingBudget": 0 }), vec![])
    );
    assert_eq!(
        thinking(Some(Effort::None), Some(0)),
        (json!({ "thinkingBudget": 0 }), vec![])
    );
    assert_eq!(
        thinking(Some(Effort::High), None),
        (json!({ "thinkingLevel": "high" }), vec![])
    );
    let lowered = (
        json!({ "thinkingLevel": "xhigh" }),
        told("reasoning_effort_lowered"),
    );
    assert_eq!(thinking(Some(Effort::Max), None), lowered);
    let budget = (
        json!({ "thinkingBudget": 512 }),
        told("reasoning_effort_not_carried"),
    );
    assert_eq!(thinking(Some(Effort::Low), Some(512)), budget);
    assert_eq!(thinking(None, None), (Value::Null, vec![]));
}

#[test]
fn what_the_wire_cannot_carry_is_told() {
    let parameters = Parameters {
        seed: Some(u32::MAX),
        parallel_calls: Some(false),
        output: Some(OutputFormat::Schema {
            name: "n".into(),
            schema: json!({}),
            strict: Some(false),
        }),
        cache: [(CachePlace::Tools, CacheTtl::Default)].into(),
        ..Parameters::default()
    };
    let codes = [
        "cache_not_carried",
        "output_strict_not_carried",
        "parallel_calls_not_carried",
        "seed_not_carried",
    ];
    assert_eq!(config(parameters).1, codes);
}

#[test]
fn a_choice_of_tools_goes_only_with_tools() {
    let chosen = |choice: &ToolChoice, tools| {
        let parameters = Parameters {
            tool_choice: Some(choice.clone()),
            ..Parameters::default()
        };
        let (body, warnings) = sent_with(ForgedRequest {
            parameters,
            tools,
            ..request(vec![heard("Hi")])
        });
        let is_told = warnings == ["tool_choice_not_carried"];
        assert_eq!(is_told, body.get("tools").is_none(), "{warnings:?}");
        body.get("toolConfig")
            .map(|config| config["functionCallingConfig"].clone())
    };
    let choices = [
        (ToolChoice::Auto, json!({ "mode": "AUTO" })),
        (ToolChoice::None, json!({ "mode": "NONE" })),
        (ToolChoice::Required, json!({ "mode": "ANY" })),
        (
            ToolChoice::Tool("t".into()),
            json!({ "mode": "ANY", "allowedFunctionNames": ["t"] }),
        ),
    ];
    for (choice, expected) in choices {
        assert_eq!(
            chosen(&choice, vec![tool(json!({ "type": "object" }))]),
            Some(expected)
        );
        assert_eq!(chosen(&choice, vec![]), None);
    }
}

#[test]
fn a_schema_beyond_the_providers_own_form_goes_as_it_is() {
    let field = |schema: &Value| {
        let tools = vec![tool(schema.clone())];
        let (body, _) = sent_with(ForgedRequest {
            tools,
            ..request(vec![heard("Hi")])
        });
        let declared = body["tools"][0]["functionDeclarations"][0].clone();
        let field = if declared.get("parameters").is_some() {
            "parameters"
        } else {
            "parametersJsonSchema"
        };
        assert_eq!(
            declared,
            json!({ "name": "t", "description": "d", field: schema })
        );
        field
    };
    let of = |property: Value| json!({ "type": "object", "properties": { "x": property }, "required": ["x"] });
    let own = [
        json!({ "type": "object", "properties": {} }),
        of(json!({ "type": "integer", "format": "int32", "minimum": 1, "description": "n" })),
        of(json!({ "type": "string", "enum": ["a", "b"], "nullable": true })),
        of(json!({ "type": "array", "items": { "type": "number" }, "minItems": 1 })),
        of(json!({ "anyOf": [{ "type": "string" }, { "type": "boolean" }] })),
    ];
    own.iter()
        .for_each(|schema| assert_eq!(field(schema), "parameters", "{schema}"));
    let richer = [
        json!({}),
        json!(true),
        json!({ "type": "object", "additionalProperties": false }),
        json!({ "$ref": "#/$defs/x" }),
        of(json!({ "type": ["string", "null"] })),
        of(json!({ "type": "integer", "enum": [1, 2] })),
        of(json!({ "type": "string", "format": "uri" })),
        of(json!({ "type": "string", "const": "a" })),
        of(json!({ "type": "array", "items": { "oneOf": [] } })),
        of(json!({ "description": "anything" })),
        of(json!(true)),
    ];
    richer
        .iter()
        .for_each(|schema| assert_eq!(field(schema), "parametersJsonSchema", "{schema}"));
}

#[test]
fn extra_fields_are_added_and_never_replace() {
    let extra = json!({
        "cachedContent": "cachedContents/1",
        "contents": [],
        "generationConfig": { "topK": 4, "maxOutputTokens": 100, "temperature": 0.5 },
        "toolConfig": { "retrievalConfig": {} },
        "tools": [{ "googleSearch": {} }],
    });
    let Value::Object(extra) = extra else {
        panic!()
    };
    let parameters = Parameters {
        temperature_milli: Some(500),
        output_tokens_max: Some(9),
        tool_choice: Some(ToolChoice::Auto),
        extra,
        ..Parameters::default()
    };
    let tools = vec![tool(json!({ "type": "object" }))];
    let (body, warnings) = sent_with(ForgedRequest {
        parameters,
        tools,
        ..request(vec![heard("Hi")])
    });
    let declared = json!({ "name": "t", "description": "d", "parameters": { "type": "object" } });
    let expected = json!({
        "cachedContent": "cachedContents/1",
        "generationConfig": { "topK": 4, "maxOutputTokens": 9, "temperature": 0.5 },
        "toolConfig": { "retrievalConfig": {}, "functionCallingConfig": { "mode": "AUTO" } },
        "tools": [{ "functionDeclarations": [declared] }, { "googleSearch": {} }],
    });
    assert_eq!(
        (body, warnings),
        (expected, vec!["extra_not_carried".to_owned()])
    );
}

#[test]
fn the_prefix_is_a_setting() {
    let read = |settings: Value| serde_json::from_value::<GoogleGenerateContent>(settings);
    assert_eq!(read(json!({})).unwrap(), codec());
    assert_eq!(read(json!({ "prefix": "v1" })).unwrap().prefix, "v1");
    assert!(
        read(json!({ "version": "v1" }))
            .unwrap_err()
            .to_string()
            .contains("unknown field `version`")
    );
    assert_eq!(codec().key_header("k"), ("x-goog-api-key", "k".to_owned()));
}
