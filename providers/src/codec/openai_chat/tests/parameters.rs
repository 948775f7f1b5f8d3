//! How the model is to answer, in the dialects of the servers.

use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::prompt::ToolDeclaration;
use folkmoot_core::prompt::border::ForgedRequest;

use super::*;

/// The fields that `parameters` add to a request with a tool, and the warnings.
fn written(codec: OpenAiChat, parameters: Parameters) -> (Value, Vec<String>) {
    let tools = vec![ToolDeclaration {
        name: "t".into(),
        description: "d".into(),
        schema: json!({}),
    }];
    let request = ForgedRequest {
        model: "m".into(),
        tools,
        parameters,
        ..ForgedRequest::default()
    };
    let mut wire = codec.encode(&request.into_request(), &Files::new(), AnswerMode::Whole);
    let fields = wire.body.as_object_mut().unwrap();
    fields.retain(|field, _| !matches!(field.as_str(), "model" | "messages" | "tools"));
    (wire.body, wire.warnings)
}

fn check(codec: OpenAiChat, parameters: Parameters, fields: Value, warnings: &[&str]) {
    let expected = (
        fields,
        warnings.iter().map(|code| (*code).to_owned()).collect(),
    );
    assert_eq!(written(codec, parameters), expected);
}

const OPENAI: fn() -> OpenAiChat = OpenAiChat::default;

#[test]
fn sampling_and_limits_go_by_their_names() {
    let parameters = Parameters {
        temperature_milli: Some(0),
        top_p_milli: Some(250),
        stop: vec!["END".into(), "\n".into()],
        seed: Some(7),
        output_tokens_max: Some(9),
        ..Parameters::default()
    };
    let fields = json!({ "temperature": 0.0, "top_p": 0.25, "stop": ["END", "\n"], "seed": 7, "max_completion_tokens": 9 });
    check(OPENAI(), parameters, fields, &[]);
}

#[test]
fn a_seed_goes_where_the_server_wants_it_or_is_told() {
    let parameters = Parameters {
        seed: Some(7),
        ..Parameters::default()
    };
    let with = |seed_field| OpenAiChat {
        seed_field,
        ..OPENAI()
    };
    check(
        with(SeedField::RandomSeed),
        parameters.clone(),
        json!({ "random_seed": 7 }),
        &[],
    );
    check(
        with(SeedField::LeftOut),
        parameters,
        json!({}),
        &["seed_not_carried"],
    );
}

#[test]
fn a_choice_among_the_tools_is_told_in_the_words_of_the_server() {
    let choosing = |choice| Parameters {
        tool_choice: Some(choice),
        ..Parameters::default()
    };
    let named = json!({ "type": "function", "function": { "name": "t" } });
    let words = [
        (ToolChoice::Auto, json!("auto")),
        (ToolChoice::None, json!("none")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::Tool("t".into()), named),
    ];
    for (choice, word) in words {
        check(
            OPENAI(),
            choosing(choice),
            json!({ "tool_choice": word }),
            &[],
        );
    }
    let with = |choice_word| OpenAiChat {
        choice_word,
        ..OPENAI()
    };
    check(
        with(ChoiceWord::Any),
        choosing(ToolChoice::Required),
        json!({ "tool_choice": "any" }),
        &[],
    );
    check(
        with(ChoiceWord::Unnamed),
        choosing(ToolChoice::Required),
        json!({ "tool_choice": "required" }),
        &[],
    );
    let named = choosing(ToolChoice::Tool("t".into()));
    check(
        with(ChoiceWord::Unnamed),
        named,
        json!({}),
        &["tool_choice_not_carried"],
    );
    check(
        with(ChoiceWord::LeftOut),
        choosing(ToolChoice::Auto),
        json!({}),
        &["tool_choice_not_carried"],
    );
}

#[test]
fn whether_calls_may_be_several_is_told_where_it_is_read() {
    let parameters = Parameters {
        parallel_calls: Some(false),
        ..Parameters::default()
    };
    check(
        OPENAI(),
        parameters.clone(),
        json!({ "parallel_tool_calls": false }),
        &[],
    );
    let codec = OpenAiChat {
        parallel_field: ParallelCalls::LeftOut,
        ..OPENAI()
    };
    check(
        codec,
        parameters,
        json!({}),
        &["parallel_calls_not_carried"],
    );
}

#[test]
fn without_tools_nothing_is_asked_of_them_and_a_warning_says_so() {
    let parameters = Parameters {
        parallel_calls: Some(false),
        tool_choice: Some(ToolChoice::Auto),
        ..Parameters::default()
    };
    let request = ForgedRequest {
        model: "m".into(),
        parameters,
        ..ForgedRequest::default()
    };
    let wire = OPENAI().encode(&request.into_request(), &Files::new(), AnswerMode::Whole);
    let told = ["parallel_calls_not_carried", "tool_choice_not_carried"].map(str::to_owned);
    assert_eq!(
        (wire.body, wire.warnings),
        (json!({ "model": "m", "messages": [] }), told.into())
    );
}

