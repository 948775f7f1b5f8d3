//! The parameters of the answer.

use std::collections::BTreeMap;

use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::prompt::ModelRequest;
use serde_json::{Value, json};

use super::super::{
    CacheHints, ChoiceWord, OpenAiChat, OutputForms, ParallelCalls, ReasoningStyle, SeedField,
};
use super::ChatBody;
use crate::codec::json::Fields;
use crate::codec::{provider_tools, warning};

/// Writes the parameters of `request` into a body that has its tools.
pub(super) fn write(codec: &OpenAiChat, request: &ModelRequest, body: &mut ChatBody) {
    let parameters = request.parameters();
    sampling(codec, parameters, body);
    if body.fields.contains_key(provider_tools::FIELD) {
        calls(codec, parameters, body);
    } else {
        body.warnings.extend(provider_tools::asked_in_vain(request));
    }
    if let Some(format) = &parameters.output {
        output(codec.output_forms, format, body);
    }
    if let Some(asked) = parameters.reasoning {
        reasoning(codec.reasoning_style, asked, body);
    }
    cache(codec.cache_hints, &parameters.cache, body);
}

fn sampling(codec: &OpenAiChat, parameters: &Parameters, body: &mut ChatBody) {
    let fraction = |milli: u32| json!(f64::from(milli) / 1000.0);
    if let Some(milli) = parameters.temperature_milli {
        body.put("temperature", fraction(milli));
    }
    if let Some(milli) = parameters.top_p_milli {
        body.put("top_p", fraction(milli));
    }
    if let Some(tokens) = parameters.output_tokens_max {
        body.put(codec.output_limit.field(), json!(tokens));
    }
    if !parameters.stop.is_empty() {
        body.put("stop", json!(parameters.stop));
    }
    match (parameters.seed, codec.seed_field) {
        (None, _) => {}
        (Some(seed), SeedField::Seed) => body.put("seed", json!(seed)),
        (Some(seed), SeedField::RandomSeed) => body.put("random_seed", json!(seed)),
        (Some(_), SeedField::LeftOut) => body.warn(warning::SEED_NOT_CARRIED),
    }
}

/// Only with tools: servers refuse these fields without them.
fn calls(codec: &OpenAiChat, parameters: &Parameters, body: &mut ChatBody) {
    if let Some(choice) = &parameters.tool_choice {
        match tool_choice(codec.choice_word, choice) {
            Some(choice) => body.put("tool_choice", choice),
            None => body.warn(warning::TOOL_CHOICE_NOT_CARRIED),
        }
    }
    match (parameters.parallel_calls, codec.parallel_field) {
        (None, _) => {}
        (Some(may), ParallelCalls::Sent) => body.put("parallel_tool_calls", json!(may)),
        (Some(_), ParallelCalls::LeftOut) => body.warn(warning::PARALLEL_CALLS_NOT_CARRIED),
    }
}

fn tool_choice(word: ChoiceWord, choice: &ToolChoice) -> Option<Value> {
    let required = match word {
        ChoiceWord::Required | ChoiceWord::Unnamed => "required",
        ChoiceWord::Any => "any",
        ChoiceWord::LeftOut => return None,
    };
    Some(match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!(required),
        ToolChoice::Tool(_) if word == ChoiceWord::Unnamed => return None,
        ToolChoice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
    })
}

fn output(forms: OutputForms, format: &OutputFormat, body: &mut ChatBody) {
    let format = match (format, forms) {
        (OutputFormat::Json, OutputForms::Schema | OutputForms::Json) => {
            json!({ "type": "json_object" })
        }
        (
            OutputFormat::Schema {
                name,
                schema,
                strict,
            },
            OutputForms::Schema,
        ) => {
            let mut asked = json!({ "name": name, "schema": schema });
            if let (Some(strict), Some(fields)) = (strict, asked.as_object_mut()) {
                fields.insert("strict".to_owned(), json!(strict));
            }
            json!({ "type": "json_schema", "json_schema": asked })
        }
        (OutputFormat::Schema { .. }, OutputForms::Json) => {
            body.warn(warning::OUTPUT_NOT_CARRIED);
            json!({ "type": "json_object" })
        }
    };
    body.put("response_format", format);
}

fn reasoning(style: ReasoningStyle, asked: Reasoning, body: &mut ChatBody) {
    match style {
        ReasoningStyle::Effort => {
            effort(asked, body);
            warn_of_the_rest(asked, body);
        }
        ReasoningStyle::Object => reasoning_object(asked, body),
        ReasoningStyle::Thinking => {
            let is_off = asked.effort == Some(Effort::None);
            body.put(
                "thinking",
                json!({ "type": if is_off { "disabled" } else { "enabled" } }),
            );
            if !is_off {
                effort(asked, body);
            }
            warn_of_the_rest(asked, body);
        }
        ReasoningStyle::LeftOut => body.warn(warning::REASONING_NOT_CARRIED),
    }
}

fn effort(asked: Reasoning, body: &mut ChatBody) {
    if let Some(effort) = asked.effort {
        body.put("reasoning_effort", json!(effort.word()));
    }
}

fn warn_of_the_rest(asked: Reasoning, body: &mut ChatBody) {
    if asked.tokens_max.is_some() {
        body.warn(warning::REASONING_TOKENS_NOT_CARRIED);
    }
    if asked.show.is_some() {
        body.warn(warning::REASONING_SHOW_NOT_CARRIED);
    }
}

/// `effort` and `max_tokens` exclude each other: a limit is the more exact wish.
fn reasoning_object(asked: Reasoning, body: &mut ChatBody) {
    let mut fields = Fields::new();
    let mut put = |field: &str, value: Value| drop(fields.insert(field.to_owned(), value));
    match (asked.tokens_max, asked.effort) {
        (Some(tokens), effort) => {
            put("max_tokens", json!(tokens));
            if effort.is_some() {
                body.warn(warning::REASONING_EFFORT_NOT_CARRIED);
            }
        }
        (None, Some(effort)) => put("effort", json!(effort.word())),
        (None, None) => put("enabled", json!(true)),
    }
    if let Some(show) = asked.show {
        put("exclude", json!(!show));
    }
    body.put("reasoning", Value::Object(fields));
}

/// A server that keeps what it wants does so unasked; every other hint it cannot be given.
fn cache(hints: CacheHints, asked: &BTreeMap<CachePlace, CacheTtl>, body: &mut ChatBody) {
    for (place, ttl) in asked {
        match (hints, place, ttl) {
            (CacheHints::LeftOut, CachePlace::Auto, CacheTtl::Default) => {}
            (CacheHints::CacheControl, CachePlace::Auto, ttl) => {
                body.put("cache_control", cache_control(*ttl))
            }
            (
                _,
                CachePlace::Auto
                | CachePlace::Tools
                | CachePlace::System
                | CachePlace::Conversation,
                _,
            ) => {
                body.warn(warning::CACHE_NOT_CARRIED);
            }
        }
    }
}

fn cache_control(ttl: CacheTtl) -> Value {
    match ttl {
        CacheTtl::Default => json!({ "type": "ephemeral" }),
        CacheTtl::FiveMinutes => json!({ "type": "ephemeral", "ttl": "5m" }),
        CacheTtl::OneHour => json!({ "type": "ephemeral", "ttl": "1h" }),
    }
}
