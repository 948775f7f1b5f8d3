//! What a request asks for is in the body, or a warning says that it is not: on every wire and for every provider.

use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Item, ToolDeclaration};
use folkmoot_providers::PRESETS;
use folkmoot_providers::codec::{AnswerMode, Codec, WireRequest};
use serde_json::{Map, Value, json};

/// Each parameter alone, with a value that no provider takes for granted.
fn parameters() -> Vec<(&'static str, Parameters)> {
    let one = |change: fn(&mut Parameters)| {
        let mut parameters = Parameters::default();
        change(&mut parameters);
        parameters
    };
    let reasoning = |effort, tokens_max, show| {
        let reasoning = Some(Reasoning {
            effort,
            tokens_max,
            show,
        });
        Parameters {
            output_tokens_max: Some(9_000),
            reasoning,
            ..Parameters::default()
        }
    };
    let format = |strict| OutputFormat::Schema {
        name: "n".into(),
        schema: json!({ "type": "object" }),
        strict,
    };
    let output = |output| Parameters {
        output: Some(output),
        ..Parameters::default()
    };
    vec![
        ("temperature", one(|all| all.temperature_milli = Some(700))),
        (
            "output_tokens_max",
            one(|all| all.output_tokens_max = Some(77)),
        ),
        ("top_p", one(|all| all.top_p_milli = Some(900))),
        ("stop", one(|all| all.stop = vec!["END".into()])),
        ("seed", one(|all| all.seed = Some(7))),
        (
            "tool_choice none",
            one(|all| all.tool_choice = Some(ToolChoice::None)),
        ),
        (
            "tool_choice required",
            one(|all| all.tool_choice = Some(ToolChoice::Required)),
        ),
        (
            "tool_choice tool",
            one(|all| all.tool_choice = Some(ToolChoice::Tool("add".into()))),
        ),
        (
            "parallel_calls",
            one(|all| all.parallel_calls = Some(false)),
        ),
        ("strict_tools", one(|all| all.strict_tools = Some(true))),
        ("output json", output(OutputFormat::Json)),
        ("output schema", output(format(None))),
        ("output strict", output(format(Some(true)))),
        ("effort", reasoning(Some(Effort::High), None, None)),
        ("no effort", reasoning(Some(Effort::None), None, None)),
        ("reasoning tokens", reasoning(None, Some(2_048), None)),
        (
            "shown reasoning",
            reasoning(Some(Effort::High), None, Some(true)),
        ),
        (
            "extra",
            one(|all| all.extra = Map::from_iter([("surprise".to_owned(), json!(1))])),
        ),
        (
            "cached tools",
            one(|all| all.cache = [(CachePlace::Tools, CacheTtl::OneHour)].into()),
        ),
    ]
}

fn encode(codec: &dyn Codec, parameters: Parameters) -> WireRequest {
    let schema = json!({ "type": "object", "properties": {} });
    let add = ToolDeclaration {
        name: "add".to_owned(),
        description: "Adds.".to_owned(),
        schema,
    };
    let heard = Item::Heard {
        from: "Ada".to_owned(),
        text: "Hi".to_owned(),
        attachments: Vec::new(),
    };
    let request = ForgedRequest {
        model: "m".into(),
        parameters,
        tools: vec![add],
        items: vec![heard],
        ..ForgedRequest::default()
    };
    codec.encode(&request.into_request(), &Files::new(), AnswerMode::Whole)
}

/// The same request without the parameter; what goes with a parameter stays.
fn without(name: &str, parameters: &Parameters) -> Parameters {
    let length = if name == "output_tokens_max" {
        None
    } else {
        parameters.output_tokens_max
    };
    Parameters {
        output_tokens_max: length,
        ..Parameters::default()
    }
}

#[test]
fn every_parameter_is_in_the_body_or_a_warning_says_that_it_is_not() {
    for preset in PRESETS {
        let quirks: Map<String, Value> = preset
            .quirks
            .iter()
            .map(|(name, word)| ((*name).into(), json!(word)))
            .collect();
        let codec = preset.wire.codec(&quirks).unwrap();
        for (name, parameters) in parameters() {
            let plain = encode(&*codec, without(name, &parameters));
            let asked = encode(&*codec, parameters);
            let is_told = asked.body != plain.body || asked.warnings.len() > plain.warnings.len();
            assert!(is_told, "{}: {name} is lost: {:?}", preset.name, asked);
        }
    }
}

#[test]
fn a_field_of_extra_never_changes_what_the_codec_writes_itself() {
    for preset in PRESETS {
        let quirks: Map<String, Value> = preset
            .quirks
            .iter()
            .map(|(name, word)| ((*name).into(), json!(word)))
            .collect();
        let codec = preset.wire.codec(&quirks).unwrap();
        let plain = encode(&*codec, Parameters::default());
        let Value::Object(fields) = &plain.body else {
            panic!("{plain:?}")
        };
        for (field, value) in fields
            .iter()
            .filter(|(_, value)| !value.is_object() && !value.is_array())
        {
            let extra = Map::from_iter([(field.clone(), json!("another"))]);
            let asked = encode(
                &*codec,
                Parameters {
                    extra,
                    ..Parameters::default()
                },
            );
            assert_eq!(
                asked.body.get(field),
                Some(value),
                "{}: {field}",
                preset.name
            );
            assert!(
                asked
                    .warnings
                    .iter()
                    .any(|code| code == "extra_not_carried"),
                "{}: {field}",
                preset.name
            );
        }
    }
}
