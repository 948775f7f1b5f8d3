//! Parameters, prices and models that stand in for others.

use folkmoot_core::model::money::Price;
use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::spec::Limits;
use serde_json::json;

use super::*;

fn agent(parameters: &str) -> Parameters {
    let text = ROOM.replace("tools: [look]", &format!("tools: [look], {parameters}"));
    parse(&text)
        .unwrap_or_else(|error| panic!("{error}"))
        .spec
        .agents[1]
        .spec
        .parameters
        .clone()
}

/// The faults of the room with other models, without their places.
fn wrong(models: &str, rest: &str) -> Vec<String> {
    let text = format!(
        "{}{rest}",
        ROOM.replace("{ m: { provider: scripted } }", models)
    );
    faults(&text)
        .into_iter()
        .map(|fault| fault.split_once(' ').unwrap().1.to_owned())
        .collect()
}

#[test]
fn every_parameter_is_read() {
    let written = "parameters: { temperature: 0.7, output_tokens_max: 5, top_p: 0.95, stop: [\"END\", \"x\"], seed: 7, \
                   tool_choice: { tool: look }, parallel_calls: false, strict_tools: true, \
                   output: { name: plan, schema: { type: object }, strict: true }, \
                   reasoning: { effort: high, tokens_max: 100, show: true }, \
                   cache: { system: 1h, tools: default, conversation: 5m }, extra: { top_k: 4, deep: { a: [1] } }, \
                   provider_tools: [{ type: web_search, max_uses: 3 }] }";
    let expected = Parameters {
        temperature_milli: Some(700),
        output_tokens_max: Some(5),
        top_p_milli: Some(950),
        stop: vec!["END".to_owned(), "x".to_owned()],
        seed: Some(7),
        tool_choice: Some(ToolChoice::Tool("look".to_owned())),
        parallel_calls: Some(false),
        strict_tools: Some(true),
        output: Some(OutputFormat::Schema {
            name: "plan".to_owned(),
            schema: json!({ "type": "object" }),
            strict: Some(true),
        }),
        reasoning: Some(Reasoning { effort: Some(Effort::High), tokens_max: Some(100), show: Some(true) }),
        cache: [
            (CachePlace::System, CacheTtl::OneHour),
            (CachePlace::Tools, CacheTtl::Default),
            (CachePlace::Conversation, CacheTtl::FiveMinutes),
        ]
        .into(),
        extra: json!({ "top_k": 4, "deep": { "a": [1] }, "tools": [{ "type": "web_search", "max_uses": 3 }] })
            .as_object()
            .unwrap()
            .clone(),
    };
    assert_eq!(agent(written), expected);
}

#[test]
fn words_stand_for_the_simple_cases() {
    let words = agent("parameters: { tool_choice: required, output: json, reasoning: low }");
    let reasoning = Some(Reasoning {
        effort: Some(Effort::Low),
        ..Reasoning::default()
    });
    let (tool_choice, output) = (Some(ToolChoice::Required), Some(OutputFormat::Json));
    assert_eq!(
        words,
        Parameters {
            tool_choice,
            output,
            reasoning,
            ..Parameters::default()
        }
    );
    let beside = agent("temperature: 1, output_tokens_max: 9");
    let expected = Parameters {
        temperature_milli: Some(1_000),
        output_tokens_max: Some(9),
        ..Parameters::default()
    };
    assert_eq!(beside, expected);
}

#[test]
fn prices_are_read_to_the_last_digit_and_are_no_settings() {
    let models = "{ m: { provider: scripted, model: a, fallback: [n] }, n: { provider: openai-chat, model: b, price: { input: 1, output: 2.000001 }, parameters: { seed: 1 } } }";
    let text = ROOM.replace("{ m: { provider: scripted } }", models);
    let more = "prices: { a: { input: \"0.25\", cached: 0.025, output: \"2.00\" }, b: { input: 9, output: 9 } }\nlimits: { cost: 5.10, cost_per_episode: \"0.000000000001\" }\n";
    let script = parse(&format!("{text}{more}")).unwrap_or_else(|error| panic!("{error}"));
    let rate = |text: &str| text.parse().unwrap();
    let price = |input, cached: Option<&str>, output| {
        Some(Price {
            input: rate(input),
            cached: cached.map(rate),
            cache_written: None,
            output: rate(output),
        })
    };
    let specs: Vec<_> = script
        .spec
        .models
        .values()
        .map(|model| &model.spec)
        .collect();
    assert_eq!(specs[0].price, price("0.25", Some("0.025"), "2"));
    assert_eq!(
        specs[1].price,
        price("1", None, "2.000001"),
        "what stands at the model wins"
    );
    assert_eq!(
        specs[0]
            .fallback
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["n"]
    );
    assert_eq!(specs[1].parameters.seed, Some(1));
    let settings: Vec<_> = script
        .spec
        .models
        .values()
        .map(|model| model.settings.clone())
        .collect();
    assert_eq!(
        settings[1],
        json!({ "provider": "openai-chat", "model": "b" })
    );
    let (cost, cost_per_episode) = (
        Some("5.1".parse().unwrap()),
        Some("0.000000000001".parse().unwrap()),
    );
    assert_eq!(
        script.spec.limits,
        Limits {
            cost,
            cost_per_episode,
            ..Limits::default()
        }
    );
    let in_use: Vec<_> = script
        .spec
        .models_in_use()
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(in_use, ["m", "n"], "what stands in is in use");
}

