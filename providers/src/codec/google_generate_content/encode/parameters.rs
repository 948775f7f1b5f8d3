//! The parameters of the answer.

use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use serde_json::{Value, json};

use super::Warnings;
use crate::codec::json::Fields;
use crate::codec::warning;

/// Writes `generationConfig`; empty if everything is left to the provider.
pub(super) fn generation_config(parameters: &Parameters, warnings: &mut Warnings) -> Fields {
    let mut config = Fields::new();
    let mut put = |field: &str, value: Option<Value>| {
        config.extend(value.map(|value| (field.to_owned(), value)))
    };
    let fraction = |milli: u32| json!(f64::from(milli) / 1000.0);
    put("temperature", parameters.temperature_milli.map(fraction));
    put("topP", parameters.top_p_milli.map(fraction));
    put(
        "maxOutputTokens",
        parameters.output_tokens_max.map(Value::from),
    );
    put(
        "stopSequences",
        (!parameters.stop.is_empty()).then(|| json!(parameters.stop)),
    );
    put(
        "seed",
        parameters.seed.and_then(|seed| seed_json(seed, warnings)),
    );
    if let Some(format) = &parameters.output {
        // Wanted for a schema as well: without it the wire refuses one.
        put("responseMimeType", Some(json!("application/json")));
        put("responseJsonSchema", schema_of(format, warnings));
    }
    put(
        "thinkingConfig",
        parameters
            .reasoning
            .and_then(|reasoning| thinking_config(reasoning, warnings)),
    );
    if parameters.parallel_calls == Some(false) {
        warnings.insert(warning::PARALLEL_CALLS_NOT_CARRIED);
    }
    if parameters.strict_tools == Some(true) {
        warnings.insert(warning::STRICT_TOOLS_NOT_CARRIED);
    }
    // The provider keeps what it thinks best, unasked; a cache of one's own is made by another
    // request.
    let is_unasked = |(place, ttl): (&CachePlace, &CacheTtl)| {
        *place == CachePlace::Auto && *ttl == CacheTtl::Default
    };
    if !parameters.cache.iter().all(is_unasked) {
        warnings.insert(warning::CACHE_NOT_CARRIED);
    }
    config
}

/// Writes `toolConfig`.
pub(super) fn tool_config(choice: &ToolChoice) -> Value {
    let calling = match choice {
        ToolChoice::Auto => json!({ "mode": "AUTO" }),
        ToolChoice::None => json!({ "mode": "NONE" }),
        ToolChoice::Required => json!({ "mode": "ANY" }),
        ToolChoice::Tool(name) => json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
    };
    json!({ "functionCallingConfig": calling })
}

/// The wire's number has a sign.
fn seed_json(seed: u32, warnings: &mut Warnings) -> Option<Value> {
    let seed = i32::try_from(seed).ok();
    if seed.is_none() {
        warnings.insert(warning::SEED_NOT_CARRIED);
    }
    seed.map(Value::from)
}

/// The schema of an answer, which has no name here and is always strict.
fn schema_of(format: &OutputFormat, warnings: &mut Warnings) -> Option<Value> {
    match format {
        OutputFormat::Json => None,
        OutputFormat::Schema {
            schema,
            strict,
            name: _,
        } => {
            if *strict == Some(false) {
                warnings.insert(warning::OUTPUT_STRICT_NOT_CARRIED);
            }
            Some(schema.clone())
        }
    }
}

/// The wire refuses a level beside a budget: the budget, which says more, goes.
fn thinking_config(reasoning: Reasoning, warnings: &mut Warnings) -> Option<Value> {
    let Reasoning {
        effort,
        tokens_max,
        show,
    } = reasoning;
    let mut config = Fields::new();
    match (tokens_max, effort) {
        (Some(tokens), effort) => {
            config.insert("thinkingBudget".to_owned(), Value::from(tokens));
            if effort.is_some_and(|effort| effort != Effort::None || tokens != 0) {
                warnings.insert(warning::REASONING_EFFORT_NOT_CARRIED);
            }
        }
        (None, Some(effort)) => config.extend([effort_field(effort, warnings)]),
        (None, None) => {}
    }
    if let Some(show) = show {
        config.insert("includeThoughts".to_owned(), Value::from(show));
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

/// The field that says how much to think. There is no level for none, and none for the most.
fn effort_field(effort: Effort, warnings: &mut Warnings) -> (String, Value) {
    let level = match effort {
        Effort::None => return ("thinkingBudget".to_owned(), Value::from(0)),
        Effort::Minimal | Effort::Low | Effort::Medium | Effort::High | Effort::Xhigh => effort,
        Effort::Max => {
            warnings.insert(warning::REASONING_EFFORT_LOWERED);
            Effort::Xhigh
        }
    };
    ("thinkingLevel".to_owned(), Value::from(level.word()))
}
