//! The parameters of the answer.

use std::collections::BTreeSet;

use folkmoot_core::model::{CachePlace, CacheTtl, OutputFormat, Parameters, Reasoning, ToolChoice};
use folkmoot_core::prompt::ModelRequest;
use serde_json::{Value, json};

use crate::codec::json::Fields;
use crate::codec::{provider_tools, warning};

/// Fields that are the codec's even where it does not write them.
const OWN: &[&str] = &["input", "model", "stream"];

/// Writes the parameters into a body that has its tools.
pub(super) fn put_parameters(
    request: &ModelRequest,
    body: &mut Fields,
    warnings: &mut BTreeSet<&'static str>,
) {
    let parameters = request.parameters();
    let has_tools = body.contains_key(provider_tools::FIELD);
    let mut put = |field: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(field.to_owned(), value);
        }
    };
    put("temperature", parameters.temperature_milli.map(fraction));
    put("top_p", parameters.top_p_milli.map(fraction));
    put(
        "max_output_tokens",
        parameters.output_tokens_max.map(|tokens| json!(tokens)),
    );
    // Without tools servers refuse a word about them; the closing call of a turn has none.
    if has_tools {
        put(
            "tool_choice",
            parameters.tool_choice.as_ref().map(tool_choice),
        );
        put(
            "parallel_tool_calls",
            parameters.parallel_calls.map(|may| json!(may)),
        );
    } else {
        warnings.extend(provider_tools::asked_in_vain(request));
    }
    put(
        "text",
        parameters
            .output
            .as_ref()
            .map(|output| json!({ "format": format(output) })),
    );
    put("reasoning", parameters.reasoning.and_then(reasoning));
    warnings.extend(not_carried(parameters));
    if !put_extra(provider_tools::without(&parameters.extra), body) {
        warnings.insert(warning::EXTRA_NOT_CARRIED);
    }
}

fn not_carried(parameters: &Parameters) -> impl Iterator<Item = &'static str> {
    let budget = parameters
        .reasoning
        .and_then(|reasoning| reasoning.tokens_max);
    // The start of a request is cached unasked. To keep it for a day can be asked for in `extra`;
    // for an hour it cannot.
    let is_unasked = |(place, ttl): (&CachePlace, &CacheTtl)| {
        *place == CachePlace::Auto && *ttl == CacheTtl::Default
    };
    [
        (!parameters.stop.is_empty(), warning::STOP_NOT_CARRIED),
        (parameters.seed.is_some(), warning::SEED_NOT_CARRIED),
        (budget.is_some(), warning::REASONING_TOKENS_NOT_CARRIED),
        (
            !parameters.cache.iter().all(is_unasked),
            warning::CACHE_NOT_CARRIED,
        ),
    ]
    .into_iter()
    .filter_map(|(is_asked, code)| is_asked.then_some(code))
}

fn fraction(milli: u32) -> Value {
    json!(f64::from(milli) / 1000.0)
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({ "type": "function", "name": name }),
    }
}

fn format(output: &OutputFormat) -> Value {
    match output {
        OutputFormat::Json => json!({ "type": "json_object" }),
        OutputFormat::Schema {
            name,
            schema,
            strict,
        } => {
            let mut format = json!({ "type": "json_schema", "name": name, "schema": schema });
            if let (Some(strict), Value::Object(fields)) = (strict, &mut format) {
                fields.insert("strict".to_owned(), json!(strict));
            }
            format
        }
    }
}

/// Not showing it is what a provider does unasked.
fn reasoning(reasoning: Reasoning) -> Option<Value> {
    let mut fields = Fields::new();
    if let Some(effort) = reasoning.effort {
        fields.insert("effort".to_owned(), json!(effort.word()));
    }
    if reasoning.show == Some(true) {
        fields.insert("summary".to_owned(), json!("auto"));
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
}

/// Adds further fields, also within objects that are there. False if one is the codec's own and
/// says something else.
fn put_extra<'e>(
    extra: impl IntoIterator<Item = (&'e String, &'e Value)>,
    body: &mut Fields,
) -> bool {
    let mut is_whole = true;
    for (field, value) in extra {
        match (body.get_mut(field), value) {
            (Some(own), value) if own == value => {}
            (Some(Value::Object(own)), Value::Object(more)) => is_whole &= put_extra(more, own),
            (Some(_), _) => is_whole = false,
            (None, _) if OWN.contains(&field.as_str()) => is_whole = false,
            (None, value) => drop(body.insert(field.clone(), value.clone())),
        }
    }
    is_whole
}