#[test]
fn what_cannot_be_a_parameter_or_an_amount_is_a_fault() {
    let amounts = wrong(
        "{ m: { provider: scripted, price: { input: -1, output: 0.0000001 } } }",
        "limits: { cost: 1e3 }",
    );
    assert_eq!(
        amounts,
        [
            "`-1` is not an amount | write digits with at most 6 decimals, e.g. \"0.25\"",
            "`0.0000001` is not an amount | write digits with at most 6 decimals, e.g. \"0.25\"",
            "`1e3` is not an amount | write digits with at most 12 decimals, e.g. \"0.25\"",
        ]
    );
    let both = faults(&ROOM.replace("tools: [look]", "temperature: 1, parameters: { seed: 1 }"));
    assert_eq!(
        both,
        ["4:61 `parameters` cannot stand beside `temperature` | keep one of the two"]
    );
}

#[test]
fn choice_names_a_tool_that_the_agent_has() {
    let choice = "parameters: { tool_choice: { tool: look } }";
    assert_eq!(
        faults(&ROOM.replace(
            "{ name: planner }",
            &format!("{{ name: planner, {choice} }}")
        )),
        [
            "4:62 planner must call `look`, and does not have that tool | give planner the tool, or leave the choice out"
        ]
    );
    let of_model = wrong(&format!("{{ m: {{ provider: scripted, {choice} }} }}"), "");
    assert_eq!(
        of_model,
        [
            "planner must call `look`, and does not have that tool | give planner the tool, or leave the choice out"
        ],
        "the worker has it"
    );
}

#[test]
fn a_tool_is_called_something_that_every_wire_of_its_agent_takes() {
    let room = ROOM.replace("look", "fs.look");
    let with = |models: &str| faults(&room.replace("{ m: { provider: scripted } }", models));
    let help = "give the tool another name";
    let refused =
        "cannot call `fs.look`: the wire of this model allows only letters, digits, `_` and `-`";
    for provider in ["openai-responses", "anthropic-messages", "groq"] {
        let told = with(&format!("{{ m: {{ provider: {provider}, model: x }} }}"));
        assert_eq!(told.len(), 1, "{provider}: {told:?}");
        assert!(
            told[0].ends_with(&format!("the model `m` {refused} | {help}")),
            "{provider}: {told:?}"
        );
    }
    let stands_in = "{ m: { provider: scripted, fallback: [n] }, n: { provider: recorded, wire: openai-chat, from: x } }";
    assert!(
        with(stands_in)[0].ends_with(&format!("the model `n` {refused} | {help}")),
        "{:?}",
        with(stands_in)
    );
    for provider in ["scripted", "google-generate-content, model: x"] {
        assert_eq!(
            with(&format!("{{ m: {{ provider: {provider} }} }}")),
            [""; 0],
            "{provider}"
        );
    }
}

#[test]
fn models_that_stand_in_are_others_and_are_there() {
    assert_eq!(
        wrong(
            "{ m: { provider: scripted, fallback: [m, n, k, n] }, n: { provider: scripted } }",
            ""
        ),
        [
            "`m` cannot be its own fallback | name another model",
            "no model is called `k` | did you mean `m`?",
            "`n` stands in this list already | keep one of them",
        ]
    );
    let mutual =
        "{ m: { provider: scripted, fallback: [n] }, n: { provider: scripted, fallback: [m] } }";
    assert_eq!(
        wrong(mutual, ""),
        [""; 0],
        "two may stand in for each other"
    );
}

#[test]
fn limit_of_cost_needs_the_price_of_every_model_that_may_be_asked() {
    let models = "{ m: { provider: scripted, model: a, fallback: [n] }, n: { provider: scripted, model: b } }";
    let help = "give the model a `price`, or `prices` an entry for its `model`: { input: \"0.25\", output: \"2.00\" }";
    assert_eq!(
        wrong(
            models,
            "limits: { cost_per_episode: 1 }\nprices: { a: { input: 1, output: 1 } }"
        ),
        [format!(
            "`cost_per_episode` needs to know what the model `n` costs | {help}"
        )]
    );
}