#[test]
fn a_form_is_asked_for_as_far_as_the_server_can_hold_to_it() {
    let asking = |output| Parameters {
        output: Some(output),
        ..Parameters::default()
    };
    let schema = |strict| OutputFormat::Schema {
        name: "n".into(),
        schema: json!({ "type": "object" }),
        strict,
    };
    let json_only = OpenAiChat {
        output_forms: OutputForms::Json,
        ..OPENAI()
    };
    let any = json!({ "response_format": { "type": "json_object" } });
    check(OPENAI(), asking(OutputFormat::Json), any.clone(), &[]);
    check(json_only, asking(OutputFormat::Json), any.clone(), &[]);
    check(
        json_only,
        asking(schema(None)),
        any,
        &["output_not_carried"],
    );

    let of = |asked: Value| json!({ "response_format": { "type": "json_schema", "json_schema": asked } });
    check(
        OPENAI(),
        asking(schema(None)),
        of(json!({ "name": "n", "schema": { "type": "object" } })),
        &[],
    );
    let strict = of(json!({ "name": "n", "schema": { "type": "object" }, "strict": true }));
    check(OPENAI(), asking(schema(Some(true))), strict, &[]);
}

#[test]
fn reasoning_is_asked_for_in_the_style_of_the_server() {
    let check = |style, reasoning, fields, warnings: &[&str]| {
        let codec = OpenAiChat {
            reasoning_style: style,
            ..OPENAI()
        };
        check(
            codec,
            Parameters {
                reasoning: Some(reasoning),
                ..Parameters::default()
            },
            fields,
            warnings,
        );
    };
    let effort = |effort| Reasoning {
        effort: Some(effort),
        ..Reasoning::default()
    };
    let exact = Reasoning {
        effort: Some(Effort::Low),
        tokens_max: Some(64),
        show: Some(false),
    };

    check(
        ReasoningStyle::Effort,
        effort(Effort::Minimal),
        json!({ "reasoning_effort": "minimal" }),
        &[],
    );
    let lost = ["reasoning_show_not_carried", "reasoning_tokens_not_carried"];
    check(
        ReasoningStyle::Effort,
        exact,
        json!({ "reasoning_effort": "low" }),
        &lost,
    );

    check(
        ReasoningStyle::Object,
        effort(Effort::High),
        json!({ "reasoning": { "effort": "high" } }),
        &[],
    );
    let limited = json!({ "reasoning": { "max_tokens": 64, "exclude": true } });
    check(
        ReasoningStyle::Object,
        exact,
        limited,
        &["reasoning_effort_not_carried"],
    );
    check(
        ReasoningStyle::Object,
        Reasoning::default(),
        json!({ "reasoning": { "enabled": true } }),
        &[],
    );

    let thinking = |kind: &str| json!({ "thinking": { "type": kind } });
    check(
        ReasoningStyle::Thinking,
        effort(Effort::None),
        thinking("disabled"),
        &[],
    );
    check(
        ReasoningStyle::Thinking,
        Reasoning::default(),
        thinking("enabled"),
        &[],
    );
    let much = json!({ "thinking": { "type": "enabled" }, "reasoning_effort": "high" });
    check(ReasoningStyle::Thinking, effort(Effort::High), much, &[]);

    check(
        ReasoningStyle::LeftOut,
        effort(Effort::Low),
        json!({}),
        &["reasoning_not_carried"],
    );
}

#[test]
fn a_cache_is_hinted_at_where_a_hint_is_read() {
    let at = |place, ttl| Parameters {
        cache: [(place, ttl)].into(),
        ..Parameters::default()
    };
    let control = OpenAiChat {
        cache_hints: CacheHints::CacheControl,
        ..OPENAI()
    };
    check(
        OPENAI(),
        at(CachePlace::Auto, CacheTtl::Default),
        json!({}),
        &[],
    );
    check(
        OPENAI(),
        at(CachePlace::Auto, CacheTtl::OneHour),
        json!({}),
        &["cache_not_carried"],
    );
    check(
        OPENAI(),
        at(CachePlace::System, CacheTtl::Default),
        json!({}),
        &["cache_not_carried"],
    );
    let hour = json!({ "cache_control": { "type": "ephemeral", "ttl": "1h" } });
    check(control, at(CachePlace::Auto, CacheTtl::OneHour), hour, &[]);
    check(
        control,
        at(CachePlace::Tools, CacheTtl::Default),
        json!({}),
        &["cache_not_carried"],
    );
}

#[test]
fn further_fields_are_added_and_the_codecs_own_stand() {
    let extra = json!({ "n": 2, "seed": 8, "model": "other", "stream": true, "provider": { "sort": "price" } });
    let extra = extra.as_object().unwrap().clone();
    let parameters = Parameters {
        seed: Some(7),
        extra,
        ..Parameters::default()
    };
    let fields = json!({ "seed": 7, "n": 2, "provider": { "sort": "price" } });
    check(OPENAI(), parameters, fields, &["extra_not_carried"]);
}

#[test]
fn a_key_goes_into_the_header_of_the_server() {
    assert_eq!(
        OPENAI().key_header("k"),
        ("authorization", "Bearer k".to_owned())
    );
    let azure = OpenAiChat {
        key_header: KeyHeader::ApiKey,
        ..OPENAI()
    };
    assert_eq!(azure.key_header("k"), ("api-key", "k".to_owned()));
}

#[test]
fn a_stream_is_asked_for_its_usage_where_that_is_needed() {
    let streamed = |codec: OpenAiChat| {
        let request = ForgedRequest {
            model: "m".into(),
            ..ForgedRequest::default()
        }
        .into_request();
        codec
            .encode(&request, &Files::new(), AnswerMode::Stream)
            .body
    };
    let body = json!({ "model": "m", "messages": [], "stream": true });
    assert_eq!(
        streamed(OpenAiChat {
            stream_usage: StreamUsage::Unasked,
            ..OPENAI()
        }),
        body
    );
    assert_eq!(
        streamed(OPENAI())["stream_options"],
        json!({ "include_usage": true })
    );
}
